"""Whoever reads a verdict can say why, and whoever reads the rules can say the verdict."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

from elicit_tui import guardian
from elicit_tui.cli.check import check
from elicit_tui.elicitation import ElicitationRequest
from elicit_tui.elicitation.question import Question
from elicit_tui.guardian import Guardian
from elicit_tui.guardian.frames import frames_of
from elicit_tui.guardian.pages import table
from elicit_tui.tui.question.frame_words import findings
from tests.guardian.requests import TEXT, YES_OR_NO, form
from tests.guardian.test_suspected import CASES, said

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
            form("Enter your never shared password", v=TEXT),
            "block",
            ["+3 asked-for", "+1 open-field"],
        ),
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


def test_check_lists_the_heaviest_evidence_and_what_the_lighter_ones_amount_to(
    tmp_path: Path,
) -> None:
    rule, message, properties, required = CASES[0]
    (finding,) = GUARDIAN.review(said(message, properties, required)).findings
    schema = {"type": "object", "properties": properties, "required": required}
    path = tmp_path / "one.jsonl"
    path.write_text(json.dumps({"message": message, "requestedSchema": schema}), encoding="utf-8")
    stream = io.StringIO()
    check(str(path), "text", stdout=stream, explain=True)
    *listed, lighter = re.findall(r"(?m)^      ([+-]\d+) (.*)", stream.getvalue())
    heaviest = sorted((abs(it.amount) for it in finding.because), reverse=True)[:8]
    assert (finding.rule, [abs(int(amount)) for amount, _ in listed]) == (rule, heaviest)
    assert lighter[1] == f"by {len(finding.because) - 8} lighter ones"
    total = sum(int(amount) for amount, _ in (*listed, lighter))
    assert total == sum(it.amount for it in finding.because)


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        (
            form("Settings", PGPASSWORD=TEXT),
            "weighs 4, in requestedSchema.properties.PGPASSWORD: PGPASSWORD\n"
            "+4  the field is called like a secret: “PASSWORD”",
        ),
        (
            form("Enter your password", v=TEXT),
            "weighs 4, in message: Enter your password\n+3  it is asked for: “password”\n"
            "+1  anything can be typed there: “v”, in requestedSchema.properties.v",
        ),
        (
            form("Replace the production database?", ok=YES_OR_NO),
            "weighs 2, in message: Replace the production database…\n"
            "+2  it is done to something of weight: “database”",
        ),
    ],
)
def test_the_page_about_a_request_says_what_was_weighed_in_words(
    request_: ElicitationRequest, told: str
) -> None:
    finding = GUARDIAN.review(request_).findings[0]
    lines = findings((finding,), 200, weighed=True).plain.splitlines()
    assert told in "\n".join(line.strip() for line in lines)
    assert "+0" not in "".join(lines)


def test_every_word_for_a_piece_of_evidence_belongs_to_one() -> None:
    folder = Path(guardian.__file__).parent
    named = "".join(path.read_text("utf-8") for path in folder.glob("**/*.py"))
    made = {f"field-is-{thing}" for thing in ("bank", "health", "identity", "pay")}
    made |= {
        f"{begin}-{thing}" for begin in ("field-is", "may-be") for thing in ("secret", "contents")
    }
    made |= {f"{it}-in-one-sense" for it in ("asked-for", "spoken-of", "field-is-secret")}
    made |= {"destroys", "takes", "alters", "command", "irreversible", *table("recipes")}
    made |= {look.split()[0] for look in table("looks")}
    made |= {one.name for rule in table("sums") for one in frames_of(rule)}
    for frame, words in table("frames").items():
        assert len(words) == 1, frame
        assert f'"{frame}"' in named or frame in made, frame


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
