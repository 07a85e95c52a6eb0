"""What must be seen is seen in every language, and what a language lacks is told."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from elicit_tui.cli.check import check
from elicit_tui.cli.languages import described, lacking
from elicit_tui.guardian import Guardian
from elicit_tui.guardian.words import NAMES, languages
from tests.guardian.requests import TEXT, YES_OR_NO, form
from tests.guardian.scores import ROOT

SPOKEN = [code for code in languages() if code != NAMES]
ANSWERS: dict[str, dict[str, Any]] = {
    "type": TEXT,
    "agree": YES_OR_NO,
    "choose": {"type": "string", "enum": ["1", "2"]},
}


class Sentence(NamedTuple):
    seen: str
    verdict: str
    answer: str
    language: str
    text: str


def sentences() -> Iterator[Sentence]:
    heading: list[str] = []
    for line in (ROOT / "tests" / "data" / "parity.txt").read_text("utf-8").splitlines():
        if line.startswith("  "):
            language, _, text = line.strip().partition(" ")
            yield Sentence(*heading, language, text)
        elif line and not line.startswith("#"):
            heading = line.partition(":")[0].split()


TABLE = [*sentences()]
SEEN_EVERYWHERE, SEEN_AT_LEAST = 7, 14
"""The headings that stand first in the table, and in how many languages the others are seen."""


def languages_of(name: str) -> list[str]:
    return sorted(one.language for one in TABLE if one.seen == name)


def test_every_language_has_a_sentence_for_each_thing_that_must_be_seen() -> None:
    everywhere = [*dict.fromkeys(one.seen for one in TABLE)][:SEEN_EVERYWHERE]
    found = {name: languages_of(name) for name in everywhere}
    assert found == dict.fromkeys(everywhere, SPOKEN)


def test_what_is_not_seen_everywhere_is_seen_in_most_languages_that_the_table_has() -> None:
    others = [*dict.fromkeys(one.seen for one in TABLE)][SEEN_EVERYWHERE:]
    few = {name: told for name in others if len(told := languages_of(name)) < SEEN_AT_LEAST}
    assert len(others) == 29
    assert few == {}


@pytest.mark.parametrize("code", SPOKEN)
def test_it_is_seen_there(code: str) -> None:
    guardian = Guardian()
    verdicts = {
        one.text: guardian.review(form(one.text, answer=ANSWERS[one.answer])).verdict
        for one in TABLE
        if one.language == code
    }
    assert verdicts == {one.text: one.verdict for one in TABLE if one.language == code}


@pytest.mark.parametrize("output", ["text", "json"])
def test_check_explains_what_the_language_of_a_request_has_no_words_for(
    tmp_path: Path, output: str
) -> None:
    path = tmp_path / "one.json"
    path.write_text(json.dumps({"message": "Telefonunuza az önce altı rakam geldi."}), "utf-8")
    stream = io.StringIO()
    check(str(path), output, stdout=stream, explain=True)
    if output == "json":
        (row,) = json.loads(stream.getvalue())
        assert (row["language"], row["no_words_for"]) == ("tr", list(lacking("tr")))
    else:
        assert f"its language (tr) has no words for {len(lacking('tr'))}" in stream.getvalue()


GUIDE = (ROOT / "docs" / "guardian.md").read_text("utf-8")
FORETOLD = re.findall(
    r"^\| (.+) \| `(\w+)` \| (.*?) ?\| (allow|warn|block) \|$", GUIDE, re.MULTILINE
)


def test_the_guide_foretells_some_verdicts() -> None:
    assert len(FORETOLD) == 11


@pytest.mark.parametrize(("message", "field", "evidence", "verdict"), FORETOLD)
def test_a_verdict_is_what_the_guide_foretells(
    message: str, field: str, evidence: str, verdict: str
) -> None:
    review = Guardian().review(form(message, **{field: TEXT}))
    weighed = [f"{why.amount:+d} {why.frame}" for one in review.findings for why in one.because]
    assert (review.verdict, ", ".join(weighed)) == (verdict, evidence)


def test_the_guide_tells_how_much_each_language_lacks() -> None:
    told = dict(re.findall(r"^\| (\w\w) \| (\d+) \|", GUIDE, re.MULTILINE))
    known = {code: str(len(described()) - len(lacking(code))) for code in SPOKEN}
    assert told == known
    assert f"of {len(described())}" in GUIDE
    assert lacking("en") == ()
