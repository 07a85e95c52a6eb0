"""Copying text: by the terminal itself (OSC 52, works over SSH) and by the desktop's own tool."""

from __future__ import annotations

import os
import subprocess
import sys
from threading import Thread
from typing import Any, Final

from textual.app import App

from elicit_tui.paths import program

_TIMEOUT_SECONDS = 2.0
HANDED_OVER: Final = "Handed to the clipboard of your terminal."
"""No terminal says whether it took it."""


def copy(app: App[Any], text: str) -> None:
    """Put `text` on the clipboard in every way there is; none of them can fail loudly."""
    app.copy_to_clipboard(text)
    command = _desktop_command()
    if command is not None:
        Thread(target=_hand_over, args=(command, text), daemon=True).start()


def _desktop_command() -> list[str] | None:
    if sys.platform == "darwin":
        return ["/usr/bin/pbcopy"]
    if sys.platform == "win32":
        return _found("clip")
    if os.environ.get("WAYLAND_DISPLAY") and (found := _found("wl-copy")):
        return found
    if os.environ.get("DISPLAY"):
        return _found("xclip", "-selection", "clipboard")
    return None


def _found(name: str, *arguments: str) -> list[str] | None:
    path = program(name)
    return None if path is None else [path, *arguments]


def _hand_over(command: list[str], text: str) -> None:
    try:
        subprocess.run(
            command,
            input=text.encode("utf-8"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_TIMEOUT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return
