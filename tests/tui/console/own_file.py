"""The configuration file of the console under test: what stands in it, and that it is edited."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from elicit_tui.cli.config_import import servers_elsewhere, take_servers
from elicit_tui.config import CommandLine, load
from elicit_tui.elicitation.settings import (
    Settings,
)
from elicit_tui.tui.console.screens.server_dialogs import ServerScreen
from elicit_tui.tui.console.servers import OwnFile
from tests.tui.console.stand import Stand, console


def edited_in(stand: Stand, path: Path) -> None:
    """Let the console write this file, and read it again."""

    def reload() -> Settings:
        return load(CommandLine(config_file=path))

    stand.app.config_path = str(path)
    stand.app.own_file = OwnFile(
        reload, partial(servers_elsewhere, path), partial(take_servers, path)
    )


def tables(*names: str, more: str = "") -> str:
    return "".join(f'[mcp_servers.{name}]\ncommand = "x"\n{more}' for name in names)


@asynccontextmanager
async def configured(path: Path, mine: Path, text: str, **more: Any) -> AsyncIterator[Stand]:
    """A console with the servers of this text, which stands in the file that it edits."""
    put(mine, text)
    servers = load(CommandLine(config_file=mine)).servers
    async with console(path, server_settings=servers, **more) as stand:
        edited_in(stand, mine)
        yield stand


@asynccontextmanager
async def editing(path: Path, mine: Path, size: tuple[int, int]) -> AsyncIterator[Stand]:
    """A console in whose form the one server of the configuration is edited."""
    async with configured(path, mine, tables("a"), size=size) as stand:
        await stand.press("e")
        await stand.until(lambda: "Ask before calls" in stand.text())
        yield stand


@asynccontextmanager
async def new_server(path: Path, mine: Path, **more: Any) -> AsyncIterator[Stand]:
    """A console without servers, with the form of a new one on the screen."""
    async with console(path, servers=[], **more) as stand:
        edited_in(stand, mine)
        await stand.press("n")
        await stand.until(lambda: isinstance(stand.app.screen, ServerScreen))
        yield stand


THEIRS = '[mcp_servers.a]\ncommand = "x"\n[mcp_servers.b]\ncommand = "y"\n'


def put(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)


def written(path: Path) -> str | None:
    return path.read_text() if path.exists() else None
