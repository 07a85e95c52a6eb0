"""Who asks too much is refused, each time with an outcome and a record; a person can mute them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from elicit_tui.broker import Notice, record
from elicit_tui.broker.admitted import READING_TURNS
from elicit_tui.elicitation.settings import Rule, ServerSettings
from tests.broker.conftest import BenchFactory, form_request, limited, run

QUIET = {"quiet": ServerSettings("quiet", command="x", elicitations="decline")}
ONE_A_MINUTE = limited(per_minute=1)


def test_over_the_pending_limit_a_question_is_cancelled_and_the_server_named_once(
    bench: BenchFactory,
) -> None:
    async def body() -> None:
        table = bench(limited(pending=2))
        tasks = [table.asks() for _ in range(2)]
        await table.person.sees(2)
        for _ in range(5):
            outcome = table.broker.admit(form_request())
            assert outcome is not None
            assert (outcome.action, outcome.decided_by) == ("cancel", "flood")
            assert outcome.key == "elicitation.limits"
        notices = [event for event in table.events if isinstance(event, Notice)]
        assert [notice.server for notice in notices] == ["paint"]
        other = table.broker.admit(form_request(server="calm"))
        assert other is None
        await table.broker.close()
        assert {(await task).decided_by for task in tasks} == {"shutdown"}

    run(body())


def test_a_question_that_has_its_outcome_makes_room_for_the_next(bench: BenchFactory) -> None:
    async def body() -> None:
        table = bench(limited(pending=1))
        for number in (1, 2, 3):
            asking = table.asks()
            table.person.sends(await table.person.sees(number), colour="blue")
            assert (await asking).action == "accept"

    run(body())


def test_what_a_person_has_answered_makes_room_while_it_is_still_judged(
    bench: BenchFactory,
) -> None:
    async def body() -> None:
        table = bench(limited(pending=1))
        asking = table.asks()
        table.person.sends(await table.person.sees(), colour="blue")
        for _ in range(100):
            if table.broker.pending:
                await asyncio.sleep(0)
        for _ in range(READING_TURNS // 2):
            await asyncio.sleep(0)
        assert not asking.done()
        assert table.broker.admit(form_request()) is None
        assert (await asking).action == "accept"

    run(body())


def test_over_the_rate_a_question_is_cancelled_and_a_refused_one_does_not_count(
    bench: BenchFactory,
) -> None:
    table = bench(limited(per_minute=3, pending=100, servers=QUIET))
    outcomes = [table.broker.admit(form_request()) for _ in range(5)]
    assert [outcome.decided_by if outcome else None for outcome in outcomes] == [
        None,
        None,
        None,
        "flood",
        "flood",
    ]
    refused = [table.broker.admit(form_request(server="quiet")) for _ in range(9)]
    assert {outcome.decided_by for outcome in refused if outcome} == {"policy"}


def test_what_an_answers_file_answers_may_come_as_often_as_it_likes(bench: BenchFactory) -> None:
    async def body() -> None:
        answer = Rule("accept", server="paint", content={"colour": "blue"})
        table = bench(ONE_A_MINUTE, (answer,))
        for _ in range(3):
            assert (await table.asks()).action == "accept"

    run(body())


def test_what_was_refused_waits_for_nobody_and_each_of_it_has_a_record(
    bench: BenchFactory,
) -> None:
    table = bench(limited(per_minute=100, pending=2, servers=QUIET))
    requests = [form_request(server="quiet") for _ in range(9)]
    assert not any(table.broker.admit(each).in_group for each in requests)  # type: ignore[union-attr]
    assert {table.ledger.row(each.id).action for each in requests} == {"decline"}


def test_what_is_refused_in_masses_is_answered_each_and_kept_as_a_number(
    bench: BenchFactory,
) -> None:
    table = bench(limited(per_minute=3))
    big = {"requestedSchema": {"type": "array", "x": "B" * 200_000}}
    for _ in range(1_000):
        outcome = table.broker.admit(form_request("A" * 200_000, params=big))
        assert outcome is not None
        assert (outcome.decided_by, outcome.error_code) == ("policy", -32602)
    asyncio.run(table.broker.close())
    whole = [event for event in table.resolved if len(event.request.message) > 500]
    assert len(whole) == 3
    assert all(event.request.requested_schema is None for event in table.resolved[3:])
    assert len(table.resolved) == 1_000
    written = Path(table.ledger.path).stat().st_size
    assert written < 4_000_000
    sentences = [event.sentence for event in table.events if isinstance(event, Notice)]
    assert len(sentences) == 1
    assert "counted" in sentences[0]


def test_what_is_refused_in_masses_is_a_number_beside_an_answers_file_too(
    bench: BenchFactory,
) -> None:
    table = bench(ONE_A_MINUTE, (Rule("accept", server="paint", content={"colour": "blue"}),))
    outcomes = [table.broker.admit(form_request(params={"requestedSchema": 1})) for _ in range(3)]
    assert [outcome.in_group for outcome in outcomes if outcome] == [False, True, True]


def test_a_muted_server_is_cancelled_until_it_is_heard_again(bench: BenchFactory) -> None:
    async def body() -> None:
        table = bench()
        task = table.asks()
        await table.person.sees()
        table.broker.mute("paint")
        assert (await task).action == "cancel"
        refused = table.broker.admit(form_request())
        assert refused is not None
        assert refused.action == "cancel"
        for _ in range(4):
            table.broker.admit(form_request())
        rows = [row for row in table.ledger.rows() if row.decided_by == "policy"]
        assert [(row.count, row.action, row.message) for row in rows] == [
            (1, "cancel", form_request().message)
        ] * 5
        table.broker.unmute("paint")
        assert table.broker.admit(form_request()) is None
        await table.broker.close()

    run(body())


def test_what_was_counted_last_is_recorded_when_the_broker_closes(bench: BenchFactory) -> None:
    table = bench(ONE_A_MINUTE)
    table.broker.mute("paint")
    for _ in range(5):
        table.broker.admit(form_request())
    asyncio.run(table.broker.close())
    assert sorted(row.count for row in table.ledger.rows()) == [1, 4]


def test_what_is_counted_is_told_apart_by_its_reason_and_stands_before_what_came_after_it(
    bench: BenchFactory,
) -> None:
    table = bench(ONE_A_MINUTE)
    assert table.broker.admit(form_request()) is None
    malformed = {"message": 5}
    for params in (malformed, {}, {}, malformed, {}, malformed):
        assert table.broker.admit(form_request(params=params)) is not None
    assert table.broker.admit(form_request(server="quiet", params=malformed)) is not None
    rows = [(row.server, row.decided_by, row.count) for row in table.ledger.rows()]
    assert rows == [
        ("paint", "policy", 1),
        ("paint", "flood", 3),
        ("paint", "policy", 2),
        ("quiet", "policy", 1),
    ]
    assert {event.server for event in table.events if isinstance(event, Notice)} == {"paint"}
    assert [sentence.partition("). ")[2] for sentence in table.told] == [
        "What is over the limit is cancelled.",
        "What is refused is counted from here on.",
    ]
    asyncio.run(table.broker.close())


def test_what_a_limit_and_what_a_person_cancelled_are_two_numbers(bench: BenchFactory) -> None:
    table = bench(ONE_A_MINUTE)
    table.broker.mute("paint")
    for _ in range(3):
        table.broker.admit(form_request())
    table.broker.unmute("paint")
    assert table.broker.admit(form_request()) is None
    for _ in range(3):
        table.broker.admit(form_request())
    asyncio.run(table.broker.close())
    rows = sorted((row.action, row.decided_by, row.count) for row in table.ledger.rows())
    assert rows == [
        ("cancel", "flood", 3),
        ("cancel", "policy", 1),
        ("cancel", "policy", 2),
        # The one that came in between them.
        ("cancel", "shutdown", 1),
    ]


def test_a_number_is_written_down_as_soon_as_it_is_large(
    bench: BenchFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record, "GROUP", 3)
    table = bench(ONE_A_MINUTE)
    table.broker.mute("paint")
    counts = []
    for _ in range(8):
        table.broker.admit(form_request())
        counts.append(sum(row.count for row in table.ledger.rows()))
    assert counts == [1, 1, 1, 4, 4, 4, 7, 7]


def test_a_server_that_was_heard_again_is_named_again_when_it_asks_too_much(
    bench: BenchFactory,
) -> None:
    table = bench(limited(per_minute=1))

    def told() -> int:
        return sum(isinstance(event, Notice) for event in table.events)

    for _ in range(3):
        table.broker.admit(form_request())
    assert told() == 1
    table.broker.mute("paint")
    table.broker.unmute("paint")
    for _ in range(3):
        table.broker.admit(form_request())
    assert told() == 2


def test_what_is_refused_once_the_broker_has_closed_has_its_record_too(bench: BenchFactory) -> None:
    async def body() -> None:
        table = bench(limited(per_minute=2, pending=100))
        await table.broker.close()
        outcomes = [table.broker.admit(form_request()) for _ in range(7)]
        grouped = sum(outcome.in_group for outcome in outcomes if outcome is not None)
        assert grouped, "nothing was refused in a group"
        assert sum(row.count for row in table.ledger.rows()) == len(outcomes)

    run(body())


@pytest.mark.parametrize("end", ["taken back", "broken", "refused on the wire"])
def test_a_question_that_ends_without_an_answer_makes_room_for_the_next(
    bench: BenchFactory, end: str
) -> None:
    async def body() -> None:
        table = bench(limited(pending=1))
        for number in (1, 2, 3):
            request = form_request()
            if end == "refused on the wire":
                assert table.broker.admit(request) is None
                table.broker.refused_on_the_wire(request, "The SDK could not read it.")
                continue
            asking = table.asks(request)
            question = await table.person.sees(number)
            if end == "broken":
                table.person.answers[question.id].set_exception(RuntimeError("no screen left"))
            else:
                asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
            assert table.ledger.row(request.id).decided_by != "flood"
        assert table.broker.admit(form_request()) is None

    run(body())
