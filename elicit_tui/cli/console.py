"""`elicit-tui`, `elicit-tui run` and `elicit-tui demo`: the console."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from elicit_tui import paths
from elicit_tui.cli.narration import Narration
from elicit_tui.cli.own_terminal import is_terminal
from elicit_tui.cli.run_settings import (
    DEMO,
    command_line,
    demo_command,
    load_settings,
    named_server,
    startable,
)
from elicit_tui.errors import UsageError

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from elicit_tui.elicitation.settings import Settings
    from elicit_tui.runtime import Runtime
    from elicit_tui.tui.console.servers import OwnFile


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The console has only the shared options."""


def run(namespace: argparse.Namespace) -> int:
    """Open the console on all enabled servers, or on the demo."""
    if namespace.command == "demo":
        return _run_demo(namespace)
    narration = Narration()
    settings = load_settings(namespace, narration)
    names = startable(settings, narration)
    return open_console(settings, names, namespace, own_file=_own_file(namespace))


def _own_file(namespace: argparse.Namespace) -> OwnFile:
    """What the console may change, and where it finds more."""
    from elicit_tui.tui.console.servers import OwnFile

    own = namespace.config or paths.config_file()
    return OwnFile(
        reload=partial(_settings_now, namespace),
        elsewhere=partial(_elsewhere, own),
        take=partial(_take, own),
    )


def _elsewhere(own: Path) -> Mapping[str, tuple[str, str]]:
    """What other programs have; looked for when the person asks for it, and loaded then."""
    from elicit_tui.cli.config_import import servers_elsewhere

    return servers_elsewhere(own)


def _take(own: Path, names: Collection[str]) -> None:
    from elicit_tui.cli.config_import import take_servers

    take_servers(own, names)


def _settings_now(namespace: argparse.Namespace) -> Settings:
    """The configuration at this moment. Raises ConfigError."""
    from elicit_tui.config import load

    return load(command_line(namespace))


def open_console(
    settings: Settings,
    names: Sequence[str],
    namespace: argparse.Namespace,
    *,
    inbox: bool = False,
    own_file: OwnFile | None = None,
) -> int:
    """Open the console on these servers, or as the inbox. Raises UsageError without a terminal."""
    # A form is drawn on standard error: standard output may be redirected.
    if not (is_terminal(sys.stdin) and is_terminal(sys.stderr)):
        raise UsageError(
            "The console needs a terminal. Without one: elicit-tui call SERVER TOOL "
            "(elicit-tui --help lists every command)."
        )
    from elicit_tui.tui import run_console

    return run_console(
        settings,
        runtime_factory=partial(_open_runtime, settings, namespace.log_file),
        only=names,
        config_path=str(namespace.config or paths.config_file()),
        inbox=inbox,
        own_file=own_file,
    )


def _open_runtime(
    settings: Settings, log_file: Path | None, **more: Any
) -> AbstractAsyncContextManager[Runtime]:
    """Compose the run; its rooms are loaded only then, when the console has painted."""
    from elicit_tui.runtime import RunOptions, open_runtime

    options = RunOptions(log_file=log_file, keep_drafts=True)
    return open_runtime(settings, options=options, **more)


# The demo


def _run_demo(namespace: argparse.Namespace) -> int:
    """Open the console on the demo server and those of `--with`, and on nothing else."""
    settings, name = demo_settings(namespace, Narration())
    named_server(settings, name)
    own_file = replace(_own_file(namespace), is_of_demo=True)
    return open_console(settings, tuple(settings.servers), namespace, own_file=own_file)


def demo_settings(namespace: argparse.Namespace, narration: Narration) -> tuple[Settings, str]:
    """The owner's settings without the owner's servers but with the demo, and the demo's name.

    It is added as `--with` would, so that managed configuration holds for it too.
    """
    taken = load_settings(namespace, narration).servers
    name = DEMO if DEMO not in taken else "elicit-tui-demo"
    namespace.with_servers = [*namespace.with_servers, f"{name}={shlex.join(demo_command())}"]
    settings = load_settings(namespace, Narration.silent())
    wanted = (name, *(added for added, _ in command_line(namespace).added))
    return replace(settings, servers={server: settings.servers[server] for server in wanted}), name
