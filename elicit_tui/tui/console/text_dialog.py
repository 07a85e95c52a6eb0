"""A screen over the console that holds one text to read."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Final

from textual.app import ComposeResult

from elicit_tui.tui.console.dialog import Dialog
from elicit_tui.tui.console.line_view import LineView
from elicit_tui.tui.console.spans import Line

AROUND: Final = 3
"""Rows that the frame and the bar of keys take."""


class TextDialog(Dialog[None]):
    """Shows its words, to be scrolled where there are more than fit; nothing is decided here."""

    interruptible: ClassVar[bool] = True

    @abstractmethod
    def words(self, width: int) -> list[Line]:
        """The text, in lines for a width in cells."""

    def body(self) -> ComposeResult:
        """The text alone."""
        yield LineView(id="words")

    def on_mount(self) -> None:
        """Show it from the top."""
        view = self.query_one("#words", LineView)
        view.show(self.words)
        view.focus()

    def on_resize(self) -> None:
        """As high as its words; what there is no room for is scrolled to."""
        self.query_one("#words", LineView).styles.max_height = self.size.height - AROUND
