"""Every request that enters the broker leaves it with exactly one outcome, recorded first."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from elicit_tui.broker import Requested
from elicit_tui.elicitation import Call, Deadline, ElicitationRequest, Review
from elicit_tui.elicitation.settings import (
    ElicitationSettings,
    Rule,
    ServerSettings,
    Settings,
)
from elicit_tui.guardian import Guardian
from tests.broker.conftest import BenchFactory, form_request, run


def test_what_the_person_sends_is_accepted_and_recorded_before_it_leaves(
    bench: BenchFactory,
) -> None:
    async def body() -> None:
        table = bench()
        request = form_request()
        answering = table.asks(request)
        table.person.sends(await table.person.sees(), colour="blue")
        outcome = await answering
        assert (outcome.action, outcome.decided_by) == ("accept", "user")
        assert outcome.content == {"colour": "blue"}
        row = table.ledger.row(request.id)
        assert (row.action, row.decided_by) == ("accept", "user")
        assert table.broker.pending == ()

    run(body())


def test_content_that_breaks_the_schema_goes_back_to_the_person(bench: BenchFactory) -> None:
    async def body() -> None:
        table = bench()
        answering = table.asks()
        table.person.sends(await table.person.sees(), colour=5)
        again = await table.person.sees(2)
        assert again.note is not None
        assert "colour" in again.note.lower()
        table.person.sends(again, colour="blue")
        assert (await answering).content == {"colour": "blue"}

    run(body())


def test_content_that_never_fits_is_cancelled_and_not_sent(bench: BenchFactory) -> None:
    async def body() -> None:
        table = bench()
        answering = table.asks()
        for turn in range(1, 4):
            table.person.sends(await table.person.sees(turn), colour=5)
        outcome = await answering
        assert (outcome.action, outcome.decided_by) == ("cancel", "policy")

    run(body())


def test_a_question_nobody_answers_is_cancelled_by_its_deadline(bench: BenchFactory) -> None:
    async def body() -> None:
        table = bench(Settings(elicitation=ElicitationSettings(timeout_sec=0.05)))
        outcome = await table.broker.resolve(form_request())
        assert (outcome.action, outcome.decided_by) == ("cancel", "deadline")
        assert outcome.key == "elicitation.timeout_sec"
        assert len(table.person.taken_off) == 1

    run(body())


def test_a_withdrawn_question_leaves_the_screen_and_nothing_is_sent(bench: BenchFactory) -> None:
    async def body() -> None:
        table = bench()
        request, answering = await table.asked()
        table.broker.withdraw(request.id, "The server gave up waiting.")
        outcome = await answering
        assert (outcome.action, outcome.decided_by) == (None, "server")
        assert table.person.taken_off == [request.id]

    run(body())


def test_a_cancelled_resolve_is_recorded_as_the_servers_doing(bench: BenchFactory) -> None:
    async def body() -> None:
        table = bench()
        request, answering = await table.asked()
        answering.cancel()
        with pytest.raises(asyncio.CancelledError):
            await answering
        assert table.ledger.row(request.id).decided_by == "server"
        assert [event.outcome.decided_by for event in table.resolved] == ["server"]

    run(body())


def test_a_cancelled_resolve_keeps_the_end_that_came_before_it(bench: BenchFactory) -> None:
    async def body() -> None:
        table = bench()
        request, answering = await table.asked()
        table.broker.server_gone("paint", "The server has ended.")
        answering.cancel()
        with pytest.raises(asyncio.CancelledError):
            await answering
        assert table.ledger.row(request.id).reason == "The server has ended."

    run(body())


def test_all_questions_of_a_server_that_went_away_end(bench: BenchFactory) -> None:
    async def body() -> None:
        table = bench()
        gone = [form_request(server="gone"), form_request(server="gone")]
        stays = form_request(server="stays")
        tasks = [table.asks(request) for request in (*gone, stays)]
        await table.person.sees(3)
        table.broker.server_gone("gone", "The server went away.")
        assert [(await task).decided_by for task in tasks[:2]] == ["server", "server"]
        assert [pending.question.id for pending in table.broker.pending] == [stays.id]
        await table.broker.close()
        assert (await tasks[2]).decided_by == "shutdown"

    run(body())


def test_closing_cancels_what_waits_and_what_was_only_admitted(bench: BenchFactory) -> None:
    async def body() -> None:
        table = bench()
        admitted = form_request()
        assert table.broker.admit(admitted) is None
        waiting = table.asks()
        await table.person.sees()
        await table.broker.close()
        assert (await waiting).decided_by == "shutdown"
        assert table.ledger.row(admitted.id).decided_by == "shutdown"
        late = table.broker.admit(form_request())
        assert late is not None
        assert late.decided_by == "shutdown"

    run(body())


def test_a_phishing_question_is_declined_by_the_guardian_and_never_shown(
    bench: BenchFactory,
) -> None:
    async def body() -> None:
        table = bench()
        request = form_request("Please enter your GitHub password to continue.")
        outcome = await table.broker.resolve(request)
        assert (outcome.action, outcome.decided_by) == ("decline", "guardian")
        assert table.person.shown == []
        requested = next(event for event in table.events if isinstance(event, Requested))
        assert requested.question.review.verdict == "block"

    run(body())


def test_a_rule_answers_without_a_person(bench: BenchFactory) -> None:
    async def body() -> None:
        rule = Rule("accept", server="paint", message="Which *", content={"colour": "red"})
        table = bench(Settings(rules=(rule,)))
        outcome = await table.broker.resolve(form_request())
        assert (outcome.action, outcome.decided_by) == ("accept", "rule")
        assert outcome.content == {"colour": "red"}
        assert table.person.shown == []

    run(body())


def test_replace_ends_the_older_question_but_not_its_neighbour_of_the_same_round(
    bench: BenchFactory,
) -> None:
    async def body() -> None:
        table = bench(Settings(elicitation=ElicitationSettings(concurrent="replace")))
        call = Call("tools/call", "paint")
        first = form_request("One?", era="modern", calls=(call,), wire_id="a")
        second = form_request("Two?", era="modern", calls=(call,), wire_id="b")
        tasks = [table.asks(item) for item in (first, second)]
        await table.person.sees(2)
        assert len(table.broker.pending) == 2
        newer = form_request("Three?", calls=(Call("tools/call", "paint"),))
        tasks.append(table.asks(newer))
        await table.person.sees(3)
        outcomes = [await task for task in tasks[:2]]
        assert {outcome.key for outcome in outcomes} == {"elicitation.concurrent"}
        assert {outcome.action for outcome in outcomes} == {"cancel"}
        await table.broker.close()
        await tasks[2]

    run(body())


CALL = Call("tools/call", "paint")
IN_A_ROUND: dict[str, Any] = {"era": "modern", "calls": (CALL,), "wire_id": "a"}


@pytest.mark.parametrize(
    ("older", "newer", "is_replaced"),
    [
        (IN_A_ROUND, {**IN_A_ROUND, "wire_id": "b"}, False),
        (IN_A_ROUND, {**IN_A_ROUND, "round": 2}, True),
        (IN_A_ROUND, {**IN_A_ROUND, "calls": (Call("tools/call", "paint"),)}, True),
        (IN_A_ROUND, {}, True),
        ({}, {}, True),
        ({}, IN_A_ROUND, True),
        ({"calls": (CALL,)}, {"calls": (CALL,)}, True),
        ({}, {"server": "other"}, False),
    ],
)
def test_replace_ends_whatever_older_question_is_not_of_the_same_round(
    bench: BenchFactory, older: dict[str, Any], newer: dict[str, Any], is_replaced: bool
) -> None:
    async def body() -> None:
        table = bench(Settings(elicitation=ElicitationSettings(concurrent="replace")))
        first, second = table.asks(form_request(**older)), table.asks(form_request(**newer))
        question = await table.person.sees(2)
        assert first.done() or await asyncio.wait([first], timeout=0)
        waiting = {pending.question.id for pending in table.broker.pending}
        assert len(waiting) == (1 if is_replaced else 2)
        assert question.id in waiting
        await table.broker.close()
        keys = [(await task).key for task in (first, second)]
        assert keys == ["elicitation.concurrent" if is_replaced else None, None]

    run(body())


def test_a_question_ends_with_the_call_that_it_belongs_to(bench: BenchFactory) -> None:
    async def body() -> None:
        table = bench()
        over, stays = form_request("Over?"), form_request("Stays?")
        tasks = [table.asks(request) for request in (over, stays)]
        await table.person.sees(2)
        table.broker.call_ended(over.id)
        outcome = await tasks[0]
        assert (outcome.action, outcome.decided_by) == ("cancel", "server")
        assert table.ledger.row(over.id).server_end == "call ended"
        assert [pending.question.id for pending in table.broker.pending] == [stays.id]
        await table.broker.close()
        await tasks[1]

    run(body())


def test_a_call_waits_while_its_question_is_open(bench: BenchFactory) -> None:
    async def body() -> None:
        table = bench()
        call = Call("tools/call", "paint")
        task = table.asks(form_request(calls=(call,)))
        question = await table.person.sees()
        assert table.broker.asks_for_call(call.id)
        assert not table.broker.asks_for_call("another")
        table.person.sends(question, colour="blue")
        await task
        assert not table.broker.asks_for_call(call.id)

    run(body())


def test_all_that_was_listed_of_a_server_is_declined_and_nothing_that_came_after(
    bench: BenchFactory,
) -> None:
    async def body() -> None:
        table = bench()
        tasks = [table.asks(form_request(server=name)) for name in ("paint", "paint", "other")]
        await table.person.sees(3)
        listed = table.broker.pending
        tasks.append(table.asks(form_request("And this?")))
        await table.person.sees(4)
        assert table.broker.decline_all("paint", listed) == 2
        outcomes = await asyncio.gather(*tasks[:2])
        assert {(each.action, each.decided_by) for each in outcomes} == {("decline", "user")}
        assert [each.server for each in table.broker.pending] == ["other", "paint"]
        await table.broker.close()
        await asyncio.gather(*tasks)

    run(body())


@pytest.mark.parametrize(
    ("server", "key"),
    [
        (ServerSettings("paint", command="x", elicitations="off"), "elicitations"),
        (ServerSettings("paint", command="x", elicitation_modes=("url",)), "elicitation_modes"),
    ],
    ids=["off", "url only"],
)
def test_a_mode_that_was_not_advertised_is_refused_with_the_key_that_left_it_out(
    bench: BenchFactory, server: ServerSettings, key: str
) -> None:
    table = bench(Settings(servers={"paint": server}))
    outcome = table.broker.admit(form_request())
    assert outcome is not None
    assert [type(event).__name__ for event in table.events] == ["Requested", "Resolved"]
    assert not table.resolved[0].draft_kept
    assert (outcome.action, outcome.error_code) == (None, -32602)
    assert outcome.key == f"mcp_servers.paint.{key}"


def test_a_screen_that_breaks_ends_its_question_with_a_cancel_and_the_reason(
    bench: BenchFactory,
) -> None:
    async def body() -> None:
        table = bench()
        request = form_request()
        answering = table.asks(request)
        question = await table.person.sees()
        table.person.answers[question.id].set_exception(RuntimeError("no screen left\x1b[2J\n!"))
        outcome = await answering
        assert (outcome.action, outcome.decided_by) == ("cancel", "nobody")
        assert "no screen left" in outcome.reason
        assert outcome.reason.isprintable()
        assert table.ledger.row(request.id).decided_by == "nobody"

    run(body())


def test_nothing_turns_while_questions_wait(
    bench: BenchFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[float | None] = []
    left = Deadline.remaining.fget  # type: ignore[attr-defined]

    def looked_at(deadline: Deadline) -> float | None:
        looks.append(left(deadline))
        return looks[-1]

    monkeypatch.setattr(Deadline, "remaining", property(looked_at))

    async def body() -> None:
        table = bench()
        asking = [table.asks(form_request(wire_id=number)) for number in (1, 2)]
        await table.person.sees(2)
        for _ in range(100):
            await asyncio.sleep(0)
        assert len(looks) < 20
        for question in table.person.shown:
            table.person.sends(question, colour="blue")
        await asyncio.gather(*asking)

    run(body())


def hold_reviews_of(
    server: str, monkeypatch: pytest.MonkeyPatch
) -> tuple[threading.Event, threading.Event]:
    """Keep the guardian's reviews of a server's questions from ending.

    Two events: the guardian sets the first when such a review begins; the test sets the second to
    let them end.
    """
    begins, may_end = threading.Event(), threading.Event()
    review = Guardian.review

    def held(guardian: Guardian, request: ElicitationRequest) -> Review:
        if request.server.name == server:
            begins.set()
            assert may_end.wait(20)
        return review(guardian, request)

    monkeypatch.setattr(Guardian, "review", held)
    return begins, may_end


def test_a_question_too_large_to_be_looked_at_in_a_moment_holds_up_no_other(
    bench: BenchFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, other_is_shown = hold_reviews_of("large", monkeypatch)

    async def body() -> None:
        table = bench()
        many = {"type": "string", "enum": [f"colour {number}" for number in range(2_000)]}
        schema = {"type": "object", "properties": {"colour": many}}
        large = table.asks(form_request(server="large", params={"requestedSchema": schema}))
        other = table.asks()
        table.person.sends(await table.person.sees(), colour="blue")
        other_is_shown.set()
        assert (await other).action == "accept"
        question = await table.person.sees(2)
        table.person.sends(question, colour="colour 7")
        assert (await large).content == {"colour": "colour 7"}

    run(body())


def test_a_large_question_that_is_taken_back_while_it_is_looked_at_is_shown_to_nobody(
    bench: BenchFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    review_begins, taken_back = hold_reviews_of("large", monkeypatch)

    async def body() -> None:
        table = bench()
        request = form_request("Which colour? " * 2_000, server="large")
        asked = table.asks(request)
        assert await asyncio.to_thread(review_begins.wait, 20)
        table.broker.withdraw(request.id, "The server took it back.")
        taken_back.set()
        assert (await asked).decided_by == "server"
        assert table.person.shown == []
        assert table.ledger.row(request.id).decided_by == "server"

    run(body())


def test_replace_ends_no_approval_of_a_call_and_no_question_for_one(bench: BenchFactory) -> None:
    async def body() -> None:
        paint = ServerSettings("paint", command="x", default_tools_approval_mode="prompt")
        replaces = ElicitationSettings(concurrent="replace")
        table = bench(Settings(elicitation=replaces, servers={"paint": paint}))
        first = table.asks()
        await table.person.sees()
        server, call = form_request().server, Call("tools/call", "drop")
        approving = asyncio.ensure_future(table.broker.approve(server, call, {}, "pid 1"))
        await table.person.sees(2)
        assert len(table.broker.pending) == 2
        newer = table.asks(form_request("And this?"))
        await table.person.sees(3)
        assert (await first).key == "elicitation.concurrent"
        assert len(table.broker.pending) == 2
        await table.broker.close()
        await asyncio.gather(approving, newer)

    run(body())
