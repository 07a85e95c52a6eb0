"""One widget for each kind of field, and the view that stacks them into a form."""
