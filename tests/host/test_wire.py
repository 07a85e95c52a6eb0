"""The judge of one connection's messages, with a broker and a server whose words are scripted."""

from __future__ import annotations

import asyncio
from contextvars import Context, copy_context
from typing import Any

import pytest
from mcp.shared.message import SessionMessage
from mcp_types import (
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)

from elicit_tui.elicitation import (
    Call,
    ElicitationRequest,
    Outcome,
    ServerIdentity,
    accept,
    cancel,
    unsent,
)
from elicit_tui.host import wire as wire_module
from elicit_tui.host.breaches import Breaches
from elicit_tui.host.events import ListChanged, LogMessage, Progress
from elicit_tui.host.exchange import CURRENT, Exchange
from elicit_tui.host.messages import Message
from elicit_tui.host.open_calls import OpenCalls
from elicit_tui.host.wire import Wire

FORM = {"message": "Go on?", "requestedSchema": {"type": "object", "properties": {}}}
YES = accept("user", "Sent.", {})
CALL = Call("tools/call", "build")


class Broker:
    """Admits what it is told to, and notes what it hears."""

    def __init__(self) -> None:
        self.at_once: Outcome | None = None
        self.outcome: Outcome = YES
        self.taken: Outcome = unsent("server", "Taken back.")
        self.asked: list[ElicitationRequest] = []
        self.heard: list[tuple[str, str]] = []

    def admit(self, request: ElicitationRequest) -> Outcome | None:
        self.asked.append(request)
        return self.at_once

    async def resolve(self, request: ElicitationRequest) -> Outcome:
        return self.outcome

    def sent(self, request: ElicitationRequest) -> None:
        self.heard.append(("sent", request.id))

    def withdraw(self, request_id: str, sentence: str, *more: str) -> None:
        self.heard.append(("withdraw", sentence))

    def withdrawn_late(self, request: ElicitationRequest, sentence: str) -> None:
        self.heard.append(("late", sentence))

    def taken_back(self, request: ElicitationRequest, sentence: str) -> Outcome:
        self.heard.append(("taken back", sentence))
        return self.taken

    def refused_on_the_wire(self, request: ElicitationRequest, sentence: str) -> None:
        self.heard.append(("refused", sentence))

    def call_ended(self, request_id: str) -> None:
        self.heard.append(("call ended", request_id))


class Judged:
    """A wire that was told that it may be asked, with all that leaves it."""

    def __init__(self, *, modern: bool = False, initialized: bool = True) -> None:
        self.broker = Broker()
        self.events: list[Any] = []
        self.told: list[str] = []
        self.open = OpenCalls(lambda call: False)
        self.wire = Wire(
            self.broker,  # type: ignore[arg-type]
            ("form", "url"),
            lambda: ServerIdentity("jobs", "stdio", "jobs"),
            self.open,
            self.events.append,
            Breaches(self.told.append),
        )
        self.wire.era = "modern" if modern else "handshake"
        if initialized:
            start = JSONRPCNotification(jsonrpc="2.0", method="notifications/initialized")
            self.wire.outbound(start)

    def comes(self, message: Any, context: Context | None = None) -> bool:
        """Whether a message of the server goes on to the library."""
        return self.wire.inbound(SessionMessage(message), context) is not None

    def asks(self, number: Any = 1, **more: Any) -> bool:
        return self.comes(request("elicitation/create", FORM, number, **more))

    def takes_back(self, number: Any, **more: Any) -> None:
        self.comes(note("notifications/cancelled", {"requestId": number, **more}))

    def left(self) -> list[Message]:
        """What the wire itself has to say, each of it written now."""
        found = []
        while self.wire.outbox._waiting:
            message, written = self.wire.outbox._waiting.popleft()
            found.append(message)
            if written is not None:
                written()
        return found

    async def answers(self, number: Any = 1) -> JSONRPCResponse | None:
        """The library's answer to a question, as it leaves; None when nothing may."""
        await self.wire.decide(number)
        return self.leaves(JSONRPCResponse(jsonrpc="2.0", id=number, result={"action": "cancel"}))

    def leaves(self, message: Any) -> Any:
        if not self.wire.outbound(message):
            return None
        self.wire.written(message)
        return message


def request(method: str, params: Any, number: Any = 1, jsonrpc: str = "2.0") -> JSONRPCRequest:
    return JSONRPCRequest.model_construct(jsonrpc=jsonrpc, id=number, method=method, params=params)


def note(method: str, params: Any = None) -> JSONRPCNotification:
    return JSONRPCNotification.model_construct(jsonrpc="2.0", method=method, params=params)


def answer(number: Any, **result: Any) -> JSONRPCResponse:
    return JSONRPCResponse(jsonrpc="2.0", id=number, result=result)


def within(exchange: Exchange) -> Context:
    context = copy_context()
    context.run(CURRENT.set, exchange)
    return context


def requests(here: Judged, exchange: Exchange, number: int = 7) -> JSONRPCRequest:
    """Our request, sent for this exchange."""
    message = request("tools/call", {"_meta": {}}, number)
    within(exchange).run(here.leaves, message)
    return message


def run(work: Any) -> None:
    asyncio.run(work)


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
        assert here.wire._outcomes == {}
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


# What it tells


def test_progress_is_told_of_our_own_open_calls_alone() -> None:
    here = Judged()
    requests(here, Exchange(call=CALL), 7)
    requests(here, Exchange(), 8)
    for token in (7, "7", 8, 9, None, [7], True):
        assert not here.comes(
            note("notifications/progress", {"progressToken": token, "progress": 1})
        )
    assert here.events == [Progress("jobs", CALL.id, 1)] * 2
    here.comes(note("notifications/progress", {"progressToken": 7}))
    here.comes(answer(7))
    here.comes(note("notifications/progress", {"progressToken": 7, "progress": 2}))
    assert len(here.events) == 2


def test_what_a_server_logs_is_a_calls_where_there_is_but_one() -> None:
    async def body() -> None:
        here = Judged()
        log = note("notifications/message", {"level": "info", "data": "x"})
        assert not here.comes(log)
        async with here.open.turn(CALL):
            here.comes(log)
            async with here.open.turn(Call("tools/call", "other")):
                here.comes(log)
        assert [event.call_id for event in here.events] == [None, CALL.id, None]
        assert {type(event) for event in here.events} == {LogMessage}

    run(body())


def test_a_notification_that_nobody_knows_goes_on_and_one_that_is_none_is_lost() -> None:
    here = Judged()
    assert not here.comes(note("notifications/tools/list_changed"))
    assert here.events == [ListChanged("jobs", "tools")]
    assert here.comes(note("notifications/other", {}))
    assert here.comes(note("notifications/cancelled", None))
    assert not here.comes(note("notifications/other", [1]))
    assert len(here.told) == 1


def test_a_stream_has_begun_when_its_server_says_so_under_our_id() -> None:
    here, begun = Judged(modern=True), []
    requests(here, Exchange(acknowledged=lambda: begun.append(True)), 7)
    for meta in (None, {}, {"io.modelcontextprotocol/subscriptionId": 8}):
        here.comes(note("notifications/subscriptions/acknowledged", {"_meta": meta}))
    assert begun == []
    here.comes(
        note(
            "notifications/subscriptions/acknowledged",
            {"_meta": {wire_module.SUBSCRIPTION_ID_META_KEY: 7}},
        )
    )
    assert begun == [True]


# Rounds and tasks


ROUND = {
    "resultType": "input_required",
    "inputRequests": {"a": {"method": "elicitation/create", "params": FORM}},
    "requestState": "s",
}


def test_a_round_is_judged_where_it_arrives_and_its_answers_are_told_when_they_left() -> None:
    here, exchange = Judged(modern=True), Exchange(call=CALL)
    requests(here, exchange, 7)
    result = answer(7, **ROUND)
    assert here.comes(result)
    assert result.result == {"resultType": "input_required", "requestState": ""}
    assert exchange.new_round is not None
    (asked,) = here.broker.asked
    assert (asked.calls, asked.round) == ((CALL,), 1)
    assert here.wire.unanswered(CALL.id) == (asked,)
    assert exchange.result == ROUND
    requests(here, Exchange(call=CALL, round=2, answering=(asked,)), 8)
    assert here.broker.heard == [("sent", asked.id)]
    assert here.wire.unanswered(None) == ()


def test_a_round_of_a_call_that_ended_is_asked_of_nobody() -> None:
    here, last = Judged(modern=True), Exchange(call=CALL, last=True)
    requests(here, last, 7)
    here.comes(answer(7, **ROUND))
    assert here.broker.asked == []
    assert last.new_round is not None
    assert last.new_round.elicitations == ()
    here = Judged(modern=True)
    requests(here, Exchange(call=CALL), 7)
    here.comes(answer(7, **ROUND))
    here.wire.call_ended(CALL.id)
    assert here.broker.heard == [("withdraw", "The call that it belongs to has ended.")]
    assert here.wire.unanswered(None) == ()


def test_what_looks_like_a_round_is_a_result_where_there_are_no_rounds() -> None:
    for here, exchange in (
        (Judged(), Exchange(call=CALL)),
        (Judged(modern=True), Exchange()),
    ):
        requests(here, exchange, 7)
        result = answer(7, **ROUND)
        here.comes(result)
        assert (exchange.new_round, result.result) == (None, ROUND)
    forgotten = Exchange(call=CALL)
    here = Judged(modern=True)
    requests(here, forgotten, 7)
    here.wire.forget(forgotten)
    here.comes(answer(7, **ROUND))
    assert (forgotten.new_round, forgotten.result, here.broker.asked) == (None, None, [])


def test_a_task_is_shown_to_the_library_as_a_round_and_kept_as_it_was() -> None:
    here, exchange = Judged(modern=True), Exchange(call=CALL)
    requests(here, exchange, 7)
    task = answer(7, resultType="task", taskId="t", status="working")
    here.comes(task)
    assert task.result == {"resultType": "input_required", "requestState": ""}
    assert exchange.result == {"resultType": "task", "taskId": "t", "status": "working"}
    one, two = (ElicitationRequest(ServerIdentity("jobs", "stdio", "jobs"), FORM) for _ in "ab")
    here.wire.asked_in_task("other", [one])
    here.wire.asked_in_task("other", [two])
    assert here.wire.unanswered(None) == (one, two)


def test_an_error_ends_its_request_and_one_without_an_id_nothing() -> None:
    here, exchange = Judged(), Exchange(call=CALL)
    requests(here, exchange, 7)
    nameless = JSONRPCError(jsonrpc="2.0", id=None, error=ErrorData(code=1, message="x"))
    assert here.comes(nameless)
    assert not exchange.answered_by_error
    assert here.comes(JSONRPCError(jsonrpc="2.0", id=7, error=ErrorData(code=1, message="x")))
    assert exchange.answered_by_error
    assert here.told == []
    assert here.comes(JSONRPCError(jsonrpc="2.0", id=7, error=ErrorData(code=1, message="x")))
    assert len(here.told) == 1


def test_what_goes_out_with_a_request_of_ours_is_there_and_nothing_else() -> None:
    here = Judged(modern=True)
    plain = requests(here, Exchange(call=CALL), 7)
    assert plain.params == {"_meta": {}}
    here.wire.log_level = "debug"
    extra = requests(here, Exchange(call=CALL, extra={"requestState": "s"}), 8)
    assert extra.params is not None
    assert extra.params["requestState"] == "s"
    assert list(extra.params["_meta"].values()) == ["debug"]
    older = Judged()
    older.wire.log_level = "debug"
    assert requests(older, Exchange(call=CALL), 7).params == {"_meta": {}}
    start = older.leaves(request("initialize", {"capabilities": {"sampling": {}}}, 9))
    assert start.params["capabilities"] == {"elicitation": {"form": {}, "url": {}}}
