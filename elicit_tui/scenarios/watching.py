"""The state that a scenario watches: files and commands, before a run and after it."""

from __future__ import annotations

import asyncio
import hashlib
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from elicit_tui.command import end
from elicit_tui.text import neutral_line

COMMAND_SECONDS: Final = 30.0
CHUNK_BYTES: Final = 256 * 1024


async def states(watched: Sequence[str]) -> Mapping[str, str]:
    """The state of each watched file or command, as a digest or a sentence.

    What holds a blank and is no file is a command, split as a POSIX shell would, with no shell;
    its exit code and standard output are its state.
    """
    return {each: await _state(each) for each in watched}


def changed(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """What is no longer as it was."""
    return [each for each in before if before[each] != after.get(each)]


async def _state(watched: str) -> str:
    if " " not in watched.strip() or _is_there(watched):
        return _digest(Path(watched))
    try:
        process = await asyncio.create_subprocess_exec(
            *shlex.split(watched),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        return f"cannot be run: {neutral_line(str(error))}"
    try:
        return await asyncio.wait_for(_of_command(process), COMMAND_SECONDS)
    except asyncio.TimeoutError:
        return "did not end in time"
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


def _digest(path: Path) -> str:
    try:
        if path.is_dir():
            names = sorted(str(each.relative_to(path)) for each in path.rglob("*"))
            parts = [f"{name} {_digest(path / name)}" for name in names if (path / name).is_file()]
            return hashlib.sha256("\n".join(parts).encode()).hexdigest()
        if path.exists() and not path.is_file():
            return "is no file"  # a pipe or a device may never end
        digest = hashlib.sha256()
        with path.open("rb") as file:
            while piece := file.read(CHUNK_BYTES):
                digest.update(piece)
        return digest.hexdigest()
    except FileNotFoundError:
        return "is not there"
    except (OSError, ValueError) as error:
        return f"cannot be read: {getattr(error, 'strerror', None) or error}"
