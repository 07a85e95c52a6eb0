"""A button one row high that names its key: in questions and in the console's dialogs."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widget import Widget


class KeyButton(Widget, can_focus=True):
    """Words, and the key that does the same; a click or Enter presses it.

    The library's button has so many styles that a row of them costs more than the fields above.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "press", "Press", show=False)]

    DEFAULT_CSS = """
    KeyButton {
        width: auto; height: 1; background: transparent; padding: 0 1; text-wrap: nowrap;
        pointer: pointer;
        &.-main { text-style: bold; color: $background; background: $success; }
        &.-aside { color: $faint; }
        &:hover { background: $well-focus; color: $foreground; }
        &:focus { background: $accent; color: $background; text-style: bold underline; }
    }
    """

    class Pressed(Message):
        """The button was pressed."""

        def __init__(self, button: KeyButton) -> None:
            super().__init__()
            self.button = button

        @property
        def control(self) -> KeyButton:
            """The button, for `@on` with a selector."""
            return self.button

    def __init__(
        self, words: str, key: str, *, id: str, main: bool = False, aside: bool = False
    ) -> None:
        """`main`: filled, the one that most people want; `aside`: at the right edge, calm."""
        super().__init__(id=id, classes="-main" if main else "-aside" if aside else None)
        self.aside = aside
        self._words = words
        self._main = main
        self.key = key

    @property
    def cells(self) -> int:
        """Its width, with a blank at each side."""
        return Content(f"{self._words} {self.key}").cell_length + 2

    def name_key(self, key: str) -> bool:
        """Show another key; says whether it is another one."""
        if key == self.key:
            return False
        self.key = key
        self.refresh(layout=True)
        return True

    def name_words(self, words: str) -> None:
        """Say other words."""
        self._words = words
        self.refresh(layout=True)

    def render(self) -> Content:
        """A quiet key, but not on the colour of the focus, where it could not be read."""
        style = "" if self._main or self.has_focus else "$faint"
        return Content.assemble(self._words, " ", (self.key, style))

    def on_click(self) -> None:
        """A click presses it."""
        self.action_press()

    def action_press(self) -> None:
        """Say that it was pressed."""
        self.post_message(self.Pressed(self))
