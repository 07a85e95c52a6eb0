"""The settings of one run, from the parsed command line."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from elicit_tui.cli.narration import Narration
from elicit_tui.errors import UsageError

if TYPE_CHECKING:
    from elicit_tui.config import CommandLine
    from elicit_tui.elicitation.settings import ServerSettings, Settings


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
    return getattr(namespace, "allowed_tools", ())


def load_settings(namespace: argparse.Namespace, narration: Narration) -> Settings:
    """The effective settings; what a person should know of them is said once.

    Raises ConfigError and UsageError.
    """
    from elicit_tui.config import load

    settings = load(command_line(namespace))
    for notice in settings.notices:
        narration.say(f"elicit-tui: {notice}")
    return settings


def named_server(settings: Settings, name: str) -> ServerSettings:
    """The server that the command line names, fit to be started. Raises UsageError."""
    server = settings.servers.get(name)
    if server is None:
        raise UsageError(f"There is no server {name!r}.{_known(settings, name)}")
    if server.refused is not None:
        raise UsageError(server.refused)
    if not server.enabled:
        raise UsageError(f"The server {name!r} is disabled (mcp_servers.{name}.enabled = false).")
    if server.missing:
        names = ", ".join(server.missing)
        raise UsageError(f"The server {name!r} needs {names}, which the environment does not have.")
    return server


def _known(settings: Settings, name: str) -> str:
    import difflib

    if not settings.servers:
        return " None is configured: add one with --with NAME=TARGET, or see elicit-tui config."
    near = difflib.get_close_matches(name, settings.servers, 1)
    if near:
        return f" Did you mean {near[0]!r}?"
    return f" Configured: {', '.join(sorted(settings.servers))}."


def startable(settings: Settings, narration: Narration) -> list[str]:
    """The names of all servers that a run without a named one starts, in order."""
    names = []
    for server in settings.servers.values():
        if server.refused is not None:
            narration.say(f"{server.name}: not started. {server.refused}")
        elif server.enabled:
            named_server(settings, server.name)
            names.append(server.name)
    return names
