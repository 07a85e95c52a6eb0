"""The table of decisions, taken by a real broker with a real ledger and a real judge.

Every row, and every value of every column within it, is met; the person is a script, or nobody.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from elicit_tui.broker import Broker
from elicit_tui.elicitation import (
    Deadline,
    ElicitationRequest,
    Finding,
    Outcome,
    Question,
    Responder,
    Review,
    ServerIdentity,
    accept,
    cancel,
    decline,
)
from elicit_tui.ledger import Ledger
from elicit_tui.policy import Policy
from elicit_tui.responders import NobodyResponder
from tests.broker.conftest import run
from tests.policy.test_the_decision_table import (
    CONTENT,
    FINDINGS,
    Case,
    answers_of,
    cases,
    row_of,
    settings_of,
)

PARAMS: dict[str, dict[str, Any]] = {
    "form": {
        "message": "m",
        "requestedSchema": {
            "type": "object",
            "properties": {"environment": {"type": "string"}},
            "required": ["environment"],
        },
    },
    "url": {
        "mode": "url",
        "message": "m",
        "url": "https://example.com/",
        "elicitationId": "page",
    },
}


class Finds:
    """A guardian that finds what the case says."""

    def __init__(self, review: Review) -> None:
        self._review = review

    def review(self, request: ElicitationRequest) -> Review:
        return self._review

    def outgoing(
        self, content: Mapping[str, Any], schema: Mapping[str, Any] | None = None
    ) -> tuple[Finding, ...]:
        return ()


class Says:
    """A person who does one thing, whatever is asked."""

    def __init__(self, outcome: Outcome) -> None:
        self._outcome = outcome
        self.told = "-"

    async def respond(self, question: Question, deadline: Deadline) -> Outcome:
        deadline.start()
        self.told = question.note or "-"
        return self._outcome


def met() -> Iterator[Case]:
    """For each row, cases that have together every value of every column that it leaves open."""
    seen: set[tuple[object, str, str]] = set()
    for case in cases():
        new = {(row_of(case), name, value) for name, value in case._asdict().items()} - seen
        if new:
            seen |= new
            yield case


def said(case: Case, turn: int) -> Outcome:
    """What the person does: each of the three in turn."""
    content = CONTENT if case.mode == "form" else None
    seen = frozenset(finding.id for finding in FINDINGS[case.verdict])
    return (
        accept("user", "You said yes.", content, acknowledged=seen),
        decline("user", "You said no."),
        cancel("user", "You dismissed it."),
    )[turn % 3]


def test_the_broker_takes_the_decision_of_every_row(tmp_path: Path) -> None:
    async def body(ledger: Ledger) -> int:
        count = 0
        for count, case in enumerate(met(), start=1):
            row, person = row_of(case), Says(said(case, count))
            asked: Responder = person if case.person == "yes" else NobodyResponder()
            policy = Policy(settings_of(case), answers_of(case), case.person == "yes")
            review = Review(FINDINGS[case.verdict])
            broker = Broker(policy, Finds(review), ledger, asked)
            server = ServerIdentity("s", "stdio", "x")
            request = ElicitationRequest(server, PARAMS[case.mode], wire_id=1)
            outcome = await broker.resolve(request)
            if row.action == "ask":
                assert outcome == said(case, count), case
                assert row.reason in person.told, case
            else:
                action = None if row.action == "error" else row.action
                assert (outcome.action, outcome.decided_by) == (action, row.decided_by), case
                assert row.reason == "-" or row.reason in outcome.reason, case
            stored = ledger.row(request.id)
            assert (stored.action, stored.decided_by, stored.reason) == (
                outcome.action,
                outcome.decided_by,
                outcome.reason,
            ), case
            assert (stored.key, stored.layer) == (outcome.key, outcome.layer), case
        return count

    with closing(Ledger.open(tmp_path / "ledger.sqlite3")) as ledger:
        assert run(body(ledger)) > 300
        assert ledger.verify().ok
