"""The screens that lie over the console."""
