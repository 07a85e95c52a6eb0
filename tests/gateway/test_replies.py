"""What one request is answered for a call that pauses, asks its client, is a task or still runs."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest

from elicit_tui.elicitation import Call, Question, now, rfc3339
from elicit_tui.gateway import telling
from elicit_tui.gateway.agent_answers import AgentAnswers
from elicit_tui.gateway.held_call import (
    AsksClient,
    BecameTask,
    Ended,
    HeldCall,
    Paused,
    StillRuns,
)
from elicit_tui.gateway.replies import Replies
from elicit_tui.gateway.telling import PAUSED_META_KEY
from tests.broker.conftest import COLOUR, form_request

PAUSED = Paused()


@dataclass
class Pending:
    """A question of the broker, and the time that is left for it."""

    question: Question
    left: float | None

    @property
    def deadline(self) -> Any:
        return self

    @property
    def remaining(self) -> float | None:
        return self.left


@dataclass
class Broker:
    pending: list[Pending] = field(default_factory=list)


def held_call(method: Any = "tools/call", *messages: str) -> HeldCall:
    held = HeldCall(Call(method, "deploy", {"to": "live"}), "web", "key")
    for message in messages:
        question = Question(form_request(message))
        held.waiting[question.id] = question
    return held


def replied(
    held: HeldCall,
    reply: Any,
    broker: Broker | None = None,
    *,
    resumed: bool = False,
    alone: bool = False,
    answers: Any = "deny",
) -> dict[str, Any]:
    kept: Any = broker or Broker()
    replies = Replies(AgentAnswers(allowed=answers == "allow"), kept)
    return replies.result(held, reply, resumed=resumed, alone=alone)


def says(result: dict[str, Any]) -> str:
    (block,) = result["content"]
    text: str = block["text"]
    return text


def test_the_servers_own_result_is_given_as_it_is() -> None:
    result = {"content": [], "structuredContent": 1.0}
    assert replied(held_call(), Ended(result)) is result


def test_a_round_hands_its_client_what_to_ask_and_what_to_come_back_with() -> None:
    asks = AsksClient({"key": {"message": "?"}}, "state")
    assert replied(held_call(), asks) == {
        "resultType": "input_required",
        "inputRequests": {"key": {"method": "elicitation/create", "params": {"message": "?"}}},
        "requestState": "state",
    }


def test_a_task_is_given_by_its_id_and_a_slow_tool_says_that_it_runs() -> None:
    held = held_call()
    task = replied(held, BecameTask())
    assert (task["resultType"], task["taskId"]) == ("task", held.id)
    assert says(replied(held, StillRuns(), resumed=True)) == telling.STILL_RUNS


def test_the_first_time_the_id_is_told_and_who_came_back_too_early_when_to_come() -> None:
    held = held_call("tools/call", "Which colour?")
    assert says(replied(held, PAUSED)) == telling.paused_text(held.id)
    assert says(replied(held, PAUSED, resumed=True)) == telling.STILL_WAITING
    assert says(replied(held, PAUSED, resumed=True, alone=True)) == telling.STILL_WAITING_ALONE
    assert "isError" not in replied(held, PAUSED)


def test_a_paused_call_says_what_it_waits_for_neutral_and_on_one_line() -> None:
    held = held_call("tools/call", "Which\ncolour?\x1b[31m" + "x" * 600, "Which size?")
    meta = replied(held, PAUSED)["_meta"][PAUSED_META_KEY]
    message = meta.pop("message")
    assert message.startswith("Which")
    assert not {"\n", "\x1b"} & set(message)
    assert 400 < len(message) < 600
    assert meta == {
        "id": held.id,
        "expiresAt": None,
        "toolPath": "web/deploy",
        "args": {"to": "live"},
    }
    assert replied(held_call(), PAUSED)["_meta"][PAUSED_META_KEY]["message"] == ""


def test_it_is_told_when_the_first_of_its_own_questions_ends() -> None:
    held = held_call("tools/call", "one", "two", "three")
    times = iter((120.0, 60.0, None))
    own = [Pending(question, next(times)) for question in held.waiting.values()]
    other = Pending(Question(form_request()), 1.0)

    def expires(*pending: Pending) -> str | None:
        meta = replied(held, PAUSED, Broker([other, *pending]))["_meta"][PAUSED_META_KEY]
        return meta["expiresAt"]  # type: ignore[no-any-return]

    earliest = rfc3339(now() + timedelta(seconds=59))
    told = expires(*own)
    assert told is not None
    assert earliest <= told <= rfc3339(now() + timedelta(seconds=61))
    assert expires(own[2]) is None
    assert expires() is None


@pytest.mark.parametrize(
    ("method", "key"), [("prompts/get", "messages"), ("resources/read", "contents")]
)
def test_what_is_no_tool_pauses_in_the_shape_of_its_own_result(method: Any, key: str) -> None:
    held = held_call(method, "?")
    result = replied(held, PAUSED)
    (only,) = result[key]
    assert telling.paused_text(held.id) in json.dumps(only)
    assert result["_meta"][PAUSED_META_KEY]["id"] == held.id
    if method == "resources/read":
        assert only["uri"] == "deploy"
    # It is asked for again by a tool of ours, whose result this is.
    assert says(replied(held, PAUSED, resumed=True)) == telling.STILL_WAITING


def test_only_an_agent_that_may_answer_reads_the_question_with_its_schema() -> None:
    held = held_call("tools/call", "Which\x1b[31m?")
    assert "elicit_answer" not in says(replied(held, PAUSED))
    text = says(replied(held, PAUSED, answers="allow"))
    asked = json.loads(text.partition("for elicit_answer: ")[2])
    assert (asked["requestedSchema"], asked["question"]) == (COLOUR, next(iter(held.waiting)))
    assert "\x1b" not in asked["message"]
    assert "elicit_answer" not in says(replied(held_call(), PAUSED, answers="allow"))
