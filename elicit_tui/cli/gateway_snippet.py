"""`elicit-tui gateway snippet AGENT`: what to put into an agent's own configuration."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from elicit_tui.cli.narration import Narration
from elicit_tui.cli.output import Output
from elicit_tui.errors import UsageError

CARRIED = ("XDG_CONFIG_HOME", "XDG_STATE_HOME")
"""An agent may start us without them, and we would look in other places."""


def run_snippet(namespace: argparse.Namespace, words: Sequence[str]) -> int:
    """Print the entry for one agent. Raises UsageError."""
    from elicit_tui.gateway.agents import UNKNOWN, known_agents
    from elicit_tui.gateway.snippet import snippet

    agents = known_agents()
    listed = ", ".join(key for key in agents if key != UNKNOWN)
    if not words:
        raise UsageError(f"gateway snippet takes an agent: {listed}; any other name is general.")
    agent = agents.get(words[0], agents[UNKNOWN])
    environment = {name: os.environ[name] for name in CARRIED if os.environ.get(name)}
    Output().text(snippet(agent, [*_program(namespace), *words[1:]], environment))
    Narration().say(f"elicit-tui: for {agent.title}, in {agent.file}")
    return 0


def _program(namespace: argparse.Namespace) -> list[str]:
    """The absolute command that starts this very gateway."""
    found = shutil.which(sys.argv[0]) or shutil.which("elicit-tui")
    by_module = [sys.executable, "-m", "elicit_tui"]
    command = [str(Path(found).absolute())] if found and "elicit-tui" in found else by_module
    config = ["--config", str(namespace.config.absolute())] if namespace.config else []
    return [*command, *config, "gateway"]
