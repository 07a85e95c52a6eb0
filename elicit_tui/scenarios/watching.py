"""The state that a scenario watches: files and commands, before a run and after it."""

from __future__ import annotations

import asyncio
import hashlib
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from elicit_tui.text import neutral_line

COMMAND_SECONDS: Final = 30.0


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
        )
        output, _ = await asyncio.wait_for(process.communicate(), COMMAND_SECONDS)
    except (OSError, ValueError) as error:
        return f"cannot be run: {neutral_line(str(error))}"
    except asyncio.TimeoutError:
        process.kill()
        await process.wait()
        return "did not end in time"
    return f"{process.returncode} {hashlib.sha256(output).hexdigest()}"


def _is_there(watched: str) -> bool:
    return Path(watched).exists()


def _digest(path: Path) -> str:
    try:
        if path.is_dir():
            names = sorted(str(each.relative_to(path)) for each in path.rglob("*"))
            parts = [f"{name} {_digest(path / name)}" for name in names if (path / name).is_file()]
            return hashlib.sha256("\n".join(parts).encode()).hexdigest()
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError:
        return "is not there"
    except OSError as error:
        return f"cannot be read: {error.strerror}"
