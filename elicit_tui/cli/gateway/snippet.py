"""`elicit-tui gateway snippet AGENT`: how an agent starts this gateway, for its configuration."""

from __future__ import annotations

import argparse

from elicit_tui.cli.narration import Narration
from elicit_tui.cli.output import Output
from elicit_tui.cli.own_program import gateway_environment, gateway_program
from elicit_tui.errors import UsageError
from elicit_tui.gateway.agents import UNKNOWN, known_agents
from elicit_tui.gateway.install.gateway_entry import snippet


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The agent, and the servers that the gateway is to serve it."""
    parser.add_argument(
        "agent", metavar="AGENT", nargs="?", help="its name here; any other: general"
    )
    parser.add_argument("servers", metavar="SERVER", nargs="*", help="none: all enabled ones")


def run(namespace: argparse.Namespace) -> int:
    """Print the entry for one agent. Raises UsageError."""
    agents = known_agents()
    listed = ", ".join(key for key in agents if key != UNKNOWN)
    if namespace.agent is None:
        raise UsageError(f"gateway snippet takes an agent: {listed}; any other name is general.")
    agent = agents.get(namespace.agent, agents[UNKNOWN])
    command = [*gateway_program(namespace), *namespace.servers]
    Output().text(snippet(agent, command, gateway_environment()))
    Narration().tell(f"for {agent.title}, in {agent.file}")
    return 0
