"""The state that a scenario watches: files and commands, before a run and after it."""

from __future__ import annotations

import asyncio
import hashlib
import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from elicit_tui.command import end
from elicit_tui.text import in_seconds, neutral_line

COMMAND_SECONDS: Final = 30.0
CHUNK_BYTES: Final = 256 * 1024


@dataclass(frozen=True)
class State:
    """What was found of one file or command that is watched."""

    digest: str | None = None
    """Of what it holds or prints; None: nothing is there."""
    problem: str | None = None
    """Why nothing could be found out, as the end of a sentence: then nothing is watched."""


States = Mapping[str, State]


async def states(watched: Sequence[str]) -> States:
    """The state of each watched file or command.

    What holds a blank and is no file is a command, split as a POSIX shell would, with no shell;
    its exit code and standard output are its state.
    """
    return {each: await _state(each) for each in watched}


@dataclass(frozen=True)
class Watched:
    """What a scenario watches, before a run and after it."""

    before: States
    after: States

    @property
    def changed(self) -> list[str]:
        """What is no longer as it was."""
        return [each for each, was in self.before.items() if was.digest != self.after[each].digest]

    @property
    def unchanged(self) -> list[str]:
        """What is as it was."""
        return [each for each in self.before if each not in self.changed]

    @property
    def never_there(self) -> list[str]:
        """What was there neither before nor after, such as a name that was misspelt."""
        return [each for each in self.before if self.before[each] == self.after[each] == State()]

    @property
    def problems(self) -> list[str]:
        """Why something could not be watched, each as a sentence."""
        found = {each: was.problem or self.after[each].problem for each, was in self.before.items()}
        return [f"watch: {each} {problem}" for each, problem in found.items() if problem]


async def _state(watched: str) -> State:
    if " " not in watched.strip() or _is_there(watched):
        return _of_file(Path(watched))
    try:
        process = await asyncio.create_subprocess_exec(
            *shlex.split(watched),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        return State(problem=f"cannot be run: {neutral_line(str(error))}")
    try:
        return State(await asyncio.wait_for(_of_command(process), COMMAND_SECONDS))
    except asyncio.TimeoutError:
        return State(problem=f"did not end within {in_seconds(COMMAND_SECONDS)}")
    finally:
        await end(process)


async def _of_command(process: asyncio.subprocess.Process) -> str:
    """The exit code and the digest of what was printed, however much it is."""
    digest = hashlib.sha256()
    assert process.stdout is not None
    while piece := await process.stdout.read(CHUNK_BYTES):
        digest.update(piece)
    return f"{await process.wait()} {digest.hexdigest()}"


def _is_there(watched: str) -> bool:
    try:
        return Path(watched).exists()
    except (OSError, ValueError):  # too long for a name, or nothing that could be one
        return False


def _of_file(path: Path) -> State:
    try:
        if path.is_dir():
            return State(_digest("\n".join(_lines(path)).encode("utf-8", "surrogateescape")))
        if path.exists() and not path.is_file():
            return State(problem="is no file")  # a pipe or a device may never end
        return State(_of_content(path))
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
            what = _of_content(path)
        else:
            what = "directory" if path.is_dir() else "is no file"
        yield f"{str(path.relative_to(directory))!r} {what}"


def _of_content(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(CHUNK_BYTES):
            digest.update(piece)
    return digest.hexdigest()


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
