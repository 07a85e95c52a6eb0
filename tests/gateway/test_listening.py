"""`gateway --listen` as its owner configured it, and what goes on beside it while it lives."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import pytest

from elicit_tui.elicitation.settings import GatewaySettings, Settings
from elicit_tui.errors import StoreError
from elicit_tui.gateway import http, telling
from elicit_tui.gateway import tokens as token_module
from elicit_tui.gateway.catalogue import Catalogue, CatalogueFiles
from elicit_tui.gateway.http import known_elsewhere, listen
from elicit_tui.gateway.tokens import SharedTokens, Tokens
from elicit_tui.store.store import Token
from tests.gateway.http_world import ACCEPT, INITIALIZE, answer_in, many_agents, modern_request
from tests.gateway.world import WAIT, asking, until

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def listening(told: list[str], **gateway: Any) -> AsyncIterator[str]:
    """The whole of it in this process, on a port of its own; where it listens."""
    server = asking()
    CatalogueFiles().write(server, Catalogue(instructions="Be kind."))
    settings = Settings(servers={"asking": server}, gateway=GatewaySettings(**gateway))
    serving = asyncio.ensure_future(
        listen(
            settings,
            ["asking"],
            ("127.0.0.1", 0),
            public_hosts=["gateway.example"],
            log_file=None,
            notify=told.append,
        )
    )
    try:
        await until(lambda: any("listening" in line for line in told) or serving.done())
        yield told[-1].removeprefix("listening on ")
    finally:
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)


@pytest.mark.parametrize("tasks", ["auto", "never"])
async def test_it_serves_as_its_owner_configured_it(sealed_machine: Path, tasks: Any) -> None:
    told: list[str] = []
    async with listening(told, tasks=tasks) as url:
        assert told == [
            "nobody has a token yet: elicit-tui gateway token add NAME",
            f"listening on {url}",
        ]
        shown = {**ACCEPT, "Authorization": f"Bearer {Tokens().add('agent')}"}
        async with httpx2.AsyncClient(headers=shown, timeout=WAIT) as client:
            begun = answer_in(await client.post(url, json=INITIALIZE))
            assert begun["result"]["instructions"] == "# asking\n\nBe kind."
            found = answer_in(await client.post(url, **modern_request("server/discover")))
            assert found["result"]["instructions"] == "# asking\n\nBe kind."
            assert ("extensions" in found["result"]["capabilities"]) is (tasks == "auto")
            by_name = {"Host": "gateway.example", "Origin": "https://gateway.example"}
            assert (await client.post(url, json=INITIALIZE, headers=by_name)).status_code == 200
            elsewhere = {"Host": "evil.example"}
            assert (await client.post(url, json=INITIALIZE, headers=elsewhere)).status_code == 421


async def test_a_request_that_is_held_when_the_gateway_ends_is_answered() -> None:
    async with many_agents() as gateway:
        client = gateway.raw(gateway.tokens.add("agent"))
        params = {"name": "asking__one", "arguments": {}}
        call = asyncio.ensure_future(gateway.modern(client, "tools/call", params))
        await until(lambda: gateway.open_questions == 1)
    answer = answer_in(await asyncio.wait_for(call, WAIT))
    assert answer["result"]["content"][0]["text"] == telling.CANCELLED
    await client.aclose()


@dataclass
class Entries:
    """The tokens that all machines know, as a store has them."""

    asked: int = 0

    async def read(self) -> tuple[tuple[Token, ...], frozenset[str]]:
        self.asked += 1
        return (Token("one", "digest", str(self.asked)),), frozenset()


@dataclass
class Store:
    """One that says now and then that it cannot be reached."""

    beats: int = 0
    needs_beats: bool = True
    calls: Any = field(init=False)

    def __post_init__(self) -> None:
        self.calls = self

    async def heartbeat(self) -> None:
        self.beats += 1
        if self.beats % 2:
            raise StoreError("It is away.")


async def test_while_it_lives_others_hear_of_it_and_it_of_them_also_after_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "BEAT_SECONDS", 0)
    monkeypatch.setattr(token_module, "REFRESH_SECONDS", 0)
    store, entries = Store(), Entries()
    there: Any = entries
    kept: Any = store
    tokens = SharedTokens(there, tmp_path / "tokens")
    async with known_elsewhere(kept, tokens):
        await until(lambda: store.beats > 3 and entries.asked > 1)
        assert [token.name for token in tokens.listed()] == ["one"]
    await asyncio.sleep(0)
    beats, asked = store.beats, entries.asked
    for _ in range(5):
        await asyncio.sleep(0)
    assert (store.beats, entries.asked) == (beats, asked)


async def test_where_the_system_tells_who_lives_nobody_is_told_so(tmp_path: Path) -> None:
    store = Store(needs_beats=False)
    kept: Any = store
    async with known_elsewhere(kept, Tokens(tmp_path)):
        for _ in range(5):
            await asyncio.sleep(0)
    assert store.beats == 0
