"""What a question came to stands in the ledger first; what cannot be written lets no accept out."""

from __future__ import annotations

import threading
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.broker import Broker, BrokerEvent, Notice
from elicit_tui.broker.record import GROUP, Record
from elicit_tui.elicitation import ElicitationRequest, Outcome, Review, accept, cancel, decline, now
from elicit_tui.elicitation import request as request_noun
from elicit_tui.elicitation.settings import (
    Settings,
)
from elicit_tui.errors import LedgerError
from elicit_tui.guardian import Guardian
from elicit_tui.ledger import Ledger
from elicit_tui.policy import Policy
from elicit_tui.responders import NobodyResponder
from elicit_tui.runtime.opening import UnavailableLedger
from tests.broker.conftest import BenchFactory, form_request, run


def test_a_ledger_that_cannot_be_written_is_told_before_anything_is_answered(
    bench: BenchFactory,
) -> None:
    async def body() -> None:
        table = bench()
        table.ledger.close()
        answering = table.asks()
        question = await table.person.sees()
        assert "an accept would be withheld" in (question.note or "")
        (notice,) = [event for event in table.events if isinstance(event, Notice)]
        assert notice.sentence.startswith("The ledger cannot be written: ")
        assert notice.sentence.endswith("Accepts are withheld, refusals go out.")
        table.person.sends(question, colour="blue")
        assert (await answering).decided_by == "ledger"
        assert len([event for event in table.events if isinstance(event, Notice)]) == 1

    run(body())


def test_that_an_answer_left_stands_in_its_record(bench: BenchFactory) -> None:
    async def body() -> None:
        table = bench()
        request = form_request()
        answering = table.asks(request)
        table.person.sends(await table.person.sees(), colour="blue")
        await answering
        assert table.ledger.row(request.id).sent_at is None
        table.broker.sent(request)
        assert table.ledger.row(request.id).sent_at is not None
        table.ledger.close()
        table.broker.sent(request)
        (notice,) = [event for event in table.events if isinstance(event, Notice)]
        assert notice.sentence.startswith("The ledger cannot be written: ")

    run(body())


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_clock_that_is_set_meanwhile_makes_no_question_wait_longer_or_shorter(
    bench: BenchFactory, hours: int
) -> None:
    async def body() -> None:
        table = bench()
        request, answering = await table.asked(
            form_request(arrived_at=now() - timedelta(hours=hours))
        )
        table.person.sends(await table.person.sees(), colour="blue")
        await answering
        (resolved,) = table.resolved
        assert table.ledger.row(request.id).waited_ms == resolved.waited_ms

    run(body())


def test_two_outcomes_are_the_same_however_long_each_of_them_took() -> None:
    assert decline("user", "No.", waited_ms=5) == decline("user", "No.", waited_ms=9_000)


def test_what_the_server_took_back_before_it_was_answered_is_recorded_as_its_doing(
    bench: BenchFactory,
) -> None:
    async def body() -> None:
        table = bench()
        request = form_request()
        answering = table.asks(request)
        table.person.sends(await table.person.sees(), colour="blue")
        await answering
        outcome = table.broker.taken_back(request, "The server took it back.")
        assert (outcome.action, outcome.decided_by) == (None, "server")
        row = table.ledger.row(request.id)
        assert (row.action, row.decided_by) == (None, "server")
        assert [event.outcome.decided_by for event in table.resolved] == ["user", "server"]

    run(body())


def test_an_accept_that_cannot_be_recorded_is_withheld_and_a_refusal_still_goes_out(
    bench: BenchFactory,
) -> None:
    async def body() -> None:
        table = bench()
        accepted = table.asks()
        declined = table.asks(form_request("And this?"))
        await table.person.sees(2)
        one, two = table.person.shown
        table.ledger.close()
        table.person.sends(one, colour="blue")
        table.person.answers[two.id].set_result(cancel("user", "You dismissed it."))
        outcome = await accepted
        assert (outcome.action, outcome.decided_by) == ("cancel", "ledger")
        assert outcome.content is None
        assert (await declined).decided_by == "user"
        assert [e.sentence for e in table.events if isinstance(e, Notice)] != []

    run(body())


def test_a_request_refused_on_the_wire_is_asked_and_decided_in_the_record(
    bench: BenchFactory,
) -> None:
    table = bench()
    request = form_request()
    assert table.broker.admit(request) is None
    table.broker.refused_on_the_wire(request, "The SDK could not read it.")
    assert [type(event).__name__ for event in table.events] == ["Requested", "Resolved"]
    assert table.ledger.row(request.id).reason == "The SDK could not read it."
    # What has its outcome has no second one.
    table.broker.refused_on_the_wire(request, "Once more.")
    assert len(table.resolved) == 1


def test_a_secret_that_a_person_sends_all_the_same_is_masked_in_the_record(
    bench: BenchFactory,
) -> None:
    async def body() -> None:
        table = bench()
        request = form_request()
        answering = table.asks(request)
        secret = "ghp_" + "x7Kd92LmQ4" * 3 + "aBcDeF"
        question = await table.person.sees()
        seen = frozenset(finding.id for finding in question.examine({"colour": secret}))
        accepted = accept("user", "Sent.", {"colour": secret}, acknowledged=seen)
        table.person.answers[question.id].set_result(accepted)
        assert (await answering).content == {"colour": secret}
        row = table.ledger.row(request.id)
        assert secret not in str(row)
        assert [finding["where"] for finding in row.details["outgoing"]] == ["content.colour"]
        assert row.details["acknowledged"] == sorted(seen)

    run(body())


def test_a_late_withdrawal_that_cannot_be_recorded_is_told_all_the_same() -> None:
    told: list[BrokerEvent] = []
    ledger = UnavailableLedger("It is on a disk that is gone.")
    settings = Settings()
    guardian = Guardian(settings.guardian)
    broker = Broker(Policy(settings), guardian, ledger, NobodyResponder())
    broker.subscribe(told.append)
    broker.withdrawn_late(form_request("Which\x1b[2J colour?\nNow"), "The server took it back.")
    sentences = [event.sentence for event in told if isinstance(event, Notice)]
    assert all(sentence.isprintable() for sentence in sentences)
    assert [sentence.split(":")[0] for sentence in sentences] == [
        "The ledger cannot be written",
        "The server took it back. The accept had left before",
    ]


def test_a_ledger_that_works_again_has_the_whole_question_beside_its_outcome(
    tmp_path: Path,
) -> None:
    class ForgetsTheFirst(Ledger):
        failed = False

        def asked(self, request: ElicitationRequest, review: Review) -> None:
            if not self.failed:
                self.failed = True
                raise LedgerError("The disk is away for a moment.")
            super().asked(request, review)

    settings = Settings()
    with closing(ForgetsTheFirst.open(tmp_path / "ledger.sqlite3")) as ledger:
        broker = Broker(Policy(settings), Guardian(settings.guardian), ledger, NobodyResponder())
        request = form_request()
        run(broker.resolve(request))
        row = ledger.row(request.id)
        assert (row.message, row.action, row.verdict) == ("Which colour?", "cancel", "allow")


class FailsNow(Ledger):
    """A ledger whose disk is away for the next few outcomes."""

    fails = 0

    def decided(self, request: ElicitationRequest, outcome: Outcome, review: Review) -> None:
        self.fails -= 1
        if self.fails >= 0:
            raise LedgerError("The disk is away for a moment.")
        super().decided(request, outcome, review)


def test_an_accept_that_was_withheld_stands_so_in_a_ledger_that_works_again(
    tmp_path: Path,
) -> None:
    with closing(FailsNow.open(tmp_path / "ledger.sqlite3")) as ledger:
        ledger.fails, request = 1, form_request()
        record = Record(ledger, lambda event: None)
        record.asked(request, Review())
        outcome = record.decided(request, accept("user", "Sent.", {"colour": "blue"}), Review())
        row = ledger.row(request.id)
        assert (outcome.action, outcome.decided_by) == ("cancel", "ledger")
        assert (row.action, row.decided_by) == ("cancel", "ledger")


def test_a_ledger_that_fails_again_after_it_worked_is_told_of_again(tmp_path: Path) -> None:
    told: list[BrokerEvent] = []
    with closing(FailsNow.open(tmp_path / "ledger.sqlite3")) as ledger:
        record = Record(ledger, told.append)
        for fails in (2, 0, 1):
            ledger.fails, request = fails, form_request()
            record.closed(request, decline("user", "No."))
            record.closed(form_request(), decline("user", "No."))
    assert len(told) == 2


def test_a_number_that_cannot_be_written_keeps_no_other_from_being_written(
    tmp_path: Path,
) -> None:
    class FailsOnce(Ledger):
        failed = False

        def flood(self, server: str, count: int, outcome: Outcome) -> None:
            if not self.failed:
                self.failed = True
                raise LedgerError("The disk is away for a moment.")
            super().flood(server, count, outcome)

    told: list[BrokerEvent] = []
    with closing(FailsOnce.open(tmp_path / "ledger.sqlite3")) as ledger:
        record = Record(ledger, told.append)
        for server in ("paint", "deploy"):
            record.group(form_request(server=server), cancel("flood", "Too many."))
        record.end()
        assert [row.server for row in ledger.rows()] == ["deploy"]
    assert len(told) == 1


def test_what_is_counted_is_counted_on_while_it_cannot_be_written(tmp_path: Path) -> None:
    class FailsOnce(Ledger):
        tries = 0

        def flood(self, server: str, count: int, outcome: Outcome) -> None:
            self.tries += 1
            if self.tries == 1:
                raise LedgerError("The disk is away for a moment.")
            super().flood(server, count, outcome)

    with closing(FailsOnce.open(tmp_path / "ledger.sqlite3")) as ledger:
        record = Record(ledger, lambda event: None)
        for _ in range(GROUP + 7):
            record.group(form_request(), cancel("flood", "Too many."))
        # A flood is no reason to try with each of its questions.
        assert (ledger.tries, list(ledger.rows())) == (1, [])
        record.asked(form_request(), Review())
        assert next(ledger.rows()).count == GROUP + 7
        record.end()
        assert ledger.tries == 2


def test_what_a_large_question_is_known_again_by_is_worked_out_beside_the_others(
    bench: BenchFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = []
    digest = request_noun.digest

    def noted(value: Any) -> str:
        threads.append(threading.get_ident())
        return digest(value)

    monkeypatch.setattr(request_noun, "digest", noted)

    async def body() -> None:
        table = bench()
        many = {"type": "string", "enum": [f"colour {number}" for number in range(2_000)]}
        schema = {"type": "object", "properties": {"colour": many}}
        _, answering = await table.asked(form_request(params={"requestedSchema": schema}))
        table.person.sends(table.person.shown[0], colour="colour 7")
        await answering

    run(body())
    assert threads
    assert threading.get_ident() not in threads
