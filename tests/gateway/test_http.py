"""Many agents over HTTP: sessions kept apart, and tokens of which only a digest is kept."""

from __future__ import annotations

import asyncio
import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError

from elicit_tui import paths
from elicit_tui.elicitation import accept, decline
from elicit_tui.errors import UsageError
from elicit_tui.gateway.http import HttpOptions, build_app
from elicit_tui.gateway.telling import NOT_KNOWN, PAUSED_META_KEY
from elicit_tui.gateway.tokens import Tokens
from tests.gateway.http_world import INITIALIZE, Gateway, many_agents
from tests.gateway.world import (
    ERAS,
    HANDSHAKE,
    WAIT,
    PersonAtOtherTerminal,
    text_of,
    until,
    workshop,
)

pytestmark = pytest.mark.anyio


async def paused(here: Gateway, client: Client) -> str:
    """A call of this agent that waits for a person; its id."""
    before = here.open_questions
    call = asyncio.ensure_future(client.call_tool("asking__one", {}))
    await until(lambda: here.open_questions > before)
    await here.clock.move(11)
    result = await asyncio.wait_for(call, WAIT)
    assert result.meta is not None
    return str(result.meta[PAUSED_META_KEY]["id"])


@pytest.mark.parametrize("era", ERAS)
async def test_an_address_that_ends_with_a_slash_is_the_same(gateway: Gateway, era: str) -> None:
    token = gateway.tokens.add("agent")
    slashed = replace(gateway, url=f"{gateway.url}/")
    async with slashed.raw(token) as client:
        begun = await slashed.begin(client)
        listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
        listed = await client.post(gateway.url, json=listing, headers=begun)
        assert listed.status_code == 200
        assert (await client.delete(slashed.url, headers=begun)).status_code == 200
        again = await client.post(gateway.url, json=listing, headers=begun)
        assert again.status_code == 404
    async with slashed.agent(token, era) as agent:
        identifier = await paused(slashed, agent)
        gateway.people[-1].sends(gateway.people[-1].asked[0], {"value": "by the slash"})
        result = await agent.call_tool("elicit_resume", {"id": identifier})
        assert "by the slash" in text_of(result)


async def test_nobody_is_let_in_by_a_slash(gateway: Gateway) -> None:
    gateway.tokens.add("agent")
    async with gateway.raw("wrong") as client:
        assert (await client.post(f"{gateway.url}/", json=INITIALIZE)).status_code == 401


# Sessions kept apart


@pytest.mark.parametrize("era", ERAS)
async def test_two_tokens_know_nothing_of_each_others_calls(gateway: Gateway, era: str) -> None:
    one, two = gateway.tokens.add("one"), gateway.tokens.add("two")
    async with gateway.agent(one, era) as first, gateway.agent(two, era) as second:
        identifier = await paused(gateway, first)
        foreign = await second.call_tool("elicit_resume", {"id": identifier})
        assert text_of(foreign) == NOT_KNOWN
        # The same call of another session is no joining: it asks anew, its own person.
        await paused(gateway, second)
        assert [len(person.asked) for person in gateway.people] == [1, 1]
        (first_person, _) = gateway.people
        first_person.sends(first_person.asked[0], {"value": "of the first"})
        result = await first.call_tool("elicit_resume", {"id": identifier})
        assert "of the first" in text_of(result)


async def test_in_the_handshake_era_two_sessions_of_one_token_are_two(gateway: Gateway) -> None:
    token = gateway.tokens.add("agent")
    async with gateway.agent(token, HANDSHAKE) as first, gateway.agent(token, HANDSHAKE) as second:
        identifier = await paused(gateway, first)
        assert text_of(await second.call_tool("elicit_resume", {"id": identifier})) == NOT_KNOWN


async def test_in_the_modern_era_a_token_finds_its_session_again(gateway: Gateway) -> None:
    token = gateway.tokens.add("agent")
    async with gateway.agent(token, "2026-07-28") as first:
        identifier = await paused(gateway, first)
    async with gateway.agent(token, "2026-07-28") as second:
        person = gateway.people[0]
        person.sends(person.asked[0], {"value": "still here"})
        assert "still here" in text_of(await second.call_tool("elicit_resume", {"id": identifier}))


async def test_another_tokens_session_id_opens_nothing(gateway: Gateway) -> None:
    one, two = gateway.tokens.add("one"), gateway.tokens.add("two")
    async with gateway.raw(one) as mine, gateway.raw(two) as theirs:
        opened = await mine.post(gateway.url, json=INITIALIZE)
        headers = {"mcp-session-id": opened.headers["mcp-session-id"]}
        listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
        refused = await theirs.post(gateway.url, json=listing, headers=headers)
        assert refused.status_code == 404


@pytest.mark.parametrize("era", [*ERAS, "one token"])
async def test_what_one_session_allows_and_mutes_is_nothing_to_another(
    era: str, tmp_path: Path
) -> None:
    server = workshop(stdio=True, env={"WORKSHOP_LOG": str(tmp_path / "calls")})
    async with many_agents(server) as here:
        one = here.tokens.add("one")
        two = one if era == "one token" else here.tokens.add("two")
        era = HANDSHAKE if era == "one token" else era
        async with here.agent(one, era) as first, here.agent(two, era) as second:
            await asyncio.gather(first.list_tools(), second.list_tools())
            # The sessions began in either order.
            asked = await allowed_once_for_the_session(here, first)
            assert text_of(await first.call_tool("workshop__delete", {})) == "deleted"
            assert asked.asked[1:] == []
            other = await allowed_once_for_the_session(here, second)
            assert other is not asked
            muting = here.sessions[here.people.index(asked)]
            muting.runtime.broker.mute("workshop")
            refused = await first.call_tool("workshop__wipe", {})
            assert "cancel" in text_of(refused)
            call = asyncio.ensure_future(second.call_tool("workshop__wipe", {}))
            other.answers(await other.question(2), decline("user", "You declined."))
            assert "decline" in text_of(await asyncio.wait_for(call, WAIT))
            assert len(asked.asked) == 1


async def allowed_once_for_the_session(here: Gateway, client: Client) -> PersonAtOtherTerminal:
    """Call a gated tool, which is allowed for the session; who was asked."""
    before = here.open_questions
    call = asyncio.ensure_future(client.call_tool("workshop__delete", {}))
    await until(lambda: here.open_questions > before)
    (person,) = (each for each in here.people if each.open)
    allowed = accept("user", "You allowed it.", None, scope="session", via="inbox")
    person.answers(person.asked[-1], allowed)
    assert text_of(await asyncio.wait_for(call, WAIT)) == "deleted"
    return person


# Their life


def test_the_transport_ends_no_session_by_a_time_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[Any] = []
    whole = Server.streamable_http_app

    def noted(self: Any, **how: Any) -> Any:
        asked.append(how["session_idle_timeout"])
        return whole(self, **how)

    monkeypatch.setattr(Server, "streamable_http_app", noted)
    nobody: Any = None
    build_app(nobody, Tokens(), 1, HttpOptions(idle_seconds=1.0, instructions=None))
    assert asked == [None]


@pytest.mark.parametrize("era", ERAS)
async def test_a_session_that_was_silent_beyond_the_sdks_idle_limit_is_resumed(
    gateway: Gateway, era: str
) -> None:
    token = gateway.tokens.add("agent")
    async with gateway.agent(token, era) as client:
        identifier = await paused(gateway, client)
        await gateway.clock.move(31 * 60)
        person = gateway.people[0]
        person.sends(person.asked[0], {"value": "much later"})
        assert "much later" in text_of(await client.call_tool("elicit_resume", {"id": identifier}))


async def test_a_session_ends_when_it_was_idle_for_too_long() -> None:
    async with many_agents(idle_seconds=3600) as here:
        token = here.tokens.add("agent")
        async with here.raw(token) as client:
            opened = await client.post(here.url, json=INITIALIZE)
            headers = {"mcp-session-id": opened.headers["mcp-session-id"]}
            told = {"jsonrpc": "2.0", "method": "notifications/initialized"}
            await client.post(here.url, json=told, headers=headers)
            await until(lambda: len(here.sessions) == 1)
            await here.clock.move(3700)
            await until(lambda: not here.sessions)
            listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
            gone = await client.post(here.url, json=listing, headers=headers)
            assert gone.status_code == 404


@pytest.mark.parametrize("era", ERAS)
async def test_a_client_that_ends_its_session_has_its_questions_withdrawn(
    gateway: Gateway, era: str
) -> None:
    token = gateway.tokens.add("agent")
    async with gateway.agent(token, era) as client:
        await paused(gateway, client)
        if era != HANDSHAKE:
            gateway.tokens.revoke("agent")
            await gateway.clock.move(3)
    await until(lambda: len(gateway.people[0].withdrawn) == 1)


async def test_a_revoked_token_ends_its_sessions_and_opens_none(gateway: Gateway) -> None:
    token = gateway.tokens.add("agent")
    async with gateway.agent(token, HANDSHAKE) as client:
        await client.list_tools()
        gateway.tokens.revoke("agent")
        await gateway.clock.move(3)
        await until(lambda: not gateway.sessions)
        async with gateway.raw(token) as again:
            assert (await again.post(gateway.url, json=INITIALIZE)).status_code == 401


@pytest.mark.parametrize("era", ERAS)
async def test_a_client_that_hangs_up_has_left(gateway: Gateway, era: str) -> None:
    token = gateway.tokens.add("agent")
    async with gateway.agent(token, era) as client:
        call = asyncio.ensure_future(client.call_tool("asking__one", {}))
        await until(lambda: any(person.open for person in gateway.people))
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        person = gateway.people[0]
        await until(lambda: bool(person.agent_states))
        assert person.agent_states == [(person.asked[0].id, "left")]
        await gateway.clock.move(31)
        await until(lambda: len(person.withdrawn) == 1)


@pytest.mark.parametrize("era", ERAS)
async def test_an_agent_for_which_there_is_no_room_is_told_so_and_the_others_go_on(
    gateway: Gateway, era: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("elicit_tui.gateway.sessions.MOST_SESSIONS", 1)
    async with gateway.agent(gateway.tokens.add("first"), era) as first:
        assert (await first.list_tools()).tools
        async with gateway.agent(gateway.tokens.add("second"), era) as second:
            with pytest.raises(MCPError, match="1 sessions are open here already"):
                await second.list_tools()
        assert (await first.list_tools()).tools


async def test_no_answer_waits_for_the_network_to_fill_its_packets(gateway: Gateway) -> None:
    async with gateway.raw(gateway.tokens.add("agent")) as client:
        opened = await client.post(gateway.url, json=INITIALIZE)
        headers = {"mcp-session-id": opened.headers["mcp-session-id"]}
        quickest = 1.0
        for number in range(20):
            began = time.perf_counter()
            ping = {"jsonrpc": "2.0", "id": number, "method": "ping"}
            assert (await client.post(gateway.url, json=ping, headers=headers)).status_code == 200
            quickest = min(quickest, time.perf_counter() - began)
        # Held back by the kernel, each of them takes 40 ms.
        assert quickest < 0.035


# Tokens


def test_of_a_token_only_its_digest_is_kept(sealed_machine: Any) -> None:
    token = Tokens().add("agent")
    kept = [path for path in sealed_machine.rglob("*.json") if path.is_file()]
    assert len(kept) == 1
    assert token not in kept[0].read_text()
    assert kept[0].stat().st_mode & 0o777 == 0o600
    assert kept[0].parent.stat().st_mode & 0o777 == 0o700
    known = Tokens().token_of(token)
    assert known is not None
    assert known.name == "agent"


def test_a_token_that_is_revoked_within_a_tick_of_the_files_clock_is_known_no_more(
    sealed_machine: Path,
) -> None:
    tokens = Tokens()
    token = tokens.add("agent")
    (directory,) = (path.parent for path in sealed_machine.rglob("agent.json"))
    changed_at = directory.stat().st_mtime_ns
    assert tokens.token_of(token) is not None
    Tokens().revoke("agent")
    os.utime(directory, ns=(changed_at, changed_at))
    assert tokens.token_of(token) is None


@pytest.mark.parametrize("name", ["", "../x", "a/b", "a b", ".hidden", "x" * 65, "é"])
def test_a_tokens_name_is_no_path(name: str) -> None:
    with pytest.raises(UsageError):
        Tokens().add(name)


def test_a_name_is_given_once_and_known_no_more_after_it_was_revoked() -> None:
    tokens = Tokens()
    token = tokens.add("agent")
    with pytest.raises(UsageError, match="already"):
        tokens.add("agent")
    tokens.revoke("agent")
    assert tokens.token_of(token) is None
    with pytest.raises(UsageError, match="no token"):
        tokens.revoke("agent")


def test_a_copy_of_a_tokens_file_under_another_name_is_no_token() -> None:
    token = Tokens().add("agent")
    folder = paths.state_directory() / "gateway" / "tokens"
    (folder / "copy.json").write_bytes((folder / "agent.json").read_bytes())
    assert [each.name for each in Tokens().listed()] == ["agent"]
    Tokens().revoke("agent")
    assert Tokens().token_of(token) is None
