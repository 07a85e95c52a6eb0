"""The console on a terminal, driven by its keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from tests.faults.stand import Stand
from tests.faults.terminal import Terminal
from tests.keys import CLEAR, DOWN, ENTER, ESCAPE, LEAVE, SEND, TAB, UP

PANELS: Final = {"1": "Servers", "2": "Questions", "3": "Calls"}
QUESTION: Final = "^S Send"
"""A question is on the screen; its message may also stand in what is said about it."""

CURSORS: Final = ("▌", "▏")
"""Before the chosen row of a list; the first one where the keys go."""


class Console(Terminal):
    """`elicit-tui` on all servers of a stand."""

    def __init__(self, stand: Stand, *, command: Sequence[str] | None = None, **size: int) -> None:
        super().__init__(command or stand.command(), stand.environment, **size)

    @property
    def panels(self) -> list[list[str]]:
        """The lines of the boxes that stand side by side, from left to right."""
        lines = [line.strip("│").split("││") for line in self.text.splitlines()]
        return [[parts[place] for parts in lines if len(parts) == 2] for place in (0, 1)]

    @property
    def said(self) -> str:
        """What the right one says, without its line breaks and a server's gutter."""
        lines = (line.strip().removeprefix("│") for line in self.panels[1])
        return " ".join(" ".join(lines).split())

    def points_at(self, words: str, cursors: tuple[str, ...] = CURSORS) -> bool:
        """Whether the cursor of a list is on a row with these words."""
        lines = (line for panel in self.panels for line in panel)
        return any(line.startswith(cursors) and words in line for line in lines)

    def has_the_keys(self, panel: int) -> bool:
        """Whether the keys go to the list of this panel."""
        return any(line.startswith(CURSORS[:1]) for line in self.panels[panel])

    def go_to(self, panel: str) -> None:
        """Open a panel by its number."""
        title = PANELS[panel]
        self.press_until(
            panel,
            lambda: f"[{panel} {title}" in self.text and f"╭─ {title} ─" in self.text,
            title,
        )

    def choose(self, server: str, tool: str) -> None:
        """Put the cursor on a tool of a server that is ready, from wherever the console is."""
        self.go_to("1")
        self.go_to_server(f"● {server} ")
        # In the list letters are keys of their own.
        self.press_until(
            f"/{CLEAR}", lambda: "To the list" in self.text.splitlines()[-1], "the search"
        )
        # A longer name is cut in the list.
        self.press_until(f"{CLEAR}{tool}", lambda: self.points_at(f"⚒ {tool[:18]}"), tool)
        self.press_until(TAB, lambda: self.has_the_keys(1), "the list of tools")

    @property
    def _place(self) -> list[str]:
        """The rows that the cursors stand on, and the keys that can be pressed there."""
        rows = [line for panel in self.panels for line in panel if line.startswith(CURSORS)]
        return [*rows, self.text.splitlines()[-1]]

    def _towards(self, words: str) -> str:
        """The key that brings the cursor of the left list nearer to a row."""
        if not self.has_the_keys(0):
            # Tab finds it among what can have the focus.
            return TAB
        rows = self.panels[0]
        cursor = next(place for place, row in enumerate(rows) if row.startswith(CURSORS))
        wanted = next((place for place, row in enumerate(rows) if words in row), cursor)
        return DOWN if wanted > cursor else UP

    def go_to_server(self, words: str) -> None:
        """Put the cursor on a server of the list that is shown."""
        while not self.points_at(words):
            self.press_until(ESCAPE, lambda: self.has_the_keys(0), "the list of servers")
            before = self._place
            key = self._towards(words)
            self.press_until(key, lambda before=before: self._place != before, words)

    def call(self, server: str, tool: str) -> None:
        """Call a tool; its call is on the screen, or its question."""
        self.choose(server, tool)
        self.press_until(
            ENTER, lambda: "[3 Calls" in self.text or QUESTION in self.text, f"the call of {tool}"
        )

    def is_asked(self, server: str = "faulty", tool: str = "question", typed: str = "") -> None:
        """Call a tool that asks, and type this into the form."""
        self.call(server, tool)
        self.shows(QUESTION)
        if typed:
            self.press_until(CLEAR + typed, lambda: f"name        {typed}" in self.text, typed)

    def send(self) -> None:
        """Send the form."""
        self.press_until(SEND, lambda: QUESTION not in self.text, "the sending")

    def leave(self) -> int:
        """Leave with nothing open; the exit code."""
        self.type(LEAVE)
        return self.end()


@contextmanager
def console_on(stand: Stand, *shown: str, **size: Any) -> Iterator[Console]:
    """The console on all servers of a stand, once it shows this; left with nothing left behind."""
    with Console(stand, **size) as console:
        console.shows(*(shown or ("1 of 1 ready",)))
        yield console
        assert console.leave() == 0
        assert "Traceback" not in console.everything
        assert console.as_it_was
    stand.nothing_left()
