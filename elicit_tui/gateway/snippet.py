"""The entry that puts the gateway into an agent's own configuration, as that agent writes it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from elicit_tui.gateway.agents import Agent

NAME = "elicit-tui"


def snippet(agent: Agent, command: Sequence[str], environment: Mapping[str, str]) -> str:
    """The text to put into the agent's configuration.

    `command`: an absolute path and its arguments, since agents start with a PATH of their own.
    `environment`: what the gateway needs of ours to find the same configuration and store.
    """
    program, *arguments = command
    entry: dict[str, Any] = {"command": program, "args": arguments}
    if agent.shape == "codex":
        return _codex(entry, environment, int(agent.stdio) + 20)
    if agent.shape == "opencode":
        opened = {"type": "local", "command": list(command), "enabled": True}
        if environment:
            opened["environment"] = dict(environment)
        return _json({"mcp": {NAME: opened}})
    if environment:
        entry["env"] = dict(environment)
    if agent.key == "gemini-cli":
        # Milliseconds; its own default of ten minutes is longer than any hold of ours.
        entry["timeout"] = 600_000
    if agent.shape == "servers":
        return _json({"servers": {NAME: {"type": "stdio", **entry}}})
    return _json({agent.shape: {NAME: entry}})


def _codex(entry: Mapping[str, Any], environment: Mapping[str, str], timeout: int) -> str:
    lines = [
        f"[mcp_servers.{NAME}]",
        f"command = {json.dumps(entry['command'])}",
        f"args = {json.dumps(entry['args'])}",
        f"tool_timeout_sec = {timeout}",
    ]
    if environment:
        pairs = ", ".join(f"{name} = {json.dumps(value)}" for name, value in environment.items())
        lines.append(f"env = {{ {pairs} }}")
    return "\n".join(lines)


def _json(value: Any) -> str:
    return json.dumps(value, indent=2)
