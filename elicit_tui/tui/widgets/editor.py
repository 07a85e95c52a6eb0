"""A text in the person's own editor, through a private file with a name of ours."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from textual.app import App, SuspendNotSupported

from elicit_tui.paths import create_private, program

_FILE_NAME = "answer.txt"


class EditorTrouble(Exception):
    """The editor could not be used; the text on the screen is as it was."""


def editor_command() -> list[str]:
    """$VISUAL, else $EDITOR, else the system's plain editor; split as a shell would, none run."""
    fallback = "notepad" if sys.platform == "win32" else "vi"
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


def edit_in_editor(app: App[Any], text: str) -> str:
    """The text as the person saved it. The file is 0600 in a 0700 folder and removed after."""
    command = _found(editor_command())
    try:
        written = text.encode()
    except UnicodeEncodeError:
        raise EditorTrouble("The text holds half a character; no editor takes it.") from None
    with tempfile.TemporaryDirectory(prefix="elicit-tui-") as folder:
        file = Path(folder) / _FILE_NAME
        with create_private(file) as stream:
            stream.write(written)
        try:
            with app.suspend():
                subprocess.run([*command, str(file)], check=True)
        except SuspendNotSupported:
            raise EditorTrouble(
                "An editor cannot be opened from a form under the prompt."
            ) from None
        except (OSError, subprocess.CalledProcessError) as error:
            reason = getattr(error, "strerror", None) or f"exit code {error.returncode}"  # type: ignore[union-attr]
            raise EditorTrouble(f"The editor {command[0]} failed: {reason}.") from None
        try:
            saved = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            raise EditorTrouble("What the editor saved is not UTF-8 text.") from None
    return saved[:-1] if saved.endswith("\n") and not text.endswith("\n") else saved
