"""One widget for each kind of field, and the view that stacks them into a form."""

from elicit_tui.tui.widgets.control import FieldChanged, FieldControl
from elicit_tui.tui.widgets.form_view import FormView

__all__ = ["FieldChanged", "FieldControl", "FormView"]
