"""What a scenario watches, files and commands: how a run changed them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Final

from elicit_tui.dataclass import dataclass


@dataclass(frozen=True)
class State:
    """What was found of one file or command that is watched."""

    digest: str | None = None
    """Of what it holds or prints; None: nothing is there."""
    lines: Counter[str] | None = None
    """The digests of its lines, of a directory its files; None: not counted, or too many."""
    parts: Mapping[str, str] = field(default_factory=dict)
    """What a JSON object holds, by JSON pointer; a list is one. Empty: it is none, or large."""
    problem: str | None = None
    """Why nothing could be found out, as the end of a sentence: then nothing is watched."""


States = Mapping[str, State]


@dataclass(frozen=True)
class Watched:
    """What a scenario watches, before a run and after it."""

    before: States
    after: States
    directory: Path = Path()
    """What names that are not absolute are relative to."""

    @property
    def changed(self) -> list[str]:
        """What is no longer as it was."""
        return [
            subject
            for subject, before in self.before.items()
            if before.digest != self.after[subject].digest
        ]

    def changes(self, subject: str) -> int | None:
        """How many lines, or files of a directory, are new, gone or others; None: not known."""
        before, after = self.before[subject], self.after[subject]
        # What was not there has no lines; what has too many is not known.
        lines_before = Counter() if before.digest is None else before.lines
        lines_after = Counter() if after.digest is None else after.lines
        if lines_before is None or lines_after is None:
            return None
        # A line that is another now is one gone and one new, and counts once.
        new, gone = lines_after - lines_before, lines_before - lines_after
        return max(sum(new.values()), sum(gone.values()))

    def changed_parts(self, subject: str) -> list[str]:
        """The parts of a JSON object that were there and are others now, or gone."""
        before, after = self.before[subject].parts, self.after[subject].parts
        # What is new is not told: only what was there can be told to have changed.
        return [part for part, value in before.items() if after.get(part) != value]

    @property
    def unchanged(self) -> list[str]:
        """What is as it was."""
        changed = self.changed
        return [subject for subject in self.before if subject not in changed]

    @property
    def never_there(self) -> list[str]:
        """What was there neither before nor after, such as a name that was misspelt."""
        nothing = State()
        return [
            subject
            for subject, before in self.before.items()
            if before == self.after[subject] == nothing
        ]

    def place(self, subject: str) -> str:
        """A watched file with where it was looked for, unless it says so itself."""
        path = Path(subject)
        return subject if path.is_absolute() else f"{subject} ({self.directory.absolute() / path})"

    @property
    def problems(self) -> list[str]:
        """Why something could not be watched, each as a sentence."""
        problems = {
            subject: before.problem or self.after[subject].problem
            for subject, before in self.before.items()
        }
        return [f"watch: {subject} {problem}" for subject, problem in problems.items() if problem]


NOTHING_WATCHED: Final = Watched({}, {})
