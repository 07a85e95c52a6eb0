"""A text in the person's own editor, through a private file with a name of ours."""

from __future__ import annotations

import asyncio
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from textual.app import App, SuspendNotSupported

from elicit_tui.paths import create_private, program

_FILE_NAME = "answer.txt"
_READ_NAME = "result.txt"


ATTENDED_SECONDS: Final = 5.0
"""No key comes here while an editor is open: so often it counts as one."""


class EditorTrouble(Exception):
    """The editor could not be used; the text on the screen is as it was."""


def editor_command() -> list[str]:
    """$VISUAL, else $EDITOR, else the system's plain editor; split as a shell would, none run.

    That is what `sudoedit` and `git` of Debian take: `editor`. Where there is none, one that names
    its keys comes before `vi`.
    """
    plain = ("notepad",) if sys.platform == "win32" else ("editor", "nano", "vi")
    fallback = next(filter(program, plain), plain[-1])
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or fallback
    try:
        return shlex.split(command, posix=sys.platform != "win32") or [fallback]
    except ValueError:
        raise EditorTrouble("$EDITOR cannot be read as a command.") from None


def _found(command: list[str]) -> list[str]:
    """The command with the editor's path: one of the current directory is never meant."""
    editor, *arguments = command
    if Path(editor).name != editor:
        return command
    path = program(editor)
    if path is None:
        raise EditorTrouble(f"The editor {editor} is in no directory of PATH.")
    return [path, *arguments]


async def edit_in_editor(
    app: App[Any], text: str, attended: Callable[[], None] = lambda: None
) -> str:
    """The text as the person saved it. The file is 0600 in a 0700 folder and removed after.

    All else goes on meanwhile; `attended` is told again and again that somebody is there.
    """
    saved = await _opened(app, text, _FILE_NAME, attended)
    return saved[:-1] if saved.endswith("\n") and not text.endswith("\n") else saved


async def read_in_editor(app: App[Any], text: str) -> None:
    """Open the text in the same way to be read alone: its file cannot be written."""
    await _opened(app, text, _READ_NAME, lambda: None)


async def _opened(app: App[Any], text: str, name: str, attended: Callable[[], None]) -> str:
    if getattr(app, "is_away", False):
        raise EditorTrouble("An editor is open already.")
    try:
        return await _edited(app, text, name, attended)
    except OSError as error:
        raise EditorTrouble(f"A file for the editor failed: {error.strerror}.") from None


async def _edited(app: App[Any], text: str, name: str, attended: Callable[[], None]) -> str:
    command = _found(editor_command())
    try:
        written = text.encode()
    except UnicodeEncodeError:
        raise EditorTrouble("The text holds half a character; no editor takes it.") from None
    with tempfile.TemporaryDirectory(prefix="elicit-tui-") as folder:
        file = Path(folder) / name
        with create_private(file) as stream:
            stream.write(written)
        if name == _READ_NAME:
            file.chmod(0o400)
        try:
            with app.suspend():
                running = asyncio.ensure_future(
                    asyncio.to_thread(_failure_of, [*command, str(file)])
                )
                while not running.done():
                    attended()
                    await asyncio.wait({running}, timeout=ATTENDED_SECONDS)
                failure = running.result()
        except SuspendNotSupported:
            raise EditorTrouble(
                "An editor cannot be opened from a form under the prompt."
            ) from None
        if failure:
            raise EditorTrouble(f"The editor {command[0]} failed: {failure}.")
        try:
            return file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            raise EditorTrouble("What the editor saved is not UTF-8 text.") from None


def _failure_of(command: list[str]) -> str:
    """Run an editor to its end; how it failed, in words.

    Nothing is raised: the application would not come back to the terminal that it left to it.
    """
    try:
        code = subprocess.run(command, check=False).returncode
    except OSError as error:
        return error.strerror or type(error).__name__
    return f"exit code {code}" if code else ""
