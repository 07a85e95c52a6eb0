"""`elicit-tui gateway snippet AGENT`: what to put into an agent's own configuration."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from elicit_tui.cli.gateway_program import gateway_environment, gateway_program
from elicit_tui.cli.narration import Narration
from elicit_tui.cli.output import Output
from elicit_tui.errors import UsageError


def run_snippet(namespace: argparse.Namespace, words: Sequence[str]) -> int:
    """Print the entry for one agent. Raises UsageError."""
    from elicit_tui.gateway.agents import UNKNOWN, known_agents
    from elicit_tui.gateway.install.snippet import snippet

    agents = known_agents()
    listed = ", ".join(key for key in agents if key != UNKNOWN)
    if not words:
        raise UsageError(f"gateway snippet takes an agent: {listed}; any other name is general.")
    agent = agents.get(words[0], agents[UNKNOWN])
    command = [*gateway_program(namespace), *words[1:]]
    Output().text(snippet(agent, command, gateway_environment()))
    Narration().say(f"elicit-tui: for {agent.title}, in {agent.file}")
    return 0
