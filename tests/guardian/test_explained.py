"""Whoever reads a verdict can say why, and whoever reads the rules can say the verdict."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.cli.check import check
from elicit_tui.elicitation import ElicitationRequest
from elicit_tui.elicitation.question import Question
from elicit_tui.guardian import Guardian
from elicit_tui.tui.question.frame_words import finding_lines
from tests.guardian.requests import TEXT, YES_OR_NO, form

GUARDIAN = Guardian()


def weights(request: ElicitationRequest) -> list[str]:
    found = GUARDIAN.review(request).findings
    return [f"{one.amount:+d} {one.frame}" for finding in found for one in finding.because]


@pytest.mark.parametrize(
    ("request_", "verdict", "because"),
    [
        (form("Settings", PGPASSWORD=TEXT), "block", ["+4 field-is-secret"]),
        (form("Enter your password", v=TEXT), "block", ["+3 asked-for", "+1 open-field"]),
        (form("Enter your password", city=TEXT), "block", ["+3 asked-for"]),
        (form("Somebody found a password", v=TEXT), "block", ["+2 spoken-of", "+1 open-field"]),
        (form("Somebody found a password", city=TEXT), "allow", []),
        (form("Do not enter your password", v=TEXT), "allow", []),
        (form("Password length?", v=TEXT), "allow", []),
        (
            form("What do you type to unlock your laptop?", v=TEXT),
            "block",
            ["+4 types-to-get-in"],
        ),
        (
            form("Delete all backups?", ok=YES_OR_NO),
            "warn",
            ["+2 destroys", "+2 weighty-object", "+1 many"],
        ),
        (
            form("Your account is locked today. Verify your address now.", address=TEXT),
            "block",
            ["+1 threat-to-what-is-yours", "+1 demand", "+1 threat-and-demand", "+1 deadline"],
        ),
    ],
)
def test_a_verdict_can_be_foretold_from_frames_and_words(
    request_: ElicitationRequest, verdict: str, because: list[str]
) -> None:
    assert GUARDIAN.review(request_).verdict == verdict
    assert sorted(weights(request_)) == sorted(because)


REQUEST = {
    "id": "one",
    "message": "Settings",
    "requestedSchema": {"type": "object", "properties": {"PGPASSWORD": TEXT}},
}


@pytest.mark.parametrize("output", ["text", "jsonl"])
def test_check_explains_each_piece_of_evidence_with_its_weight_and_place(
    tmp_path: Path, output: str
) -> None:
    path = tmp_path / "one.jsonl"
    path.write_text(json.dumps(REQUEST), encoding="utf-8")
    stream = io.StringIO()
    check(str(path), output, stdout=stream, explain=True)
    told = stream.getvalue()
    if output == "text":
        assert "+4 field-is-secret  PASSWORD" in told
        assert "requestedSchema.properties.PGPASSWORD" in told
    else:
        (finding,) = json.loads(told)["findings"]
        assert finding["because"][0]["weight"] == 4
        assert finding["because"][0]["frame"] == "field-is-secret"


def test_the_page_about_a_request_shows_what_was_weighed() -> None:
    (finding,) = GUARDIAN.review(form("Settings", PGPASSWORD=TEXT)).findings
    assert "+4 field-is-secret  PASSWORD" in finding_lines(finding, 80, weighed=True).plain


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "integer", "minimum": 1, "default": 0},
        {"type": "string", "enum": ["a", "b"], "default": "c"},
        {"type": "string", "enum": ["a", "a"]},
        {"type": "string", "minLength": 5, "maxLength": 2},
    ],
)
def test_a_mistake_of_the_author_is_told_and_asks_for_no_deliberate_step(
    schema: dict[str, Any],
) -> None:
    request = form("Which one?", choice=schema)
    review = GUARDIAN.review(request)
    assert [finding.to_author for finding in review.findings] == [True]
    assert review.findings[0].advice.startswith("For the server's author:")
    assert Question(request, review).to_acknowledge == ()
