"""A button one row high that names its key: in questions and in the console's dialogs."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Button


class KeyButton(Button):
    """Words, and the key that does the same."""

    DEFAULT_CSS = """
    KeyButton, KeyButton.-textual-compact {
        width: auto; min-width: 0; height: 1; border: none !important; padding: 0;
        background: $panel; color: $foreground; text-style: none; margin: 0;
        line-pad: 1; text-align: left; content-align: left middle;
        &.-main { text-style: bold; color: $accent; }
        &:hover { background: $well-focus; }
        &:focus { background: $accent; color: $background; text-style: bold underline; }
        &.-active { background: $well-focus; tint: transparent; border: none; }
    }
    """

    def __init__(self, words: str, key: str, *, id: str, main: bool = False) -> None:
        super().__init__(words, id=id, classes="-main" if main else None, compact=True)
        self._words = words
        self._main = main
        self.key = key
        self._label(quiet=True)

    @property
    def cells(self) -> int:
        """Its width, with a blank at each side."""
        return Content(f"{self._words} {self.key}").cell_length + 2

    def name_key(self, key: str) -> bool:
        """Show another key; says whether it is another one."""
        if key == self.key:
            return False
        self.key = key
        self._label(quiet=not self.has_focus)
        self.refresh(layout=True)
        return True

    def on_focus(self) -> None:
        """A quiet key would not be read on the colour of the focus."""
        self._label(quiet=False)

    def on_blur(self) -> None:
        """The key is quiet again."""
        self._label(quiet=True)

    def _label(self, *, quiet: bool) -> None:
        style = "$faint" if quiet and not self._main else ""
        # Set past the reactive: for it two labels of the same letters are the same.
        self.set_reactive(Button.label, Content.assemble(self._words, " ", (self.key, style)))
        self.refresh()
