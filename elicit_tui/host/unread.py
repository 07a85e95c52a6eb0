"""What one server wrote where only messages belong, and that could not be read as one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from elicit_tui.text import neutral_line

LINES_TOLD: Final = 1_000
"""Of one connection; a server that writes nothing else is soon not listened to."""

_LOOKED_AT: Final = 2_000
"""Characters of a line that are told."""

_EVERY_MESSAGE_SAYS: Final = '"jsonrpc"'
"""Spec: basic, "Messages". What a program prints for its author does not say it."""


class Unread:
    """Tells once of stray lines, and once of a lost message, which may have asked something."""

    def __init__(self, notice: Callable[[str], None]) -> None:
        """`notice`: tells a person a sentence about this server."""
        self._notice = notice
        self._lines = 0
        self.message_lost = False
        """Whether something was meant as a message and could not be read."""

    def line(self, text: str, wrong: str | None = None) -> str | None:
        """Judge a line that is no message; what the log says of it, None when enough was said.

        `wrong`: what is wrong with it, as the end of a sentence, where it was meant as a message.
        """
        beginning = neutral_line(text[:_LOOKED_AT], 80)
        if wrong is not None or _EVERY_MESSAGE_SAYS in text:
            self.message(wrong or f'"{beginning}"')
        elif not self._lines:
            self._notice(
                "It writes lines that are no messages where only messages belong, such as "
                f'"{beginning}"; they are left out.'
            )
        self._lines += 1
        if self._lines > LINES_TOLD:
            return None
        if self._lines == LINES_TOLD:
            return f"(more than {LINES_TOLD} lines are no message; no more of them is told)"
        return f"(not a message) {neutral_line(text[:_LOOKED_AT], 500)}"

    def message(self, what: str) -> None:
        """Note that a message was lost; `what`, safe text, quotes it or says what is wrong."""
        if not self.message_lost:
            self._notice(
                "It wrote a message that could not be read; whether that asked something is not "
                f"known: {what}."
            )
        self.message_lost = True
