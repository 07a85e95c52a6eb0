"""The settings of one run, from the parsed command line."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from elicit_tui import demo
from elicit_tui.cli.narration import Narration
from elicit_tui.cli.parser import nearest
from elicit_tui.errors import UsageError

if TYPE_CHECKING:
    from elicit_tui.config import CommandLine
    from elicit_tui.elicitation.settings import ServerSettings, Settings

DEMO: Final = "demo"
"""The name of the server that comes with elicit-tui."""


def command_line(namespace: argparse.Namespace) -> CommandLine:
    """What the options set of the configuration."""
    from elicit_tui.config import CommandLine

    return CommandLine(
        config_file=namespace.config,
        approval_policy=namespace.approval_policy,
        with_servers=tuple(namespace.with_servers),
        timeout=getattr(namespace, "timeout", None),
        protocol=namespace.protocol,
        allowed_tools=_allowed_tools(namespace),
    )


def _allowed_tools(namespace: argparse.Namespace) -> tuple[tuple[str, str], ...]:
    if getattr(namespace, "allow_tool", False):
        return ((namespace.server, namespace.name),)
    # Asked of `call`, where it is the tool that is called; a test run allows those of its
    # scenarios.
    return getattr(namespace, "allowed_tools", ())


def demo_command() -> list[str]:
    """The command line of the bundled server.

    By its path and not by `-m`, which would look into the working directory first.
    """
    return [sys.executable, str(Path(demo.__file__).parent / "__main__.py")]


def load_settings(
    namespace: argparse.Namespace, narration: Narration, named: Sequence[str] = ()
) -> Settings:
    """The effective settings; what a person should know of them is said once.

    `named`: the servers that the command line names. The bundled one is there under `demo`, where
    the configuration has no other of that name; it is added as `--with` would, so that managed
    configuration holds for it too. Raises ConfigError and UsageError.
    """
    from elicit_tui.config import load

    options = command_line(namespace)
    settings = load(options)
    # Where the configuration has a server of that name, it is meant.
    if DEMO in named and DEMO not in settings.servers:
        added = f"{DEMO}={shlex.join(demo_command())}"
        # Read once more from the start, so that the added one meets the same layers as any other.
        settings = load(options._replace(with_servers=(*options.with_servers, added)))
    for notice in settings.notices:
        narration.tell(notice)
    return settings


def named_server(settings: Settings, name: str) -> ServerSettings:
    """The server that the command line names, fit to be started. Raises UsageError."""
    server = settings.servers.get(name)
    if server is None:
        raise UsageError(f"There is no server {name!r}.{_hint_of_servers(settings, name)}")
    if server.refused is not None:
        raise UsageError(server.refused)
    if not server.enabled:
        raise UsageError(f"The server {name!r} is disabled ({server.key('enabled')} = false).")
    if server.lack is not None:
        raise UsageError(server.lack)
    return server


def _hint_of_servers(settings: Settings, name: str) -> str:
    if not settings.servers:
        return " None is configured: add one with --with NAME=TARGET, or see elicit-tui config."
    # One that is spelled nearly so, else all of them.
    if (near := nearest(name, settings.servers)) is not None:
        return f" Did you mean {near!r}?"
    return f" Configured: {', '.join(sorted(settings.servers))}."


def startable(settings: Settings, narration: Narration) -> list[str]:
    """The names of all servers that a run without a named one starts, in order.

    One that lacks something of the environment is among them: it fails alone, with its sentence.
    """
    names = []
    for server in settings.servers.values():
        if server.refused is not None:
            narration.say(f"{server.name}: not started. {server.refused}")
        elif server.enabled:
            names.append(server.name)
    return names


def servers_to_start(
    settings: Settings, narration: Narration, *, or_try: str | None = None
) -> list[str]:
    """As `startable`, where one is needed. Raises UsageError that says why there is none.

    `or_try`: a command that needs no server of the owner's.
    """
    names = startable(settings, narration)
    if not names and settings.servers:
        raise UsageError("Each server that is configured is disabled or refused.")
    if not names:
        way = f"Try `{or_try}`, or add" if or_try else "Add"
        raise UsageError(f"No server is configured. {way} one with --with NAME=TARGET.")
    return names
