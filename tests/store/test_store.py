"""What every engine does: a question is open, claimed, answered, settled; or open again."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from datetime import timedelta

import pytest

from elicit_tui.elicitation import Kind, cancel, decline
from elicit_tui.elicitation.question import Draft
from elicit_tui.errors import StoreError
from elicit_tui.form.field import Typed
from elicit_tui.store.redis_server import BLOCK_SECONDS
from elicit_tui.store.store import Asker, AskingProcess, Store
from tests.store.conftest import Engine
from tests.store.world import ASKER, ELSEWHERE, ME, answer, grant, put, question, sent, typed

pytestmark = pytest.mark.anyio

BOUND = 10.0


async def test_what_waits_is_read_elsewhere_exactly_as_it_was_put(
    asking: Store, answering: Store
) -> None:
    asked = question(draft=typed("stag"))
    await put(asking, asked)
    (waiting,) = await answering.waiting()
    assert waiting.question == asked
    assert waiting.question is not None
    assert waiting.question.draft == asked.draft
    assert waiting.asker == ASKER
    assert (waiting.state, waiting.server, waiting.tool) == ("open", "deploy", "deploy")
    assert waiting.unreadable is None


async def test_they_wait_in_the_order_they_came(asking: Store, answering: Store) -> None:
    asked = [await put(asking, question(f"{number}?")) for number in range(5)]
    assert [one.id for one in await answering.waiting()] == [one.id for one in asked]


async def test_one_way_from_open_to_settled(asking: Store, answering: Store) -> None:
    waiting = await put(asking)
    claimed = await answering.claim(waiting.id, ME, typed("stag"))
    assert claimed is not None
    assert (claimed.state, claimed.held_by) == ("claimed", ME)
    given = answer(waiting)
    won = await answering.answer(waiting.id, given)
    assert won is not None
    assert (won.state, won.answer_id, won.answered_by) == ("answered", given.id, ME)
    assert await asking.answer_of(waiting.id) == given
    await asking.settle(waiting.id, given.outcome)
    ended = await answering.get(waiting.id)
    assert ended is not None
    assert (ended.state, ended.action, ended.decided_by) == ("settled", "accept", "user")
    assert ended.question is None
    assert ended.answered_by == ME
    assert await answering.waiting() == ()


async def test_every_call_can_be_made_twice(asking: Store, answering: Store) -> None:
    asked = question()
    for _ in range(2):
        waiting = await put(asking, asked)
    for _ in range(2):
        await answering.claim(waiting.id, ME)
    given = answer(waiting, "wrong")
    for _ in range(2):
        won = await answering.answer(waiting.id, given)
        assert won is not None
        assert won.answer_id == given.id
    again = replace(asked, attempt=2, note="Not that one.")
    for _ in range(2):
        await asking.reopen(again)
    (reopened,) = await answering.waiting()
    assert (reopened.state, reopened.attempt, reopened.question) == ("open", 2, again)
    for _ in range(2):
        await answering.release(waiting.id)
        await asking.settle(waiting.id, sent())
        await asking.withdraw(waiting.id)
        await asking.end(ASKER.session)
    ended = await answering.get(waiting.id)
    assert ended is not None
    assert (ended.action, ended.decided_by) == ("accept", "user")


async def test_another_question_never_takes_an_id_that_waits(asking: Store) -> None:
    waiting = await put(asking, question("First?"))
    with pytest.raises(StoreError, match="Another question"):
        await put(asking, question("Second?", id=waiting.id))


async def test_of_two_answers_one_wins_and_the_other_reads_by_whom(
    asking: Store, answering: Store, engine: Engine
) -> None:
    other = await engine.open("answerer")
    waiting = await put(asking)
    first, second = answer(waiting, "staging"), answer(waiting, "production", ELSEWHERE)
    await answering.answer(waiting.id, first)
    late = await other.answer(waiting.id, second)
    assert late is not None
    assert (late.answer_id, late.answered_by) == (first.id, ME)
    assert await asking.answer_of(waiting.id) == first


async def test_of_many_answers_at_once_each_question_has_one_winner(
    asking: Store, engine: Engine
) -> None:
    stores = [await engine.open("answerer") for _ in range(4)]
    questions = [await put(asking, question(f"{number}?")) for number in range(10)]
    gave = {one.id: [answer(one) for _ in stores] for one in questions}
    results = await asyncio.gather(
        *(
            store.answer(one.id, gave[one.id][position])
            for one in questions
            for position, store in enumerate(stores)
        )
    )
    for one in questions:
        winners = {result.answer_id for result in results if result and result.id == one.id}
        taken = await asking.answer_of(one.id)
        assert taken is not None
        assert winners == {taken.id}


async def test_a_claim_of_somebody_else_is_seen_and_stays_while_keys_are_pressed(
    asking: Store, answering: Store, engine: Engine
) -> None:
    other = await engine.open("answerer")
    waiting = await put(asking)
    for _ in range(3):
        await answering.claim(waiting.id, ME)
        engine.clock.advance(seconds=50)
        seen = await other.claim(waiting.id, ELSEWHERE)
        assert seen is not None
        assert seen.held_by == ME
    engine.clock.advance(seconds=11)
    seen = await other.claim(waiting.id, ELSEWHERE)
    assert seen is not None
    assert seen.held_by == ELSEWHERE


async def test_a_lease_that_ran_out_opens_the_question_with_what_was_typed(
    asking: Store, answering: Store, engine: Engine
) -> None:
    waiting = await put(asking)
    await answering.claim(waiting.id, ME, typed("stag"))
    number = (await asking.changes()).number
    engine.clock.advance(seconds=61)
    await asking.heartbeat()
    (changed,) = (await asking.changes(number)).waiting
    assert (changed.state, changed.held_by) == ("open", None)
    assert changed.question is not None
    assert changed.question.draft == typed("stag")


async def test_released_is_open_again_with_what_was_typed(asking: Store, answering: Store) -> None:
    waiting = await put(asking)
    await answering.claim(waiting.id, ME)
    await answering.release(waiting.id, typed("stag"))
    (opened,) = await answering.waiting()
    assert opened.state == "open"
    assert opened.question is not None
    assert opened.question.draft.entries == {"environment": Typed("stag")}


async def test_a_key_that_types_nothing_keeps_what_was_typed_before(
    asking: Store, answering: Store
) -> None:
    waiting = await put(asking)
    await answering.claim(waiting.id, ME, typed("stag"))
    claimed = await answering.claim(waiting.id, ME)
    assert claimed is not None
    assert claimed.question is not None
    assert claimed.question.draft == typed("stag")
    await asking.withdraw(waiting.id)
    late = await answering.claim(waiting.id, ME, typed("too late"))
    assert late is not None
    assert (late.state, late.held_by, late.question) == ("settled", None, None)


async def test_a_question_that_is_asked_again_without_a_draft_keeps_what_was_typed(
    asking: Store, answering: Store
) -> None:
    asked = question()
    waiting = await put(asking, asked)
    await answering.claim(waiting.id, ME, typed("stag"))
    await answering.answer(waiting.id, answer(waiting, "wrong"))
    await asking.reopen(replace(asked, attempt=2))
    (again,) = await answering.waiting()
    assert again.question is not None
    assert (again.held_by, again.question.draft) == (None, typed("stag"))


async def test_nobody_releases_the_claim_of_another(
    asking: Store, answering: Store, engine: Engine
) -> None:
    other = await engine.open("answerer")
    waiting = await put(asking)
    await answering.claim(waiting.id, ME)
    await other.release(waiting.id, Draft())
    (claimed,) = await other.waiting()
    assert (claimed.state, claimed.held_by) == ("claimed", ME)


async def test_an_answer_to_an_earlier_attempt_comes_too_late(
    asking: Store, answering: Store
) -> None:
    asked = question()
    waiting = await put(asking, asked)
    await answering.answer(waiting.id, answer(waiting, "wrong"))
    await asking.reopen(replace(asked, attempt=2, note="No.", draft=typed("wrong")))
    late = await answering.answer(waiting.id, answer(waiting))
    assert late is not None
    assert (late.state, late.answer_id, late.attempt) == ("open", None, 2)
    assert late.question is not None
    assert late.question.draft == typed("wrong")


async def test_an_answer_to_another_request_is_not_taken(asking: Store, answering: Store) -> None:
    waiting = await put(asking)
    other = await put(asking, question("And this?"))
    refused = await answering.answer(waiting.id, answer(other))
    assert refused is not None
    assert refused.state == "open"


async def test_what_was_taken_back_cannot_be_answered(asking: Store, answering: Store) -> None:
    waiting = await put(asking)
    await asking.withdraw(waiting.id)
    late = await answering.answer(waiting.id, answer(waiting))
    assert late is not None
    assert (late.state, late.answer_id, late.question) == ("settled", None, None)
    await asking.settle(waiting.id, cancel("deadline", "No answer."))
    ended = await answering.get(waiting.id)
    assert ended is not None
    assert (ended.action, ended.decided_by) == ("cancel", "deadline")


async def test_a_settled_question_is_not_opened_again(asking: Store, answering: Store) -> None:
    asked = question()
    waiting = await put(asking, asked)
    await asking.settle(waiting.id, decline("user", "No."))
    with pytest.raises(StoreError, match="already ended"):
        await asking.reopen(replace(asked, attempt=2))
    assert await answering.waiting() == ()


@pytest.mark.parametrize("kind", ["approval", "elicitation"])
async def test_all_see_that_the_agent_is_gone_and_its_question_is_answered_all_the_same(
    asking: Store, answering: Store, kind: Kind
) -> None:
    waiting = await put(asking, question(kind=kind))
    await asking.mark_agent(waiting.id, "left")
    assert [one.agent_state for one in await answering.waiting()] == ["left"]
    refused = answer(waiting, outcome=decline("user", "No.", note="Use staging instead."))
    taken = await answering.answer(waiting.id, refused)
    assert taken is not None
    assert taken.answer_id == refused.id


async def test_typing_moves_the_end_that_is_shown(
    asking: Store, answering: Store, engine: Engine
) -> None:
    await asking.begin(ASKER)
    end = engine.clock() + timedelta(seconds=90)
    waiting = await asking.put(question(), ASKER, end)
    assert waiting.ends_at == end
    engine.clock.advance(seconds=80)
    claimed = await answering.claim(waiting.id, ME)
    assert claimed is not None
    assert claimed.ends_at == engine.clock() + timedelta(seconds=60)


async def test_typing_gives_no_end_to_a_question_that_waits_with_its_session(
    asking: Store, answering: Store
) -> None:
    waiting = await put(asking)
    claimed = await answering.claim(waiting.id, ME)
    assert claimed is not None
    assert claimed.last_key_at is not None
    assert claimed.ends_at is claimed.deadline is None


async def test_a_change_wakes_who_waits_for_it(asking: Store, answering: Store) -> None:
    number = (await answering.changes()).number
    waiting = asyncio.ensure_future(answering.changes(number, BOUND))
    put_one = await put(asking)
    changes = await asyncio.wait_for(waiting, BOUND)
    assert [one.id for one in changes.waiting] == [put_one.id]
    later = asyncio.ensure_future(asking.changes(changes.number, BOUND))
    await answering.claim(put_one.id, ME)
    (claimed,) = (await asyncio.wait_for(later, BOUND)).waiting
    assert claimed.state == "claimed"


async def test_who_begins_to_watch_is_told_of_what_waits_already(
    asking: Store, answering: Store
) -> None:
    waiting = await put(asking)
    told = await answering.changes()
    assert [one.id for one in told.waiting] == [waiting.id]
    assert (await answering.changes(told.number)).waiting == ()


async def test_no_change_is_an_end_of_waiting_too(answering: Store) -> None:
    changes = await answering.changes(0, 0.01)
    assert changes.waiting == ()


async def test_how_it_ended_can_be_read_for_an_hour(
    asking: Store, answering: Store, engine: Engine
) -> None:
    waiting = await put(asking)
    await asking.settle(waiting.id, sent())
    engine.clock.advance(minutes=59)
    await asking.heartbeat()
    assert await answering.get(waiting.id) is not None
    engine.clock.advance(minutes=2)
    await asking.heartbeat()
    assert await answering.get(waiting.id) is None
    assert await answering.answer(waiting.id, answer(waiting)) is None


async def test_the_end_of_a_session_ends_its_questions_and_nobody_elses(
    asking: Store, answering: Store
) -> None:
    other = Asker("session-two", "codex")
    mine, theirs = await put(asking), await put(asking, asker=other)
    await asking.end(ASKER.session)
    assert [one.id for one in await answering.waiting()] == [theirs.id]
    ended = await answering.get(mine.id)
    assert ended is not None
    assert (ended.action, ended.decided_by) == (None, "store")
    with pytest.raises(StoreError, match="session"):
        await asking.put(question(), ASKER)


async def test_a_process_that_closes_leaves_nothing_waiting(
    asking: Store, answering: Store
) -> None:
    await put(asking)
    await asking.close()
    assert await answering.waiting() == ()
    for work in (
        asking.waiting(),
        asking.changes(),
        asking.get("q"),
        asking.heartbeat(),
        asking.grants(),
        asking.somebody_is_there(),
        asking.asking_processes(),
        asking.begin(ASKER),
        asking.put(question(), ASKER),
        asking.claim("q", ME),
        asking.grant(grant()),
        asking.revoke(),
    ):
        with pytest.raises(StoreError, match=r"The store is closed\."):
            await work


async def test_who_does_not_wait_is_told_at_once_that_nothing_changed(
    asking: Store, answering: Store
) -> None:
    await put(asking)
    number = (await answering.changes()).number
    nothing = await asyncio.wait_for(answering.changes(number), BLOCK_SECONDS / 2)
    assert (nothing.number, nothing.waiting) == (number, ())


async def test_somebody_is_there_for_ten_minutes_after_a_key(
    asking: Store, answering: Store, engine: Engine
) -> None:
    assert not await asking.somebody_is_there()
    await answering.heartbeat()
    assert not await asking.somebody_is_there()
    await answering.heartbeat(engine.clock())
    engine.clock.advance(minutes=9)
    await answering.heartbeat()
    assert await asking.somebody_is_there()
    engine.clock.advance(minutes=2)
    assert not await asking.somebody_is_there()


async def test_nobody_is_there_once_the_console_closed(
    asking: Store, answering: Store, engine: Engine
) -> None:
    await answering.heartbeat(engine.clock())
    await answering.close()
    assert not await asking.somebody_is_there()


async def test_the_processes_that_ask_are_told_while_they_live_and_no_console(
    asking: Store, answering: Store, engine: Engine
) -> None:
    listening = await engine.open("listener")
    for store in (asking, answering, listening):
        await store.heartbeat()
    here = {AskingProcess(os.getpid(), role) for role in ("asker", "listener")}  # type: ignore[arg-type]
    assert set(await answering.asking_processes()) == here
    await listening.close()
    assert await answering.asking_processes() == (AskingProcess(os.getpid()),)
