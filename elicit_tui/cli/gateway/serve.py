"""`elicit-tui gateway`: an MCP server for an agent, with a person behind it."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from elicit_tui.cli.interrupts import Interrupts
from elicit_tui.cli.narration import Narration
from elicit_tui.cli.parser import positive_seconds
from elicit_tui.cli.run_settings import load_settings, named_server
from elicit_tui.errors import Interrupted, UsageError

if TYPE_CHECKING:
    from elicit_tui.elicitation.settings import Settings
    from elicit_tui.host import Launched

TOKEN = "token"
SNIPPET = "snippet"
INSTALL = "install"
UNINSTALL = "uninstall"
DOCTOR = "doctor"
STATUS = "status"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `gateway`."""
    parser.add_argument(
        "servers",
        metavar="SERVER",
        nargs="*",
        help="the servers to put a person behind; none: all enabled ones; demo: the bundled one. "
        "Or install, uninstall, snippet or doctor with the name of an agent, or token add NAME, "
        "token list, token revoke NAME; or status: which agents are or were connected",
    )
    parser.add_argument(
        "--listen",
        metavar="HOST:PORT",
        help="serve many agents over HTTP on this loopback address, each with a token "
        "(`gateway token add NAME`)",
    )
    changing = parser.add_argument_group("with install AGENT [SERVER]... and uninstall AGENT")
    changing.add_argument(
        "--take-over",
        action="store_true",
        help="move the agent's own servers behind the gateway; those that cannot move are named",
    )
    changing.add_argument(
        "--file", metavar="FILE", type=Path, help="the agent's configuration, where it is elsewhere"
    )
    changing.add_argument("--yes", action="store_true", help="write without asking")
    measuring = parser.add_argument_group("with doctor AGENT")
    measuring.add_argument(
        "--longest",
        metavar="SECONDS",
        type=positive_seconds,
        help="the longest that a call is held to see whether the agent still waits (1800)",
    )
    measuring.add_argument(
        "--every",
        metavar="SECONDS",
        type=positive_seconds,
        help="the time between two signs of progress (10, as while a person is asked)",
    )


def run(namespace: argparse.Namespace) -> int:
    """Serve one agent on standard input and output until it hangs up, or many over HTTP."""
    words: list[str] = namespace.servers
    _refuse_of_others(namespace, words[0] if words else "")
    if words[:1] == [TOKEN]:
        from elicit_tui.cli.gateway.token import run_tokens

        return run_tokens(words[1:])
    if words[:1] == [SNIPPET]:
        from elicit_tui.cli.gateway.agent_entry import run_snippet

        return run_snippet(namespace, words[1:])
    if words[:1] in ([INSTALL], [UNINSTALL]):
        from elicit_tui.cli.gateway.install import run_install, run_uninstall

        return (run_install if words[0] == INSTALL else run_uninstall)(namespace, words[1:])
    if words[:1] == [DOCTOR]:
        from elicit_tui.cli.gateway.doctor import run_doctor

        return run_doctor(namespace, words[1:])
    if words[:1] == [STATUS]:
        from elicit_tui.cli.gateway.connected_agents import run_status

        return run_status(namespace, words[1:])
    narration = Narration()
    settings, names = gateway_settings(namespace, narration)
    if namespace.listen is not None:
        return _listen(namespace, settings, names, narration.tell)
    if sys.stdin is not None and sys.stdin.isatty():
        narration.tell(
            "an agent starts this command and talks to it on standard input. Ctrl+C ends it."
        )
    return _serve(namespace, settings, names, narration.tell)


def _serve(
    namespace: argparse.Namespace,
    settings: Settings,
    names: Sequence[str],
    notify: Callable[[str], None],
) -> int:
    """Answer the agent from what is remembered while the servers, and what serves it, get ready."""
    from elicit_tui.gateway.catalogue import CatalogueFiles
    from elicit_tui.gateway.front import Front, Handover, answer_while
    from elicit_tui.gateway.offers import SessionOffers

    offered = SessionOffers.remembered(settings, names, CatalogueFiles(), notify)
    launched: Launched = {}

    def load() -> None:
        from elicit_tui.host.launch import launch_servers
        from elicit_tui.host.sdk import load_serving

        # Before anything heavy is imported: the servers get ready at the same time.
        launched.update(launch_servers(settings, names))
        load_serving(_stdio)

    with Interrupts() as interrupts:
        if sys.platform == "win32":  # where no pipe can be waited for without a library
            load()
            handover = Handover()
        else:
            handover = answer_while(load, Front(offered, settings.gateway))
        import asyncio

        from elicit_tui.gateway.stdio import serve_standard_streams

        serving = serve_standard_streams(
            settings,
            names,
            handover=handover,
            offered=offered,
            launched=launched,
            log_file=namespace.log_file,
            notify=notify,
        )
        # Whoever started us may ask us to end: an agent does so when it quits.
        with contextlib.suppress(Interrupted):
            asyncio.run(interrupts.run(serving))
    return 0


def _refuse_of_others(namespace: argparse.Namespace, command: str) -> None:
    """Refuse an option of another one of the gateway's commands."""
    for option, given, commands in (
        ("--take-over", namespace.take_over, (INSTALL,)),
        ("--yes", namespace.yes, (INSTALL, UNINSTALL)),
        ("--file", namespace.file is not None, (INSTALL, UNINSTALL, DOCTOR)),
        ("--longest", namespace.longest is not None, (DOCTOR,)),
        ("--every", namespace.every is not None, (DOCTOR,)),
    ):
        if given and command not in commands:
            raise UsageError(f"{option} goes with gateway {', '.join(commands)}.")


def _stdio() -> None:
    import elicit_tui.gateway.stdio
    import elicit_tui.host.session  # noqa: F401


def _listen(
    namespace: argparse.Namespace,
    settings: Settings,
    names: Sequence[str],
    notify: Callable[[str], None],
) -> int:
    from elicit_tui.gateway.http import listen, listening_address

    address = listening_address(namespace.listen)
    import asyncio

    with Interrupts() as interrupts, contextlib.suppress(Interrupted):
        listening = listen(settings, names, address, log_file=namespace.log_file, notify=notify)
        asyncio.run(interrupts.run(listening))
    return 0


def gateway_settings(
    namespace: argparse.Namespace, narration: Narration
) -> tuple[Settings, list[str]]:
    """The settings, and the names of the servers to serve. Raises UsageError, ConfigError.

    A server whose environment is not complete is served without: a call of it says why.
    """
    wanted: Sequence[str] = list(dict.fromkeys(namespace.servers))
    settings = load_settings(namespace, narration, wanted)
    if not wanted:
        enabled = [server for server in settings.servers.values() if server.enabled]
        for server in enabled:
            if server.refused is not None:
                narration.say(f"{server.name}: not started. {server.refused}")
        wanted = [server.name for server in enabled if server.refused is None]
        if not wanted:
            raise UsageError(
                "No server is configured. Try `elicit-tui gateway demo`, "
                "or add one with --with NAME=TARGET."
            )
    for name in wanted:
        chosen = settings.servers.get(name)
        # What the environment lacks stops this server only.
        whole = settings if chosen is None else _without_missing(settings, name)
        named_server(whole, name)
        if chosen is not None and chosen.lack is not None:
            narration.say(f"{name}: not started. {chosen.lack}")
    return settings, list(wanted)


def _without_missing(settings: Settings, name: str) -> Settings:
    server = replace(settings.servers[name], missing=())
    return replace(settings, servers={**settings.servers, name: server})
