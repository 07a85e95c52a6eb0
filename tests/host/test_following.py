"""A task, a gate, a list of pages and a stream, each with a server whose words are scripted."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from elicit_tui.elicitation import Call, ElicitationRequest, Outcome, ServerIdentity, accept, cancel
from elicit_tui.errors import (
    Interrupted,
    LimitReached,
    ProtocolCallError,
    ServerError,
    TaskCancelled,
)
from elicit_tui.host import task_follower
from elicit_tui.host.events import Progress
from elicit_tui.host.rounds import CallDriver
from elicit_tui.host.task_follower import TaskFollower, task_id_of

pytestmark = pytest.mark.anyio

SERVER = ServerIdentity("jobs", "stdio", "jobs-server")
CALL = Call("tools/call", "build")
ASKS = {"method": "elicitation/create", "params": {"message": "Go on?", "requestedSchema": {}}}
DONE = {"status": "completed", "result": {"content": []}}
YES = accept("user", "Sent.", {})


class Broker:
    """Admits all, and resolves each question as it is told."""

    def __init__(self, outcome: Outcome | None = YES, admitted: Outcome | None = None) -> None:
        self.outcome = outcome
        self.admitted = admitted
        self.asked: list[ElicitationRequest] = []
        self.withdrawn: list[tuple[str, str]] = []

    def admit(self, request: ElicitationRequest) -> Outcome | None:
        return self.admitted

    async def resolve(self, request: ElicitationRequest) -> Outcome:
        self.asked.append(request)
        if self.outcome is None:
            await asyncio.Event().wait()
        assert self.outcome is not None
        return self.outcome

    def withdraw(self, request_id: str, sentence: str, *more: str) -> None:
        self.withdrawn.append((request_id, sentence))


class Session:
    """Tells of a task what the script says, one line for each poll; the last one for ever."""

    def __init__(self, *told: Any, cancelled: Any = None) -> None:
        self.told = list(told)
        self.sent: list[tuple[str, dict[str, Any]]] = []
        self.judged: list[Any] = []
        self.in_task: list[ElicitationRequest] = []
        self.wire = SimpleNamespace(asked_in_task=lambda call, more: self.in_task.extend(more))
        self.after_cancel = cancelled
        self.carried: list[int] = []
        """How many questions' answers each update carried."""
        self.slow = False

    def judge(self, result: Any, *, is_call: bool) -> None:
        self.judged.append((result, is_call))

    async def about_task(
        self, method: str, task: str, more: Mapping[str, Any] | None = None, answering: Any = ()
    ) -> dict[str, Any]:
        self.sent.append((method, dict(more or {})))
        if method == "tasks/cancel" and self.after_cancel is not None:
            self.told = [self.after_cancel]
        if method == "tasks/update":
            if self.slow:
                await asyncio.wait([asyncio.ensure_future(asyncio.Event().wait())], timeout=0.02)
            self.carried.append(len(answering))
        if method != "tasks/get":
            return {}
        now = self.told.pop(0) if len(self.told) > 1 else self.told[0]
        if isinstance(now, Exception):
            raise now
        return {"taskId": task, **now}

    def methods(self) -> list[str]:
        return [method for method, _ in self.sent]


def follow(session: Session, broker: Broker | None = None, rounds: int = 9) -> TaskFollower:
    driver = CallDriver(
        SERVER,
        session,  # type: ignore[arg-type]
        broker or Broker(),  # type: ignore[arg-type]
        CALL,
        rounds,
        events.append,
        lambda: False,
    )
    return TaskFollower(driver, 0)


events: list[Any] = []


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    events.clear()
    monkeypatch.setattr(task_follower, "SHORTEST_SECONDS", 0.001)
    monkeypatch.setattr(task_follower, "ANSWERS_SECONDS", 0.05)


async def came_to(follower: TaskFollower, **created: Any) -> dict[str, Any]:
    first = {"taskId": "t", "status": "working", **created}
    return await asyncio.wait_for(follower.run(first), 30)


def asking(**keys: Any) -> dict[str, Any]:
    return {"status": "input_required", "inputRequests": keys}


async def test_a_task_that_is_done_ends_with_its_result_which_is_judged_as_a_calls() -> None:
    session = Session({"status": "working"}, DONE)
    assert await came_to(follow(session)) == {"content": []}
    assert session.judged == [({"content": []}, True)]
    assert session.methods() == ["tasks/get", "tasks/get"]


async def test_each_question_of_a_task_is_asked_once_and_answered_under_its_key() -> None:
    session, broker = Session(asking(a=ASKS), asking(a=ASKS, b=ASKS), DONE), Broker()
    follower = follow(session, broker)
    await came_to(follower)
    answers = [more["inputResponses"] for method, more in session.sent if method == "tasks/update"]
    assert [list(answer) for answer in answers] == [["a"], ["b"]]
    assert answers[0]["a"]["action"] == "accept"
    assert (len(broker.asked), follower.rounds, len(session.in_task)) == (2, 2, 2)
    assert broker.withdrawn == []


async def test_a_question_that_a_task_asks_no_longer_is_withdrawn_and_not_answered() -> None:
    session, broker = Session(asking(a=ASKS), asking(), DONE), Broker(outcome=None)
    await came_to(follow(session, broker))
    assert [why for _, why in broker.withdrawn] == ["The server withdrew the question."]
    assert "tasks/update" not in session.methods()
    ends = Broker(outcome=None)
    await came_to(follow(Session(asking(a=ASKS), DONE), ends))
    # Done, it wants no answer any more.
    assert len(ends.withdrawn) == 1


async def test_what_is_refused_at_once_is_answered_and_counts_as_nobodys_time() -> None:
    refused = Broker(admitted=cancel("policy", "Never."))
    session = Session(asking(a=ASKS), asking(a=ASKS, b=ASKS), asking(c=ASKS))
    with pytest.raises(LimitReached, match="asked 2 times without a person"):
        await came_to(follow(session, refused, rounds=2))
    assert refused.asked == []
    by_rule = Session(asking(a=ASKS), asking(b=ASKS), asking(c=ASKS))
    with pytest.raises(LimitReached):
        await came_to(follow(by_rule, Broker(accept("rule", "", {})), rounds=2))
    enough = Session(asking(a=ASKS), asking(b=ASKS), DONE)
    await came_to(follow(enough, Broker(accept("rule", "", {})), rounds=2))
    grouped = replace(cancel("flood", "Too many."), in_group=True)
    for outcome, carried in ((cancel("policy", "Never."), [1]), (grouped, [0])):
        alone = Session(asking(a=ASKS), {"status": "working"}, DONE)
        await came_to(follow(alone, Broker(admitted=outcome)))
        assert alone.carried == carried
    by_person = Session(asking(a=ASKS), asking(b=ASKS), asking(c=ASKS), DONE)
    await came_to(follow(by_person, Broker(), rounds=2))


async def test_an_answer_that_is_on_its_way_when_a_task_ends_arrives() -> None:
    session = Session(asking(a=ASKS), DONE)
    session.slow = True
    await came_to(follow(session))
    assert session.carried == [1]


async def test_what_a_task_that_works_still_names_is_asked_of_nobody() -> None:
    broker = Broker()
    stale = {"status": "working", "inputRequests": {"a": ASKS}}
    await came_to(follow(Session(stale, DONE), broker))
    assert broker.asked == []


async def test_after_an_answer_a_task_is_asked_no_more_often_than_before() -> None:
    slowly = {"status": "working", "pollIntervalMs": 50}
    session = Session(asking(a=ASKS), slowly)
    running = asyncio.ensure_future(came_to(follow(session)))
    await asyncio.wait([running], timeout=0.3)
    running.cancel()
    await asyncio.wait([running])
    assert session.methods().count("tasks/get") < 20


async def test_a_poll_may_fail_twice_after_one_another_and_not_three_times() -> None:
    fails = ProtocolCallError(-32000, "busy")
    works = {"status": "working"}
    session = Session(fails, fails, works, fails, fails, DONE)
    assert await came_to(follow(session)) == {"content": []}
    with pytest.raises(ServerError, match="no longer tells of the task") as error:
        await came_to(follow(Session(fails, fails, fails, DONE)))
    assert error.value.code == "task_lost"
    for code in (-32602, -32601):
        with pytest.raises(ServerError, match="It says: gone"):
            await came_to(follow(Session(ProtocolCallError(code, "gone."), DONE)))


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ({"taskId": "other", **DONE}, "another task than it was asked for"),
        ({"status": "resting"}, "a state that the protocol does not know"),
        ({"status": "completed", "result": []}, "completed, and has no result"),
        ({"status": "failed"}, "does not say how"),
        ({"status": "failed", "error": {"code": True, "message": "x"}}, "does not say how"),
        ({"status": "failed", "error": {"code": 5, "message": 5}}, "does not say how"),
        ({"status": "cancelled"}, "cancelled its task"),
        ({"status": "input_required", "inputRequests": []}, "inputRequests is not an object"),
    ],
)
async def test_a_task_that_lies_is_an_error_and_is_asked_to_stop(told: Any, why: str) -> None:
    session = Session(told)
    with pytest.raises(ServerError, match=why):
        await came_to(follow(session))
    assert session.methods()[-1] == "tasks/cancel"


async def test_a_task_that_failed_ends_with_its_own_error() -> None:
    failed = {"status": "failed", "error": {"code": -5, "message": "No.", "data": [1]}}
    with pytest.raises(ProtocolCallError, match=r"No\.") as error:
        await came_to(follow(Session(failed)))
    assert (error.value.code, error.value.data) == (-5, [1])


async def test_a_task_that_asks_for_what_was_never_advertised_or_too_much_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sampling = {"method": "sampling/createMessage", "params": {}}
    with pytest.raises(ProtocolCallError, match="sampling/createMessage, which was not advertised"):
        await came_to(follow(Session(asking(a=sampling))))
    monkeypatch.setattr(task_follower, "MOST_KEYS", 2)
    with pytest.raises(ServerError, match="asks for more than 2 things"):
        await came_to(follow(Session(asking(a=ASKS, b=ASKS), asking(c=ASKS))))
    for odd in (None, 5, "", "x" * 1001):
        with pytest.raises(ServerError, match="a task without an id"):
            task_id_of({"taskId": odd})
    assert task_id_of({"taskId": "x" * 1000}) == "x" * 1000


async def test_a_task_that_was_cancelled_ends_as_its_server_says_or_without_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for ended, raised in (
        ({"status": "cancelled"}, TaskCancelled),
        ({"status": "working"}, Interrupted),
        (asking(late=ASKS), Interrupted),
    ):
        monkeypatch.setattr(task_follower, "LAST_WORD_SECONDS", 0.05)
        broker = Broker()
        session = Session({"status": "working", "pollIntervalMs": 9_000}, cancelled=ended)
        follower = follow(session, broker)
        running = asyncio.ensure_future(came_to(follower, pollIntervalMs=9_000))
        await asyncio.wait([running], timeout=0.01)
        await follower.cancel()
        with pytest.raises(raised):
            await running
        # Nothing new is asked of anybody.
        assert broker.asked == []
    session = Session({"status": "working"}, cancelled=DONE)
    follower = follow(session)
    running = asyncio.ensure_future(came_to(follower, pollIntervalMs=9_000))
    await asyncio.wait([running], timeout=0.01)
    await follower.cancel()
    assert await running == {"content": []}


async def test_a_task_that_was_cancelled_ends_though_its_server_answers_no_poll_any_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(task_follower, "LAST_WORD_SECONDS", 0.05)

    class Silent(Session):
        polled = asyncio.Event()

        async def about_task(self, method: str, *given: Any) -> dict[str, Any]:
            if method == "tasks/get":
                self.polled.set()
                await asyncio.Event().wait()
            return await super().about_task(method, *given)

    session = Silent({"status": "working"})
    follower = follow(session)
    running = asyncio.ensure_future(came_to(follower, pollIntervalMs=100))
    await asyncio.wait_for(session.polled.wait(), 10)
    await follower.cancel()
    await asyncio.wait([running], timeout=10)
    assert running.done()
    assert isinstance(running.exception(), Interrupted)


@pytest.mark.parametrize(
    ("wanted", "seconds"),
    [(500, 0.5), (0, 0.1), (10**9, 10.0), (float("nan"), None), (True, None), ("5", None)],
)
async def test_how_often_a_server_is_asked_is_within_our_bounds(
    monkeypatch: pytest.MonkeyPatch, wanted: Any, seconds: float | None
) -> None:
    monkeypatch.undo()
    pauses = iter([7.0])
    found = task_follower._interval({"pollIntervalMs": wanted}, pauses)
    assert found == (7.0 if seconds is None else seconds)


async def test_how_a_task_goes_on_is_told_where_it_changed() -> None:
    said = [{"status": "working", "statusMessage": text} for text in ("a", "a", "b", "", 5)]
    await came_to(follow(Session(*said, DONE)))
    told = [(each.progress, each.message) for each in events if isinstance(each, Progress)]
    assert told == [(1.0, "a"), (2.0, "b")]
