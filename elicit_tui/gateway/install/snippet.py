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
    if agent.shape == "goose":
        started = {"cmd": program, "args": arguments, "envs": dict(environment)}
        return {"name": NAME, "type": "stdio", "enabled": True, **started, **agent.extra}
    made: dict[str, Any] = {"command": program, "args": arguments, **agent.extra}
    return {**made, "env": dict(environment)} if environment else made


def snippet(agent: Agent, command: Sequence[str], environment: Mapping[str, str]) -> str:
    """The text to put into the agent's configuration."""
    made = entry(agent, command, environment)
    if agent.shape == "codex":
        return table((agent.servers_key, NAME), made).rstrip("\n")
    if agent.shape == "goose":
        return _yaml("extensions", made)
    if agent.shape == "librechat":
        return _yaml("mcpServers", made)
    if agent.shape == "continue":
        return _yaml("mcpServers", {"name": NAME, **made}, listed=True)
    key = "mcp" if agent.shape == "opencode" else agent.servers_key
    return json.dumps({key: {NAME: made}}, indent=2)


def _yaml(key: str, values: Mapping[str, Any], *, listed: bool = False) -> str:
    """One entry in lines of YAML; each value is JSON, which YAML reads too."""
    lines = [f"{name}: {json.dumps(value)}" for name, value in values.items()]
    first, *others = lines if listed else [f"{NAME}:", *lines]
    return "\n".join(
        [f"{key}:", f"  - {first}" if listed else f"  {first}", *(f"    {each}" for each in others)]
    )
