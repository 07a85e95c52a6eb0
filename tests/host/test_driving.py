"""A call is driven through rounds and pages, over a session whose answers are scripted."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from elicit_tui.elicitation import (
    Call,
    ElicitationRequest,
    Outcome,
    ServerIdentity,
    accept,
    cancel,
    decline,
)
from elicit_tui.errors import Interrupted, LimitReached, ProtocolCallError, ServerError
from elicit_tui.host import rounds
from elicit_tui.host.exchange import Exchange, Judged, Round
from elicit_tui.host.rounds import CallDriver
from elicit_tui.host.session import Gone

pytestmark = pytest.mark.anyio

SERVER = ServerIdentity("jobs", "stdio", "jobs")
CALL = Call("tools/call", "build")
YES = accept("user", "Sent.", {})
DONE = {"content": []}
PAGE = {"url": "https://a.example/x", "message": "Sign in.", "elicitationId": "e"}


def asks(*names: str, state: str | None = None, at_once: Outcome | None = None) -> Round:
    judged = tuple(
        Judged(name, ElicitationRequest(SERVER, {"message": name}, calls=(CALL,)), at_once)
        for name in names
    )
    return Round(judged, (), state)


def wants(*pages: Any) -> ProtocolCallError:
    return ProtocolCallError(-32042, "Visit first.", {"elicitations": list(pages)})


class Driven:
    """A call with its session and its broker."""

    def __init__(self, *answers: Any, outcome: Outcome = YES, most_rounds: int = 9) -> None:
        self.answers = list(answers)
        self.sent: list[Exchange] = []
        self.outcome = outcome
        self.asked: list[ElicitationRequest] = []
        self.admitted: Outcome | None = None
        self.withdrawn: list[str] = []
        self.given_up = False
        self.probes = 0
        self.wire = SimpleNamespace(protocol=SimpleNamespace(stateless=False))
        self.driver = CallDriver(
            SERVER, self, self, CALL, most_rounds, lambda event: None, lambda: self.given_up
        )  # type: ignore[arg-type]

    async def send(self, exchange: Exchange) -> dict[str, Any]:
        self.sent.append(exchange)
        now = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(now, Exception):
            raise now
        exchange.new_round = now if isinstance(now, Round) else None
        return DONE

    async def probe(self) -> None:
        self.probes += 1

    def admit(self, request: ElicitationRequest) -> Outcome | None:
        return self.admitted

    async def resolve(self, request: ElicitationRequest) -> Outcome:
        self.asked.append(request)
        return self.outcome

    def withdraw(self, request_id: str, sentence: str, *more: str) -> None:
        self.withdrawn.append(sentence)

    async def run(self) -> tuple[dict[str, Any], int]:
        return await asyncio.wait_for(self.driver.run(), 20)


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounds, "FIRST_PAUSE_SECONDS", 0.001)
    monkeypatch.setattr(rounds, "LONGEST_PAUSE_SECONDS", 0.002)


@pytest.mark.parametrize(
    ("transport", "stateless", "knocks"),
    [("http", True, True), ("http", False, False), ("stdio", True, False), ("sse", True, False)],
)
async def test_a_server_is_knocked_at_where_no_stream_would_show_that_it_is_gone(
    transport: Any, stateless: bool, knocks: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rounds, "PROBE_SECONDS", 0.001)
    here = Driven(asks("a"), DONE)
    here.wire.protocol.stateless = stateless
    here.driver = replace(here.driver, identity=replace(SERVER, transport=transport))

    async def thinks(request: ElicitationRequest) -> Outcome:
        await asyncio.wait([asyncio.ensure_future(asyncio.Event().wait())], timeout=0.05)
        return YES

    here.resolve = thinks  # type: ignore[method-assign]
    await here.run()
    assert (here.probes > 0) is knocks


async def test_each_round_is_answered_by_its_keys_with_the_state_it_came_with() -> None:
    here = Driven(asks("a", "b", state="s"), asks("c"), DONE)
    assert await here.run() == (DONE, 2)
    first, second, third = here.sent
    assert (first.extra, first.round) == ({}, 1)
    assert list(second.extra["inputResponses"]) == ["a", "b"]
    assert (second.extra["requestState"], second.round, len(second.answering)) == ("s", 2, 2)
    assert (list(third.extra), third.round) == (["inputResponses"], 3)
    grouped = replace(cancel("flood", "Too many."), in_group=True)
    here = Driven(asks("a", at_once=grouped), DONE)
    await here.run()
    assert here.sent[1].answering == ()
    assert here.asked == []
    assert here.sent[1].extra["inputResponses"]["a"]["action"] == "cancel"


async def test_rounds_that_cost_nobodys_time_are_limited_and_no_others() -> None:
    for outcome, limited in (
        (YES, False),
        (cancel("deadline", "Late."), False),
        (decline("rule", "By rule."), True),
    ):
        here = Driven(*(asks("a") for _ in range(4)), DONE, outcome=outcome, most_rounds=2)
        if limited:
            with pytest.raises(LimitReached, match="went on for 2 rounds"):
                await here.run()
            assert len(here.sent) == 3
        else:
            assert await here.run() == (DONE, 4)
    alone = Driven(asks(state="s"), asks(state="s"), DONE, most_rounds=2)
    assert await alone.run() == (DONE, 2)
    assert alone.sent[1].extra == {"requestState": "s"}


async def test_a_call_that_ends_sends_its_refusals_and_asks_nobody_again() -> None:
    here = Driven(asks("a"), asks("b"), outcome=cancel("shutdown", "The run ended."))
    with pytest.raises(Interrupted):
        await here.run()
    assert ([each.last for each in here.sent], len(here.asked)) == ([False, True], 1)
    here = Driven(asks("a"), asks("b"))
    here.given_up = True
    with pytest.raises(Interrupted):
        await here.run()
    assert len(here.asked) == 1
    ended = Driven(asks("a"), DONE, outcome=cancel("shutdown", "The run ended."))
    assert await ended.run() == (DONE, 1)
    gone = Driven(asks("a"), DONE, outcome=cancel("server", "It went away."))
    with pytest.raises(Gone):
        await gone.run()


async def test_a_round_that_asks_for_what_was_never_offered_ends_the_call() -> None:
    here = Driven(asks("a")._replace(refused_methods=("roots/list",)))
    with pytest.raises(ProtocolCallError, match="asked for roots/list, which was not advertised"):
        await here.run()
    assert len(here.withdrawn) == 1
    broken = Driven(asks("a")._replace(defect="It makes no sense."))
    with pytest.raises(ServerError, match=r"It makes no sense\."):
        await broken.run()
    assert broken.withdrawn == ["Its call ended: It makes no sense."]


async def test_pages_that_are_agreed_to_are_visited_and_the_same_call_is_made_again() -> None:
    here = Driven(wants(PAGE, PAGE), DONE, outcome=accept("user", "Agreed.", None))
    assert await here.run() == (DONE, 0)
    first, second = here.sent
    assert (second.round, len(second.answering), second.call) == (2, 2, first.call)
    assert [(asked.wire_id, asked.group_size, asked.round) for asked in here.asked] == [
        ("e", 2, 1)
    ] * 2
    nameless = Driven(wants({**PAGE, "elicitationId": "x"}), DONE, outcome=YES)
    await nameless.run()
    assert nameless.asked[0].wire_id == "x"
    for outcome in (decline("user", "No."), cancel("deadline", "Late.")):
        refused = Driven(wants(PAGE), DONE, outcome=outcome)
        with pytest.raises(ProtocolCallError, match="Visit first"):
            await refused.run()
        assert len(refused.sent) == 1
    plain = Driven(ProtocolCallError(-32602, "No."), DONE)
    with pytest.raises(ProtocolCallError, match=r"No\."):
        await plain.run()


async def test_pages_without_end_end_after_as_many_retries_as_are_made() -> None:
    here = Driven(wants(PAGE), outcome=accept("user", "Agreed.", None))
    with pytest.raises(ProtocolCallError):
        await here.run()
    assert len(here.asked) == rounds.MOST_RETRIES
    assert len(here.sent) == rounds.MOST_RETRIES + 1


@pytest.mark.parametrize("admitted", [None, cancel("policy", "Never.")])
async def test_of_more_pages_than_are_asked_about_those_without_an_end_get_one(
    admitted: Outcome | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rounds, "MOST_PAGES", 2)
    monkeypatch.setattr(rounds, "MOST_ON_RECORD", 3)
    made: list[ElicitationRequest] = []

    def noted(*given: Any, **more: Any) -> ElicitationRequest:
        made.append(ElicitationRequest(*given, **more))
        return made[-1]

    monkeypatch.setattr(rounds, "ElicitationRequest", noted)
    here = Driven(wants(*[PAGE] * 5))
    here.admitted = admitted
    with pytest.raises(ProtocolCallError, match="wants 5 pages visited first") as error:
        await here.run()
    assert (error.value.code, len(here.sent)) == (-32042, 1)
    # Those that policy refused have their outcome already.
    assert len(here.withdrawn) == (3 if admitted is None else 0)
    # A server may name a million: of no more than are recorded a question is made.
    assert [question.group_size for question in made] == [5, 5, 5]
