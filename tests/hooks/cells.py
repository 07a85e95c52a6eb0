"""Every event with every way in which a program or a page may behave, and what must follow."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, get_args

from elicit_tui import paths
from elicit_tui.elicitation.settings import HookEvent
from elicit_tui.elicitation.toml_spelling import toml_value
from tests.hooks.world import Receiver, answer, command
from tests.servers.scripts import form, scripted

EVENTS: Final[tuple[HookEvent, ...]] = get_args(HookEvent)
BEHAVIOURS: Final = (
    *("answers", "passes", "declines", "hangs", "crashes", "nonsense", "floods", "leaves"),
)
FAILS: Final = {
    "hangs": "did not answer within",
    "crashes": ("ended with exit code 1: it broke ␛[31m", "could not be reached"),
    "nonsense": "did not answer in JSON",
    "floods": "more than 1 MiB",
}
SENT: Final = {"value": "red"}
"""What the person sends, or an answers file."""
HOOKED: Final = {"value": "blue"}
"""What a hook answers, or makes of an answer."""


@dataclass(frozen=True)
class Cell:
    """One hook: for which event, a command or a page, and what it does."""

    event: HookEvent
    sort: str
    behaviour: str

    def __str__(self) -> str:
        return f"{self.event}-{self.sort}-{self.behaviour}"

    @property
    def has_power(self) -> bool:
        """Whether it is listened to; the others are only told."""
        return self.event in ("Elicitation", "ElicitationResult")

    @property
    def fails(self) -> str | None:
        """What a person is told of it when it does not do its work."""
        words = FAILS.get(self.behaviour)
        return words[self.sort == "url"] if isinstance(words, tuple) else words

    @property
    def said(self) -> str:
        """What a page answers, or a command that answers."""
        if self.behaviour == "declines":
            return answer("decline", self.event)
        return answer("accept", self.event, **HOOKED) if self.behaviour == "answers" else ""

    @property
    def seconds(self) -> int:
        """The time that it has; those that are only told start all at once."""
        return 30 if self.behaviour != "hangs" else 1 if self.has_power else 2

    def command(self, log: Path, child: Path) -> tuple[str, ...]:
        """Such a program; one that leaves a process behind says in `child` which.

        One that hangs has little time, in which a busy machine starts no Python.
        """
        if self.behaviour == "hangs" and os.name == "posix":
            return ("/bin/sh", "-c", 'echo {} >> "$0"; exec sleep 60', str(log))
        more = {"answers": [self.said], "leaves": [str(child)]}.get(self.behaviour, [])
        return command(self.behaviour, log, *more)


CELLS: Final = [
    Cell(event, sort, behaviour)
    for event in EVENTS
    for sort in ("command", "url")
    for behaviour in BEHAVIOURS
    if (sort, behaviour) != ("url", "leaves")  # a page leaves no process behind
]
WITH_POWER: Final = [cell for cell in CELLS if cell.has_power]


@dataclass(frozen=True)
class Ended:
    """What became of a question."""

    action: str
    decided_by: str
    content: Mapping[str, Any] | None


@dataclass(frozen=True)
class Face:
    """What a face does with a question that no hook answers, and once more after a bad answer."""

    without: Ended
    answers: Ended
    again: Ended
    rewritten: Ended
    """What goes out where a hook put something else into the answer."""


BY_HOOK: Final = Ended("accept", "hook", HOOKED)
PERSON: Final = Face(*[Ended("accept", "user", SENT)] * 3, rewritten=BY_HOOK)
NOBODY: Final = Ended("cancel", "nobody", None)
PREPARED: Final = Ended("accept", "answers", SENT)
ANSWERS_FILE: Final = Face(NOBODY, PREPARED, NOBODY, rewritten=PREPARED)


def expected(cell: Cell, face: Face) -> Ended:
    """What becomes of a question that this hook, and no other, is meant for."""
    before = cell.event == "Elicitation"
    if cell.has_power and cell.behaviour == "answers":
        return BY_HOOK if before else face.rewritten
    if cell.has_power and cell.behaviour == "declines":
        return Ended("decline", "hook", None)
    if before:
        return face.without
    return face.again if cell.has_power and cell.fails else face.answers


class Hooked:
    """A server and hooks in the person's configuration: each cell with power has a tool of its own.

    The cells of an event that has no power share the tool of that event.
    """

    def __init__(self, directory: Path, receiver: Receiver) -> None:
        self.directory = directory
        self._receiver = receiver
        value = {"type": "string", "default": SENT["value"]}
        schema = {"type": "object", "properties": {"value": value}, "required": ["value"]}
        asks = [{"ask": form("Which?", schema)}]
        server = scripted(directory, dict.fromkeys(sorted({*map(self.tool, CELLS)}), asks))
        lines = [
            *("[elicitation.limits]", "per_minute = 1000", "[gateway]", "hold_sec = 600"),
            *("[store]", "answer_without_terminal = true", "[mcp_servers.s]"),
            *(f"command = {toml_value(server[0])}", f"args = {toml_value(server[1:])}"),
        ]
        self._places: dict[Cell, int] = {}
        for cell in CELLS:
            self._places[cell] = len(lines) + 1
            receiver.pages[f"/{cell}"] = (cell.behaviour, cell.said)
            page = receiver.url.replace("/hook", f"/{cell}")
            ran = cell.command(self.log(cell), self.child(cell))
            how = f"command = {toml_value(ran)}" if cell.sort == "command" else f'url = "{page}"'
            lines += ["[[hooks]]", f'event = "{cell.event}"', f'tool = "{self.tool(cell)}"', how]
            lines += [f"timeout_sec = {cell.seconds}"]
        paths.config_file().parent.mkdir(parents=True)
        paths.config_file().write_text("\n".join(lines) + "\n")

    @staticmethod
    def tool(cell: Cell) -> str:
        """The tool whose question the cell's hook is meant for."""
        return str(cell) if cell.has_power else cell.event

    def name(self, cell: Cell) -> str:
        """What the hook is called."""
        return f"hook at config.toml:{self._places[cell]}"

    def log(self, cell: Cell) -> Path:
        return self.directory / f"{cell}.jsonl"

    def child(self, cell: Cell) -> Path:
        return self.directory / f"{cell}.child"

    def runs(self, cell: Cell) -> int:
        """How often the hook ran."""
        if cell.sort == "url":
            return self._receiver.asked_at.count(f"/{cell}")
        log = self.log(cell)
        return len(log.read_text().splitlines()) if log.exists() else 0

    def all_ran(self, events: Iterable[str]) -> bool:
        """Whether each hook of these events has begun: what it does ends with its own time."""
        return all(self.runs(cell) for cell in CELLS if cell.event in events)

    def rows(self, exported: str) -> dict[str, Ended]:
        """How the question of each tool ended, as `history export` has it."""
        rows = [json.loads(line) for line in exported.splitlines()]
        ended = {
            row["tool"]: Ended(row["action"], row["decidedBy"], row["content"]) for row in rows
        }
        assert len(ended) == len(rows)
        return ended


def wrong(
    hooked: Hooked, face: Face, rows: Mapping[str, Ended], told: str, events: Iterable[HookEvent]
) -> dict[str, str]:
    """The cells that did not do as they must, each with what was seen instead.

    `events`: those that happen in this face; hooks of the others must not run.
    """
    found: dict[str, str] = {}
    for cell in CELLS:
        ran = 1 if cell.event in events else 0
        if hooked.runs(cell) != ran:
            found[str(cell)] = f"ran {hooked.runs(cell)} times"
        if not ran:
            continue
        ended = rows.get(hooked.tool(cell))
        if ended != expected(cell, face):
            found[str(cell)] = f"ended by {ended}"
        event = "" if cell.has_power else f"({cell.event}) "
        start = f"The {hooked.name(cell)} {event}"
        said = [line for line in told.splitlines() if start in line]
        if cell.fails and not any(cell.fails in line for line in said):
            found[str(cell)] = f"was not told as failed: {said}"
        if not cell.fails and not all("changed the answer" in line for line in said):
            found[str(cell)] = f"was told as failed: {said}"
    return found
