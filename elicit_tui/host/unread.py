"""What one server wrote that nobody read as it was meant: no message, half of one, too late."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from elicit_tui.text import neutral_line, quoted

LINES_TOLD: Final = 1_000
"""Of one connection; a server that writes nothing else is soon not listened to."""

_LOOKED_AT: Final = 2_000
"""Characters of a line that are told."""

_UNREADABLE: Final = (
    "wrote a message that could not be read; it may have asked something that nobody met"
)
_EVERY_MESSAGE_SAYS: Final = '"jsonrpc"'
"""Spec: basic, "Messages". What a program prints for its author does not say it."""


class Unread:
    """Tells once of stray lines, and once of each way in which a question may have been lost."""

    def __init__(self, notice: Callable[[str], None]) -> None:
        """`notice`: tells a person a sentence about this server."""
        self._notice = notice
        self._lines = 0
        self.lost: str | None = None
        """What became of a message that was lost, as the end of "The server NAME …"."""
        self._twice = False

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
        if self.lost != _UNREADABLE:
            self._notice(
                "It wrote a message that could not be read; whether that asked something is not "
                f"known: {what}."
            )
        self.lost = _UNREADABLE

    def said_twice(self, key: str) -> None:
        """Note that a message has an object in which this key stands twice."""
        if self._twice:
            return
        self._twice = True
        shown = quoted(key, 60)
        self._notice(f"It says {shown} twice in one object; the last one counts.")
        self.lost = self.lost or (
            f"says {shown} twice in one object; what was read may not be what it meant"
        )

    def asked_at_the_end(self) -> None:
        """Note that a question came while the connection was being closed."""
        if self.lost is None:
            self._notice("It asked something when its connection was being closed already.")
            self.lost = "asked something that nobody met, when its connection was being closed"
