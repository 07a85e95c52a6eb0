"""The floor of a first paint: a Textual app with one label."""

from textual.app import App, ComposeResult
from textual.widgets import Label


class Bare(App[None]):
    def compose(self) -> ComposeResult:
        yield Label("elicit-tui")


Bare().run()
