"""The configuration file of the console under test: what stands in it, and that it is edited."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from elicit_tui.cli.config_import import servers_elsewhere, take_servers
from elicit_tui.config import CommandLine, load
from elicit_tui.elicitation.settings import (
    Settings,
)
from elicit_tui.tui.console.servers import OwnFile
from tests.tui.console.stand import Stand


def edited_in(stand: Stand, path: Path) -> None:
    """Let the console write this file, and read it again."""

    def reload() -> Settings:
        return load(CommandLine(config_file=path))

    stand.app.config_path = str(path)
    stand.app.own_file = OwnFile(
        reload, partial(servers_elsewhere, path), partial(take_servers, path)
    )


THEIRS = '[mcp_servers.a]\ncommand = "x"\n[mcp_servers.b]\ncommand = "y"\n'


def put(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)


def written(path: Path) -> str | None:
    return path.read_text() if path.exists() else None
