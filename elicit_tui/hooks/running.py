"""Runs one hook, a command or a URL, and reads what it said in the words of Claude Code's hooks.

A command reads JSON on its standard input, a URL gets it by POST. Nothing of a question is an
argument, an environment variable or a part of a URL; no shell, no terminal. Whatever the hook does,
this ends when its time is over, and what it started ends with it.

The time is the hook's whole time, and it is held from outside: `wait_for` cancels, and every way
out of `_command` and `_post` then ends what was started.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from elicit_tui.command import end, kill_session
from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation.settings import Hook
from elicit_tui.errors import HookError
from elicit_tui.paths import start_directory
from elicit_tui.text import in_seconds, neutral_line
from elicit_tui.text.hostile_json import KeyTwice, strict_json, too_deep

if TYPE_CHECKING:
    import httpx2

ACTIONS: Final = ("accept", "decline", "cancel")
# As Claude Code has it: 2 blocks, and any other code but 0 is a fault of the hook.
REFUSING_CODE: Final = 2
"""The exit code that declines, with standard error as the reason."""
LONGEST_REASON: Final = 300


@dataclass(frozen=True)
class Reply:
    """One hook's answer; without an `action` it passes."""

    action: str | None = None
    """accept, decline or cancel."""
    content: Mapping[str, Any] | None = None
    reason: str | None = None
    """Neutral text, in the hook's own words."""
    warning: str | None = None
    """What the person is to read, whatever the hook answers; neutral text."""


def reply_of_command(code: int, output: bytes, errors: bytes, event: str) -> Reply:
    """What a command said by its exit code, standard output and error. Raises HookError."""
    words = neutral_line(errors.decode("utf-8", "replace").strip(), LONGEST_REASON)
    if code == REFUSING_CODE:
        return Reply("decline", reason=words or None)
    if code != 0:
        how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
        raise HookError(f"{how}: {words}" if words else how)
    return reply_of_text(output, event)


def reply_of_text(output: bytes, event: str) -> Reply:
    """What a hook said as JSON: nested under `hookSpecificOutput`, or flat. Raises HookError.

    Of the fields that all of Claude Code's hooks share, `continue: false` ends the question by
    `cancel` with `stopReason`, whatever else is said; `systemMessage` is told to the person.
    """
    if not output.strip():
        return Reply()
    answer = _object_in(output)
    warning = _reason(answer.get("systemMessage"))
    goes_on = answer.get("continue")
    if goes_on is False:
        return Reply("cancel", reason=_reason(answer.get("stopReason")), warning=warning)
    # Whoever wrote "false" as a text meant it.
    if goes_on is not None and goes_on is not True:
        raise HookError("answered with a continue that is neither true nor false")
    # Nested as Claude Code reads it, or flat as a short script writes it.
    inner = answer.get("hookSpecificOutput", answer)
    if not isinstance(inner, dict) or inner.get("hookEventName", event) != event:
        raise HookError(f"did not answer for {event}")
    action = inner.get("action")
    # Nested and flat may both be there. Two that differ are no answer: in doubt nothing is decided.
    if answer.get("action", action) != action:
        raise HookError("answered with two actions")
    content = inner.get("content")
    if answer.get("content", content) != content:
        raise HookError("answered with content in two places")
    if action is None:
        if content is not None:
            raise HookError("answered with content and no action")
        # So the other hooks of Claude Code refuse; silence would let the answer out.
        if any(said.get("decision") is not None for said in (answer, inner)):
            raise HookError("answered with a decision and no action")
        return Reply(warning=warning)
    if action not in ACTIONS:
        raise HookError("answered with an action that is none of accept, decline and cancel")
    if content is not None and (not isinstance(content, dict) or too_deep(content)):
        raise HookError("answered with content that is no object")
    reason = _reason(inner.get("reason", answer.get("reason")))
    return Reply(action, content if action == "accept" else None, reason, warning)


def _object_in(output: bytes) -> dict[str, Any]:
    """The JSON object that a hook wrote. Raises HookError."""
    try:
        answer = strict_json(output)
    except KeyTwice:
        raise HookError("answered with a key twice") from None
    except ValueError:
        raise HookError("did not answer in JSON") from None
    if not isinstance(answer, dict):
        raise HookError("did not answer with a JSON object")
    return answer


def _reason(value: Any) -> str | None:
    return (neutral_line(value, LONGEST_REASON) or None) if isinstance(value, str) else None


MOST_OUTPUT: Final = 1024 * 1024
"""Bytes that a hook may answer with."""
_PASSED: Final = (
    "PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TMPDIR TERM "
    "DISPLAY WAYLAND_DISPLAY XAUTHORITY XDG_RUNTIME_DIR DBUS_SESSION_BUS_ADDRESS "
    "TMUX SSH_AUTH_SOCK XDG_CONFIG_HOME XDG_STATE_HOME XDG_CACHE_HOME "
    "SYSTEMROOT USERPROFILE APPDATA LOCALAPPDATA TEMP TMP PATHEXT"
).split()
"""Who the person is, how they read, and what a program needs to show them something."""
_LOOK_SECONDS: Final = 0.02
_LAST_WORDS_SECONDS: Final = 0.2
"""How long a pipe is read on after the program ended: a child of it may hold it open for ever."""


async def run_hook(hook: Hook, message: bytes, content_type: str = "application/json") -> Reply:
    """Run a hook with its input; what it said. Raises HookError, at the latest after its time."""
    if hook.cannot_run is not None:
        raise HookError(f"cannot run: {hook.cannot_run}")
    if hook.command:
        work = _command(hook, message)
    else:
        # To load all of it is none of this hook's time.
        work = _post(await _client(hook), hook, message, content_type)
    try:
        return await asyncio.wait_for(work, hook.timeout_sec)
    except asyncio.TimeoutError:
        raise HookError(f"did not answer within {in_seconds(hook.timeout_sec)}") from None


def _environment(hook: Hook) -> dict[str, str]:
    # By name, and no others: a token in our environment is not handed on.
    kept = {name: os.environ[name] for name in _PASSED if name in os.environ}
    kept |= {name: value for name, value in os.environ.items() if name.startswith("LC_")}
    if hook.fixed_path:
        kept["PATH"] = os.pathsep.join(hook.fixed_path)
    return kept


async def _started(hook: Hook) -> asyncio.subprocess.Process:
    try:
        return await asyncio.create_subprocess_exec(
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


async def _command(hook: Hook, message: bytes) -> Reply:
    """Run a hook's command with the message as its input; what it replies."""
    process = await _started(hook)
    output, errors = _Kept(), _Kept()
    # Both pipes at once: a hook that fills the one that nobody reads would never end.
    reading = [
        asyncio.ensure_future(output.read(process.stdout, process)),
        asyncio.ensure_future(errors.read(process.stderr, process)),
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
    if output.too_much:
        raise HookError(f"answered with more than {MOST_OUTPUT // 2**20} MiB")
    if process.returncode is None:
        raise HookError("ended without an exit code")
    return reply_of_command(process.returncode, bytes(output.kept), bytes(errors.kept), hook.event)


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
                # At once, and not at the end of the hook's time: it would write on for as long as
                # it is let.
                kill_session(process)
                return
            self.kept += piece


async def _client(hook: Hook) -> httpx2.AsyncClient:
    """What a hook's page is asked by; keys and other servers do not wait for its certificates.

    Raises HookError.
    """
    import httpx2

    # Proxies and certificates of the environment are the person's: no managed hook goes their way.
    of_the_person = hook.layer != "managed"
    try:
        return await asyncio.to_thread(
            httpx2.AsyncClient, timeout=hook.timeout_sec, trust_env=of_the_person
        )
    except (httpx2.InvalidURL, OSError, ValueError) as error:
        raise _unreachable(error) from None


async def _post(client: httpx2.AsyncClient, hook: Hook, message: bytes, content_type: str) -> Reply:
    import httpx2

    headers: Mapping[str, str] = {
        "content-type": content_type,
        "user-agent": "elicit-tui",
        # A few compressed bytes can be gigabytes before anybody counts them.
        "accept-encoding": "identity",
    }
    body = bytearray()
    try:
        async with (
            client,
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
        raise _unreachable(error) from None
    # The services that are only told answer in their own words, which mean nothing here.
    return Reply() if hook.format is not None else reply_of_text(bytes(body), hook.event)


def _unreachable(error: Exception) -> HookError:
    """Without the text of the error, which may repeat the address: that may be a secret."""
    from elicit_tui.text.tls import tls_reason

    reason = tls_reason(error)
    errors = f" ({type(error).__name__})" if reason is None else f": {reason}"
    return HookError(f"could not be reached{errors}")
