"""A session beside the store in which another terminal answers, also before it asks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.broker import Allowances, Resolved
from elicit_tui.broker.store_responder import StoreWatch
from elicit_tui.elicitation import Deadline, Question, Review, cancel
from elicit_tui.gateway.other_terminal import OtherTerminalByStore
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
    session = OtherTerminalByStore(untouched, untouched, None)
    session.page_finished("paint", "page")
    await session.mark_agent("question", "left")
    session.heard(Resolved(form_request(), Review(), OVER, 0))
    await session.drop_revoked(Allowances())
    await session.close()


async def test_how_its_last_question_ended_is_told_before_the_session_ends(world: World) -> None:
    person, store = await world.person(), await world.store("asker")
    session = OtherTerminalByStore(store, StoreWatch(store), None)
    question = Question(form_request())
    asking = asyncio.ensure_future(session.respond(question, Deadline(0), lambda: "waiting"))
    seen = await person.sees()
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    session.heard(Resolved(question.request, Review(), OVER, 0))
    await bounded(session.close())
    left = await store.get(question.id)
    assert left is None or left.decided_by == "shutdown"
    assert seen.id == question.id
