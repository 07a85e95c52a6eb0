"""A store that cannot hold a question: cancelled by `store`, and never an accept."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing

import pytest

from tests.broker.conftest import form_request
from tests.broker.elsewhere import World, bounded

pytestmark = pytest.mark.anyio


async def test_a_locked_store_is_cancel_by_store_and_never_an_accept(world: World) -> None:
    broker = await world.asks()
    with closing(sqlite3.connect(world.path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        outcome = await bounded(broker.resolve(form_request()))
        assert (outcome.action, outcome.decided_by) == ("cancel", "store")
        assert "in use by another program" in outcome.reason
        other.execute("ROLLBACK")


async def test_a_full_store_is_cancel_by_store(world: World) -> None:
    broker = await world.asks()
    file = world.asking_store._file
    pages = file.rows("PRAGMA page_count")[0][0] + 1
    await file.run(lambda: file.do(f"PRAGMA max_page_count = {pages}"))
    outcome = await bounded(broker.resolve(form_request(params={"more": "m" * 60_000})))
    assert (outcome.action, outcome.decided_by) == ("cancel", "store")
    assert "no space left" in outcome.reason


async def test_a_store_that_is_gone_is_cancel_by_store(world: World) -> None:
    broker = await world.asks()
    for file in world.directory.glob("store.sqlite3*"):
        file.unlink()
    outcome = await bounded(broker.resolve(form_request()))
    assert (outcome.action, outcome.decided_by) == ("cancel", "store")


@pytest.mark.parametrize("column", ["asked", "answer"])
async def test_a_blob_that_was_changed_ends_its_question_by_store(
    world: World, column: str
) -> None:
    broker, person = await world.asks(), await world.person()
    asked = asyncio.ensure_future(broker.resolve(form_request()))
    question = await person.sees()
    with closing(sqlite3.connect(world.path, isolation_level=None)) as file:
        file.execute(
            f"UPDATE questions SET {column} = zeroblob(80), state = 'answered',"
            " changed = (SELECT number + 1 FROM counter) WHERE id = ?",
            (question.id,),
        )
        file.execute("UPDATE counter SET number = number + 1")
    outcome = await bounded(asked)
    assert (outcome.action, outcome.decided_by) == ("cancel", "store")
