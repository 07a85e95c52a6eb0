"""A session beside the store in which another terminal answers, also before it asks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.broker import Allowances, Resolved
from elicit_tui.broker.contracts import Allowance
from elicit_tui.broker.store_responder import StoreWatch
from elicit_tui.elicitation import Deadline, Question, Review, cancel
from elicit_tui.errors import StoreError
from elicit_tui.gateway.other_terminal import OtherTerminal
from elicit_tui.gateway.requester import AgentInfo
from tests.broker.conftest import form_request
from tests.broker.elsewhere import World, bounded

pytestmark = pytest.mark.anyio

OVER = cancel("shutdown", "It ended.")


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    world = World(tmp_path)
    yield world
    await world.close()


async def test_a_session_that_asked_nobody_tells_the_store_nothing() -> None:
    untouched: Any = None
    session = OtherTerminal(untouched, untouched, None)
    session.page_finished("paint", "page")
    await session.mark_agent("question", "left")
    session.on_broker_event(Resolved(form_request(), Review(), OVER))
    await session.drop_revoked(Allowances())
    await session.close()


async def test_how_its_last_question_ended_is_told_before_the_session_ends(world: World) -> None:
    person, store = await world.person(), await world.store("asker")
    session = OtherTerminal(store, StoreWatch(store), None)
    question = Question(form_request())
    asking = asyncio.ensure_future(session.respond(question, Deadline(0), lambda: "waiting"))
    seen = await person.sees()
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    session.on_broker_event(Resolved(question.request, Review(), OVER))
    await bounded(session.close())
    left = await store.get(question.id)
    assert left is None or left.decided_by == "shutdown"
    assert seen.id == question.id


DEPLOY = Allowance("web", "deploy", "pid 1", "digest")


def allowed(*granted: Allowance) -> Allowances:
    allowances = Allowances()
    for each in granted:
        allowances.add(each)
    return allowances


async def test_what_is_allowed_can_be_listed_by_its_session_and_taken_back(world: World) -> None:
    store = await world.store("asker")
    session = OtherTerminal(store, StoreWatch(store), None, token="ci")
    session.known_as(AgentInfo("claude", "2"))
    restart = DEPLOY._replace(tool="restart")
    held = allowed(DEPLOY, restart)
    await session.drop_revoked(held)
    await session.drop_revoked(held)
    listed = await store.grants()
    assert [(each.session, each.agent, each.tool, each.definition) for each in listed] == [
        (session.session, "ci: claude", "deploy", "digest"),
        (session.session, "ci: claude", "restart", "digest"),
    ]
    assert list(held) == [DEPLOY, restart]
    await (await world.store("person")).revoke("web", "deploy", session.session)
    await session.drop_revoked(held)
    assert list(held) == [restart]
    # Allowed anew it is told anew, and stands.
    held.add(DEPLOY)
    await session.drop_revoked(held)
    assert [each.tool for each in await store.grants(session.session)] == ["restart", "deploy"]
    assert DEPLOY in list(held)
    await session.close()
    assert await store.grants() == ()


async def test_what_was_allowed_of_a_server_that_ended_is_not_listed_and_stands_once_allowed_anew(
    world: World,
) -> None:
    store = await world.store("asker")
    session = OtherTerminal(store, StoreWatch(store), None)
    other = DEPLOY._replace(server="shop")
    held = allowed(DEPLOY, other)
    await session.drop_revoked(held)
    held.drop("web")
    await session.drop_revoked(held)
    assert [each.server for each in await store.grants()] == ["shop"]
    held.drop("shop")
    await session.drop_revoked(held)
    assert await store.grants() == ()
    held.add(DEPLOY._replace(process="pid 2"))
    await session.drop_revoked(held)
    assert [each.process for each in await store.grants()] == ["pid 2"]
    assert [each.process for each in held] == ["pid 2"]
    await session.close()


async def test_what_was_allowed_of_an_older_definition_does_not_stand(world: World) -> None:
    store = await world.store("asker")
    session = OtherTerminal(store, StoreWatch(store), None)
    held = allowed(DEPLOY)
    await session.drop_revoked(held)
    changed = DEPLOY._replace(definition_digest="other")
    held.add(changed)
    await session.drop_revoked(held)
    assert list(held) == [changed]
    await session.close()


async def test_what_the_store_could_not_take_back_is_taken_back_the_next_time(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = await world.store("asker")
    session = OtherTerminal(store, StoreWatch(store), None)
    held = allowed(DEPLOY)
    await session.drop_revoked(held)
    held.drop("web")

    async def fails(*how: Any) -> Any:
        raise StoreError("The store is busy.")

    with monkeypatch.context() as broken:
        broken.setattr(store, "revoke", fails)
        await session.drop_revoked(held)
    assert len(await store.grants()) == 1
    await session.drop_revoked(held)
    assert await store.grants() == ()
    await session.close()


class Gone:
    """A store that cannot be reached."""

    def __getattr__(self, name: str) -> Any:
        async def fails(*how: Any, **more: Any) -> Any:
            raise StoreError("The store is gone.")

        return fails


async def test_without_a_store_nothing_is_asked_and_nothing_is_allowed() -> None:
    gone: Any = Gone()
    session = OtherTerminal(gone, gone, None)
    question = Question(form_request())
    outcome = await session.respond(question, Deadline(0), lambda: "waiting")
    assert (outcome.action, outcome.decided_by) == ("cancel", "store")
    assert outcome.reason == "The store is gone."
    assert not await session.somebody_is_there()
    held = allowed(DEPLOY)
    await session.drop_revoked(held)
    assert list(held) == []
    await session.close()


@pytest.mark.parametrize(
    ("token", "agent", "shown"),
    [
        ("ci", "claude", "ci: claude"),
        ("ci", None, "ci"),
        (None, "claude", "claude"),
        (None, None, None),
    ],
)
async def test_what_was_shown_stands_before_what_an_agent_calls_itself(
    world: World, token: str | None, agent: str | None, shown: str | None
) -> None:
    store = await world.store("asker")
    session = OtherTerminal(store, StoreWatch(store), None, token)
    session.known_as(AgentInfo(agent))
    await session.drop_revoked(allowed(DEPLOY))
    assert [each.agent for each in await store.grants()] == [shown]
    await session.close()
