"""Nobody but a person agrees to a login, whoever answers and whatever is prepared."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest

from elicit_tui.broker import Broker
from elicit_tui.config.rules import load_answers
from elicit_tui.elicitation import (
    Deadline,
    ElicitationRequest,
    LoginPage,
    Outcome,
    Question,
    ServerIdentity,
    accept,
    authorization_request,
    decline,
)
from elicit_tui.elicitation.outcome import DecidedBy
from elicit_tui.elicitation.settings import Rule, Settings
from elicit_tui.guardian import Guardian
from elicit_tui.ledger import Ledger
from elicit_tui.policy import Policy
from tests.broker.conftest import run

SERVER = ServerIdentity("remote", "https://mcp.example.com/mcp", "mcp.example.com")
BACK_AT = "http://127.0.0.1:9/callback?code=c&state=s"


def login(url: str = "https://login.example.com/authorize?state=s") -> ElicitationRequest:
    page = LoginPage(url, "https://login.example.com")
    return authorization_request(SERVER, page)


class Face:
    """Accepts whatever it is shown, in somebody's name."""

    def __init__(self, by: DecidedBy) -> None:
        self.by = by
        self.shown: list[Question] = []

    async def respond(self, question: Question, deadline: Deadline) -> Outcome:
        self.shown.append(question)
        found = frozenset(finding.id for finding in question.to_acknowledge)
        return accept(self.by, "Accepted.", {"redirect": BACK_AT}, acknowledged=found)


class Asked:
    """One login, asked of a face, with what the listener's side was given."""

    def __init__(
        self,
        directory: Path,
        face: Face,
        settings: Settings,
        request: ElicitationRequest | None = None,
        **prepared: Any,
    ) -> None:
        self.given: list[str] = []
        ledger = Ledger.open(directory / "ledger.sqlite3")

        async def asked() -> Outcome:
            policy = Policy(settings, **prepared)
            broker = Broker(policy, Guardian(settings.guardian), ledger, face)
            try:
                return await broker.authorize(request or login(), self._take)
            finally:
                await broker.close()
                ledger.close()

        self.outcome: Outcome = run(asked())

    def _take(self, address: str) -> str | None:
        self.given.append(address)
        return None


@pytest.mark.parametrize("by", sorted(set(get_args(DecidedBy)) - {"user"}))
def test_a_login_that_somebody_else_accepts_is_given_back_and_its_address_not_taken(
    tmp_path: Path, by: DecidedBy
) -> None:
    face = Face(by)
    asked = Asked(tmp_path, face, Settings())
    assert (asked.outcome.action, asked.outcome.decided_by) == ("cancel", "policy")
    assert asked.given == []
    assert "nly a person logs in" in (face.shown[1].note or "")


def test_a_login_that_a_person_accepts_is_given_the_address(tmp_path: Path) -> None:
    asked = Asked(tmp_path, Face("user"), Settings())
    assert (asked.outcome.action, asked.outcome.decided_by) == ("accept", "user")
    assert (asked.outcome.content, asked.given) == (None, [BACK_AT])


def test_a_login_whose_page_may_have_led_back_by_itself_is_given_no_address(
    tmp_path: Path,
) -> None:
    class Pasted(Face):
        async def respond(self, question: Question, deadline: Deadline) -> Outcome:
            return replace(await super().respond(question, deadline), content=None)

    asked = Asked(tmp_path, Pasted("user"), Settings())
    assert (asked.outcome.action, asked.given) == ("accept", [""])


def test_a_login_that_the_guardian_blocks_is_shown_to_nobody(tmp_path: Path) -> None:
    face = Face("user")
    asked = Asked(tmp_path, face, Settings(), login("javascript:alert(1)"))
    assert (asked.outcome.action, asked.outcome.decided_by) == ("decline", "guardian")
    assert (face.shown, asked.given) == ([], [])


def test_no_rule_accepts_a_login(tmp_path: Path) -> None:
    rules = (Rule("accept", server="*", content={"redirect": BACK_AT}, despite=("*",)),)
    face = Face("user")
    asked = Asked(tmp_path, face, Settings(rules=rules))
    assert asked.outcome.decided_by == "user"
    assert len(face.shown) == 1


def test_with_an_answers_file_nobody_is_asked_and_nothing_is_accepted(tmp_path: Path) -> None:
    file = tmp_path / "answers.toml"
    file.write_text('[[answers]]\naction = "accept"\ncontent = {}\n')
    face = Face("user")
    asked = Asked(tmp_path, face, Settings(), answers=load_answers(file))
    assert (asked.outcome.action, asked.outcome.decided_by) == ("cancel", "nobody")
    assert (face.shown, asked.given) == ([], [])


class Reads:
    """Looks at a login whose page leads back meanwhile; says what it was shown and agrees."""

    def __init__(self, *, opened: bool) -> None:
        self.opened = opened
        self.broker: Broker | None = None
        self.ended_meanwhile: bool | None = None

    async def respond(self, question: Question, deadline: Deadline) -> Outcome:
        assert self.broker is not None
        assert question.to_acknowledge
        question.draft.opened = self.opened
        (pending,) = self.broker.pending
        self.broker.page_led_back(question.id)
        self.ended_meanwhile = pending.settled.done()
        return decline("user", "No.")


def test_a_page_that_leads_back_ends_its_own_login_and_no_other(tmp_path: Path) -> None:
    ended: list[bool] = []

    class Waits:
        async def respond(self, question: Question, deadline: Deadline) -> Outcome:
            (pending,) = broker.pending
            for request_id in ("another", question.id):
                broker.page_led_back(request_id)
                ended.append(pending.settled.done())
            return await pending.settled

    with closing(Ledger.open(tmp_path / "ledger.sqlite3")) as ledger:
        broker = Broker(Policy(Settings()), Guardian(), ledger, Waits())
        outcome = run(broker.authorize(login(), lambda _: None))
    assert ended == [False, True]
    assert (outcome.action, outcome.decided_by) == ("accept", "user")


@pytest.mark.parametrize("opened", [True, False])
def test_a_page_that_leads_back_ends_no_login_whose_warnings_nobody_has_acknowledged(
    tmp_path: Path, opened: bool
) -> None:
    page = LoginPage("https://192.168.0.1/authorize?state=s", "https://192.168.0.1")
    face = Reads(opened=opened)

    async def asked() -> None:
        with closing(Ledger.open(tmp_path / "ledger.sqlite3")) as ledger:
            face.broker = Broker(Policy(Settings()), Guardian(), ledger, face)
            await face.broker.authorize(authorization_request(SERVER, page), lambda _: None)
            await face.broker.close()

    run(asked())
    assert face.ended_meanwhile is opened
