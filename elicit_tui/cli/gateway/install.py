"""`elicit-tui gateway install|uninstall|snippet AGENT`: what stands of us in its configuration.

`install` and `uninstall` change it after a yes; `snippet` prints the entry.
"""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from elicit_tui import paths
from elicit_tui.cli.agent_file import (
    add_consent,
    add_file,
    change_after_consent,
    chosen_file,
    gateway_environment,
    gateway_program,
    may_not_run,
    show_plan,
    without_stop,
)
from elicit_tui.cli.exit_codes import FAILED, OK
from elicit_tui.cli.narration import Narration
from elicit_tui.cli.output import Output
from elicit_tui.cli.run_settings import DEMO, load_settings, named_server
from elicit_tui.errors import Interrupted, UsageError
from elicit_tui.gateway.agents import UNKNOWN, known_agents
from elicit_tui.gateway.install.gateway_entry import snippet
from elicit_tui.gateway.install.places import agent_named, own_file, shown_path
from elicit_tui.gateway.install.planning import InstallRequest, plan_install, plan_uninstall

if TYPE_CHECKING:
    from elicit_tui.cli.parser import Parser
    from elicit_tui.elicitation.settings import Settings
    from elicit_tui.gateway.agents import Agent
    from elicit_tui.gateway.install.planning import Plan


def add_arguments(parser: Parser) -> None:
    """The agent, its file, and what goes into it."""
    if parser.command == "snippet":
        _add_to_snippet(parser)
        return
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
    add_consent(parser)


def run(namespace: argparse.Namespace) -> int:
    """Change an agent's configuration, put it back, or print what goes into it.

    Raises UsageError, ConfigError.
    """
    if namespace.command == "snippet":
        return _print_snippet(namespace)
    return _install(namespace) if namespace.command == "install" else _uninstall(namespace)


def _install(namespace: argparse.Namespace) -> int:
    """Show, ask, write. Raises UsageError, ConfigError."""
    agent = agent_named(namespace.agent or "", "install")
    settings = load_settings(namespace, Narration())
    request = _install_request(namespace, agent, settings)
    plan = plan_install(request, may_not_run)
    _refuse_nothing_served(request, plan, settings)
    end = change_after_consent(
        plan,
        namespace,
        unchanged=f"{agent.title} has the gateway already, in {shown_path(request.path)}.",
        changed=f"{agent.title} has the gateway now, in {shown_path(request.path)}.",
    )
    if end == "changed":
        _tell_next_steps(namespace, request, plan)
    return FAILED if end == "refused" else OK


def _install_request(
    namespace: argparse.Namespace, agent: Agent, settings: Settings
) -> InstallRequest:
    """What the command line asks for. Raises UsageError."""
    if namespace.with_servers:
        raise UsageError("--with adds a server for one run; put it into your configuration first.")
    for name in namespace.servers:
        if name != DEMO or DEMO in settings.servers:
            named_server(settings, name)
    return InstallRequest(
        agent=agent,
        path=chosen_file(namespace, lambda: own_file(agent)),
        ours=_our_file(namespace),
        command=gateway_program(namespace),
        servers=tuple(dict.fromkeys(namespace.servers)),
        environment=gateway_environment(),
        take_over=namespace.take_over,
        reserved=[server.name for server in settings.servers.values() if server.layer == "managed"],
    )


def _refuse_nothing_served(request: InstallRequest, plan: Plan, settings: Settings) -> None:
    enabled = any(server.enabled for server in settings.servers.values())
    if request.servers or plan.moved or enabled:
        return
    # It says which servers stay with the agent, and why, before that is refused.
    show_plan(plan, Narration())
    raise UsageError(
        "No server is configured that the gateway could serve. Name `demo`, or give "
        f"--take-over to move those of {request.agent.title}."
    )


def _tell_next_steps(namespace: argparse.Namespace, request: InstallRequest, plan: Plan) -> None:
    """What moved, what the agent's first turn will know, and how to go on or back."""
    agent, narration = request.agent, Narration()
    if plan.moved:
        # They lose the environment and the folder that the agent gave them.
        narration.say(
            f"✓ Moved into {shown_path(request.ours)}: {_names(plan.moved)}. What "
            "moved starts in your home folder, with few of your environment's variables."
        )
    fetch_catalogues(namespace, request.servers, narration)
    narration.say(f"  {agent.restart}")
    narration.say("  What waits for you then is in `elicit-tui inbox`, in another terminal.")
    narration.say(f"  `elicit-tui gateway uninstall {agent.key}` puts everything back.")
    if plan.copy is not None:
        narration.say(f"  The file as it was: {shown_path(plan.copy)}")


def fetch_catalogues(
    namespace: argparse.Namespace, named: Sequence[str], narration: Narration
) -> None:
    """Ask each server once what it offers, so that the agent's first turn has its tools.

    `named`: the servers that the gateway is to serve; none: all that are enabled.
    """
    import asyncio

    from elicit_tui.cli.interrupts import Interrupts
    from elicit_tui.gateway.opening import remember_catalogues

    # Read anew: what moved stands in our configuration only now.
    settings = load_settings(namespace, Narration(), named)
    servers = [settings.servers[name] for name in named or settings.servers]
    names = [
        server.name
        for server in servers
        if server.enabled and not server.refused and not server.lack
    ]
    if not names:
        return
    narration.say(f"  Asking what they offer: {_names(names)}.")
    with Interrupts() as interrupts, contextlib.suppress(Interrupted):
        known = asyncio.run(interrupts.run(remember_catalogues(settings, names, narration.tell)))
        if known:
            narration.say(f"✓ Known for its first turn: {_names(known)}.")


def _uninstall(namespace: argparse.Namespace) -> int:
    """Show, ask, put back. Raises UsageError, ConfigError."""
    agent = agent_named(namespace.agent or "", "uninstall")
    path = chosen_file(namespace, lambda: own_file(agent))
    end = change_after_consent(
        plan_uninstall(agent, path, _our_file(namespace)),
        namespace,
        unchanged=f"Nothing of ours stands in {shown_path(path)}.",
        changed=f"{agent.title} is without the gateway again, in {shown_path(path)}.",
        forget=True,
    )
    if end == "changed":
        Narration().say(f"  {agent.restart}")
    return FAILED if end == "refused" else OK


def _our_file(namespace: argparse.Namespace) -> Path:
    chosen: Path | None = namespace.config
    # The same file that the gateway will be started with.
    return chosen.absolute() if chosen is not None else paths.config_file()


def _names(names: Sequence[str]) -> str:
    return ", ".join(map(without_stop, names))


# The entry alone


def _add_to_snippet(parser: Parser) -> None:
    parser.add_argument(
        "agent", metavar="AGENT", nargs="?", help="its name here; any other: general"
    )
    parser.add_argument("servers", metavar="SERVER", nargs="*", help="none: all enabled ones")


def _print_snippet(namespace: argparse.Namespace) -> int:
    """Print the entry for one agent. Raises UsageError."""
    agents = known_agents()
    listed = ", ".join(key for key in agents if key != UNKNOWN)
    if namespace.agent is None:
        raise UsageError(f"gateway snippet takes an agent: {listed}; any other name is general.")
    agent = agents.get(namespace.agent, agents[UNKNOWN])
    command = [*gateway_program(namespace), *namespace.servers]
    Output().text(snippet(agent, command, gateway_environment()))
    Narration().tell(f"for {agent.title}, in {agent.file}")
    return OK
