"""What a scenario watches, files and commands: their state is read, and how a run changed it."""

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


async def states(
    watched: Sequence[str], *, counted: bool = False, directory: Path | None = None
) -> States:
    """The state of each watched file or command, by its name; `counted`: with its lines.

    A name with a blank that is no file is a command: it is split as a POSIX shell would split it
    and run without a shell; its exit code and standard output are its state. Files are looked for,
    and commands run, in `directory`, else in our own.
    """
    place = Path() if directory is None else directory
    return {subject: await _state(subject, counted, place) for subject in watched}


async def _state(watched: str, counted: bool, directory: Path) -> State:
    # A file with a blank in its name is a file if it is there.
    if " " not in watched.strip() or _is_there(directory / watched):
        return _path_state(directory / watched, counted)
    return await _command_state(watched, counted, directory)


async def _command_state(command: str, counted: bool, directory: Path) -> State:
    """The state that a command prints; it is ended with all that it started."""
    try:
        process = await asyncio.create_subprocess_exec(
            *shlex.split(command),
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
        return await asyncio.wait_for(_printed_state(process, counted), COMMAND_SECONDS)
    except asyncio.TimeoutError:
        return State(problem=f"did not end within {in_seconds(COMMAND_SECONDS)}")
    finally:
        await end(process)


async def _printed_state(process: asyncio.subprocess.Process, counted: bool) -> State:
    """The exit code and the digest of what was printed, however much it is."""
    content = _Content(counted)
    assert process.stdout is not None
    while piece := await process.stdout.read(CHUNK_BYTES):
        content.add(piece)
    return content.state(exit_code=await process.wait())


class _Content:
    """Takes what is read piece by piece; has its digest, and its lines' where they are counted."""

    def __init__(self, counted: bool) -> None:
        self._digest = hashlib.sha256()
        self._beginning = bytearray()
        """All of it, to be read as JSON, up to where it is too long for that."""
        self._lines: Counter[str] | None = Counter() if counted else None
        self._line_digest = hashlib.sha256()
        self._line_begun = False

    def add(self, piece: bytes) -> None:
        """Take the next piece."""
        self._digest.update(piece)
        if len(self._beginning) <= CHUNK_BYTES:
            self._beginning += piece
        if self._lines is None:
            return
        *ended, rest = piece.split(b"\n")
        for line in ended:
            self._line_digest.update(line)
            self._end_line()
        self._line_digest.update(rest)
        # A last line without its line break is a line, too.
        self._line_begun = self._line_begun or bool(rest)
        if len(self._lines) > MOST_LINES:
            self._lines = None

    def _end_line(self) -> None:
        assert self._lines is not None
        self._lines[self._line_digest.hexdigest()] += 1
        self._line_digest, self._line_begun = hashlib.sha256(), False

    def state(self, exit_code: int | None = None) -> State:
        """The state once all was read; a command's exit code is a part of its digest."""
        if self._lines is not None and self._line_begun:
            self._end_line()
        # Cut off it would be no JSON.
        parts = _parts(bytes(self._beginning)) if len(self._beginning) <= CHUNK_BYTES else {}
        digest = self._digest.hexdigest()
        return State(digest if exit_code is None else f"{exit_code} {digest}", self._lines, parts)


def _parts(content: bytes) -> dict[str, str]:
    """The values of a JSON object that are no objects themselves, by JSON pointer, as JSON."""
    try:
        waiting = [("", json.loads(content))]
    except (ValueError, RecursionError):
        return {}
    parts: dict[str, str] = {}
    while waiting and len(parts) < MOST_PARTS:
        place, value = waiting.pop()
        if isinstance(value, dict):
            waiting += [(f"{place}/{pointer_part(key)}", part) for key, part in value.items()]
        # A list counts as one value, and what is no object has no parts.
        elif place:
            parts[place] = json.dumps(value)
    return parts


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # too long for a name, or nothing that could be one
        return False


def _path_state(path: Path, counted: bool) -> State:
    try:
        if path.is_dir():
            content = _Content(counted)
            for line in _directory_lines(path):
                content.add(f"{line}\n".encode("utf-8", "surrogateescape"))
            return content.state()
        if path.exists() and not path.is_file():
            return State(problem="is no file")  # a pipe or a device may never end
        return _file_state(path, counted)
    except FileNotFoundError:
        return State()
    except (OSError, ValueError) as error:
        return State(problem=f"cannot be read: {getattr(error, 'strerror', None) or error}")


def _directory_lines(directory: Path) -> Iterator[str]:
    """What is in a directory, at any depth, in order: each name with what stands there."""

    def raises(error: OSError) -> None:
        raise error

    paths = []
    for place, directories, files in os.walk(directory, onerror=raises):
        paths += [Path(place, name) for name in (*directories, *files)]
    for path in sorted(paths):
        if path.is_symlink():
            what = f"-> {path.readlink()}"
        elif path.is_file():
            what = str(_file_state(path).digest)
        else:
            what = "directory" if path.is_dir() else "is no file"
        # As a literal, as a name may hold a line break.
        yield f"{str(path.relative_to(directory))!r} {what}"


def _file_state(path: Path, counted: bool = False) -> State:
    content = _Content(counted)
    with path.open("rb") as file:
        while piece := file.read(CHUNK_BYTES):
            content.add(piece)
    return content.state()
