"""One session, without servers: what it hears from its parts, and to whom it tells it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from elicit_tui.broker import Resolved
from elicit_tui.elicitation import (
    Question,
    Review,
    ServerIdentity,
    accept,
    approval_request,
    cancel,
    decline,
)
from elicit_tui.elicitation.request import AGENT
from elicit_tui.errors import ServerError
from elicit_tui.gateway import own_tools, telling
from elicit_tui.gateway.held_call import HeldCall
from elicit_tui.gateway.passing import Unknown
from elicit_tui.gateway.telling import ELICITATIONS_META_KEY
from elicit_tui.host.events import (
    LogMessage,
    Progress,
    ResourceUpdated,
    ServerStateChanged,
    State,
    TaskStarted,
    UrlCompleted,
)
from tests.broker.conftest import form_request
from tests.gateway.session_world import HOLD, Pending, SessionWorld, says
from tests.gateway.test_sharing import Shared
from tests.gateway.world import WAIT, settled

pytestmark = pytest.mark.anyio


@pytest.fixture
async def here() -> Any:
    return SessionWorld()


# What belongs to whom


async def test_progress_reaches_whoever_waits_for_its_call_and_is_remembered(
    here: SessionWorld,
) -> None:
    held, other = here.begins(), here.begins("other")
    first, second, third = here.asker(), here.asker(), here.asker()
    held.requesters += [first, second]
    other.requesters.append(third)
    here.host.listener(Progress("web", held.id, 1.0, 4.0, "one"))
    here.host.listener(Progress("web", "unknown", 2.0))
    assert first.told == second.told == [("progress", 1.0, 4.0, "one")]
    assert (third.told, held.last_progress) == ([], (1.0, 4.0))


async def test_a_line_reaches_its_call_else_each_of_its_server_and_always_the_session(
    here: SessionWorld,
) -> None:
    mine, other, elsewhere = here.begins(), here.begins("2"), here.begins("3", "shop")
    askers = [here.asker() for _ in range(3)]
    for held, asker in zip((mine, other, elsewhere), askers, strict=True):
        held.requesters.append(asker)
    here.host.listener(LogMessage("web", "info", "db", "of one", mine.id))
    here.host.listener(LogMessage("web", "error", None, "of all"))
    assert [asker.told for asker in askers] == [
        [("log", "info", "web/db", "of one"), ("log", "error", "web", "of all")],
        [("log", "error", "web", "of all")],
        [],
    ]
    assert here.audience.told == [("info", "web/db", "of one"), ("error", "web", "of all")]


async def test_a_resource_a_page_and_a_task_of_a_server_are_passed_on(here: SessionWorld) -> None:
    held = here.begins()
    with held.listening() as changed:
        here.host.listener(ResourceUpdated("web", "a:b"))
        here.host.listener(UrlCompleted("web", "e1"))
        here.host.listener(TaskStarted("web", "unknown"))
        assert (held.server_task, changed.is_set()) == (False, False)
        here.host.listener(TaskStarted("web", held.id))
        assert (held.server_task, changed.is_set()) == (True, True)
    assert here.audience.told == ["a:b"]
    assert here.person.finished == [("web", "e1")]


async def test_how_a_question_of_a_server_ended_is_kept_in_its_calls_and_nothing_else_is(
    here: SessionWorld,
) -> None:
    held, other = here.begins(), here.begins("other")
    approval = approval_request(ServerIdentity("web", "stdio", "w"), held.call, None, "why")
    own = form_request(server=AGENT, calls=(held.call,))
    for request in (approval, own, form_request(calls=(held.call,))):
        here.broker.listener(Resolved(request, Review(), decline("policy", "why")))
    assert [event.request.message for event in held.resolved] == ["Which colour?"]
    assert (other.resolved, len(here.person.heard_of)) == ([], 3)


async def test_what_was_allowed_for_the_session_can_be_taken_back_at_once(
    here: SessionWorld,
) -> None:
    dropped: list[Any] = []

    async def drop(allowances: Any) -> None:
        dropped.append(allowances)

    here.person.drop_revoked = drop  # type: ignore[method-assign]
    for scope in ("once", None, "session"):
        allowed = accept("user", "why", None, scope=scope)
        here.broker.listener(Resolved(form_request(), Review(), allowed))
        await settled()
        assert dropped == ([here.broker.allowances] if scope == "session" else [])


@pytest.mark.parametrize(("state", "count"), [("ready", 0), ("failed", 1), ("closed", 1)])
async def test_what_was_allowed_of_a_server_is_listed_no_more_once_it_ended(
    here: SessionWorld, state: State, count: int
) -> None:
    dropped: list[Any] = []

    async def drop(allowances: Any) -> None:
        dropped.append(allowances)

    here.person.drop_revoked = drop  # type: ignore[method-assign]
    here.host.listener(ServerStateChanged("web", state))
    await settled()
    assert dropped == [here.broker.allowances] * count


# Taking back


async def test_a_question_ends_with_the_last_call_that_it_may_be_of(here: SessionWorld) -> None:
    first, second, other = here.begins("1"), here.begins("2"), here.begins("3", "shop")
    shared = Pending(Question(form_request(calls=(first.call, second.call))))
    foreign = Pending(Question(form_request(calls=(other.call,))))
    here.broker.pending = [shared, foreign]
    here.calls.give_up(first)
    assert shared.ends == []
    second.withdrawn = True
    here.session.withdraw(second)
    assert [outcome.decided_by for outcome in shared.ends] == ["withdrawn"]
    assert foreign.ends == []


async def test_a_server_is_told_that_its_call_is_cancelled_where_it_is_there(
    here: SessionWorld,
) -> None:
    held = here.begins()
    await here.session.cancel_below(held)
    assert here.host.cancelled == []
    here.host.connections["web"] = here.host
    await here.session.cancel_below(held)
    ((call_id, outcome),) = here.host.cancelled
    assert (call_id, outcome.action, outcome.decided_by) == (held.id, "cancel", "withdrawn")


async def test_every_inbox_shows_what_the_agent_of_each_question_does(here: SessionWorld) -> None:
    first, second = here.begins("1"), here.begins("2")
    alone = Question(form_request(calls=(first.call,)))
    shared = Question(form_request(calls=(first.call, second.call)))
    first.waiting.update({alone.id: alone, shared.id: shared})
    first.left = True
    here.session.agent_state_changed(first)
    await settled()
    assert here.person.agent_states == [(alone.id, "left"), (shared.id, "waiting")]


# The agent's own question


async def test_a_question_of_the_agent_is_its_own_and_its_answer_is_told_to_have_left(
    here: SessionWorld,
) -> None:
    asking, question = await here.asks()
    server = question.request.server
    assert (server.name, server.calls_itself, server.version) == (AGENT, "a test", "1")
    assert (question.request.era, len(question.request.calls)) == ("modern", 1)
    assert here.broker.left == []
    here.person.answers(question, accept("user", "why", {"a": 1}))
    result = await asyncio.wait_for(asking, WAIT)
    assert result["structuredContent"] == {"action": "accept", "content": {"a": 1}}
    assert here.broker.left == [question.request]
    assert here.known[0].name == here.person.agents[0].name == "a test"
    # Nobody has to be told how it ended: the result says so.
    assert ELICITATIONS_META_KEY not in (result.get("_meta") or {})


async def test_a_refused_question_of_the_agent_has_no_content(here: SessionWorld) -> None:
    asking, question = await here.asks()
    here.person.answers(question, decline("user", "why"))
    result = await asyncio.wait_for(asking, WAIT)
    assert result["structuredContent"] == {"action": "decline", "content": None}
    assert here.broker.left == [question.request]


async def test_what_is_no_question_is_asked_of_nobody(here: SessionWorld) -> None:
    result = await here.calls_tool(own_tools.ELICIT)
    assert (result["isError"], here.broker.asked) == (True, [])


async def test_an_equal_question_joins_the_one_that_waits(here: SessionWorld) -> None:
    identifier, question = await here.paused()
    again = here.calls_tool(own_tools.ELICIT, message="Which?")
    await settled()
    here.person.answers(question, accept("user", "why", {}))
    assert (await asyncio.wait_for(again, WAIT))["structuredContent"]["action"] == "accept"
    assert len(here.broker.asked) == 1
    assert here.calls.by_id(identifier) is not None


# Coming back, taking back, answering


async def test_a_call_that_is_joined_asks_the_client_that_joins_it(here: SessionWorld) -> None:
    await here.paused()
    (held,) = here.calls.under_way
    with held.rounds.asking("which", {"mode": "form"}):
        # A client that has gone by now was given it.
        assert held.rounds.begin()
        joining = here.calls_tool(
            own_tools.ELICIT, asker=here.asker(era="modern"), message="Which?"
        )
        told = await asyncio.wait_for(joining, WAIT)
    assert told["inputRequests"]["which"]["params"] == {"mode": "form"}
    assert here.calls.under_way == (held,)


async def test_an_error_is_an_outcome_that_the_others_need_keep_no_longer() -> None:
    shared = Shared()
    world = SessionWorld(shared=shared)
    asker = world.asker()
    asker.when_answered = lambda note: False
    with pytest.raises(ServerError):
        await world.session.get_prompt("web__greet", {}, asker)
    assert [told[0] for told in shared.told if told[0] == "delivered"] == ["delivered"]


async def test_who_comes_back_waits_anew_and_is_told_the_end(here: SessionWorld) -> None:
    identifier, question = await here.paused()
    resumed = here.calls_tool(own_tools.RESUME, id=identifier)
    await settled()
    assert not resumed.done()
    await here.clock.move(HOLD)
    assert says(await resumed) == telling.STILL_WAITING
    here.person.answers(question, accept("user", "why", {}))
    await settled()
    result = await here.calls_tool(own_tools.RESUME, id=identifier)
    assert result["structuredContent"]["action"] == "accept"


async def test_who_comes_back_without_its_round_is_asked_in_a_new_one(here: SessionWorld) -> None:
    held = here.begins()
    await here.calls.attend(asks_for(held), here.asker(), 0.0)
    with held.rounds.asking("which", {"mode": "form"}):
        assert held.rounds.begin()
        resumed = here.calls_tool(own_tools.RESUME, asker=here.asker(era="modern"), id=held.id)
        told = await asyncio.wait_for(resumed, WAIT)
    assert told["inputRequests"]["which"]["params"] == {"mode": "form"}
    assert told["requestState"] == held.rounds.state(held.id)


async def test_what_is_given_up_is_known_no_more_and_what_has_ended_is_not_given_up(
    here: SessionWorld,
) -> None:
    identifier, question = await here.paused()
    here.person.answers(question, accept("user", "why", {}))
    await settled()
    assert "has ended already" in says(await here.calls_tool(own_tools.CANCEL, id=identifier))
    held = here.begins("other")
    here.calls.attended_elsewhere(held, "theirs")
    await here.calls.attend(asks_for(held), here.asker(), 0.0)
    assert says(await here.calls_tool(own_tools.CANCEL, id=held.id)) == telling.CANCELLED
    unknown = await here.calls_tool(own_tools.CANCEL, id=held.id)
    assert (says(unknown), unknown["isError"]) == (telling.NOT_KNOWN, True)


def asks_for(held: HeldCall) -> HeldCall:
    question = Question(form_request(calls=(held.call,)))
    held.waiting[question.id] = question
    held.has_asked = True
    return held


async def test_an_answer_of_the_agent_that_is_none_says_why_and_changes_nothing() -> None:
    here = SessionWorld(agent_answers="allow")
    held = here.begins()
    question = Question(form_request(calls=(held.call,)))
    with here.calls.waiting_for(question):
        held.paused = True
        await here.calls.attend(held, here.asker(), 0.0)
        wrong = await here.calls_tool(
            own_tools.ANSWER, id=held.id, question=question.id, action="perhaps"
        )
        assert (wrong["isError"], held.attended) == (True, False)
        assert 'action is "accept"' in says(wrong)
        answering = here.calls_tool(
            own_tools.ANSWER, id=held.id, question=question.id, action="decline"
        )
        await here.clock.move(HOLD)
        assert says(await asyncio.wait_for(answering, WAIT)).startswith(telling.STILL_WAITING)


async def test_a_state_of_another_call_is_not_taken_for_this_ones(here: SessionWorld) -> None:
    held, other = here.begins(), here.begins("other")
    for each in (held, other):
        await here.calls.attend(asks_for(each), here.asker(), 0.0)
    with held.rounds.asking("key", {}) as answer, other.rounds.asking("key", {}):
        assert held.rounds.begin()
        assert other.rounds.begin()
        given = {"key": {"action": "cancel"}}
        wrong = {"requestState": other.rounds.state(other.id), "inputResponses": given}
        with pytest.raises(Unknown):
            await here.calls_tool(own_tools.RESUME, wrong, here.asker(era="modern"), id=held.id)
        right = {**wrong, "requestState": held.rounds.state(held.id)}
        # Where there are no rounds, no state is one.
        resumed = here.calls_tool(own_tools.RESUME, right, id=held.id)
        await settled()
        assert not answer.done()
        resumed.cancel()
        taken = here.calls_tool(own_tools.RESUME, right, here.asker(era="modern"), id=held.id)
        await settled()
        assert answer.result() == {"action": "cancel"}
        taken.cancel()
        await asyncio.gather(resumed, taken, return_exceptions=True)


async def test_the_answer_to_a_round_goes_on_with_its_call_and_an_unknown_one_is_told(
    here: SessionWorld,
) -> None:
    held = here.begins()
    await here.calls.attend(asks_for(held), here.asker(), 0.0)
    with held.rounds.asking("key", {}) as answer:
        assert held.rounds.begin()
        given = {
            "requestState": held.rounds.state(held.id),
            "inputResponses": {"key": {"action": "decline"}},
        }
        calling = here.calls_tool("web__deploy", given, here.asker(era="modern"))
        await settled()
        assert answer.result() == {"action": "decline"}
        assert held.attended
        assert len(here.calls.under_way) == 1
        # Who answered a round did not come back too early.
        await here.clock.move(HOLD)
        assert says(await asyncio.wait_for(calling, WAIT)) == telling.paused_text(held.id)
    unknown = {"requestState": "unknown-1", "inputResponses": {}}
    with pytest.raises(Unknown):
        await here.calls_tool("web__deploy", unknown, here.asker(era="modern"))


# What nobody offers


async def test_what_nobody_offers_is_told_and_calls_nothing(here: SessionWorld) -> None:
    unknown = await here.calls_tool("web__none\x1b")
    assert says(unknown).startswith("Unknown tool: web__none")
    assert "\x1b" not in says(unknown)
    with pytest.raises(Unknown, match="Unknown prompt"):
        await here.session.get_prompt("none", {}, here.asker())
    with pytest.raises(Unknown, match="Unknown resource"):
        await here.session.read_resource("none:", here.asker())
    assert here.calls.under_way == ()


async def test_a_server_that_cannot_be_started_is_a_result_of_a_tool_alone(
    here: SessionWorld,
) -> None:
    result = await here.calls_tool("web__deploy")
    assert (says(result), result["isError"]) == ("web cannot be started.", True)
    for work in (
        here.session.get_prompt("web__greet", {}, here.asker()),
        here.session.read_resource("a:b", here.asker()),
    ):
        with pytest.raises(ServerError):
            await work


async def test_a_session_that_ends_takes_back_what_it_asks(here: SessionWorld) -> None:
    asking, question = await here.asks()
    here.broker.pending = [pending := Pending(question)]
    await here.session.sharing.end()
    assert pending.ends == [cancel("withdrawn", "The agent took its call back.")]
    result = (await asyncio.gather(asking, return_exceptions=True))[0]
    assert isinstance(result, dict)
    assert says(result) == telling.CANCELLED
