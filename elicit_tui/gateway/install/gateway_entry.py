"""The entry that puts the gateway into an agent's own configuration, as that agent writes it."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path, PureWindowsPath
from typing import Any, Final

from elicit_tui.dataclass import dataclass
from elicit_tui.errors import ConfigError
from elicit_tui.gateway.agents import Agent
from elicit_tui.gateway.install.document import read_document
from elicit_tui.gateway.install.places import look, shown_path
from elicit_tui.gateway.install.toml_text import table

NAME = "elicit-tui"

_AS_THEY_START: Final[Mapping[str, Any]] = {
    "enabled": True,
    "disabled": False,
    "tools": ["*"],
    "autoApprove": [],
    "alwaysAllow": [],
    "env_keys": [],
    "bundled": None,
}
"""Keys of agents that mean nothing with these values."""


# To write


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
    started = {"command": program, "args": arguments, **agent.extra}
    return {**started, "env": dict(environment)} if environment else started


def snippet(agent: Agent, command: Sequence[str], environment: Mapping[str, str]) -> str:
    """The text to put into the agent's configuration, or into a program's code."""
    if agent.python:
        return _python(agent, command, environment)
    ours = entry(agent, command, environment)
    if agent.shape == "codex":
        return table((*agent.servers_path, NAME), ours).rstrip("\n")
    if agent.language == "yaml":
        return _yaml(agent.servers_path, ours, listed=agent.listed)
    value: dict[str, Any] = {NAME: ours}
    for key in reversed(agent.servers_path):
        value = {key: value}
    return json.dumps(value, indent=2)


def _python(agent: Agent, command: Sequence[str], environment: Mapping[str, str]) -> str:
    program, *arguments = (json.dumps(word) for word in command)
    return agent.python.strip("\n").format(
        command=program,
        args=f"[{', '.join(arguments)}]",
        env=json.dumps(dict(environment)) if environment else "None",
    )


def _yaml(path: Sequence[str], values: Mapping[str, Any], *, listed: bool) -> str:
    """One entry in lines of YAML; each value is JSON, which YAML reads too."""
    held = {"name": NAME, **values} if listed else values
    lines = [f"{name}: {json.dumps(value)}" for name, value in held.items()]
    if listed:
        lines = [f"  - {lines[0]}", *(f"    {line}" for line in lines[1:])]
    else:
        lines = [f"  {NAME}:", *(f"    {line}" for line in lines)]
    # From the inside out: each key above moves all lines one step to the right.
    for key in reversed(path):
        lines = [f"{key}:", *lines] if key == path[-1] else [f"{key}:", *(f"  {x}" for x in lines)]
    return "\n".join(lines)


# To read


def plain_entry(agent: Agent, table: Mapping[str, Any]) -> dict[str, Any]:
    """An agent's entry as `command`, `args` and `env`, as most agents write it.

    What an agent has by default is left out; whatever else stands there stays under its own name.
    """
    held = {
        key: value
        for key, value in table.items()
        # Left out only with its usual value: with any other it means something.
        if key not in _AS_THEY_START or value != _AS_THEY_START[key]
    }
    if agent.shape == "opencode":
        command = held.get("command")
        if isinstance(command, list) and command:
            held["command"], held["args"] = command[0], command[1:]
        _rename(held, "environment", "env")
    if agent.shape == "goose":
        _rename(held, "cmd", "command")
        _rename(held, "envs", "env")
        _rename(held, "uri", "url")
    if agent.key in ("goose", "cline", "qwen-code"):
        held.pop("timeout", None)  # Ours has a limit of its own, and asks within none.
    if agent.shape in ("goose", "opencode") or agent.key == "copilot-cli":
        held.pop("type", None)
    return held


def _rename(values: dict[str, Any], old: str, new: str) -> None:
    if old in values:
        values[new] = values.pop(old)


def starts_us(agent: Agent, table: Any) -> bool:
    """Whether an agent's entry starts this program's gateway, wherever that is installed."""
    if not isinstance(table, Mapping):
        return False
    held = plain_entry(agent, table)
    words = [str(held.get("command", "")), *map(str, _list(held.get("args")))]
    by_module = words[1:3] == ["-m", "elicit_tui"]
    # By name or by module, whatever stands before either.
    return (PureWindowsPath(words[0]).stem == NAME or by_module) and "gateway" in words


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


# To check


@dataclass(frozen=True)
class Check:
    """One thing that was looked at."""

    well: bool
    sentence: str


def checks(
    agent: Agent,
    path: Path,
    command: Sequence[str],
    environment: Mapping[str, str],
    secret_env: str,
) -> Iterator[Check]:
    """The entry in the agent's file, held against the command and environment of here.

    `secret_env`: the variable that may hold the store's secret (`store.secret_env`).
    """
    file_name = shown_path(path)
    try:
        found = read_document(agent, look(path).content or b"", file_name).servers.get(NAME)
    except ConfigError as error:
        yield Check(False, f"{error}.")
        return
    if not isinstance(found, Mapping):
        how = f"elicit-tui gateway install {agent.key}"
        yield Check(False, f"The gateway does not stand in {file_name}: `{how}` puts it there.")
        return
    yield Check(True, f"The gateway stands in {file_name}.")
    held = plain_entry(agent, found)
    if "command" not in held:
        yield Check(True, "It is reached over HTTP.")
        return
    started = str(held["command"])
    if shutil.which(started) is None or not Path(started).is_absolute():
        yield Check(False, f"Its command cannot be started from anywhere: {started}.")
    else:
        yield Check(True, f"Its command can be started: {started}.")
    yield from _same_places(held, command, environment)
    yield from _secret(held, secret_env)


def _same_places(
    held: Mapping[str, Any], command: Sequence[str], environment: Mapping[str, str]
) -> Iterator[Check]:
    carried = _environment(held)
    # Where our files are: with another of these it is another configuration and another store.
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        if carried.get(name) != environment.get(name):
            yield Check(
                False,
                f"{name} is {carried.get(name, 'not set')} there and "
                f"{environment.get(name, 'not set')} here: it has another configuration or store.",
            )
    arguments = [str(argument) for argument in _list(held.get("args"))]
    if _config(arguments) != _config(command):
        yield Check(False, "It is started with another --config than this command.")


def _config(arguments: Sequence[str]) -> str | None:
    return next((value for flag, value in pairwise(arguments) if flag == "--config"), None)


def _secret(held: Mapping[str, Any], secret_env: str) -> Iterator[Check]:
    here, there = os.environ.get(secret_env), _environment(held).get(secret_env)
    # Not carried: the agent may still pass it on, which only measuring shows.
    if here and there is None:
        yield Check(
            False,
            f"{secret_env} is set here, and the entry does not carry it: where the agent does not "
            "pass it on, what waits cannot be read here. Measuring tells.",
        )
    elif there is not None and here != there:
        yield Check(False, f"{secret_env} is another there than here: what waits cannot be read.")


def _environment(held: Mapping[str, Any]) -> Mapping[str, Any]:
    carried = held.get("env")
    return carried if isinstance(carried, Mapping) else {}
