"""Finds the tool to call, and asks policy whether it may be called."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from elicit_tui.errors import ToolNotAllowed, UsageError
from elicit_tui.text import ascii_json, neutral_line

if TYPE_CHECKING:
    from elicit_tui.cli.asking import Person
    from elicit_tui.host import Connection, Tool
    from elicit_tui.policy import Policy

LATE_SECONDS: Final = 1.0
LATE_TIMES: Final = 3


async def find_tool(connection: Connection, name: str, changed: asyncio.Event) -> Tool:
    """The tool of this name. Raises UsageError.

    Some servers register tools only after the handshake: a changed list (`changed`) is read
    again.
    """
    for _ in range(LATE_TIMES):
        changed.clear()
        tools = await connection.tools()
        for tool in tools:
            if tool.name == name:
                return tool
        try:
            await asyncio.wait_for(changed.wait(), LATE_SECONDS)
        except asyncio.TimeoutError:
            break
    raise UsageError(_missing(connection.name, name, [tool.name for tool in tools]))


def _missing(server: str, name: str, offered: list[str]) -> str:
    import difflib

    sentence = f"The server {server!r} has no tool {name!r}."
    near = difflib.get_close_matches(name, offered, 1)
    if near:
        return f"{sentence} Did you mean {neutral_line(near[0])}?"
    return f"{sentence} elicit-tui tools {server} lists them."


async def pass_the_gate(
    policy: Policy,
    connection: Connection,
    tool: str,
    annotations: Mapping[str, Any] | None,
    arguments: Mapping[str, Any],
    person: Person,
) -> None:
    """Return if the tool may be called. Raises ToolNotAllowed with what would allow it.

    What is allowed here holds for this one call, so nothing is remembered.
    """
    process = str(connection.process_id)
    gate = policy.tool_gate(connection.settings, tool, annotations, "", process)
    if gate.kind == "allow":
        return
    if gate.kind == "deny":
        raise ToolNotAllowed(gate.reason, gate.remedy or gate.key)
    shown = neutral_line(ascii_json(dict(arguments)), 1000)
    question = f"Call {neutral_line(tool)} of {connection.name} with {shown}? {gate.reason}"
    if not await person.confirms(question):
        raise ToolNotAllowed(f"You did not allow {neutral_line(tool)}; it was not called.")
