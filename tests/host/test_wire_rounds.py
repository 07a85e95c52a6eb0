"""What a server tells beside its answers, and its rounds and tasks, as the wire lets them pass."""

from __future__ import annotations

import pytest
from mcp_types import (
    ErrorData,
    JSONRPCError,
)

from elicit_tui.elicitation import (
    Call,
    ElicitationRequest,
    ServerIdentity,
)
from elicit_tui.host import exchange as exchange_module
from elicit_tui.host import wire as wire_module
from elicit_tui.host.bounds import CHECKED
from elicit_tui.host.events import ListChanged, LogMessage, Progress
from elicit_tui.host.exchange import Exchange
from tests.host.judged import CALL, FORM, Judged, answer, note, request, requests, run

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
    assert not here.wire._rounds


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


def test_a_round_that_asks_for_more_than_anybody_could_answer_is_asked_of_nobody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(exchange_module, "MOST_AT_ONCE", 2)
    here, exchange = Judged(modern=True), Exchange(call=CALL)
    requests(here, exchange, 7)
    (entry,) = ROUND["inputRequests"].values()
    here.comes(answer(7, **{**ROUND, "inputRequests": dict.fromkeys("abc", entry)}))
    assert here.broker.asked == []
    assert exchange.new_round is not None
    assert exchange.new_round.defect == (
        "The server asked for 3 things at once; no more than 2 are looked at."
    )


def test_the_library_is_shown_the_beginning_of_a_long_list_and_nothing_of_it_is_lost() -> None:
    here, exchange = Judged(modern=True), Exchange()
    requests(here, exchange, 7)
    listed = [{"name": f"p{number}"} for number in range(CHECKED + 5)]
    result = answer(7, prompts=listed)
    here.comes(result)
    assert len(result.result["prompts"]) == CHECKED
    assert exchange.result == {"prompts": listed}


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
