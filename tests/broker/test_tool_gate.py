"""The tool gate stands in the core: whoever calls and whoever answers, it cannot be left out."""

from __future__ import annotations

import asyncio
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.broker import Allowances, Broker, Notice
from elicit_tui.broker.contracts import CallingAgent
from elicit_tui.elicitation import (
    Call,
    Deadline,
    LoginPage,
    Outcome,
    Question,
    Scope,
    ServerIdentity,
    accept,
    authorization_request,
    decline,
)
from elicit_tui.elicitation.settings import (
    ElicitationLimits,
    ElicitationSettings,
    GranularApproval,
    Rule,
    ServerSettings,
    Settings,
)
from elicit_tui.responders import NobodyResponder
from elicit_tui.responders.dialogue import heading
from tests.broker.conftest import BenchFactory, form_request, run
from tests.host.world import python_server

SERVER = ServerIdentity("s", "stdio", "s")
DROP: dict[str, Any] = {"name": "drop", "annotations": {"destructiveHint": True}}


def settings_with(policy: Any = "on-request", **server: Any) -> Settings:
    elicitation = ElicitationSettings(limits=ElicitationLimits(0, 0))
    rules = (Rule("accept", server="s", content={}), Rule("decline"))
    known = {"s": ServerSettings("s", command="x", elicitations="decline", **server)}
    return Settings(approval_policy=policy, elicitation=elicitation, rules=rules, servers=known)


def call() -> Call:
    return Call("tools/call", "drop", {"table": "users"})


async def approve(broker: Broker, definition: Any = DROP, process: str = "pid 1") -> Outcome | None:
    return await broker.approve(SERVER, call(), definition, process)


def answers(scope: Scope | None) -> Any:
    """A face in a few careless lines: it looks at nothing."""

    class Face:
        asked = 0

        async def respond(self, question: Question, deadline: Deadline) -> Outcome:
            Face.asked += 1
            if scope is None:
                return decline("user", "No.")
            return accept("user", "Yes.", {"made": "up"}, scope=scope)

    return Face()


def test_an_approval_is_a_question_in_the_queue_and_stands_in_the_ledger(
    bench: BenchFactory,
) -> None:
    async def body() -> None:
        table = bench(settings_with())
        asking = asyncio.ensure_future(approve(table.broker))
        question = await table.person.sees()
        assert question.request.kind == "approval"
        assert question.request.definition == DROP
        assert question.request.message == "Call drop of s?"
        assert question.note == (
            "drop says of itself that it can destroy something, so you are asked first. "
            'Change it with mcp_servers.s.default_tools_approval_mode, now "auto" (default).'
        )
        assert [waiting.question.id for waiting in table.broker.pending] == [question.id]
        table.person.answers[question.id].set_result(accept("user", "Yes.", None, scope="once"))
        outcome = await asking
        assert outcome is not None
        assert (outcome.action, outcome.scope, outcome.content) == ("accept", "once", None)
        row = table.ledger.row(question.id)
        assert (row.kind, row.action, row.decided_by, row.tool) == (
            *("approval", "accept", "user", "drop"),
        )
        assert row.details["scope"] == "once"
        assert row.mode is None

    run(body())


def test_a_word_of_mixed_scripts_in_the_arguments_is_marked_wherever_the_call_is_approved(
    bench: BenchFactory,
) -> None:
    async def body() -> None:
        table = bench(settings_with())
        arguments = {"who": [{"user": "\u0430dmin"}], "greeting": "Привет, admin"}
        mixed = Call("tools/call", "drop", arguments)
        asking = asyncio.ensure_future(table.broker.approve(SERVER, mixed, DROP, "pid 1"))
        question = await table.person.sees()
        (finding,) = question.review.findings
        assert (finding.where, finding.evidence) == ("arguments.who[0].user", "⟨U+0430⟩dmin")
        assert "“⟨U+0430⟩dmin” in arguments.who[0].user is written with" in heading(question)
        assert question.to_acknowledge == ()
        table.person.answers[question.id].set_result(decline("user", "No."))
        await asking
        assert table.ledger.row(question.id).findings

    run(body())


def test_what_settings_or_an_allowance_let_through_makes_no_question_and_no_row(
    bench: BenchFactory,
) -> None:
    async def body() -> None:
        table = bench(settings_with(), responder=answers("session"))
        assert await approve(table.broker, {"name": "drop"}) is None
        assert list(table.ledger.rows()) == []
        assert await approve(table.broker) is not None
        assert await approve(table.broker) is None
        assert [(held.server, held.tool) for held in table.broker.allowances] == [("s", "drop")]
        assert len(list(table.ledger.rows())) == 1

    run(body())


def test_what_is_allowed_for_the_session_ends_with_the_process_the_definition_or_a_word(
    bench: BenchFactory,
) -> None:
    async def body() -> None:
        face = answers("session")
        table = bench(settings_with(), responder=face)
        changed = {**DROP, "description": "Another."}
        for number, (definition, process) in enumerate(
            [(DROP, "pid 1"), (changed, "pid 1"), (DROP, "pid 1"), (DROP, "pid 2")], start=1
        ):
            await approve(table.broker, definition, process)
            assert face.asked == number
        table.broker.allowances.drop("s")
        await approve(table.broker, DROP, "pid 2")
        assert face.asked == 5

    run(body())


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


def test_neither_the_flag_for_questions_nor_rules_answers_limits_or_the_server_answer_it(
    bench: BenchFactory,
) -> None:
    async def body() -> None:
        policy = GranularApproval(mcp_elicitations=False, rules=False)
        table = bench(settings_with(policy), responder=answers("once"))
        table.broker.mute("s")
        outcome = await approve(table.broker)
        assert outcome is not None
        assert outcome.decided_by == "user"
        face = answers("once")
        rules = (Rule("accept", content={}),)
        prepared = bench(settings_with(), answers=rules, responder=face)
        outcome = await approve(prepared.broker)
        assert outcome is not None
        assert (outcome.action, outcome.decided_by, face.asked) == ("cancel", "nobody", 0)

    run(body())


@pytest.mark.parametrize(
    ("policy", "server", "decided"),
    [
        ("never", {}, ("decline", "policy")),
        (GranularApproval(tool_calls=False), {}, ("decline", "policy")),
        ("on-request", {"disabled_tools": ("drop",)}, ("decline", "policy")),
        ("on-request", {"enabled_tools": ("other",)}, ("decline", "policy")),
    ],
)
def test_what_policy_refuses_is_not_asked_and_stands_in_the_ledger(
    bench: BenchFactory, policy: Any, server: Any, decided: tuple[str, str]
) -> None:
    async def body() -> None:
        face = answers("once")
        table = bench(settings_with(policy, **server), responder=face)
        outcome = await approve(table.broker)
        assert outcome is not None
        assert (outcome.action, outcome.decided_by) == decided
        assert face.asked == 0
        (row,) = table.ledger.rows()
        assert (row.kind, row.action, row.decided_by) == ("approval", *decided)

    run(body())


def test_nobody_there_means_not_called(bench: BenchFactory) -> None:
    async def body() -> None:
        table = bench(settings_with(), responder=NobodyResponder())
        outcome = await approve(table.broker)
        assert outcome is not None
        assert (outcome.action, outcome.decided_by) == ("cancel", "nobody")

    run(body())


def test_an_approval_is_neither_replaced_by_a_question_nor_replaces_one(
    bench: BenchFactory,
) -> None:
    async def body() -> None:
        table = bench(Settings(elicitation=ElicitationSettings(concurrent="replace")))
        first = table.asks(form_request(server="s"))
        await table.person.sees(1)
        asking = asyncio.ensure_future(approve(table.broker))
        await table.person.sees(2)
        assert not first.done()
        second = table.asks(form_request(server="s"))
        assert (await first).key == "elicitation.concurrent"
        assert not asking.done()
        await table.broker.close()
        outcome = await asking
        assert outcome is not None
        assert outcome.decided_by == (await second).decided_by == "shutdown"

    run(body())


def test_a_face_of_ten_careless_lines_cannot_call_what_the_owner_forbids(tmp_path: Path) -> None:
    async def body() -> None:
        from elicit_tui.errors import ToolRefused
        from elicit_tui.ledger import Ledger
        from elicit_tui.runtime import open_runtime

        server = python_server("asking", "asking.py", default_tools_approval_mode="prompt")
        history = {"path": str(tmp_path / "ledger.sqlite3")}
        from elicit_tui.elicitation.settings import HistorySettings

        settings = Settings(servers={"asking": server}, history=HistorySettings(**history))
        face = answers(None)
        async with open_runtime(settings, responder=lambda queue: face) as runtime:
            connection = await runtime.host.connect("asking")
            with pytest.raises(ToolRefused) as refused:
                await connection.call(Call("tools/call", "form"))
        assert (refused.value.outcome.action, refused.value.outcome.decided_by) == (
            *("decline", "user"),
        )
        assert face.asked == 1
        with closing(Ledger.open(tmp_path / "ledger.sqlite3")) as ledger:
            (row,) = ledger.rows()
            assert (row.kind, row.tool, row.action) == ("approval", "form", "decline")

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
        from elicit_tui.runtime import open_runtime

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
            settings, responder=lambda queue: Face(), agent=CallingAgent(lambda request: True)
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


def test_what_a_definition_was_allowed_for_is_forgotten_once_it_changed(
    bench: BenchFactory,
) -> None:
    async def body() -> None:
        table = bench(settings_with())

        async def answered(definition: Any, answer: Outcome) -> None:
            asking = asyncio.ensure_future(approve(table.broker, definition))
            question = await table.person.sees(len(table.person.shown) + 1)
            table.person.answers[question.id].set_result(answer)
            await asking

        changed = {**DROP, "description": "Another."}
        await answered(DROP, accept("user", "Yes.", None, scope="session"))
        await answered(changed, decline("user", "No."))
        assert list(table.broker.allowances) == []
        # The server puts the old definition back: what the person declined since is what counts.
        await answered(DROP, decline("user", "No."))
        assert len(table.person.shown) == 3

    run(body())


def test_a_refusal_allows_nothing_whatever_scope_its_responder_names(bench: BenchFactory) -> None:
    class Face:
        async def respond(self, question: Question, deadline: Deadline) -> Outcome:
            return replace(decline("user", "No."), scope="session")

    async def body() -> None:
        table = bench(settings_with(), responder=Face())
        for _ in range(2):
            outcome = await approve(table.broker)
            assert outcome is not None
            assert outcome.action == "decline"
        assert list(table.broker.allowances) == []

    run(body())


def test_an_agent_asks_for_as_many_approvals_as_it_likes_one_after_the_other(
    bench: BenchFactory,
) -> None:
    async def body() -> None:
        elicitation = ElicitationSettings(limits=ElicitationLimits(30, 2))
        settings = replace(settings_with(), elicitation=elicitation)
        table = bench(
            settings, responder=answers("once"), agent=CallingAgent(lambda request: False)
        )
        for _ in range(5):
            outcome = await approve(table.broker)
            assert outcome is not None
            assert outcome.decided_by == "user"

    run(body())
