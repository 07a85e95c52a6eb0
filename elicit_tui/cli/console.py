"""`elicit-tui` and `elicit-tui run`: the console."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from elicit_tui import paths
from elicit_tui.cli.narration import Narration
from elicit_tui.cli.presence import is_terminal
from elicit_tui.cli.run_settings import command_line, load_settings, startable
from elicit_tui.errors import UsageError

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from elicit_tui.elicitation.settings import ServerSettings, Settings
    from elicit_tui.runtime import Runtime
    from elicit_tui.tui.console.servers import OwnFile


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The console has only the shared options."""


def run(namespace: argparse.Namespace) -> int:
    """Open the console on all enabled servers."""
    narration = Narration()
    settings = load_settings(namespace, narration)
    names = startable(settings, narration)
    return open_console(settings, names, namespace, own_file=_own_file(namespace))


def _own_file(namespace: argparse.Namespace) -> OwnFile:
    """What the console may change, and where it finds more."""
    from elicit_tui.tui.console.servers import OwnFile

    own = namespace.config or paths.config_file()
    return OwnFile(
        reload=partial(_servers_now, namespace),
        elsewhere=partial(_elsewhere, own),
        take=partial(_take, own),
    )


def _elsewhere(own: Path) -> Mapping[str, str]:
    """What other programs have; looked for when the person asks for it, and loaded then."""
    from elicit_tui.cli.config_import import servers_elsewhere

    return servers_elsewhere(own)


def _take(own: Path, names: Collection[str]) -> None:
    from elicit_tui.cli.config_import import take_servers

    take_servers(own, names)


def _servers_now(namespace: argparse.Namespace) -> Mapping[str, ServerSettings]:
    """The servers as the configuration has them at this moment. Raises ConfigError."""
    from elicit_tui.config import load

    return load(command_line(namespace)).servers


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
