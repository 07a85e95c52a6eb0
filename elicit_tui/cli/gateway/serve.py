"""`elicit-tui gateway`: an MCP server for an agent, with a person behind it."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from elicit_tui.cli.interrupts import Interrupts
from elicit_tui.cli.narration import Narration
from elicit_tui.cli.run_settings import load_settings, named_server, servers_to_start
from elicit_tui.errors import Interrupted, UsageError

if TYPE_CHECKING:
    from elicit_tui.elicitation.settings import Settings
    from elicit_tui.host.launch import Launched


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `gateway`."""
    parser.add_argument(
        "servers",
        metavar="SERVER",
        nargs="*",
        help="the servers to put a person behind; none: all enabled ones; demo: the bundled one",
    )
    parser.add_argument(
        "--listen",
        metavar="HOST:PORT",
        help="serve many agents over HTTP on this loopback address, each with a token "
        "(`gateway token add NAME`)",
    )
    parser.add_argument(
        "--public-host",
        metavar="NAME",
        action="append",
        default=[],
        help="with --listen: a name, with :PORT where it is none of HTTPS, under which a proxy on"
        " this machine is reached; may be given again",
    )


def run(namespace: argparse.Namespace) -> int:
    """Serve one agent on standard input and output until it hangs up, or many over HTTP."""
    narration = Narration()
    settings, names = gateway_settings(namespace, narration)
    if namespace.listen is not None:
        return _listen(namespace, settings, names, narration.tell)
    if namespace.public_host:
        raise UsageError("--public-host goes with --listen.")
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
    load = partial(_load, settings, names, launched)
    with Interrupts() as interrupts:
        if sys.platform == "win32":  # where no pipe can be waited for without a library
            load()
            handover = Handover()
        else:
            handover = answer_while(load, Front(offered, settings.gateway))
        import asyncio

        from elicit_tui.gateway.opening import SessionOptions
        from elicit_tui.gateway.stdio import serve_standard_streams

        options = SessionOptions(
            offered=offered, notify=notify, launched=launched, log_file=namespace.log_file
        )
        serving = serve_standard_streams(settings, names, handover, options)
        # Whoever started us may ask us to end: an agent does so when it quits.
        with contextlib.suppress(Interrupted):
            asyncio.run(interrupts.run(serving))
    return 0


def _load(settings: Settings, names: Sequence[str], launched: Launched) -> None:
    from elicit_tui.host.launch import launch_servers
    from elicit_tui.host.sdk import load_serving

    # Before anything heavy is imported: the servers get ready at the same time.
    launched.update(launch_servers(settings, names))
    load_serving(_stdio)


def _stdio() -> None:
    import elicit_tui.gateway.stdio
    import elicit_tui.host.session  # noqa: F401


def _listen(
    namespace: argparse.Namespace,
    settings: Settings,
    names: Sequence[str],
    notify: Callable[[str], None],
) -> int:
    from elicit_tui.gateway.http import listen, listening_address, public_host

    address = listening_address(namespace.listen)
    hosts = [public_host(name) for name in namespace.public_host]
    import asyncio

    with Interrupts() as interrupts, contextlib.suppress(Interrupted):
        listening = listen(
            settings,
            names,
            address,
            public_hosts=hosts,
            log_file=namespace.log_file,
            notify=notify,
        )
        asyncio.run(interrupts.run(listening))
    return 0


def gateway_settings(
    namespace: argparse.Namespace, narration: Narration
) -> tuple[Settings, list[str]]:
    """The settings, and the names of the servers to serve. Raises UsageError, ConfigError.

    A server whose environment is not complete is served without: a call of it says why.
    """
    names: Sequence[str] = list(dict.fromkeys(namespace.servers))
    settings = load_settings(namespace, narration, names)
    if not names:
        names = servers_to_start(settings, narration, or_try="elicit-tui gateway demo")
    for name in names:
        chosen = settings.servers.get(name)
        # What the environment lacks stops this server only.
        whole = settings if chosen is None else _without_missing(settings, name)
        named_server(whole, name)
        if chosen is not None and chosen.lack is not None:
            narration.say(f"{name}: not started. {chosen.lack}")
    return settings, list(names)


def _without_missing(settings: Settings, name: str) -> Settings:
    server = replace(settings.servers[name], missing=())
    return replace(settings, servers={**settings.servers, name: server})
