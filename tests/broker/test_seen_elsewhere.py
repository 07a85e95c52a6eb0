"""A question that several people see: who has it open, and what they type, is at hand elsewhere."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from elicit_tui.broker.store_responder import StoreResponder, StoreWatch
from elicit_tui.elicitation import (
    Answerer,
    Deadline,
    Question,
)
from elicit_tui.elicitation.question import Draft
from elicit_tui.form.field import Typed
from tests.broker.conftest import form_request
from tests.broker.elsewhere import ASKER, BOUND, World, bounded, sent

pytestmark = pytest.mark.anyio


async def test_who_was_slower_reads_who_was_first_and_keeps_what_was_typed(world: World) -> None:
    broker = await world.asks()
    first, second = await world.person("pts/3"), await world.person("pts/7")
    asked = asyncio.ensure_future(broker.resolve(form_request()))
    question, same = await first.sees(), await second.sees()
    same.draft.entries = {"colour": Typed("blue")}
    same.draft.touched = frozenset({"colour"})
    fast, slow = await bounded(
        asyncio.gather(
            first.inbox.answer(question.id, sent(colour="red")),
            second.inbox.answer(question.id, sent(colour="blue")),
        )
    )
    kinds = {fast.kind, slow.kind}
    assert kinds == {"sent", "late"}
    late, winner = (slow, "pts/3") if slow.kind == "late" else (fast, "pts/7")
    assert late.sentence == f"Answered on {winner} by me."
    assert same.draft.entries == {"colour": Typed("blue")}
    await bounded(asked)
    await second.sees_nothing()
    assert second.why_it_left(same)


async def test_a_question_that_somebody_has_open_is_seen_as_theirs(world: World) -> None:
    broker = await world.asks()
    first, second = await world.person("pts/3"), await world.person("pts/7")
    asked = asyncio.ensure_future(broker.resolve(form_request()))
    question = await first.sees()
    await second.sees()
    await first.inbox.claim(question.id)

    def theirs() -> Answerer | None:
        (waiting,) = second.inbox.waiting
        return second.inbox.held_elsewhere(waiting)

    assert (await second.until(theirs)).terminal == "pts/3"
    await first.until(lambda: first.inbox.waiting[0].state == "claimed")
    assert first.inbox.held_elsewhere(first.inbox.waiting[0]) is None
    await first.inbox.release(question.id)
    await second.until(lambda: theirs() is None)
    asked.cancel()


async def test_a_question_that_was_put_off_stays_free_though_a_key_was_not_told_yet(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("elicit_tui.broker.inbox.CLAIM_SECONDS", 0.05)
    broker = await world.asks()
    first, second = await world.person("pts/3"), await world.person("pts/7")
    asked = [
        asyncio.ensure_future(broker.resolve(form_request(each))) for each in ("Red?", "Blue?")
    ]
    put_off, later = await first.sees("Red?"), await first.sees("Blue?")
    same = await second.sees("Blue?")

    def held() -> list[str]:
        inbox = second.inbox
        return [each.id for each in inbox.waiting if inbox.held_elsewhere(each) is not None]

    first.inbox.touched(put_off.id)
    await second.until(held)
    first.inbox.touched(put_off.id)
    await first.inbox.release(put_off.id)
    await second.until(lambda: not held())
    # Keys on another question are told later than one on the first could be.
    first.inbox.touched(later.id)
    await second.until(lambda: later.id in held())
    later.draft.write({"colour": Typed("blue")}, frozenset({"colour"}))
    first.inbox.touched(later.id)
    await second.until(lambda: same.draft.typed)
    assert held() == [later.id]
    for each in asked:
        each.cancel()


async def test_what_somebody_types_is_at_hand_elsewhere(world: World) -> None:
    broker = await world.asks()
    first, second = await world.person("pts/3"), await world.person("pts/7")
    asked = asyncio.ensure_future(broker.resolve(form_request()))
    question, same = await first.sees(), await second.sees()
    question.draft.entries = {"colour": Typed("gre")}
    question.draft.touched = frozenset({"colour"})
    await first.inbox.claim(question.id)
    await second.until(lambda: same.draft.typed)
    assert same.draft == Draft({"colour": Typed("gre")}, frozenset({"colour"}))
    asked.cancel()


async def test_what_the_last_key_wrote_is_kept_without_another_key(world: World) -> None:
    broker = await world.asks()
    first, second = await world.person("pts/3"), await world.person("pts/7")
    asked = asyncio.ensure_future(broker.resolve(form_request()))
    question, same = await first.sees(), await second.sees()
    first.inbox.touched(question.id)
    text = {"colour": Typed("green")}
    loop = asyncio.get_running_loop()
    loop.call_later(0.1, question.draft.write, text, frozenset({"colour"}))
    await second.until(lambda: same.draft.typed)
    assert same.draft.entries == {"colour": Typed("green")}
    asked.cancel()


async def test_who_went_away_while_a_question_waits_is_noticed(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("elicit_tui.broker.store_reader.BEAT_SECONDS", 0.05)
    broker, person = await world.asks(), await world.person()
    told: list[str | None] = []
    nobody = asyncio.Event()

    def tell(request: Any, agent: str | None) -> None:
        told.append(agent)
        nobody.set()

    world.responder.tell_waiting = tell
    await person.presses_a_key()
    assert await world.asking_store.somebody_is_there()
    asked = asyncio.ensure_future(broker.resolve(form_request()))
    await person.sees()
    assert told == []
    await world.leaves(person)
    await asyncio.wait_for(nobody.wait(), BOUND)
    assert told == ["claude-code"]
    asked.cancel()


async def test_typing_elsewhere_moves_the_deadline(world: World) -> None:
    store = await world.store("asker")
    await store.begin(ASKER)
    responder = StoreResponder(store, ASKER, StoreWatch(store))
    person = await world.person()
    seconds = [0.0]
    moved = asyncio.Event()
    keys: list[float] = []

    class Told(Deadline):
        def touch(self) -> None:
            super().touch()
            keys.append(seconds[0])
            moved.set()

    deadline = Told(90, lambda: seconds[0])
    asked = asyncio.ensure_future(responder.respond(Question(form_request()), deadline))
    question = await person.sees()
    assert deadline.remaining == 90
    seconds[0] = 85.0
    await person.inbox.claim(question.id)
    await asyncio.wait_for(moved.wait(), BOUND)
    assert deadline.remaining == 60
    # What is no key moves nothing: the next is the second one.
    await responder.mark_agent(question.id, "paused")
    await person.until(lambda: person.inbox.waiting[0].agent_state == "paused")
    moved.clear()
    seconds[0] = 100.0
    await person.inbox.claim(question.id)
    await asyncio.wait_for(moved.wait(), BOUND)
    while keys[-1] < 100.0:
        moved.clear()
        await asyncio.wait_for(moved.wait(), BOUND)
    assert keys == [85.0, 100.0]
    asked.cancel()


async def test_what_somebody_else_types_now_stands_where_one_typed_before(world: World) -> None:
    broker = await world.asks()
    first, other = await world.person("pts/3"), await world.person("pts/4")
    asked = asyncio.ensure_future(broker.resolve(form_request()))
    mine, theirs = await first.sees(), await other.sees()
    mine.draft.write({"colour": Typed("red")}, frozenset({"colour"}))
    await first.inbox.claim(mine.id)
    await first.inbox.release(mine.id)
    theirs.draft.write({"colour": Typed("blue")}, frozenset({"colour"}))
    await other.inbox.claim(theirs.id)
    await first.until(lambda: mine.draft.entries == {"colour": Typed("blue")})
    asked.cancel()
    await asyncio.gather(asked, return_exceptions=True)
