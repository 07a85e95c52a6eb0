"""The judge of one connection's messages, with a broker and a server whose words are scripted."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from mcp_types import (
    ErrorData,
    JSONRPCError,
    JSONRPCResponse,
)

from elicit_tui.elicitation import (
    Call,
    ElicitationRequest,
    Outcome,
    cancel,
    unsent,
)
from elicit_tui.host import wire as wire_module
from elicit_tui.host.exchange import Exchange
from tests.host.judged import CALL, FORM, YES, Judged, answer, note, request, requests, run, within

# A question that is pushed


def test_an_answer_leaves_as_it_was_decided_and_is_told_once_it_was_written() -> None:
    async def body() -> None:
        here = Judged()
        assert here.asks()
        assert here.wire.unanswered(None) == tuple(here.broker.asked)
        left = await here.answers()
        assert left is not None
        assert left.result["action"] == "accept"
        assert here.broker.heard == [("sent", here.broker.asked[0].id)]
        assert here.wire.unanswered(None) == ()
        # What the library says of it once more is its own affair.
        again = JSONRPCResponse(jsonrpc="2.0", id=1, result={"action": "cancel"})
        assert here.leaves(again).result == {"action": "cancel"}
        assert await here.wire.decide(1) is None

    run(body())


@pytest.mark.parametrize(
    ("more", "modern", "initialized", "defect"),
    [
        ({}, False, True, None),
        ({"jsonrpc": "1.0"}, False, True, "does not say that it is JSON-RPC 2.0"),
        ({}, True, True, "pushed a question, which this protocol revision does not allow"),
        ({}, False, False, "before the connection was initialized"),
    ],
)
def test_what_is_wrong_with_a_question_is_known_before_it_is_judged(
    more: Any, modern: bool, initialized: bool, defect: str | None
) -> None:
    here = Judged(modern=modern, initialized=initialized)
    here.asks(**more)
    (asked,) = here.broker.asked
    assert (asked.defect is None) == (defect is None)
    assert defect is None or defect in str(asked.defect)
    if defect is None:
        here.asks(1)
        assert here.broker.asked[1].defect == "The request repeats the id of an earlier one."


def test_what_is_decided_at_once_is_answered_without_the_library() -> None:
    here = Judged()
    for outcome, kind in (
        (cancel("policy", "Never."), JSONRPCResponse),
        (unsent("policy", "Malformed.", error_code=-32602), JSONRPCError),
    ):
        here.broker.at_once = outcome
        here.broker.asked.clear()
        here.broker.heard.clear()
        assert not here.asks(kind.__name__)
        assert here.broker.heard == []
        (left,) = here.left()
        assert isinstance(left, kind)
        assert here.broker.heard == [("sent", here.broker.asked[0].id)]
        assert here.wire.unanswered(None) == ()
    here.broker.at_once = unsent("server", "Gone.")
    assert not here.asks(3)
    assert here.left() == []
    from dataclasses import replace

    here.broker.at_once = replace(cancel("flood", "Too many."), in_group=True)
    here.broker.heard.clear()
    here.asks(4)
    assert len(here.left()) == 1
    assert here.broker.heard == []


def test_what_was_never_offered_is_refused_without_the_library() -> None:
    here = Judged()
    assert not here.comes(request("ping", None, 1))
    assert not here.comes(request("roots/list", {}, 2))
    pong, refused = here.left()
    assert isinstance(pong, JSONRPCResponse)
    assert isinstance(refused, JSONRPCError)
    assert refused.error.code == -32601
    assert len(here.told) == 1
    assert not here.comes(note("elicitation/create", FORM))
    assert here.broker.asked[0].defect == "The request was sent without an id."
    assert here.left() == []


# Taken back


def test_a_question_that_is_taken_back_ends_according_to_how_far_it_came() -> None:
    async def body() -> None:
        here = Judged()
        here.asks(1)
        here.takes_back(1, reason="Not needed.")
        assert here.broker.heard == [
            ("withdraw", 'The server withdrew the question; it says "Not needed.".')
        ]
        here.broker.heard.clear()
        here.asks(2)
        await here.wire.decide(2)
        here.takes_back(2)
        assert here.broker.heard == [("taken back", "The server withdrew the question.")]
        # Decided, and yet nothing may be sent.
        response = JSONRPCResponse(jsonrpc="2.0", id=2, result={})
        assert here.leaves(response) is None
        assert here.broker.heard[1:] == []
        assert len(here.wire.unanswered(None)) == 1
        assert [pushed.outcome for pushed in here.wire._pushed.values()] == [None]
        here.broker.heard.clear()
        here.asks(3)
        await here.answers(3)
        here.broker.heard.clear()
        here.takes_back(3, reason=5)
        here.takes_back(3)
        assert here.broker.heard == [("late", "The server withdrew the question.")]
        here.broker.outcome = cancel("user", "No.")
        here.asks(4)
        await here.answers(4)
        here.broker.heard.clear()
        # A refusal that left is no accept that somebody could rely on.
        here.takes_back(4)
        here.takes_back(99)
        here.takes_back(None)
        here.takes_back([])
        assert here.broker.heard == []
        here.broker.outcome = unsent("server", "Gone.")
        here.asks(5)
        await here.wire.decide(5)
        here.takes_back(5)
        assert here.broker.heard == []

    run(body())


def test_of_accepts_that_left_the_latest_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire_module, "MOST_ACCEPTED", 2)

    async def body() -> None:
        here = Judged()
        for number in (1, 2, 3):
            here.asks(number)
            await here.answers(number)
        here.broker.heard.clear()
        for number in (1, 2, 3):
            here.takes_back(number)
        assert [what for what, _ in here.broker.heard] == ["late", "late"]

    run(body())


def test_a_question_whose_callback_was_cancelled_is_open_no_more() -> None:
    async def body() -> None:
        here = Judged()
        here.asks()

        async def never(asked: ElicitationRequest) -> Outcome:
            await asyncio.Event().wait()
            return YES

        here.broker.resolve = never  # type: ignore[method-assign]
        deciding = asyncio.ensure_future(here.wire.decide(1))
        await asyncio.wait([deciding], timeout=0.01)
        deciding.cancel()
        await asyncio.wait([deciding])
        assert here.wire.unanswered(None) == ()

    run(body())


def test_an_error_of_the_library_says_nothing_of_what_went_wrong_inside() -> None:
    async def body() -> None:
        here = Judged()
        here.asks(1)
        error = JSONRPCError(jsonrpc="2.0", id=1, error=ErrorData(code=0, message="Traceback"))
        left = here.leaves(error)
        assert (left.error.code, left.error.message) == (-32602, "Invalid elicitation request")
        assert here.broker.heard == [("refused", "The protocol library refused the request.")]
        assert here.wire.unanswered(None) == ()
        other = JSONRPCError(jsonrpc="2.0", id=9, error=ErrorData(code=1, message="own"))
        assert here.leaves(other).error.message == "own"
        here.broker.outcome = unsent("server", "Gone.")
        here.asks(2)
        await here.wire.decide(2)
        ended = JSONRPCError(jsonrpc="2.0", id=2, error=ErrorData(code=0, message="x"))
        assert here.leaves(ended) is None
        assert here.wire.unanswered(None) == ()

    run(body())


# Whose question it is


def test_a_question_is_its_calls_where_the_stream_tells_and_else_any_open_ones() -> None:
    async def body() -> None:
        here = Judged()
        mine = Exchange(call=CALL, round=3)
        async with here.open.turn(CALL), here.open.turn(Call("tools/call", "other")):
            here.comes(request("elicitation/create", FORM, 1), within(mine))
            here.comes(request("elicitation/create", FORM, 2))
            listing = Exchange()
            requests(here, listing)
            here.comes(request("elicitation/create", FORM, 3), within(listing))
            here.comes(answer(7))
            here.comes(request("elicitation/create", FORM, 4), within(listing))
        named = [[call.name for call in asked.calls] for asked in here.broker.asked]
        assert named == [["build"], ["build", "other"], [], ["build", "other"]]
        assert [asked.round for asked in here.broker.asked] == [3, 1, 1, 1]

    run(body())


def test_when_a_call_ends_its_own_questions_end_and_no_other_ones() -> None:
    async def body() -> None:
        here, other = Judged(), Call("tools/call", "other")
        async with here.open.turn(CALL), here.open.turn(other):
            here.asks(1)
            here.comes(request("elicitation/create", FORM, 2), within(Exchange(call=CALL)))
            shared, own = here.broker.asked
            assert here.wire.unanswered(CALL.id) == (own,)
            here.wire.call_ended(CALL.id)
            assert here.broker.heard == [("call ended", own.id)]
            assert here.wire.unanswered(None) == (shared, own)

    run(body())
