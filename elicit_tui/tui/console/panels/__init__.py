"""The panes of the console's main screen."""
