"""Whether an agent's entry leads to the gateway that we would start here."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from elicit_tui.errors import ConfigError
from elicit_tui.gateway.agents import Agent
from elicit_tui.gateway.install.document import read_document
from elicit_tui.gateway.install.places import look, shown_path
from elicit_tui.gateway.install.snippet import NAME


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
    shown = shown_path(path)
    try:
        found = look(path)
        entry = read_document(agent, found.content or b"", shown).servers.get(NAME)
    except ConfigError as error:
        yield Check(False, f"{error}.")
        return
    if not isinstance(entry, Mapping):
        how = f"elicit-tui gateway install {agent.key}"
        yield Check(False, f"The gateway does not stand in {shown}: `{how}` puts it there.")
        return
    yield Check(True, f"The gateway stands in {shown}.")
    if "command" not in entry:
        yield Check(True, "It is reached over HTTP.")
        return
    started = str(entry["command"])
    if shutil.which(started) is None or not Path(started).is_absolute():
        yield Check(False, f"Its command cannot be started from anywhere: {started}.")
    else:
        yield Check(True, f"Its command can be started: {started}.")
    yield from _same_places(entry, command, environment)
    yield from _secret(entry, secret_env)


def _same_places(
    entry: Mapping[str, Any], command: Sequence[str], environment: Mapping[str, str]
) -> Iterator[Check]:
    carried = _environment(entry)
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        if carried.get(name) != environment.get(name):
            yield Check(
                False,
                f"{name} is {carried.get(name, 'not set')} there and "
                f"{environment.get(name, 'not set')} here: it has another configuration or store.",
            )
    arguments = [str(each) for each in entry.get("args", ())]
    if _config(arguments) != _config(command):
        yield Check(False, "It is started with another --config than this command.")


def _config(arguments: Sequence[str]) -> str | None:
    return next((value for flag, value in pairwise(arguments) if flag == "--config"), None)


def _secret(entry: Mapping[str, Any], secret_env: str) -> Iterator[Check]:
    here, there = os.environ.get(secret_env), _environment(entry).get(secret_env)
    if here and there is None:
        yield Check(
            False,
            f"{secret_env} is set here, and the entry does not carry it: where the agent does not "
            "pass it on, what waits cannot be read here. Measuring tells.",
        )
    elif there is not None and here != there:
        yield Check(False, f"{secret_env} is another there than here: what waits cannot be read.")


def _environment(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    carried = entry.get("env")
    return carried if isinstance(carried, Mapping) else {}
