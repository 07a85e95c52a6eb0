"""What ends before anybody was asked, after everything ended, or past the judge."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from elicit_tui.broker.admitted import READING_TURNS, Admitted
from elicit_tui.broker.contracts import Requested, Resolved
from elicit_tui.broker.record import GROUP
from elicit_tui.elicitation import (
    Call,
    Deadline,
    LoginPage,
    Outcome,
    Question,
    accept,
    authorization_request,
    cancel,
    decline,
    ended_unsent,
    prompt_request,
)
from elicit_tui.elicitation.settings import ElicitationSettings, Rule, Settings
from elicit_tui.errors import LedgerError
from tests.broker.conftest import BenchFactory, form_request, run
from tests.broker.gate import SERVER, answers, approve, settings_with
from tests.broker.hooked import BLUE, RED, Prepared, Sends, hook, said

LOGIN = LoginPage("https://login.example/authorize", "https://login.example")


def test_what_the_server_took_back_before_it_was_looked_at_is_asked_of_no_hook_and_no_rule(
    bench: BenchFactory,
) -> None:
    async def body() -> None:
        rule = Rule("accept", server="paint", content=RED)
        hooks = Prepared((hook(layer="managed"),), managed_1=said("accept", BLUE))
        table = bench(Settings(rules=(rule,)), hooks=hooks)
        request = form_request()
        assert table.broker.admit(request) is None
        table.broker.withdraw(request.id, "The server took it back.")
        outcome = await table.broker.resolve(request)
        assert (outcome.action, outcome.decided_by) == (None, "server")
        assert outcome.reason == "The server took it back."
        assert hooks.heard == table.person.shown == []
        assert table.ledger.row(request.id).decided_by == "server"

    run(body())


def test_the_first_end_of_a_question_is_the_one_that_counts(bench: BenchFactory) -> None:
    async def body() -> None:
        table = bench()
        request = form_request()
        assert table.broker.admit(request) is None
        table.broker.withdraw(request.id, "The server took it back.")
        table.broker.mute(request.server.name)
        outcome = await table.broker.resolve(request)
        assert outcome.reason == table.ledger.row(request.id).reason == "The server took it back."

    run(body())


def test_who_is_called_off_after_its_question_ended_leaves_that_end_in_the_record(
    bench: BenchFactory,
) -> None:
    async def body() -> None:
        table = bench()
        request = form_request()
        asking = table.asks(request)
        await table.person.sees()
        table.broker.mute(request.server.name)
        asking.cancel()
        await asyncio.wait([asking])
        assert asking.cancelled()
        assert table.ledger.row(request.id).decided_by == "user"

    run(body())


def test_after_the_end_nothing_is_asked_whatever_it_is(bench: BenchFactory) -> None:
    async def body() -> None:
        table = bench(replace(settings_with(), elicitation=ElicitationSettings()))
        await table.broker.close()
        login = authorization_request(SERVER, LOGIN)
        for late in (
            approve(table.broker),
            table.broker.authorize(login, lambda _: None),
            table.broker.resolve(form_request()),
        ):
            outcome = await late
            assert outcome is not None
            assert (outcome.action, outcome.decided_by) == ("cancel", "shutdown")
        assert table.person.shown == []
        assert {row.decided_by for row in table.ledger.rows()} == {"shutdown"}
        assert len(list(table.ledger.rows())) == 3

    run(body())


def test_a_login_whose_page_has_not_led_back_is_given_back_as_often_as_it_is_accepted(
    bench: BenchFactory,
) -> None:
    class Accepts:
        def __init__(self) -> None:
            self.notes: list[str | None] = []

        async def respond(self, question: Question, deadline: Deadline) -> Outcome:
            self.notes.append(question.note)
            found = frozenset(finding.id for finding in question.to_acknowledge)
            return accept("user", "Yes.", {}, acknowledged=found)

    async def body() -> None:
        taken: list[str] = []

        def take(address: str) -> str | None:
            taken.append(address)
            return "Not there yet." if len(taken) <= 5 else None

        face = Accepts()
        table = bench(responder=face)
        outcome = await table.broker.authorize(authorization_request(SERVER, LOGIN), take)
        assert (outcome.action, outcome.decided_by) == ("accept", "user")
        assert face.notes[1:] == ["Not there yet."] * 5
        assert taken == [""] * 6

    run(body())


def test_a_login_that_is_refused_takes_no_address(bench: BenchFactory) -> None:
    async def body() -> None:
        taken: list[str] = []
        table = bench(responder=Sends(None))
        login = authorization_request(SERVER, LOGIN)
        outcome = await table.broker.authorize(login, taken.append)
        assert (outcome.action, taken) == ("decline", [])

    run(body())


def test_what_went_out_past_the_judge_is_recorded_in_place_of_what_was_decided(
    bench: BenchFactory,
) -> None:
    async def body() -> None:
        table = bench(responder=Sends(None))
        request = form_request()
        await table.broker.resolve(request)
        table.broker.overruled(request, accept("user", "Sent.", {"colour": "ghp_" + "x7Kd9" * 8}))
        row = table.ledger.row(request.id)
        assert (row.action, row.decided_by) == ("accept", "user")
        assert "ghp_" not in str(row)
        last = table.resolved[-1]
        assert (last.outcome.action, last.review.outgoing != ()) == ("accept", True)

    run(body())


def test_who_is_muted_can_be_listed_until_it_is_heard_again(bench: BenchFactory) -> None:
    broker = bench().broker
    assert broker.muted == frozenset()
    for server in ("paint", "deploy"):
        broker.mute(server)
    broker.unmute("paint")
    assert broker.muted == {"deploy"}


def test_a_mute_ends_what_waits_of_that_server_alone(bench: BenchFactory) -> None:
    async def body() -> None:
        table = bench()
        tasks = [table.asks(form_request(server=name)) for name in ("paint", "deploy")]
        await table.person.sees(2)
        table.broker.mute("paint")
        muted = await tasks[0]
        assert (muted.action, muted.decided_by) == ("cancel", "user")
        assert muted.reason == "You muted “paint” for this run."
        assert [pending.server for pending in table.broker.pending] == ["deploy"]
        await table.broker.close()
        await tasks[1]

    run(body())


def test_a_ledger_that_fails_is_told_of_once_until_it_has_worked_again(
    bench: BenchFactory, monkeypatch: Any
) -> None:
    async def body() -> None:
        table = bench(responder=Sends(None))

        def fails(*_: Any) -> None:
            raise LedgerError("It is away.")

        async def three() -> None:
            for _ in range(3):
                await table.broker.resolve(form_request())

        for times in (1, 2):
            with monkeypatch.context() as away:
                for name in ("asked", "decided", "sent", "flood"):
                    away.setattr(table.ledger, name, fails)
                await three()
            assert len(table.told) == times
            await three()
        assert set(table.told) == {
            "The ledger cannot be written: It is away. Accepts are withheld, refusals go out."
        }

    run(body())


def test_a_number_that_cannot_be_written_down_is_told_and_ends_nothing_else(
    bench: BenchFactory,
) -> None:
    table = bench()
    table.broker.mute("paint")
    table.ledger.close()
    for _ in range(2):
        refused = table.broker.admit(form_request())
        assert refused is not None
        assert refused.action == "cancel"
    asyncio.run(table.broker.close())
    assert len(table.told) == 1
    assert table.told[0].startswith("The ledger cannot be written: ")
    assert GROUP > 2  # So it was written down at the end alone.


def test_a_refusal_has_no_content_whatever_its_giver_put_in(bench: BenchFactory) -> None:
    class Careless:
        def __init__(self, outcome: Outcome) -> None:
            self.outcome = outcome

        async def respond(self, question: Question, deadline: Deadline) -> Outcome:
            return Outcome(self.outcome.action, "user", "No.", content=BLUE)

    async def body() -> None:
        for refusal in (decline("user", "No."), cancel("user", "No.")):
            table = bench(responder=Careless(refusal))
            request = form_request()
            outcome = await table.broker.resolve(request)
            assert (outcome.action, outcome.content) == (refusal.action, None)
            assert table.ledger.row(request.id).content is None

    run(body())


@pytest.mark.parametrize("turns", [0, READING_TURNS - 1])
def test_what_the_server_took_back_while_an_accept_was_judged_is_read_first(turns: int) -> None:
    async def body() -> Outcome:
        entry = Admitted(Question(form_request()))
        gone = ended_unsent("withdrew", "The server took it back.")

        def read(left: int) -> None:
            if left:
                asyncio.get_running_loop().call_soon(read, left - 1)
            else:
                entry.end(gone)

        asyncio.get_running_loop().call_soon(read, turns)
        return await entry.still_wanted(accept("user", "Sent.", BLUE))

    assert run(body()).reason == "The server took it back."


def test_an_end_that_is_not_its_server_s_takes_no_answer_back() -> None:
    async def body() -> Outcome:
        entry = Admitted(Question(form_request()))
        entry.end(cancel("user", "You muted “paint” for this run."))
        return await entry.still_wanted(accept("user", "Sent.", BLUE))

    assert run(body()).content == BLUE


@pytest.mark.parametrize("kind", ["approval", "login", "prompt"])
def test_whoever_gives_up_a_question_of_ours_ends_it_as_a_shutdown_and_no_server_s_doing(
    bench: BenchFactory, kind: str
) -> None:
    async def body() -> None:
        table = bench(replace(settings_with(), elicitation=ElicitationSettings()))
        command = Call("tools/call", "Bash", {"command": "make"})
        asked = {
            "approval": lambda: approve(table.broker),
            "login": lambda: table.broker.authorize(
                authorization_request(SERVER, LOGIN), lambda _: None
            ),
            "prompt": lambda: table.broker.permit(prompt_request("Claude", command, "Run it?")),
        }[kind]
        asking: asyncio.Task[Any] = asyncio.ensure_future(asked())
        question = await table.person.sees()
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        row = table.ledger.row(question.id)
        assert row.decided_by == ("nobody" if kind == "prompt" else "shutdown")
        assert row.reason == "elicit-tui ended before an answer was given."
        assert row.server_end is None

    run(body())


def test_what_the_host_found_malformed_is_asked_of_nobody_though_it_reads_well(
    bench: BenchFactory,
) -> None:
    outcome = bench().broker.admit(form_request(defect="It came twice."))
    assert outcome is not None
    assert (outcome.decided_by, outcome.reason) == ("policy", "It came twice.")


def test_what_is_refused_before_it_was_looked_at_is_told_as_asked_and_then_as_ended(
    bench: BenchFactory,
) -> None:
    table, request = bench(), form_request()
    assert table.broker.admit(request) is None
    table.broker.refused_on_the_wire(request, "It came twice.")
    assert [type(event) for event in table.events] == [Requested, Resolved]
    assert table.resolved[0].outcome.reason == "It came twice."


def test_an_approval_carries_no_content_whatever_its_giver_put_in(bench: BenchFactory) -> None:
    async def body() -> None:
        owner = replace(settings_with(), elicitation=ElicitationSettings())
        outcome = await approve(bench(owner, responder=answers("once")).broker)
        assert outcome is not None
        assert (outcome.action, outcome.content) == ("accept", None)

    run(body())
