"""Words of every day and names of secrets, listed apart from the lexicon that must tell them apart.

Whoever adds a word that is too general, or takes one out that others rely on, reads it here.
"""

from __future__ import annotations

from typing import Any

import pytest

from elicit_tui.guardian import Guardian
from elicit_tui.guardian.words import FOLDER, paragraphs
from tests.guardian.scores import ROOT, request_of

DATA = ROOT / "tests" / "data"


def told(name: str) -> list[str]:
    """The lines of a file of words, without what explains them."""
    lines = (DATA / name).read_text("utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def verdict(message: str, field: str) -> str:
    item: dict[str, Any] = {
        "mode": "form",
        "server": "demo",
        "message": message,
        "requestedSchema": {"type": "object", "properties": {field: {"type": "string"}}},
    }
    return Guardian().review(request_of(item)).verdict


EVERYDAY = " ".join(told("common_words.txt")).split()
ENGLISH_PLAIN = [
    entry
    for path in sorted((FOLDER / "en").glob("*.txt"))
    for heading, entries in paragraphs(path.read_text("utf-8"))
    if "plain" in heading.split(", ")
    for entry in entries
]


def test_a_word_of_every_day_may_be_asked_for() -> None:
    assert len(EVERYDAY) > 1_500
    found = {word: verdict(f"Please enter the {word}.", word) for word in EVERYDAY}
    assert {word: one for word, one in found.items() if one != "allow"} == {}, (
        "Words that everybody uses are read as a secret: put what makes a secret of them under "
        "`WORD with:`, or a longer expression under `sure:`."
    )


def test_what_the_lexicon_calls_plain_may_be_asked_for() -> None:
    found = {words: verdict(f"Please enter the {words}.", "value") for words in ENGLISH_PLAIN}
    assert {words: one for words, one in found.items() if one != "allow"} == {}


@pytest.mark.parametrize("asked", ["Please enter your {}.", "What is your {}?", "Enter the {}"])
def test_a_secret_that_is_called_by_its_name_may_not(asked: str) -> None:
    found = {words: verdict(asked.format(words), "value") for words in told("secret_words.txt")}
    assert {words: one for words, one in found.items() if one != "block"} == {}, (
        "Secrets are let pass that are called by their name: something makes them harmless."
    )
