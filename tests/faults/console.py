"""The console on a terminal, driven by its keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tests.faults.stand import Stand
from tests.faults.terminal import Terminal

DOWN: Final = "\x1b[B"
ENTER: Final = "\r"
CLEAR: Final = "\x15"
SEND: Final = "\x13"
LEAVE: Final = "\x11"
LATER: Final = "\x0c"
QUESTION: Final = "Send ^S"
"""A question is on the screen; its message may also stand in what is said about it."""


class Console(Terminal):
    """`elicit-tui` on all servers of a stand."""

    def __init__(
        self, stand: Stand, *arguments: str, command: Sequence[str] | None = None, **size: int
    ) -> None:
        super().__init__(command or stand.command(*arguments), stand.environment, **size)

    def choose(self, server: str, tool: str, *, up: bool = False) -> None:
        """Put the cursor on a tool of a server below, or above, from wherever the console is."""
        self.press_until("1", lambda: "[1 Servers" in self.text, "the servers")
        if not self.points_at(f"● {server}"):
            # Tab finds the list of servers among what can have the focus.
            keys = "\t" + ("\x1b[A" if up else DOWN)
            self.press_until(keys, lambda: self.points_at(f"● {server}"), server)
        self.press_until(f"/{CLEAR}{tool}", lambda: self.points_at(f"⚒ {tool}"), tool)

    def points_at(self, words: str) -> bool:
        """Whether the cursor of a list is on a row with these words."""
        return any(
            part.startswith(("▌", "▏", "│▌", "│▏")) and words in part
            for line in self.text.splitlines()
            for part in line.split("││")
        )

    def call(self, server: str, tool: str, *, up: bool = False) -> None:
        """Call a tool; its call is on the screen, or its question."""
        self.choose(server, tool, up=up)
        self.press_until(
            ENTER, lambda: "[3 Calls" in self.text or QUESTION in self.text, f"the call of {tool}"
        )

    def fill(self, text: str) -> None:
        """Type text into the field that has the focus, in place of what is there."""
        self.press_until(CLEAR + text, lambda: f"name        {text}" in self.text, text)

    def send(self) -> None:
        """Send the form."""
        self.press_until(SEND, lambda: QUESTION not in self.text, "the sending")

    def leave(self) -> int:
        """Leave with nothing open; the exit code."""
        self.type(LEAVE)
        return self.end()
