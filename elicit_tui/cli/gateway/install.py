"""`elicit-tui gateway install|uninstall AGENT`: an agent's configuration, changed after a yes."""

from __future__ import annotations

import argparse
import contextlib
import os.path
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from elicit_tui import paths
from elicit_tui.cli.exit_codes import FAILED, OK
from elicit_tui.cli.gateway.agent_entry import gateway_environment, gateway_program
from elicit_tui.cli.narration import Narration
from elicit_tui.cli.output import Output
from elicit_tui.cli.own_file import agreed, may_not_run
from elicit_tui.cli.presence import person_present
from elicit_tui.cli.run_settings import DEMO, load_settings, named_server
from elicit_tui.cli.signs import coloured_change
from elicit_tui.errors import Interrupted, UsageError
from elicit_tui.text import ci_safe, neutral_line

if TYPE_CHECKING:
    from elicit_tui.cli.parser import Parser
    from elicit_tui.elicitation.settings import Settings
    from elicit_tui.gateway.install.planning import Plan


def add_arguments(parser: Parser) -> None:
    """The agent, its file, and what goes into it."""
    parser.add_argument(
        "agent", metavar="AGENT", nargs="?", help="which one; without it, which there are"
    )
    if parser.command == "install":
        parser.add_argument(
            "servers", metavar="SERVER", nargs="*", help="those it gets; none: all enabled ones"
        )
        parser.add_argument(
            "--take-over",
            action="store_true",
            help="move the agent's own servers behind the gateway; what cannot move is named",
        )
    add_file(parser)
    parser.add_argument("--yes", action="store_true", help="write without asking")


def add_file(parser: argparse.ArgumentParser) -> None:
    """The option that says where an agent's configuration is."""
    parser.add_argument(
        "--file", metavar="FILE", type=Path, help="the agent's configuration, where it is elsewhere"
    )


def run(namespace: argparse.Namespace) -> int:
    """Change an agent's configuration, or put it back. Raises UsageError, ConfigError."""
    return _install(namespace) if namespace.command == "install" else _uninstall(namespace)


def _install(namespace: argparse.Namespace) -> int:
    """Show, ask, write. Raises UsageError, ConfigError."""
    from elicit_tui.gateway.install.places import agent_named, own_file, shown_path
    from elicit_tui.gateway.install.planning import InstallRequest, plan_install

    agent = agent_named(namespace.agent or "", "install")
    settings = load_settings(namespace, Narration())
    _refuse_temporary(namespace)
    path = agents_file(namespace, own_file(agent))
    wish = InstallRequest(
        agent,
        path,
        _our_file(namespace),
        gateway_program(namespace),
        tuple(dict.fromkeys(namespace.servers)),
        gateway_environment(),
        namespace.take_over,
        [server.name for server in settings.servers.values() if server.layer == "managed"],
    )
    _refuse_unknown(settings, wish.servers)
    plan = plan_install(wish, may_not_run)
    served = (
        wish.servers or plan.moved or any(server.enabled for server in settings.servers.values())
    )
    narration = Narration()
    tell_plan(plan, narration)
    if not served:
        raise UsageError(
            "No server is configured that the gateway could serve. Name `demo`, or give "
            f"--take-over to move those of {agent.title}."
        )
    if not plan.changes:
        narration.say(f"✓ {agent.title} has the gateway already, in {shown_path(path)}.")
        return OK
    if not agreed_to(namespace, narration):
        return FAILED
    plan.carry_out()
    narration.say(f"✓ {agent.title} has the gateway now, in {shown_path(path)}.")
    if plan.moved:
        narration.say(
            f"✓ Moved into {shown_path(wish.ours)}: {', '.join(map(_line, plan.moved))}. What "
            "moved starts in your home folder, with few of your environment's variables."
        )
    remember(namespace, wish.servers, narration)
    narration.say(f"  {agent.restart}")
    narration.say("  What waits for you then is in `elicit-tui inbox`, in another terminal.")
    narration.say(f"  `elicit-tui gateway uninstall {agent.key}` puts everything back.")
    if plan.copy is not None:
        narration.say(f"  The file as it was: {shown_path(plan.copy)}")
    return OK


def remember(namespace: argparse.Namespace, named: Sequence[str], narration: Narration) -> None:
    """Ask each server once what it offers, so that the agent's first turn has its tools.

    `named`: the servers that the gateway is to serve; none: all that are enabled.
    """
    import asyncio

    from elicit_tui.cli.interrupts import Interrupts
    from elicit_tui.gateway.opening import remember_catalogues

    settings = load_settings(namespace, Narration(), named)
    names = [
        name
        for name in named or settings.servers
        if (server := settings.servers[name]).enabled and not (server.refused or server.lack)
    ]
    narration.say(f"  Asking what they offer: {', '.join(map(_line, names))}.")
    with Interrupts() as interrupts, contextlib.suppress(Interrupted):
        known = asyncio.run(interrupts.run(remember_catalogues(settings, names, narration.tell)))
        if known:
            narration.say(f"✓ Known for its first turn: {', '.join(map(_line, known))}.")


def _uninstall(namespace: argparse.Namespace) -> int:
    """Show, ask, put back. Raises UsageError, ConfigError."""
    from elicit_tui.gateway.install.places import agent_named, own_file, shown_path
    from elicit_tui.gateway.install.planning import plan_uninstall

    agent = agent_named(namespace.agent or "", "uninstall")
    path = agents_file(namespace, own_file(agent))
    plan = plan_uninstall(agent, path, _our_file(namespace))
    narration = Narration()
    tell_plan(plan, narration)
    if not plan.changes:
        plan.carry_out()
        narration.say(f"✓ Nothing of ours stands in {shown_path(path)}.")
        return OK
    if not agreed_to(namespace, narration):
        return FAILED
    plan.carry_out()
    narration.say(f"✓ {agent.title} is without the gateway again, in {shown_path(path)}.")
    narration.say(f"  {agent.restart}")
    return OK


def agents_file(namespace: argparse.Namespace, own: Path) -> Path:
    """The agent's file, absolute and without `..`; links in it stay visible."""
    chosen: Path | None = namespace.file
    return own if chosen is None else Path(os.path.normpath(chosen.absolute()))


def _our_file(namespace: argparse.Namespace) -> Path:
    chosen: Path | None = namespace.config
    return chosen.absolute() if chosen is not None else paths.config_file()


def _refuse_temporary(namespace: argparse.Namespace) -> None:
    if namespace.with_servers:
        raise UsageError("--with adds a server for one run; put it into your configuration first.")


def _refuse_unknown(settings: Settings, names: Sequence[str]) -> None:
    for name in names:
        if name != DEMO or DEMO in settings.servers:
            named_server(settings, name)


def tell_plan(plan: Plan, narration: Narration) -> None:
    """The difference on standard output; what stays and why beside it."""
    from elicit_tui.gateway.install.changes import difference

    output = Output()
    for change in plan.changes:
        for line in difference(change):
            output.text(coloured_change(ci_safe(line), terminal=output.on_terminal))
    for server in plan.staying:
        narration.say(f"✗ {_line(server.name)} stays where it is: {_line(server.why)}.")
    for note in plan.notes:
        narration.say(f"  {_line(note)}")


def _line(text: str) -> str:
    return neutral_line(text, 500).rstrip(".")


def agreed_to(namespace: argparse.Namespace, narration: Narration) -> bool:
    """Whether the person says yes, here or on the command line. Raises UsageError."""
    if namespace.yes:
        return True
    if not person_present():
        raise UsageError("Nothing was written. Say --yes, or run it in a terminal to be asked.")
    return agreed(narration)
