"""A task, a gate, a list of pages and a stream, each with a server whose words are scripted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from elicit_tui.elicitation import Call, ElicitationRequest, Outcome, ServerIdentity, accept, cancel
from elicit_tui.errors import (
    INVALID_ANSWER,
    Interrupted,
    LimitReached,
    ProtocolCallError,
    ServerError,
    TaskCancelled,
    ToolRefused,
)
from elicit_tui.host import offers, subscriptions, task_follower
from elicit_tui.host.events import ListChanged, Progress, ResourceUpdated
from elicit_tui.host.gate import ToolGate
from elicit_tui.host.offers import Tool, all_pages
from elicit_tui.host.subscriptions import Subscriptions
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
    return TaskFollower(
        SERVER,
        session,  # type: ignore[arg-type]
        broker or Broker(),  # type: ignore[arg-type]
        CALL,
        rounds,
        0,
        events.append,
    )


events: list[Any] = []


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    events.clear()
    monkeypatch.setattr(task_follower, "SHORTEST_SECONDS", 0.001)
    monkeypatch.setattr(task_follower, "ANSWERS_SECONDS", 0.05)


async def came_to(follower: TaskFollower, **created: Any) -> dict[str, Any]:
    first = {"taskId": "t", "status": "working", **created}
    return await asyncio.wait_for(follower.run(first), 10)


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


# The gate


class Gated:
    """A connection that lists what it is told to."""

    def __init__(self, *listings: Any, tells: bool = True) -> None:
        self.id, self.name, self.identity = "c1", "jobs", SERVER
        self.process_id: int | None = 7
        self.tells_of_changed_tools = tells
        self.listings = list(listings)
        self.listed = 0
        self.gate: ToolGate | None = None
        self.is_gone = False

    async def settled(self) -> None:
        if self.is_gone:
            raise ServerError("It went away.")

    async def tools(self) -> list[Tool]:
        self.listed += 1
        now = self.listings.pop(0) if len(self.listings) > 1 else self.listings[0]
        if isinstance(now, Exception):
            raise now
        tools = [Tool("build", raw=now)]
        assert self.gate is not None
        self.gate.listed(tools)
        return tools


class Approving:
    """A broker that answers each approval as it is told."""

    def __init__(self, *outcomes: Outcome | None, needs: bool = True) -> None:
        self.outcomes = list(outcomes)
        self.needs = needs
        self.asked: list[Any] = []
        self.pending: tuple[Any, ...] = ()
        self.meanwhile: Callable[[], None] = lambda: None

    def needs_definition(self, server: str, tool: str) -> bool:
        return self.needs

    async def approve(self, server: Any, call: Call, *told: Any) -> Outcome | None:
        self.asked.append(told)
        self.meanwhile()
        return self.outcomes.pop(0) if len(self.outcomes) > 1 else self.outcomes[0]


ALLOWED = accept("user", "Yes.", None)


def gate_of(connection: Gated, broker: Approving) -> ToolGate:
    connection.gate = ToolGate(connection, broker)  # type: ignore[arg-type]
    return connection.gate


async def test_a_tool_is_called_only_as_it_was_when_a_person_allowed_it() -> None:
    first, second = {"name": "build", "description": "a"}, {"name": "build", "description": "b"}
    connection, broker = Gated(first, second, tells=False), Approving(ALLOWED)
    gate = gate_of(connection, broker)
    with pytest.MonkeyPatch.context() as now:
        now.setattr("elicit_tui.host.gate.LIVE_SECONDS", 0.0)
        await gate.passed(CALL)
    assert [(told[0], told[2]) for told in broker.asked] == [(first, None), (second, first)]
    assert {told[1] for told in broker.asked} == {"pid 7"}
    connection.process_id = None
    await gate.passed(CALL)
    assert broker.asked[-1][1] == "connection c1"


async def test_a_list_counts_until_the_server_tells_of_another_one() -> None:
    connection = Gated({"name": "build"})
    gate = gate_of(connection, Approving(None))
    for _ in range(3):
        await gate.passed(CALL)
    assert connection.listed == 1
    gate.changed()
    await gate.passed(CALL)
    assert connection.listed == 2
    await gate.passed(Call("tools/call", "unlisted"))
    assert connection.listed == 4
    unasked = Gated({"name": "build"})
    await gate_of(unasked, Approving(None, needs=False)).passed(CALL)
    assert unasked.listed == 0
    untold = Gated({"name": "build"}, tells=False)
    await gate_of(untold, Approving(None)).passed(CALL)
    assert untold.listed == 1


async def test_a_list_that_is_refused_or_none_leaves_the_tool_unknown_and_a_lost_server_tells() -> (
    None
):
    for error in (ProtocolCallError(-1, "no"), ServerError("no list", code=INVALID_ANSWER)):
        broker = Approving(ALLOWED)
        await gate_of(Gated(error), broker).passed(CALL)
        assert broker.asked == [(None, "pid 7", None)]
    with pytest.raises(ServerError, match="went away"):
        await gate_of(Gated(ServerError("It went away.")), Approving(None)).passed(CALL)


async def test_a_call_that_is_not_allowed_or_given_up_is_not_made() -> None:
    connection = Gated({"name": "build"})
    with pytest.raises(ToolRefused):
        await gate_of(connection, Approving(cancel("user", "No."))).passed(CALL)
    gone = Approving(cancel("server", "Gone."))
    connection.is_gone = True
    with pytest.raises(ServerError, match=r"It went away\."):
        await gate_of(connection, gone).passed(CALL)
    broker = Approving(ALLOWED)
    gate = gate_of(Gated({"name": "build"}), broker)
    settled: list[Outcome] = []
    own = SimpleNamespace(may_belong_to=lambda call: call == CALL.id)
    other = SimpleNamespace(may_belong_to=lambda call: False)
    broker.pending = tuple(
        SimpleNamespace(question=SimpleNamespace(request=request), settle=settled.append)
        for request in (own, other)
    )
    ended = cancel("user", "Cancelled.")
    assert not gate.give_up(CALL.id, ended)
    broker.meanwhile = lambda: settled.extend([ended] * gate.give_up(CALL.id, ended))
    with pytest.raises(Interrupted):
        await gate.passed(CALL)
    assert settled == [ended, ended]
    # It waits here no longer, and the next one is not given up for it.
    assert not gate.give_up(CALL.id, ended)
    broker.meanwhile = lambda: None
    await gate.passed(CALL)


# Lists, page by page


class Paged:
    """A session that lists these pages, by their cursors."""

    def __init__(self, pages: Mapping[str | None, Any], kept: set[str] | None = None) -> None:
        self.pages = pages
        self.kept = kept
        self.read: list[str | None] = []

    async def page(self, kind: str, cursor: str | None) -> tuple[Any, set[str] | None]:
        self.read.append(cursor)
        page = self.pages[cursor]
        if isinstance(page, Exception):
            raise page
        return page, self.kept


async def listed(pages: Mapping[str | None, Any], kind: str = "prompts", **more: Any) -> Any:
    found = await all_pages(Paged(pages, **more), kind)  # type: ignore[arg-type]
    return [entry["name"] for entry in found.entries], found.left_out


def named(*names: str, **more: Any) -> dict[str, Any]:
    return {"prompts": [{"name": name} for name in names], **more}


async def test_a_list_is_read_to_its_end_and_what_is_left_out_of_it_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = {None: named("a", nextCursor="2"), "2": named("b", nextCursor=5)}
    assert await listed(whole) == (["a", "b"], None)
    loop = {None: named("a", nextCursor="2"), "2": named("b", nextCursor="2")}
    names, left_out = await listed(loop)
    assert (names, "led back to a page" in left_out) == (["a", "b"], True)
    broken = {None: named("a", nextCursor="2"), "2": ProtocolCallError(-1, "no.")}
    names, left_out = await listed(broken)
    assert names == ["a"]
    assert left_out == "Its list of prompts broke off after 1: no."
    for first in (ProtocolCallError(-1, "no"), {"prompts": "x"}, {}):
        with pytest.raises((ProtocolCallError, ServerError)):
            await listed({None: first})
    odd = {None: {"prompts": [5, {"name": "a"}, "x"]}}
    assert await listed(odd) == (["a"], None)
    tools = {None: {"tools": [{"name": "a"}, {"name": "b"}]}}
    assert await listed(tools, "tools", kept={"b"}) == (["b"], None)
    templates = {None: {"resourceTemplates": [{"name": "t"}]}}
    assert await listed(templates, "templates") == (["t"], None)
    monkeypatch.setattr(offers, "MOST_ENTRIES", 2)
    names, left_out = await listed({None: named("a", "b", "c")})
    assert (names, "the first 2 is left out" in left_out) == (["a", "b"], True)
    assert await listed({None: named("a", "b")}) == (["a", "b"], None)
    monkeypatch.setattr(offers, "MOST_PAGES", 2)
    endless = {None: named("a", nextCursor="2"), "2": named(nextCursor="3")}
    assert "without an end in sight" in (await listed(endless))[1]
    monkeypatch.setattr(offers, "MOST_PAGES", 200)
    monkeypatch.setattr(offers, "MOST_CHARACTERS", 10)
    assert "without an end in sight" in (await listed(endless))[1]


async def test_of_two_tools_of_one_name_the_more_dangerous_counts_wherever_it_stands() -> None:
    safe = {"name": "a", "annotations": {"readOnlyHint": True}}
    dangerous = {"name": "a", "annotations": {"destructiveHint": True}}
    for pair in ([safe, dangerous], [dangerous, safe]):
        found = await all_pages(Paged({None: {"tools": pair}}), "tools")  # type: ignore[arg-type]
        assert found.entries == [dangerous]
        assert "It lists a more than once" in str(found.left_out)
    reads, writes = (
        {"name": "a", "annotations": {"readOnlyHint": reads, "destructiveHint": False}}
        for reads in (True, False)
    )
    for pair in ([reads, writes], [writes, reads]):
        found = await all_pages(Paged({None: {"tools": pair}}), "tools")  # type: ignore[arg-type]
        assert found.entries == [writes]
    many = [{"name": f"t{n % 7}"} for n in range(14)]
    found = await all_pages(Paged({None: {"tools": many}}), "tools")  # type: ignore[arg-type]
    assert "t4 and 2 more more than once" in str(found.left_out)


# What it tells by itself


class Listening:
    """A session that opens streams as it is told to."""

    def __init__(self, *, listening: bool, opens: bool = True) -> None:
        self.wire = SimpleNamespace(protocol=SimpleNamespace(listening=listening))
        self.opens = opens
        self.requests: list[Any] = []
        self.streams: list[dict[str, Any]] = []
        self.ended = asyncio.Event()
        self.opens_again = True
        self.breaks: Exception | None = None

    async def request(self, method: str, params: Any) -> None:
        self.requests.append((method, params))

    async def listen(self, wanted: dict[str, Any], opened: Callable[[], None]) -> None:
        if not self.opens:
            raise ProtocolCallError(-1, "no")
        self.streams.append(wanted)
        if self.opens_again:
            opened()
        await self.ended.wait()
        if self.breaks is not None:
            raise self.breaks


async def test_one_stream_is_open_for_all_that_is_wanted_and_none_where_nothing_is() -> None:
    session: Any = Listening(listening=True)
    told: list[Any] = []
    wanted = Subscriptions("jobs", told.append)
    assert not wanted.lists_are_watched
    await wanted.watch_lists(session)
    assert wanted.lists_are_watched
    await wanted.subscribe(session, "a:1")
    await wanted.unsubscribe(session, "b:2")
    lists = {f"{kind}ListChanged": True for kind in ("tools", "prompts", "resources")}
    assert session.streams == [lists, {**lists, "resourceSubscriptions": ["a:1"]}]
    await wanted.unsubscribe(session, "a:1")
    assert session.streams[-1] == lists
    assert session.requests == []
    wanted.end()
    alone = Subscriptions("jobs", told.append)
    await alone.subscribe(session, "a:1")
    assert not alone.lists_are_watched
    count = len(session.streams)
    await alone.unsubscribe(session, "a:1")
    assert (len(session.streams), alone._stream) == (count, None)


async def test_in_the_handshake_era_a_resource_is_asked_for_by_name() -> None:
    session: Any = Listening(listening=False)
    wanted = Subscriptions("jobs", lambda event: None)
    await wanted.watch_lists(session)
    await wanted.subscribe(session, "a:1")
    await wanted.unsubscribe(session, "a:1")
    assert [method for method, _ in session.requests] == [
        "resources/subscribe",
        "resources/unsubscribe",
    ]
    assert session.streams == []


async def test_a_stream_that_cannot_be_opened_is_said_and_leaves_nothing_wanted() -> None:
    session: Any = Listening(listening=True, opens=False)
    wanted = Subscriptions("jobs", lambda event: None)
    with pytest.raises(ProtocolCallError):
        await wanted.subscribe(session, "a:1")
    session.opens = True
    await wanted.watch_lists(session)
    assert "resourceSubscriptions" not in session.streams[-1]
    wanted.end()


@pytest.mark.parametrize(
    "breaks", [None, ServerError("It broke off."), ProtocolCallError(-1, "no")], ids=repr
)
async def test_after_a_stream_broke_off_all_that_is_watched_may_have_changed(
    monkeypatch: pytest.MonkeyPatch, breaks: Exception | None
) -> None:
    monkeypatch.setattr(subscriptions, "FIRST_PAUSE_SECONDS", 0.001)
    session: Any = Listening(listening=True)
    told: list[Any] = []
    heard = asyncio.Event()

    def hear(event: Any) -> None:
        told.append(event)
        if isinstance(event, ResourceUpdated):
            heard.set()

    wanted = Subscriptions("jobs", hear)
    await wanted.watch_lists(session)
    await wanted.subscribe(session, "a:1")
    assert told == []
    session.opens_again, session.breaks = False, breaks
    session.ended.set()
    await asyncio.wait_for(heard.wait(), 10)
    lists = [event.kind for event in told if isinstance(event, ListChanged)]
    assert lists[:3] == ["tools", "prompts", "resources"]
    assert told[3] == ResourceUpdated("jobs", "a:1")
    # It is not open again yet.
    assert not wanted.lists_are_watched
    wanted.end()
    session.breaks = None
    # One that ends before it began has begun all the same, and is opened once more.
    unopened = Subscriptions("jobs", hear)
    await asyncio.wait_for(unopened.subscribe(session, "b:2"), 10)
    unopened.end()
