"""`elicit-tui gateway token`: who may use the gateway over HTTP."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from elicit_tui.cli.narration import Narration
from elicit_tui.cli.output import Output
from elicit_tui.cli.run_settings import load_settings
from elicit_tui.errors import UsageError

if TYPE_CHECKING:
    from elicit_tui.elicitation.settings import Settings
    from elicit_tui.gateway.tokens import Tokens


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The commands of `gateway token`."""
    commands = parser.add_subparsers(dest="token_command", metavar="COMMAND", required=True)
    commands.add_parser("list", help="those that are known, by name")
    add = commands.add_parser("add", help="make one and show it, once")
    revoke = commands.add_parser("revoke", help="end its sessions, and let it open none")
    for command in (add, revoke):
        command.add_argument("name", metavar="NAME", help="whose it is")


def run(namespace: argparse.Namespace) -> int:
    """Make, list or revoke; where machines share a store (`store.url`), for all of them.

    Raises UsageError, StoreError.
    """
    asyncio.run(_run(load_settings(namespace, Narration()), namespace))
    return 0


@asynccontextmanager
async def _tokens(settings: Settings) -> AsyncIterator[Tokens]:
    from elicit_tui.gateway.tokens import SharedTokens, Tokens

    if settings.store.url is None:
        yield Tokens()
        return
    from elicit_tui.runtime import open_store

    async with open_store(settings, "answerer") as store:
        assert store.tokens is not None
        tokens = SharedTokens(store.tokens)
        await tokens.refresh()
        yield tokens


async def _run(settings: Settings, namespace: argparse.Namespace) -> None:
    async with _tokens(settings) as tokens:
        if namespace.token_command == "add":
            await _show_once(tokens, namespace.name)
            Narration().tell(
                "this token is shown once. A client gives it as "
                "`Authorization: Bearer TOKEN`, from its environment or a 0600 file."
            )
        elif namespace.token_command == "revoke":
            await tokens.revoke_everywhere(namespace.name)
            Narration().tell(f"{namespace.name} is revoked; its sessions end.")
        else:
            for token in tokens.listed():
                where = ", on every machine" if token in tokens.shared else ""
                Output().text(f"{token.name}  added {token.added}{where}")


async def _show_once(tokens: Tokens, name: str) -> None:
    """Make a token and write it; one that nobody could see is none. Raises UsageError."""
    output = Output()
    output.text(await tokens.add_everywhere(name))
    if output.failure is not None:
        await tokens.revoke_everywhere(name)
        why = output.failure.strerror or output.failure
        raise UsageError(f"The token could not be shown, so there is no token {name!r}: {why}.")
