"""However a question ends, and whoever is late to it: one outcome, recorded and told once."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from elicit_tui.broker import admitted
from elicit_tui.broker import broker as broker_module
from elicit_tui.elicitation import (
    Deadline,
    ElicitationRequest,
    Outcome,
    Question,
    Review,
    cancel,
)
from elicit_tui.guardian import Guardian
from tests.broker.conftest import Bench, BenchFactory, form_request, limited, run
from tests.broker.hooked import Prepared, hook

TAKEN = cancel("user", "You gave the call up.")


def records_of(table: Bench, request: ElicitationRequest) -> list[str]:
    found = table.ledger._connection.execute(
        "SELECT event FROM records WHERE question = ? ORDER BY number", (request.id,)
    )
    return [event for (event,) in found]


class LetsGoSlowly:
    """Takes its question off the screen only when it is told that it may."""

    def __init__(self) -> None:
        self.shown, self.may_go = asyncio.Event(), asyncio.Event()

    async def respond(self, question: Question, deadline: Deadline) -> Outcome:
        deadline.start()
        self.shown.set()
        try:
            return await asyncio.Future()
        finally:
            await self.may_go.wait()


def test_a_responder_that_lets_go_after_the_end_of_the_run_makes_no_second_outcome(
    bench: BenchFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def body() -> None:
        monkeypatch.setattr(broker_module, "CLOSE_SECONDS", 0.05)
        responder = LetsGoSlowly()
        table, request = bench(responder=responder), form_request()
        asking = table.asks(request)
        await responder.shown.wait()
        await table.broker.close()
        assert records_of(table, request) == ["asked", "decided"]
        responder.may_go.set()
        assert (await asking).decided_by == "shutdown"
        assert records_of(table, request) == ["asked", "decided"]
        assert [event.outcome.decided_by for event in table.resolved] == ["shutdown"]

    run(body())


def test_what_ends_before_anybody_sees_it_through_is_recorded_then_and_makes_room(
    bench: BenchFactory,
) -> None:
    async def body() -> None:
        table = bench(limited(per_minute=100, pending=2))
        requests = [form_request(), form_request()]
        for request in requests:
            assert table.broker.admit(request) is None
        table.broker.server_gone("paint", "It went away.")
        assert [row.reason for row in table.ledger.rows()] == ["It went away."] * 2
        assert table.broker.admit(form_request()) is None
        # Whoever comes to it yet is told that end, and nobody is asked.
        assert (await table.broker.resolve(requests[0])).reason == "It went away."
        assert records_of(table, requests[0]) == ["asked", "decided"]
        assert table.person.shown == []

    run(body())


def test_what_was_let_in_before_the_end_of_the_run_is_asked_of_nobody_after_it(
    bench: BenchFactory,
) -> None:
    async def body() -> None:
        table, request = bench(), form_request()
        assert table.broker.admit(request) is None
        await table.broker.close()
        outcome = await table.broker.resolve(request)
        assert (outcome.action, outcome.decided_by) == ("cancel", "shutdown")
        assert records_of(table, request) == ["asked", "decided"]
        assert len(table.resolved) == 1

    run(body())


def test_ends_that_nobody_comes_for_are_not_kept_without_bound(
    bench: BenchFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(admitted, "MOST_UNASKED", 3)
    table = bench()
    for _ in range(5):
        request = form_request()
        assert table.broker.admit(request) is None
        table.broker.withdraw(request.id, "The server took it back.")
    assert len(table.broker._open._unasked) == 3
    assert list(table.broker._open) == []


def test_a_question_that_a_hook_looks_at_ends_and_is_put_to_nobody(bench: BenchFactory) -> None:
    async def body() -> None:
        hooks = Prepared((hook(), hook("ElicitationResult", 2)), user_1=None)
        table, request = bench(hooks=hooks), form_request()
        asking = table.asks(request)
        await hooks.reached.wait()
        assert table.broker.pending == ()
        table.broker.end_where(lambda asked: asked is request, TAKEN)
        assert await asking == TAKEN
        assert hooks.left.is_set()
        # Nor is what was given up shown to a hook that looks at answers.
        assert [key for key, _ in hooks.heard] == ["hooks[1]"]
        assert table.person.shown == []

    run(body())


def test_a_question_that_the_guardian_looks_at_ends_and_is_put_to_nobody(
    bench: BenchFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def body() -> None:
        begun, may_end = asyncio.Event(), asyncio.Event()

        async def slowly(guardian: Guardian, request: ElicitationRequest) -> Review:
            begun.set()
            await may_end.wait()
            return Review()

        monkeypatch.setattr(broker_module, "review_of", slowly)
        table, request = bench(), form_request()
        asking = table.asks(request)
        await begun.wait()
        table.broker.end_where(lambda asked: asked is request, TAKEN)
        may_end.set()
        assert await asking == TAKEN
        assert table.person.shown == []

    run(body())


def test_a_responder_that_gives_up_by_itself_is_no_server_s_doing(bench: BenchFactory) -> None:
    class GivesUp:
        async def respond(self, question: Question, deadline: Deadline) -> Outcome:
            deadline.start()
            gone: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
            gone.cancel()
            return await gone

    async def body() -> None:
        table, request = bench(responder=GivesUp()), form_request()
        outcome = await table.broker.resolve(request)
        assert (outcome.action, outcome.decided_by) == ("cancel", "nobody")
        assert table.ledger.row(request.id).server_end is None

    run(body())
