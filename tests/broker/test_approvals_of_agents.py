"""What agents want approved: nothing while they are away, and no more at once than the limit."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from elicit_tui.broker import Allowances, Notice
from elicit_tui.broker.contracts import CallingAgent
from elicit_tui.elicitation import (
    Call,
    Deadline,
    LoginPage,
    Outcome,
    Question,
    accept,
    authorization_request,
    decline,
)
from elicit_tui.elicitation.settings import (
    ElicitationLimits,
    ElicitationSettings,
    Settings,
)
from tests.broker.conftest import BenchFactory, form_request, run
from tests.broker.gate import SERVER, answers, approve, settings_with
from tests.host.world import python_server


def test_what_another_process_revoked_is_asked_for_again_whoever_calls(
    bench: BenchFactory,
) -> None:
    async def body() -> None:
        revoked: list[str] = []

        async def drop_revoked(allowances: Allowances) -> None:
            for server in revoked:
                allowances.drop(server)

        face = answers("session")
        agent = CallingAgent(lambda request: False, drop_revoked)
        settings = replace(settings_with(), elicitation=ElicitationSettings())
        table = bench(settings, responder=face, agent=agent)
        assert await approve(table.broker) is not None
        assert await approve(table.broker) is None
        revoked.append("s")
        assert await approve(table.broker) is not None
        assert face.asked == 2

    run(body())


def test_no_tool_is_approved_while_its_agent_is_away(bench: BenchFactory) -> None:
    async def body() -> None:
        away = True
        table = bench(agent=CallingAgent(lambda request: away))
        asking = asyncio.ensure_future(approve(table.broker))
        for number in range(1, 6):  # More often than an answer is given back for what it holds.
            question = await table.person.sees(number)
            assert question.attempt == number
            table.person.answers[question.id].set_result(accept("user", "Yes.", None, scope="once"))
        assert "agent has left" in ((await table.person.sees(6)).note or "")
        away = False
        table.person.answers[question.id].set_result(accept("user", "Yes.", None, scope="once"))
        outcome = await asking
        assert outcome is not None
        assert (outcome.action, outcome.scope) == ("accept", "once")

    run(body())


def test_a_tool_is_refused_and_an_elicitation_answered_also_while_the_agent_is_away(
    bench: BenchFactory,
) -> None:
    async def body() -> None:
        table = bench(agent=CallingAgent(lambda request: True))
        asking = asyncio.ensure_future(approve(table.broker))
        question = await table.person.sees()
        table.person.answers[question.id].set_result(decline("user", "No."))
        outcome = await asking
        assert outcome is not None
        assert outcome.action == "decline"
        asked = table.asks()
        table.person.sends(await table.person.sees(2), colour="red")
        assert (await asked).action == "accept"

    run(body())


def test_a_face_for_agents_of_ten_lines_approves_nothing_for_one_that_left_and_is_not_flooded(
    tmp_path: Path,
) -> None:
    async def body() -> None:
        from elicit_tui.elicitation.settings import HistorySettings
        from elicit_tui.errors import ToolRefused
        from elicit_tui.runtime import RunOptions, open_runtime

        shown: list[Question] = []
        over = asyncio.Event()

        class Face:
            async def respond(self, question: Question, deadline: Deadline) -> Outcome:
                shown.append(question)
                if len(shown) < 3:
                    return accept("user", "Yes.", None, scope="once")
                await over.wait()
                return decline("user", "No.")

        settings = Settings(
            servers={
                "asking": python_server("asking", "asking.py", default_tools_approval_mode="prompt")
            },
            elicitation=ElicitationSettings(limits=ElicitationLimits(30, 1)),
            history=HistorySettings(path=str(tmp_path / "ledger.sqlite3")),
        )
        opened = open_runtime(
            settings,
            responder=lambda queue: Face(),
            options=RunOptions(agent=CallingAgent(lambda request: True)),
        )
        async with opened as runtime:
            connection = await runtime.host.connect("asking")
            calls = [
                asyncio.ensure_future(connection.call(Call("tools/call", "form"))) for _ in range(2)
            ]
            await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
            over.set()
            decided = []
            for one in calls:
                with pytest.raises(ToolRefused) as refused:
                    await one
                decided.append(refused.value.outcome.decided_by)
        assert decided == ["user", "flood"]
        assert [question.attempt for question in shown] == [1, 2, 3]

    run(body())


def test_what_an_agent_wants_approved_at_once_is_limited_and_recorded_as_one(
    bench: BenchFactory,
) -> None:
    async def body() -> None:
        elicitation = ElicitationSettings(limits=ElicitationLimits(30, 2))
        settings = replace(settings_with(), elicitation=elicitation)
        table = bench(settings, agent=CallingAgent(lambda request: False))
        waiting = [asyncio.ensure_future(approve(table.broker)) for _ in range(2)]
        shown = await table.person.sees()
        for _ in range(50):
            refused = await approve(table.broker)
            assert refused is not None
            assert (refused.action, refused.decided_by) == ("cancel", "flood")
        assert len(table.broker.pending) == 2
        # One answer makes room for one more.
        table.person.answers[shown.id].set_result(decline("user", "No."))
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        more = asyncio.ensure_future(approve(table.broker))
        await table.person.sees()
        await table.broker.close()
        await asyncio.gather(more, *waiting)
        told = [event.sentence for event in table.events if isinstance(event, Notice)]
        assert len([sentence for sentence in told if "elicitation.limits.pending" in sentence]) == 1
        assert [row.count for row in table.ledger.rows(decided_by="flood")] == [50]

    run(body())


def test_a_login_that_ended_makes_no_room_for_an_approval(bench: BenchFactory) -> None:
    async def body() -> None:
        elicitation = ElicitationSettings(limits=ElicitationLimits(30, 1))
        settings = replace(settings_with(), elicitation=elicitation)
        table = bench(settings, agent=CallingAgent(lambda request: False))
        waiting = asyncio.ensure_future(approve(table.broker))
        await table.person.sees()
        page = LoginPage("https://login.example/authorize", "https://login.example")
        login = authorization_request(SERVER, page)
        logging_in = asyncio.ensure_future(table.broker.authorize(login, lambda _: None))
        question = await table.person.sees(2)
        table.person.answers[question.id].set_result(decline("user", "No."))
        assert (await logging_in).action == "decline"
        refused = await approve(table.broker)
        assert refused is not None
        assert refused.decided_by == "flood"
        await table.broker.close()
        await waiting

    run(body())


def test_a_login_that_ended_makes_no_room_for_a_question_of_its_server(bench: BenchFactory) -> None:
    async def body() -> None:
        elicitation = ElicitationSettings(limits=ElicitationLimits(30, 1))
        table = bench(Settings(elicitation=elicitation))
        waiting = table.asks(form_request(server=SERVER.name))
        await table.person.sees()
        page = LoginPage("https://login.example/authorize", "https://login.example")
        login = authorization_request(SERVER, page)
        logging_in = asyncio.ensure_future(table.broker.authorize(login, lambda _: None))
        question = await table.person.sees(2)
        table.person.answers[question.id].set_result(decline("user", "No."))
        assert (await logging_in).action == "decline"
        refused = table.broker.admit(form_request(server=SERVER.name))
        assert refused is not None
        assert refused.decided_by == "flood"
        await table.broker.close()
        await waiting

    run(body())


def test_an_agent_asks_for_as_many_approvals_as_it_likes_one_after_the_other(
    bench: BenchFactory,
) -> None:
    async def body() -> None:
        elicitation = ElicitationSettings(limits=ElicitationLimits(per_minute=1, pending=2))
        settings = replace(settings_with(), elicitation=elicitation)
        table = bench(
            settings, responder=answers("once"), agent=CallingAgent(lambda request: False)
        )
        for _ in range(5):
            outcome = await approve(table.broker)
            assert outcome is not None
            assert outcome.decided_by == "user"

    run(body())
