"""The state that a scenario watches: files and commands, before a run and after it."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Final

from elicit_tui.command import end
from elicit_tui.dataclass import dataclass
from elicit_tui.form.limits import pointer_part
from elicit_tui.text import in_seconds, neutral_line

COMMAND_SECONDS: Final = 30.0
CHUNK_BYTES: Final = 256 * 1024
MOST_PARTS: Final = 1_000
MOST_LINES: Final = 100_000
"""Of what is counted; more of them cost more memory than a test should."""


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


async def states(
    watched: Sequence[str], *, counted: bool = False, directory: Path | None = None
) -> States:
    """The state of each watched file or command; `counted`: with its lines.

    What holds a blank and is no file is a command, split as a POSIX shell would, with no shell;
    its exit code and standard output are its state. Both are looked for in `directory`, else in
    our own.
    """
    place = Path() if directory is None else directory
    return {subject: await _state(subject, counted, place) for subject in watched}


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

    def changes(self, watched: str) -> int | None:
        """How many lines, or files of a directory, are new, gone or others; None: not known."""
        before, after = self.before[watched], self.after[watched]
        # What was not there has no lines; what has too many is not known.
        was = Counter() if before.digest is None else before.lines
        now = Counter() if after.digest is None else after.lines
        if was is None or now is None:
            return None
        # A line that is another now is one gone and one new, and counts once.
        return max(sum((now - was).values()), sum((was - now).values()))

    def changed_parts(self, watched: str) -> list[str]:
        """The parts of a JSON object that were there and are others now, or gone."""
        after = self.after[watched].parts
        # What is new is not told: only what was there can be told to have changed.
        return [part for part, was in self.before[watched].parts.items() if after.get(part) != was]

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

    def place(self, watched: str) -> str:
        """A watched file with where it was looked for, unless it says so itself."""
        path = Path(watched)
        return watched if path.is_absolute() else f"{watched} ({self.directory.absolute() / path})"

    @property
    def problems(self) -> list[str]:
        """Why something could not be watched, each as a sentence."""
        problems = {
            subject: before.problem or self.after[subject].problem
            for subject, before in self.before.items()
        }
        return [f"watch: {subject} {problem}" for subject, problem in problems.items() if problem]


NOTHING_WATCHED: Final = Watched({}, {})


async def _state(watched: str, counted: bool, directory: Path) -> State:
    # A file with a blank in its name is a file if it is there.
    if " " not in watched.strip() or _is_there(directory / watched):
        return _path_state(directory / watched, counted)
    try:
        process = await asyncio.create_subprocess_exec(
            *shlex.split(watched),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            cwd=directory,
            # A group of its own, so that all of it is ended when its time is over.
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        return State(problem=f"cannot be run: {neutral_line(str(error))}")
    try:
        return await asyncio.wait_for(_command_state(process, counted), COMMAND_SECONDS)
    except asyncio.TimeoutError:
        return State(problem=f"did not end within {in_seconds(COMMAND_SECONDS)}")
    finally:
        await end(process)


async def _command_state(process: asyncio.subprocess.Process, counted: bool) -> State:
    """The exit code and the digest of what was printed, however much it is."""
    read = _Content(counted)
    assert process.stdout is not None
    while piece := await process.stdout.read(CHUNK_BYTES):
        read.add(piece)
    return read.state(f"{await process.wait()} ")


class _Content:
    """The digest of what is read piece by piece, and of its lines where they are counted."""

    def __init__(self, counted: bool) -> None:
        self._digest = hashlib.sha256()
        self._begin = bytearray()
        self._lines: Counter[str] | None = Counter() if counted else None
        self._line = hashlib.sha256()
        self._open = False

    def add(self, piece: bytes) -> None:
        """Take the next piece."""
        self._digest.update(piece)
        # Kept to be read as JSON, up to where it is too long for that.
        if len(self._begin) <= CHUNK_BYTES:
            self._begin += piece
        if self._lines is None:
            return
        *ended, rest = piece.split(b"\n")
        for line in ended:
            self._line.update(line)
            self._end_line()
        self._line.update(rest)
        # A last line without its line break is a line, too.
        self._open = self._open or bool(rest)
        if len(self._lines) > MOST_LINES:
            self._lines = None

    def _end_line(self) -> None:
        assert self._lines is not None
        self._lines[self._line.hexdigest()] += 1
        self._line, self._open = hashlib.sha256(), False

    def state(self, before: str = "") -> State:
        """The state once all was read; `before` stands in front of its digest."""
        if self._lines is not None and self._open:
            self._end_line()
        # Cut off it would be no JSON.
        parts = _parts(bytes(self._begin)) if len(self._begin) <= CHUNK_BYTES else {}
        return State(before + self._digest.hexdigest(), self._lines, parts)


def _parts(content: bytes) -> dict[str, str]:
    """The values of a JSON object that are no objects themselves, by JSON pointer, as JSON."""
    try:
        waiting = [("", json.loads(content))]
    except (ValueError, RecursionError):
        return {}
    found: dict[str, str] = {}
    while waiting and len(found) < MOST_PARTS:
        place, value = waiting.pop()
        if isinstance(value, dict):
            waiting += [(f"{place}/{pointer_part(key)}", part) for key, part in value.items()]
        # A list counts as one value, and what is no object has no parts.
        elif place:
            found[place] = json.dumps(value)
    return found


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # too long for a name, or nothing that could be one
        return False


def _path_state(path: Path, counted: bool) -> State:
    try:
        if path.is_dir():
            found = _Content(counted)
            for line in _lines(path):
                found.add(f"{line}\n".encode("utf-8", "surrogateescape"))
            return found.state()
        if path.exists() and not path.is_file():
            return State(problem="is no file")  # a pipe or a device may never end
        return _file_digest(path, counted)
    except FileNotFoundError:
        return State()
    except (OSError, ValueError) as error:
        return State(problem=f"cannot be read: {getattr(error, 'strerror', None) or error}")


def _lines(directory: Path) -> Iterator[str]:
    """What is in a directory, at any depth, in order: each name with what stands there."""

    def raises(error: OSError) -> None:
        raise error

    found = []
    for place, directories, files in os.walk(directory, onerror=raises):
        found += [Path(place, name) for name in (*directories, *files)]
    for path in sorted(found):
        if path.is_symlink():
            what = f"-> {path.readlink()}"
        elif path.is_file():
            what = str(_file_digest(path).digest)
        else:
            what = "directory" if path.is_dir() else "is no file"
        # As a literal, as a name may hold a line break.
        yield f"{str(path.relative_to(directory))!r} {what}"


def _file_digest(path: Path, counted: bool = False) -> State:
    read = _Content(counted)
    with path.open("rb") as file:
        while piece := file.read(CHUNK_BYTES):
            read.add(piece)
    return read.state()
