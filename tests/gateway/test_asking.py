"""Who is asked, without a transport: the agent's own client, or whoever looks at the store."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import pytest

from elicit_tui.elicitation import (
    Call,
    Deadline,
    ElicitationRequest,
    Finding,
    Outcome,
    Question,
    Review,
    Severity,
    approval_request,
    form_of,
)
from elicit_tui.gateway.agent_answers import AgentAnswers
from elicit_tui.gateway.agents import known_agents
from elicit_tui.gateway.asking import TOO_FAST_SECONDS, AskedInClient, Asking
from elicit_tui.gateway.held_call import AsksClient, HeldCall, StillRuns
from elicit_tui.gateway.held_calls import HeldCalls
from elicit_tui.gateway.requester import AgentInfo, ClientSilent
from tests.broker.conftest import COLOUR, form_request
from tests.gateway.held import Request, Watcher
from tests.gateway.world import WAIT, MovedClock, PersonAtOtherTerminal, settled

pytestmark = pytest.mark.anyio

HOLD = 50.0
RED: Mapping[str, Any] = {"action": "accept", "content": {"colour": "red"}}
WARNING = Finding("own.careful", Severity.WARN, "message", "x", "Be careful.")


class Client(Request):
    """A request whose client shows forms; it answers when a test says so."""

    def __init__(self, arrived: float, name: str | None, modes: frozenset[str]) -> None:
        super().__init__(arrived)
        self.agent = AgentInfo(name, None, modes)
        self.shown: list[Mapping[str, Any]] = []
        self.answers: list[asyncio.Future[Mapping[str, Any]]] = []

    async def elicit(self, params: Mapping[str, Any]) -> Mapping[str, Any]:
        self.shown.append(params)
        self.answers.append(asyncio.get_running_loop().create_future())
        return await self.answers[-1]


class World:
    """One call of an agent with a client of its own, and a person at another terminal."""

    def __init__(
        self,
        ask_via: Any = "auto",
        name: str | None = "a test",
        modes: frozenset[str] = frozenset({"form"}),
        agents: bool = True,
    ) -> None:
        self.clock = MovedClock()
        self.calls = HeldCalls(self.clock)
        self.calls.watched_by(Watcher())
        self.person = PersonAtOtherTerminal()
        self.in_client: list[tuple[AskedInClient, ...]] = []
        self.asking = Asking(
            self.calls,
            self.person,
            self.clock,
            ask_via=ask_via,
            hold_sec=HOLD,
            client_asked=lambda shown: self.in_client.append(tuple(shown)),
            agent_answers=AgentAnswers(allowed=agents),
        )
        work: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self.call = Call("tools/call", "paint", {})
        self.held: HeldCall = self.calls.start(self.call, "paint", "key", work)
        self.client = Client(self.clock.time(), name, modes)
        self.held.requesters.append(self.client)  # type: ignore[arg-type]
        self._tasks: list[asyncio.Future[Outcome]] = []

    def question(self, *findings: Finding, schema: Any = None, **more: Any) -> Question:
        params = {"requestedSchema": schema or COLOUR}
        request = form_request(calls=(self.call,), params=params)
        return Question(request, Review(findings), form=form_of(request), **more)

    async def asks(self, question: Question) -> asyncio.Future[Outcome]:
        asking = asyncio.ensure_future(self.asking.respond(question, Deadline(0)))
        self._tasks.append(asking)
        await settled()
        return asking

    async def client_says(self, answer: Mapping[str, Any], after: float = 0.0) -> None:
        await self.clock.move(after)
        self.client.answers[-1].set_result(answer)
        await settled()

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.calls.end()


MakeWorld = Callable[..., World]


@pytest.fixture
async def make_world() -> AsyncIterator[MakeWorld]:
    made: list[World] = []

    def make(*given: Any, **more: Any) -> World:
        made.append(World(*given, **more))
        return made[-1]

    yield make
    for world in made:
        await world.close()


async def ended(asking: asyncio.Future[Outcome]) -> Outcome:
    return await asyncio.wait_for(asking, WAIT)


@pytest.mark.parametrize(
    ("ask_via", "modes", "there", "findings", "in_client"),
    [
        ("auto", {"form"}, False, (), True),
        ("auto", {"form"}, True, (), False),
        ("auto", {"form"}, False, (WARNING,), False),
        ("auto", {"url"}, False, (), False),
        ("auto", set(), False, (), False),
        ("client", {"form"}, True, (), True),
        ("client", {"form"}, False, (WARNING,), True),
        ("console", {"form"}, False, (), False),
    ],
)
async def test_a_question_stands_in_one_place(
    make_world: MakeWorld,
    ask_via: str,
    modes: set[str],
    there: bool,
    findings: tuple[Finding, ...],
    in_client: bool,
) -> None:
    world = make_world(ask_via, modes=frozenset(modes))
    world.person.there = there
    await world.asks(world.question(*findings))
    assert (len(world.client.shown), len(world.person.asked)) == ((1, 0) if in_client else (0, 1))
    assert world.held.has_asked
    assert bool(world.held.waiting) is not in_client


async def test_what_a_client_shows_is_told_while_it_stands_there(make_world: MakeWorld) -> None:
    world = make_world()
    asking = await world.asks(world.question())
    ((shown,),) = world.in_client
    assert (shown.server, shown.tool) == ("paint", "paint")
    assert world.client.shown[0]["message"] == "paint asks: Which colour?"
    await world.client_says(RED)
    outcome = await ended(asking)
    assert (outcome.action, outcome.decided_by, outcome.via) == ("accept", "client", "client")
    assert outcome.content == {"colour": "red"}
    assert world.in_client[1:] == [()]


@pytest.mark.parametrize("action", ["decline", "cancel"])
async def test_a_client_that_turns_down_faster_than_anybody_reads_is_no_person(
    make_world: MakeWorld, action: str
) -> None:
    world = make_world()
    await world.asks(world.question())
    await world.client_says({"action": action}, TOO_FAST_SECONDS / 2)
    assert len(world.person.asked) == 1
    # Of an agent of this name alone, and until somebody was there to read.
    other: Any = Client(0.0, "another", frozenset())
    assert world.asking.seems_alone(world.client)  # type: ignore[arg-type]
    assert not world.asking.seems_alone(other)
    await world.asks(world.question())
    await world.client_says(RED, TOO_FAST_SECONDS)
    assert not world.asking.seems_alone(world.client)  # type: ignore[arg-type]
    read = make_world()
    asking = await read.asks(read.question())
    await read.client_says({"action": action}, TOO_FAST_SECONDS)
    assert (await ended(asking)).action == action
    assert not read.asking.seems_alone(read.client)  # type: ignore[arg-type]
    sure = make_world("client")
    asking = await sure.asks(sure.question())
    await sure.client_says({"action": action})
    assert (await ended(asking)).action == action


async def test_a_form_that_was_accepted_without_what_it_has_to_give_gets_none_of_its_like_again(
    make_world: MakeWorld,
) -> None:
    world = make_world("client")
    await world.asks(world.question())
    await world.client_says({"action": "accept"})
    assert len(world.person.asked) == 1
    await world.asks(world.question())
    assert (len(world.client.shown), len(world.person.asked)) == (1, 2)
    properties = {**COLOUR["properties"], "more": {"type": "boolean"}}
    await world.asks(world.question(schema={**COLOUR, "properties": properties}))
    assert (len(world.client.shown), len(world.person.asked)) == (1, 3)
    other = {"type": "object", "properties": {"other": {"type": "boolean"}}}
    asking = await world.asks(world.question(schema=other))
    assert len(world.client.shown) == 2
    # Nothing has to be given here.
    await world.client_says({"action": "accept"})
    assert (await ended(asking)).content == {}
    world.client.agent = AgentInfo("another", None, frozenset({"form"}))
    await world.asks(world.question())
    assert len(world.client.shown) == 3


async def test_what_may_be_left_out_does_not_make_an_empty_answer_one(
    make_world: MakeWorld,
) -> None:
    world = make_world("client")
    properties = {"note": {"type": "string"}, **COLOUR["properties"]}
    await world.asks(world.question(schema={**COLOUR, "properties": properties}))
    await world.client_says({"action": "accept"})
    assert len(world.person.asked) == 1


@pytest.mark.parametrize(
    "answer",
    [
        {"action": "accept", "content": '{"other": true}'},
        {"action": "accept", "content": []},
        {"action": "accept", "content": False},
        {"action": "Accept", "content": {"other": True}},
        {"action": ["accept"]},
        {},
    ],
)
async def test_what_a_client_says_that_is_no_answer_is_asked_of_a_person(
    make_world: MakeWorld, answer: Mapping[str, Any]
) -> None:
    world = make_world("client")
    optional = {"type": "object", "properties": {"other": {"type": "boolean"}}}
    asking = await world.asks(world.question(schema=optional))
    await world.client_says(answer)
    assert not asking.done()
    assert len(world.person.asked) == 1


async def test_what_is_no_answer_to_the_second_step_is_no_refusal_either(
    make_world: MakeWorld,
) -> None:
    world = make_world("client")
    asking = await world.asks(world.question(WARNING))
    await world.client_says(RED)
    assert len(world.client.shown) == 2
    await world.client_says({"content": {}})
    assert not asking.done()
    assert len(world.person.asked) == 1


async def test_a_client_that_stays_silent_is_not_asked_again_for_the_same_question(
    make_world: MakeWorld,
) -> None:
    world = make_world()
    question = world.question()
    asking = await world.asks(question)
    await world.clock.move(HOLD - 1)
    assert world.person.asked == []
    await world.clock.move(1)
    # Its form is taken away again.
    assert world.client.answers[0].cancelled()
    assert len(world.person.asked) == 1
    world.person.sends(question, {"colour": "blue"})
    assert (await ended(asking)).decided_by == "user"
    await world.asks(question)
    assert (len(world.client.shown), len(world.person.asked)) == (1, 2)
    world.asking.forget(question.id)
    await world.asks(question)
    assert len(world.client.shown) == 2


async def test_a_client_whose_request_ended_or_broke_off_loses_the_question(
    make_world: MakeWorld,
) -> None:
    world = make_world()
    await world.asks(world.question())
    world.held.requesters.clear()
    world.held.changed()
    await settled()
    assert len(world.person.asked) == 1
    broke = make_world()
    await broke.asks(broke.question())
    broke.client.answers[0].set_exception(ClientSilent())
    await settled()
    assert len(broke.person.asked) == 1


async def test_a_question_goes_out_in_a_round_as_soon_as_it_is_asked(
    make_world: MakeWorld,
) -> None:
    world = make_world("client")
    world.client.era = "modern"
    world.held.requesters.clear()
    held: Any = world.client
    attending = asyncio.ensure_future(world.calls.attend(world.held, held, HOLD))
    await settled()
    await world.asks(world.question())
    reply = await asyncio.wait_for(attending, WAIT)
    assert isinstance(reply, AsksClient)
    (asked,) = reply.requests.values()
    assert asked["message"] == "paint asks: Which colour?"


async def test_once_its_round_is_answered_an_agent_that_came_back_hears_that_the_tool_runs(
    make_world: MakeWorld,
) -> None:
    world = make_world("client")
    world.client.era = "modern"
    question = world.question()
    asking = await world.asks(question)
    (key,) = world.held.rounds.begin()
    # It came back by itself, while its client has the round.
    again: Any = Client(world.clock.time(), "a test", frozenset())
    again.era = "modern"
    attending = asyncio.ensure_future(world.calls.attend(world.held, again, 0.0, resumed=True))
    await settled()
    assert not attending.done()
    world.held.rounds.take({key: RED})
    assert (await ended(asking)).content == RED["content"]
    assert isinstance(await asyncio.wait_for(attending, WAIT), StillRuns)


def finds_red(content: Mapping[str, Any]) -> tuple[Finding, ...]:
    return (WARNING,) if content.get("colour") == "red" else ()


async def test_what_a_client_cannot_acknowledge_waits_for_a_person_as_the_agent_filled_it_in(
    make_world: MakeWorld,
) -> None:
    world = make_world()
    question = world.question(examine=finds_red)
    await world.asks(question)
    await world.client_says(RED)
    assert len(world.person.asked) == 1
    assert (question.draft.by_client, question.draft.typed) == ({"colour"}, False)


@pytest.mark.parametrize("agrees", [True, False])
async def test_where_only_the_client_is_asked_it_is_asked_a_second_time(
    make_world: MakeWorld, agrees: bool
) -> None:
    world = make_world("client")
    asking = await world.asks(world.question(examine=finds_red))
    await world.client_says(RED)
    assert "Be careful." in world.client.shown[1]["message"]
    await world.client_says({"action": "accept" if agrees else "cancel"})
    outcome = await ended(asking)
    assert outcome.action == ("accept" if agrees else "decline")
    assert outcome.acknowledged == ({WARNING.id} if agrees else frozenset())


async def test_what_no_call_waits_for_any_more_is_asked_of_nobody(make_world: MakeWorld) -> None:
    world = make_world()
    world.held.withdrawn = True
    outcome = await ended(await world.asks(world.question()))
    assert (outcome.action, outcome.decided_by) == ("cancel", "withdrawn")
    assert (world.client.shown, world.person.asked) == ([], [])


async def test_a_login_is_asked_of_no_client_whatever_the_owner_says(make_world: MakeWorld) -> None:
    world = make_world("client", modes=frozenset({"form", "url"}))
    page = {"mode": "url", "message": "Log in.", "url": "https://as.example/authorize"}
    server = world.question().request.server
    login = ElicitationRequest(server, page, kind="authorization", calls=(world.call,))
    await world.asks(Question(login))
    assert (world.client.shown, len(world.person.asked)) == ([], 1)


@pytest.mark.parametrize("http", [True, False])
async def test_an_agent_that_drops_forms_on_its_pipe_is_asked_over_http_alone(
    make_world: MakeWorld, http: bool
) -> None:
    (drops,) = (agent for agent in known_agents().values() if agent.drops_forms)
    world = make_world("client", drops.names[0].rstrip("*"))
    world.client.http = http
    await world.asks(world.question())
    assert (len(world.client.shown), len(world.person.asked)) == ((1, 0) if http else (0, 1))


@pytest.mark.parametrize("page_id", ["e-1", None])
async def test_a_page_is_shown_in_a_client_with_who_asks_for_it_and_an_id(
    make_world: MakeWorld, page_id: str | None
) -> None:
    world = make_world("client", modes=frozenset({"url"}))
    page = {"mode": "url", "message": "Pay\x1b.", "url": "https://pay.example/1"}
    page |= {} if page_id is None else {"elicitationId": page_id}
    server = world.question().request.server
    question = Question(ElicitationRequest(server, page, calls=(world.call,)))
    asking = await world.asks(question)
    (shown,) = world.client.shown
    assert (shown["mode"], shown["url"]) == ("url", "https://pay.example/1")
    assert shown["message"].startswith("paint asks: Pay")
    assert "\x1b" not in shown["message"]
    assert shown["elicitationId"] == (page_id or question.id)
    await world.client_says({"action": "accept", "content": {"a": 1}})
    outcome = await ended(asking)
    assert (outcome.action, outcome.content, outcome.scope) == ("accept", None, None)


async def test_a_clients_time_begins_as_it_is_shown_the_question(make_world: MakeWorld) -> None:
    world, deadline = make_world(), Deadline(60)
    asking = asyncio.ensure_future(world.asking.respond(world.question(), deadline))
    await settled()
    assert len(world.client.shown) == 1
    assert deadline.remaining is not None
    await world.client_says(RED)
    await ended(asking)


async def test_an_approval_stands_in_a_client_only_where_the_owner_says_so(
    make_world: MakeWorld,
) -> None:
    for ask_via, in_client in (("auto", False), ("client", True)):
        world = make_world(ask_via)
        server = world.question().request.server
        asking = await world.asks(Question(approval_request(server, world.call, None, "why")))
        assert bool(world.client.shown) is in_client
        if in_client:
            await world.client_says({"action": "accept"})
            outcome = await ended(asking)
            assert (outcome.action, outcome.scope, outcome.content) == ("accept", "once", None)
