"""The tool gate stands in the core: whoever calls and whoever answers, it cannot be left out."""

from __future__ import annotations

import asyncio
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.broker import Requested
from elicit_tui.broker.contracts import Allowance, Allowances
from elicit_tui.elicitation import (
    Call,
    Deadline,
    Outcome,
    Question,
    accept,
    decline,
)
from elicit_tui.elicitation.settings import (
    ElicitationSettings,
    GranularApproval,
    Rule,
    Settings,
)
from elicit_tui.responders import NobodyResponder
from elicit_tui.responders.dialogue import heading
from tests.broker.conftest import BenchFactory, form_request, run
from tests.broker.gate import DROP, SERVER, answers, approve, settings_with
from tests.host.world import python_server


def test_an_approval_is_a_question_in_the_queue_and_stands_in_the_ledger(
    bench: BenchFactory,
) -> None:
    async def body() -> None:
        table = bench(settings_with())
        asking = asyncio.ensure_future(approve(table.broker))
        question = await table.person.sees()
        assert question.request.kind == "approval"
        assert question.request.definition == DROP
        assert question.request.message == "Call “drop” of “s”?"
        assert question.note == (
            "“drop” says of itself that it can destroy something, so you are asked first. "
            "Change it with “Ask before calls”, now “may destroy”: "
            'mcp_servers.s.default_tools_approval_mode = "auto" (default).'
        )
        assert [waiting.question.id for waiting in table.broker.pending] == [question.id]
        assert table.ledger.row(question.id).decided_at is None
        assert [event.question.id for event in table.events if isinstance(event, Requested)] == [
            question.id
        ]
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


def test_what_is_allowed_of_a_server_ends_with_it_at_once(bench: BenchFactory) -> None:
    async def body() -> None:
        table = bench(settings_with(), responder=answers("session"))
        await approve(table.broker)
        table.broker.server_gone("another", "It ended.")
        assert [held.tool for held in table.broker.allowances] == ["drop"]
        table.broker.server_gone("s", "It ended.")
        assert list(table.broker.allowances) == []

    run(body())


def test_what_is_allowed_is_taken_back_by_its_tool_and_its_server_alone() -> None:
    named = [("s", "drop"), ("s", "read"), ("t", "drop")]
    allowances = Allowances()

    def held() -> list[tuple[str, str]]:
        return [(each.server, each.tool) for each in allowances]

    # One for each tool: what is allowed anew takes the place of what was.
    for definition in ("older", "digest"):
        for server, tool in named:
            allowances.add(Allowance(server, tool, "pid 1", definition))
        assert held() == named
    allowances.drop("s", "drop")
    assert held() == named[1:]
    assert not allowances.holds(Allowance("s", "read", "pid 1", "another"))
    assert held() == named[2:]
    allowances.drop("t")
    assert held() == []


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
        assert [pending.settled.done() for pending in table.broker.pending] == [False, False]
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
