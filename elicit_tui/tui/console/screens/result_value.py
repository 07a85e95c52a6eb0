"""One value of a result, read whole."""

from __future__ import annotations

from typing import Any

from elicit_tui.text import neutral_line
from elicit_tui.text.hostile_json import bounded_json
from elicit_tui.tui.console.dialog import TextDialog
from elicit_tui.tui.console.spans import Line, readable, text_lines


class ValueScreen(TextDialog):
    """One value of a result, whole."""

    def __init__(self, title: str, value: Any) -> None:
        super().__init__(neutral_line(title, 60))
        text = value if isinstance(value, str) else bounded_json(value)
        self._text = readable(text)

    def lines(self, width: int) -> list[Line]:
        """The text, or the JSON."""
        return text_lines(self._text, width)
