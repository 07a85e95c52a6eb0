"""Ends a server's process as the specification says (basic/lifecycle, "Shutdown", stdio)."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from typing import Final

from elicit_tui.host.launch import ServerProcess

GRACE_SECONDS: Final = 2.0
"""How long each step waits: after stdin is closed, after SIGTERM, after SIGKILL."""


async def end_process(process: ServerProcess) -> None:
    """End the process and everything of its group; its stdin must be closed by now or here.

    Takes at most three times the grace; afterwards nothing is left, unless the system itself
    cannot end it.
    """
    with contextlib.suppress(OSError):
        process.stdin.close()
    await _within_grace(lambda: process.exit_code() is not None)
    if process.group_alive():
        # Also where the leader ended and left children behind: nobody has asked these yet.
        process.terminate()
        if not await _within_grace(lambda: not process.group_alive()):
            process.kill()
            await _within_grace(lambda: not process.group_alive())
    if not process.group_alive():
        process.forget()


def close_pipes(process: ServerProcess) -> None:
    """Close what is still open of a process that ended; nothing may be reading it any more."""
    for pipe in (process.stdin, process.stdout, process.stderr):
        with contextlib.suppress(OSError):
            pipe.close()


async def _within_grace(ended: Callable[[], bool]) -> bool:
    """Whether it came true within the grace.

    Polled: waiting on pipes would see a child that inherited them as a server that hangs.
    """
    until = time.monotonic() + GRACE_SECONDS
    pause = 0.001
    while not ended():
        if time.monotonic() >= until:
            return False
        await asyncio.sleep(pause)
        pause = min(pause * 1.5, 0.02)
    return True
