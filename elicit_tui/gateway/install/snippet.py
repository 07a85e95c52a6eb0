"""The entry that puts the gateway into an agent's own configuration, as that agent writes it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from elicit_tui.gateway.agents import Agent
from elicit_tui.gateway.install.toml_text import table

NAME = "elicit-tui"


def entry(agent: Agent, command: Sequence[str], environment: Mapping[str, str]) -> dict[str, Any]:
    """The agent's entry for the gateway, as a value.

    `command`: an absolute path and its arguments, since agents start with a PATH of their own.
    `environment`: what the gateway needs of ours to find the same configuration and store.
    """
    if agent.shape == "opencode":
        opened = {"type": "local", "command": list(command), "enabled": True}
        return {**opened, "environment": dict(environment)} if environment else opened
    program, *arguments = command
    made: dict[str, Any] = {"command": program, "args": arguments, **agent.extra}
    return {**made, "env": dict(environment)} if environment else made


def snippet(agent: Agent, command: Sequence[str], environment: Mapping[str, str]) -> str:
    """The text to put into the agent's configuration."""
    made = entry(agent, command, environment)
    if agent.shape == "codex":
        return table((agent.servers_key, NAME), made).rstrip("\n")
    key = "mcp" if agent.shape == "opencode" else agent.servers_key
    return json.dumps({key: {NAME: made}}, indent=2)
