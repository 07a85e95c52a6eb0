"""`elicit-tui gateway snippet AGENT`: how an agent starts this gateway, for its configuration."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from elicit_tui.cli.narration import Narration
from elicit_tui.cli.output import Output
from elicit_tui.errors import UsageError

CARRIED: Final = ("XDG_CONFIG_HOME", "XDG_STATE_HOME")
"""An agent may start us without them, and we would look in other places."""


def own_program(by_module: Sequence[str] = ("-m", "elicit_tui")) -> list[str]:
    """The absolute command that starts us; `by_module`: how Python does, where none is there."""
    found = shutil.which(sys.argv[0]) or shutil.which("elicit-tui")
    if found and "elicit-tui" in found:
        return [str(Path(found).absolute())]
    return [sys.executable, *by_module]


def own_config(namespace: argparse.Namespace) -> list[str]:
    """The option that names our configuration, where it is another than the person's own."""
    return ["--config", str(namespace.config.absolute())] if namespace.config else []


def gateway_program(namespace: argparse.Namespace) -> list[str]:
    """The absolute command; the names of servers follow it."""
    return [*own_program(), *own_config(namespace), "gateway"]


def gateway_environment() -> dict[str, str]:
    """What of our environment decides where configuration and store are."""
    return {name: os.environ[name] for name in CARRIED if os.environ.get(name)}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The agent, and the servers that the gateway is to serve it."""
    parser.add_argument(
        "agent", metavar="AGENT", nargs="?", help="its name here; any other: general"
    )
    parser.add_argument("servers", metavar="SERVER", nargs="*", help="none: all enabled ones")


def run(namespace: argparse.Namespace) -> int:
    """Print the entry for one agent. Raises UsageError."""
    from elicit_tui.gateway.agents import UNKNOWN, known_agents
    from elicit_tui.gateway.install.gateway_entry import snippet

    agents = known_agents()
    listed = ", ".join(key for key in agents if key != UNKNOWN)
    if namespace.agent is None:
        raise UsageError(f"gateway snippet takes an agent: {listed}; any other name is general.")
    agent = agents.get(namespace.agent, agents[UNKNOWN])
    command = [*gateway_program(namespace), *namespace.servers]
    Output().text(snippet(agent, command, gateway_environment()))
    Narration().tell(f"for {agent.title}, in {agent.file}")
    return 0
