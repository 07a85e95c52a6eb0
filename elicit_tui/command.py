"""The end of a command that was started to answer once: its session, and the pipes to it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from typing import Final

_GOODBYE_SECONDS: Final = 1.0
"""How long an end is waited for: what runs as somebody else cannot be ended by us."""


def kill_session(process: asyncio.subprocess.Process) -> None:
    """End the program, what it left behind in its session, and while it runs all below it.

    What made a session of its own and lost its parent can be told from nobody else's program, and
    goes on.
    """
    if process.returncode is None:
        _kill_other_sessions(process.pid)
    with contextlib.suppress(OSError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        elif process.returncode is None:
            process.kill()


def _kill_other_sessions(process_id: int) -> None:
    """End what stands below a running program, in whichever session."""
    import psutil

    with contextlib.suppress(psutil.Error):
        for child in psutil.Process(process_id).children(recursive=True):
            with contextlib.suppress(psutil.Error):
                child.kill()


async def end(process: asyncio.subprocess.Process) -> None:
    """End the program's session and close the pipes to it, whatever still stands in them."""
    kill_session(process)
    # `wait` waits for the pipes too, and one that nobody reads any more never comes to its end.
    transport: asyncio.SubprocessTransport = getattr(process, "_transport")  # noqa: B009 - no public way
    for number in range(3):
        if (pipe := transport.get_pipe_transport(number)) is not None:
            pipe.close()
    with contextlib.suppress(asyncio.TimeoutError):
        await asyncio.wait_for(process.wait(), _GOODBYE_SECONDS)
