"""`elicit-tui demo`: the console on the bundled server, and on those of `--with`."""

from __future__ import annotations

import argparse
import shlex
from dataclasses import replace
from typing import TYPE_CHECKING

from elicit_tui.cli.console import open_console
from elicit_tui.cli.narration import Narration
from elicit_tui.cli.run_settings import (
    DEMO,
    command_line,
    demo_command,
    load_settings,
    named_server,
)

if TYPE_CHECKING:
    from elicit_tui.elicitation.settings import Settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The demo has only the shared options."""


def run(namespace: argparse.Namespace) -> int:
    """Open the console on the demo server and those of `--with`, and on nothing else."""
    settings, name = demo_settings(namespace, Narration())
    named_server(settings, name)
    return open_console(settings, tuple(settings.servers), namespace)


def demo_settings(namespace: argparse.Namespace, narration: Narration) -> tuple[Settings, str]:
    """The owner's settings without the owner's servers but with the demo, and the demo's name.

    It is added as `--with` would, so that managed configuration holds for it too.
    """
    taken = load_settings(namespace, narration).servers
    name = DEMO if DEMO not in taken else "elicit-tui-demo"
    namespace.with_servers = [*namespace.with_servers, f"{name}={shlex.join(demo_command())}"]
    settings = load_settings(namespace, Narration(stream=None))
    wanted = (name, *(added for added, _ in command_line(namespace).added))
    return replace(settings, servers={server: settings.servers[server] for server in wanted}), name
