"""What stands around a question neither makes it harmless nor suspicious."""

from __future__ import annotations

from typing import Any

import pytest

from elicit_tui.elicitation import ElicitationRequest
from elicit_tui.guardian import Guardian
from elicit_tui.guardian.clauses import clauses_of
from elicit_tui.text.folding import fold
from tests.guardian.requests import TEXT, YES_OR_NO, form

GUARDIAN = Guardian()


def text(**said: str) -> dict[str, Any]:
    return {"type": "string", **said}


BLOCKED = [
    form("Enter your password to see the wedding photos", password=TEXT),
    form("Log in to the film club: your password", v=TEXT),
    form("Song download: enter password", v=TEXT),
    form("Enter your bank PIN so that the parcel can be delivered", v=TEXT),
    form("Settings", PGPASSWORD=TEXT),
    form("Settings", pword=TEXT),
    form("3 digits on the reverse of your Amex", v=TEXT),
    form("Settings", n={"type": "integer", "title": "HSM PIN"}),
    form("Please give a personal access token", pat=TEXT),
    form("Which team and which token?", team_and_token=TEXT),
    form("We need nothing but your password.", v=TEXT),
    form("We ask for nothing except the code from your authenticator app.", v=TEXT),
    form("Wir brauchen nichts, nur dein Passwort.", v=TEXT),
]
RAISED = [
    form("Permanently delete all production databases? Dry-run preview: ok", confirm=YES_OR_NO),
    form(
        "Permanently delete a service (irreversible) in the project. Dry-run preview: would delete "
        "web. Confirm to execute for real.",
        confirm=YES_OR_NO,
    ),
]
ALLOWED = [
    form("Your e-mail will be verified, and never shared with anyone else", email=TEXT),
    form(
        "Shall I send the draft?",
        answer={"type": "string", "enum": ["Yes, I confirm", "No, I do not confirm"]},
    ),
    form("What is your name? Please do not give us your phone number", name=TEXT),
    form("Which theme should be used from now on?", theme=TEXT),
    form("Pat or Sam?", who=TEXT),
    form("Which coin should the chart show?", token=text(description="ticker, such as SOL")),
    form("Where does the pin go on the seating map?", pin_row=TEXT),
    form("Which token closes the block?", closing_token=text(description="for example 'end'")),
    form("We never ask for passwords. May I open the login page?", confirm=YES_OR_NO),
    form("Your city, please. We will never ask for your password.", city=TEXT),
    form("Your city, please. Please leave out card numbers.", city=TEXT),
    form("Rename the draft? This does not change production.", ok=YES_OR_NO),
    form("Nothing but the city is needed; never your password.", city=TEXT),
]


def said(request: ElicitationRequest) -> str:
    fields = request.params["requestedSchema"]["properties"]
    return f"{request.params['message'][:60]} {list(fields)}"


@pytest.mark.parametrize("request_", BLOCKED, ids=said)
def test_a_secret_is_blocked_whatever_it_is_said_to_be_for(request_: ElicitationRequest) -> None:
    assert GUARDIAN.review(request_).verdict == "block"


@pytest.mark.parametrize("request_", RAISED, ids=said)
def test_a_preview_that_is_mentioned_does_not_make_the_act_harmless(
    request_: ElicitationRequest,
) -> None:
    assert GUARDIAN.review(request_).verdict == "warn"


@pytest.mark.parametrize("request_", ALLOWED, ids=said)
def test_a_promise_a_refusal_or_another_sense_raises_nothing(request_: ElicitationRequest) -> None:
    review = GUARDIAN.review(request_)
    assert review.verdict == "allow", [finding.rule for finding in review.findings]


@pytest.mark.parametrize(
    "text",
    ["لا تكتب شيئًا؛ اكتب الاسم، ثم المدينة؟", "कुछ मत लिखिए। नाम, फिर शहर?"],
    ids=["ar", "hi"],
)
def test_a_sentence_ends_at_the_mark_of_its_own_script(text: str) -> None:
    denied, *asked = clauses_of(fold(text))
    assert [clause.sentence for clause in (denied, *asked)] == [0, 1, 1]
    assert [clause.is_question for clause in (denied, *asked)] == [False, True, True]
