"""`elicit-tui bridge install|uninstall|doctor AGENT`: the hooks in an agent's own file."""

from __future__ import annotations

import argparse
import shlex
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from elicit_tui.cli.agent_file import (
    add_consent,
    add_file,
    change_after_consent,
    chosen_file,
    gateway_environment,
    own_config,
    own_program,
)
from elicit_tui.cli.bridge import DOCTOR, INSTALL, UNINSTALL
from elicit_tui.cli.exit_codes import FAILED, OK
from elicit_tui.cli.narration import Narration
from elicit_tui.cli.output import Output
from elicit_tui.cli.run_settings import load_settings
from elicit_tui.errors import UsageError
from elicit_tui.gateway.agents import known_agents
from elicit_tui.gateway.bridge import BRIDGED
from elicit_tui.gateway.bridge.hook_entries import (
    hook_checks,
    hook_command,
    plan_hooks,
    plan_without_hooks,
)
from elicit_tui.gateway.install.places import hooks_file, shown_path
from elicit_tui.text import ascii_json, neutral_line

if TYPE_CHECKING:
    from elicit_tui.gateway.agents import Agent
    from elicit_tui.gateway.install.planning import Plan

QUICK_MS: Final = 150
"""What the hook may take where it has nothing to say: the agent waits for it at every prompt."""
TRIES: Final = 3
MOST_SECONDS: Final = 60


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `bridge` as a person uses it; an agent's hook gives the agent alone."""
    parser.add_argument(
        "words",
        metavar="install|uninstall|doctor AGENT",
        nargs="*",
        help="put our hooks into the agent's own file, take them out, or look at them; agents: "
        "claude-code, codex. Its hook runs `elicit-tui bridge AGENT`",
    )
    add_file(parser, "the agent's file of hooks")
    add_consent(parser)


def run(namespace: argparse.Namespace) -> int:
    """Show, ask, write; or look. Raises UsageError, ConfigError."""
    subcommands = {INSTALL: _install, UNINSTALL: _uninstall, DOCTOR: _doctor}
    match namespace.words:
        case [subcommand, key] if subcommand in subcommands and key in BRIDGED:
            agent = known_agents()[key]
            path = chosen_file(namespace, lambda: hooks_file(agent))
            return subcommands[subcommand](namespace, agent, path)
    raise UsageError(f"bridge takes install, uninstall or doctor, and {' or '.join(BRIDGED)}.")


def _command(namespace: argparse.Namespace, agent: Agent) -> str:
    """What the hook runs. Python never looks for us in the folder in which the agent works."""
    program = own_program(("-I", "-m", "elicit_tui"))
    words = [*program, "bridge", agent.key, *own_config(namespace)]
    return hook_command(words, gateway_environment())


def _install(namespace: argparse.Namespace, agent: Agent, path: Path) -> int:
    hold = load_settings(namespace, Narration()).bridge.hold_sec
    # What the hook waits for a person, and so how long the agent has to wait for the hook.
    plan = plan_hooks(agent, path, _command(namespace, agent), hold)
    end = change_after_consent(
        plan,
        namespace,
        unchanged=f"{agent.title} has the hooks already, in {shown_path(path)}.",
        changed=f"{agent.title} has the hooks now, in {shown_path(path)}.",
    )
    if end == "changed":
        _tell_next_steps(agent, plan, hold)
    return FAILED if end == "refused" else OK


def _tell_next_steps(agent: Agent, plan: Plan, hold: float) -> None:
    narration = Narration()
    narration.say(f"  {agent.after_hooks}")
    narration.say(
        f"  While a console or `elicit-tui inbox` is open, its prompts wait there too, for "
        f"{hold:g} s each."
    )
    narration.say(f"  `elicit-tui bridge uninstall {agent.key}` puts everything back.")
    if plan.copy is not None:
        narration.say(f"  The file as it was: {shown_path(plan.copy)}")


def _uninstall(namespace: argparse.Namespace, agent: Agent, path: Path) -> int:
    end = change_after_consent(
        plan_without_hooks(agent, path),
        namespace,
        unchanged=f"Nothing of ours stands in {shown_path(path)}.",
        changed=f"{agent.title} is without our hooks again, in {shown_path(path)}.",
        forget=True,
    )
    return FAILED if end == "refused" else OK


def _doctor(namespace: argparse.Namespace, agent: Agent, path: Path) -> int:
    output = Output()
    hold = load_settings(namespace, Narration()).bridge.hold_sec
    command = _command(namespace, agent)
    checks = [(check.well, check.sentence) for check in hook_checks(agent, path, command, hold)]
    checks.append(_measured_hook(command))
    for well, sentence in checks:
        output.prose(f"{'✓' if well else '✗'} {neutral_line(sentence, 2000)}")
    output.prose(f"○ {agent.after_hooks}")
    return OK if all(well for well, _ in checks) else FAILED


def _measured_hook(command: str) -> tuple[bool, str]:
    """Run the hook with a prompt for which it has nothing to say; whether it is well, and how."""
    # A prompt about our own gateway's tool: there the gateway asks itself, and the hook has nothing
    # to say.
    prompt = {
        "hook_event_name": "PermissionRequest",
        "tool_name": "mcp__elicit-tui__elicit",
        "tool_input": {},
    }
    durations = []
    for _ in range(TRIES):
        began = time.monotonic()
        try:
            done = subprocess.run(
                shlex.split(command),
                input=ascii_json(prompt).encode(),
                capture_output=True,
                check=False,
                timeout=MOST_SECONDS,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return False, f"The hook does not work: {error}"
        durations.append(1000 * (time.monotonic() - began))
        # Nothing to say is an empty output and a zero: any word could be taken by the agent for a
        # decision.
        if done.returncode != 0 or done.stdout or done.stderr:
            output = (done.stderr or done.stdout).decode("utf-8", "replace")
            return False, f"The hook does not work: exit code {done.returncode}, {output}"
    # The best of them, as a busy machine makes any single one slow.
    best = min(durations)
    return best <= QUICK_MS, f"Where it has nothing to say, the hook takes {best:.0f} ms."
