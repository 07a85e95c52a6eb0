"""Runs one hook: a command that reads JSON on its standard input, or a URL that gets it by POST.

Nothing of a question is an argument, an environment variable or a part of a URL; no shell, no
terminal. Whatever the hook does, this ends when its time is over, and what it started ends with it.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
from collections.abc import Mapping
from typing import Final

from elicit_tui.command import end, kill_session
from elicit_tui.elicitation.settings import Hook
from elicit_tui.errors import HookError
from elicit_tui.hooks.reply import Reply, reply_of_command, reply_of_text
from elicit_tui.paths import start_directory
from elicit_tui.text import in_seconds

MOST_OUTPUT: Final = 1024 * 1024
"""Bytes that a hook may answer with."""
_PASSED: Final = (
    # Who the person is, how they read, and what a program needs to show them something.
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TERM"),
    *("DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"),
    *("TMUX", "SSH_AUTH_SOCK", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"),
    *("SYSTEMROOT", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "TEMP", "TMP", "PATHEXT"),
)
_LOOK_SECONDS: Final = 0.02
_LAST_WORDS_SECONDS: Final = 0.2
"""How long a pipe is read on after the program ended: a child of it may hold it open for ever."""


async def run_hook(hook: Hook, message: bytes, content_type: str = "application/json") -> Reply:
    """Run a hook with its input; what it said. Raises HookError, at the latest after its time."""
    if hook.cannot_run is not None:
        raise HookError(f"cannot run: {hook.cannot_run}")
    work = _command(hook, message) if hook.command else _post(hook, message, content_type)
    try:
        return await asyncio.wait_for(work, hook.timeout_sec)
    except asyncio.TimeoutError:
        raise HookError(f"did not answer within {in_seconds(hook.timeout_sec)}") from None


def _environment(hook: Hook) -> dict[str, str]:
    kept = {name: os.environ[name] for name in _PASSED if name in os.environ}
    kept |= {name: value for name, value in os.environ.items() if name.startswith("LC_")}
    if hook.fixed_path:
        kept["PATH"] = os.pathsep.join(hook.fixed_path)
    return kept


async def _command(hook: Hook, message: bytes) -> Reply:
    try:
        process = await asyncio.create_subprocess_exec(
            *(hook.command or ()),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=start_directory(managed=hook.layer == "managed"),
            env=_environment(hook),
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise HookError(f"could not be started: {why}") from None
    output, told = _Kept(), _Kept()
    reading = [
        asyncio.ensure_future(output.read(process.stdout, process)),
        asyncio.ensure_future(told.read(process.stderr, process)),
    ]
    writing = asyncio.ensure_future(_write(process.stdin, message))
    exited = asyncio.ensure_future(process.wait())
    try:
        # A child that was left behind may hold the pipes open, and `wait` may wait for these too.
        while not exited.done() and process.returncode is None:
            await asyncio.wait({exited}, timeout=_LOOK_SECONDS)
        await asyncio.wait(reading, timeout=_LAST_WORDS_SECONDS)
    finally:
        await end(process)
        for task in (*reading, writing, exited):
            task.cancel()
        await asyncio.gather(*reading, writing, exited, return_exceptions=True)
    code = process.returncode if process.returncode is not None else 0
    if output.too_much:
        raise HookError(f"answered with more than {MOST_OUTPUT // 2**20} MiB")
    return reply_of_command(code, bytes(output.kept), bytes(told.kept), hook.event)


async def _write(stream: asyncio.StreamWriter | None, message: bytes) -> None:
    if stream is None:
        return
    with contextlib.suppress(OSError):  # a hook need not read what it is not interested in
        stream.write(message)
        await stream.drain()
        stream.close()
        await stream.wait_closed()


class _Kept:
    """What a pipe brought, up to the limit."""

    def __init__(self) -> None:
        self.kept = bytearray()
        self.too_much = False

    async def read(
        self, stream: asyncio.StreamReader | None, process: asyncio.subprocess.Process
    ) -> None:
        while stream is not None and (piece := await stream.read(65536)):
            if len(self.kept) + len(piece) > MOST_OUTPUT:
                self.too_much = True
                kill_session(process)
                return
            self.kept += piece


async def _post(hook: Hook, message: bytes, content_type: str) -> Reply:
    import httpx2

    headers: Mapping[str, str] = {
        "content-type": content_type,
        "user-agent": "elicit-tui",
        # A few compressed bytes can be gigabytes before anybody counts them.
        "accept-encoding": "identity",
    }
    body = bytearray()
    # Proxies and certificates of the environment are the person's: no managed hook goes their way.
    of_the_person = hook.layer != "managed"
    try:
        async with (
            httpx2.AsyncClient(timeout=hook.timeout_sec, trust_env=of_the_person) as client,
            client.stream("POST", hook.url or "", content=message, headers=headers) as response,
        ):
            if response.headers.get("content-encoding", "identity").lower() != "identity":
                raise HookError("answered with compressed content")
            async for piece in response.aiter_bytes():
                body += piece
                if len(body) > MOST_OUTPUT:
                    raise HookError(f"answered with more than {MOST_OUTPUT // 2**20} MiB")
            if not response.is_success:
                raise HookError(f"answered with HTTP status {response.status_code}")
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError) as error:
        # No text of the error: it may repeat the address, which may be the secret of a service.
        from elicit_tui.text.tls import tls_reason

        reason = tls_reason(error)
        told = f" ({type(error).__name__})" if reason is None else f": {reason}"
        raise HookError(f"could not be reached{told}") from None
    return Reply() if hook.format is not None else reply_of_text(bytes(body), hook.event)
