"""`elicit-tui store`: whether the place where questions wait can be used, and a fresh secret."""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import AsyncIterator
from statistics import median
from typing import TYPE_CHECKING, Final

from elicit_tui.cli.narration import Narration
from elicit_tui.cli.output import Output
from elicit_tui.cli.run_settings import load_settings
from elicit_tui.errors import StoreError
from elicit_tui.paths import store_file
from elicit_tui.runtime import open_store
from elicit_tui.runtime.opening import store_secret
from elicit_tui.store.redis_server import ACL_RIGHTS
from elicit_tui.store.redis_store import RedisStore, lacking_rights, server_at
from elicit_tui.store.sealing import fresh_secret

if TYPE_CHECKING:
    from elicit_tui.elicitation.settings import Settings

_ROUND_TRIPS: Final = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Give the parser its two commands."""
    commands = parser.add_subparsers(dest="action", required=True, metavar="check|secret")
    commands.add_parser(
        "check",
        help="whether the store can be used: version, policy, rights, round trip",
        description="Whether the store can be used: version, policy, rights, round trip.",
    )
    commands.add_parser(
        "secret",
        help="print a fresh secret that seals what waits",
        description="Prints a fresh secret that seals what waits: the same on every machine.",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the chosen command; raises StoreError where the store cannot be used."""
    if arguments.action == "secret":
        Output().text(fresh_secret())
        Narration().tell(
            "give it to every machine as store.secret_env or in a 0600 file as store.secret_file;"
            " whoever has it can read and answer everything."
        )
        return 0
    asyncio.run(_check(load_settings(arguments, Narration())))
    return 0


async def _check(settings: Settings) -> None:
    lines = _of_redis(settings, settings.store.url) if settings.store.url else _of_file(settings)
    async for line in lines:
        Output().text(line)


async def _of_file(settings: Settings) -> AsyncIterator[str]:
    async with open_store(settings, "answerer") as store:
        yield f"store    {store_file(settings.history.path)}"
        yield f"waiting  {len(await store.waiting())}"


async def _of_redis(settings: Settings, url: str) -> AsyncIterator[str]:
    """What is there, line by line, until something is wrong; raises StoreError."""
    # The secret first: where it cannot be used, no server is asked.
    secret = store_secret(settings)
    async for line in _of_server(url):
        yield line
    store = await RedisStore.open(url, "answerer", secret=secret)
    try:
        async for line in _of_open_store(store):
            yield line
    finally:
        await store.close()


async def _of_server(url: str) -> AsyncIterator[str]:
    """The server and its rights; raises StoreError for one that cannot be the store."""
    async with server_at(url) as server:
        facts = server.facts
        place = "a cluster" if facts.cluster else "one server"
        yield f"store    {server.address.shown}"
        yield f"version  {facts.named_version}, {place}"
        yield f"policy   {facts.policy or 'not told'}"
        lacks = await lacking_rights(server)
        yield f"rights   {'lacks ' + ', '.join(lacks) if lacks else 'enough'}"
        yield f"         ACL SETUSER NAME on >PASSWORD {ACL_RIGHTS}"
        for warning in server.warnings:
            yield f"warning  {warning}"
        if lacks:
            raise StoreError(f"The store {server.address.shown} lacks rights that it needs.")
        # Beside the lacking rights: whatever else keeps it from being a store.
        server.must_serve()


async def _of_open_store(store: RedisStore) -> AsyncIterator[str]:
    """How far it is away, and what waits in it."""
    milliseconds = []
    # A single round trip tells little of a network.
    for _ in range(_ROUND_TRIPS):
        begun = time.perf_counter()
        await store.server.is_there()
        milliseconds.append((time.perf_counter() - begun) * 1000)
    usual, worst = median(milliseconds), max(milliseconds)
    yield f"way      {usual:.1f} ms there and back, {worst:.1f} ms at worst"
    unread = sum(question.unreadable is not None for question in await store.waiting())
    others = f", {unread} sealed with another secret" if unread else ""
    yield f"waiting  {len(await store.waiting())}{others}"
    if not store.secret_is_the_first:
        yield "warning  another secret was used here first; what it sealed cannot be read here."
