"""What an agent's hook is given on standard input: one of the agent's own prompts.

The JSON is Claude Code's, which Codex has taken over. Whoever starts the hook writes it, so all of
it is hostile text, of bounded size; only the agent's name comes from the owner's own command line.
"""

from __future__ import annotations

import os
import re
import select
import time
from collections.abc import Mapping
from dataclasses import field
from typing import Any, Final, Literal

from elicit_tui.dataclass import dataclass
from elicit_tui.errors import HookError
from elicit_tui.text.hostile_json import strict_json, too_deep

MOST_INPUT: Final = 16 * 1024 * 1024
"""Bytes: a command of a megabyte of escapes takes six of JSON."""
INPUT_SECONDS: Final = 20.0
"""How long an agent may take to write it; nothing is asked of a person meanwhile."""
LONGEST_NAME: Final = 200

Event = Literal["Elicitation", "PermissionRequest"]

_OWN: Final = re.compile(r"elicit[-_]tui")
"""How agents spell the name of our gateway's entry."""
_OWN_TOOL: Final = re.compile(r"(mcp__)?elicit[-_]tui(__|/|\.)")
_QUESTIONS: Final = frozenset({"AskUserQuestion", "request_user_input"})
"""Tools that are questions to the user: to allow them here would answer nothing."""
_PARAMS: Final = {
    "mode": "mode",
    "message": "message",
    "requested_schema": "requestedSchema",
    "url": "url",
    "elicitation_id": "elicitationId",
}


@dataclass(frozen=True)
class HookPrompt:
    """One prompt of an agent, as its hook reads it."""

    event: Event
    name: str
    """The server that asks, or the tool that the agent wants to use."""
    directory: str | None = None
    """Where the agent works."""
    server: str | None = None
    """Of `PermissionRequest`: the server that has the tool, where the agent says so."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """Of `PermissionRequest`: the command, the change, or whatever the tool takes."""
    params: Mapping[str, Any] = field(default_factory=dict)
    """Of `Elicitation`: as the server sent them, as far as the agent passes them on."""

    @property
    def is_asked_elsewhere(self) -> bool:
        """Whether it is asked by our own gateway, or is a question in the agent's own terminal."""
        if self.event == "Elicitation":
            return _OWN.fullmatch(self.name) is not None
        if self.server is not None and _OWN.fullmatch(self.server):
            return True
        return self.name in _QUESTIONS or _OWN_TOOL.match(self.name) is not None


def read_input(descriptor: int) -> bytes:
    """All of it. Raises HookError for too much, or for what does not come."""
    kept = bytearray()
    give_up = time.monotonic() + INPUT_SECONDS
    while True:
        left = give_up - time.monotonic()
        # The whole of it has a limit in time, and each wait the rest of that.
        if left <= 0 or not _readable(descriptor, left):
            raise HookError(f"did not end what it wrote within {INPUT_SECONDS:g} seconds")
        piece = os.read(descriptor, 1024 * 1024)
        if not piece:
            return bytes(kept)
        kept += piece
        if len(kept) > MOST_INPUT:
            raise HookError(f"wrote more than {MOST_INPUT // 2**20} MiB")


def _readable(descriptor: int, seconds: float) -> bool:
    if os.name == "nt":  # Only sockets can be waited for there.
        return True
    return bool(select.select([descriptor], [], [], seconds)[0])


def hook_input(raw: bytes) -> HookPrompt | None:
    """The prompt in these bytes; None for an event that is none. Raises HookError."""
    try:
        written = strict_json(raw)
    except ValueError:
        raise HookError("wrote what is not JSON") from None
    if not isinstance(written, dict) or not isinstance(written.get("hook_event_name"), str):
        raise HookError("wrote no event of a hook")
    event = written["hook_event_name"]
    directory = _text_or_none(written.get("cwd"))
    if event == "Elicitation":
        params = {ours: written[theirs] for theirs, ours in _PARAMS.items() if theirs in written}
        return HookPrompt(
            "Elicitation", _name(written, "mcp_server_name"), directory, params=params
        )
    if event == "PermissionRequest":
        arguments = written.get("tool_input")
        if not isinstance(arguments, dict) or too_deep(arguments):
            raise HookError("wrote no arguments of a tool")
        server = written.get("mcp_server")
        owner = _text_or_none(server.get("name")) if isinstance(server, dict) else None
        tool = _name(written, "tool_name")
        return HookPrompt("PermissionRequest", tool, directory, owner, arguments)
    return None


def _text_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _name(written: Mapping[str, Any], key: str) -> str:
    name = written.get(key)
    if not isinstance(name, str) or not name.strip() or len(name) > LONGEST_NAME:
        raise HookError(f"wrote no {key} that is a name")
    return name
