"""What the lexicon calls harmless disarms its own words, and no secret that stands beside them.

The requests are made of the lexicon and of `tests/data/secret_words.txt`: an entry is tried as soon
as it stands there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import pytest

from elicit_tui.guardian.families.credentials import SECRET
from elicit_tui.guardian.words import FOLDER, find, listed, paragraphs
from elicit_tui.text.folding import fold
from elicit_tui.text.letters import words_of
from tests.guardian.requests import TEXT, form, of_secrets_only
from tests.guardian.test_known_words import told

GUARDIAN: Final = of_secrets_only()
NAMES: Final = [fold(name) for name in told("secret_words.txt")]
OTHER_SENSES: Final = {word for sense in SECRET.senses for word in listed(sense.words)}
"""Names that the lexicon knows in a harmless sense as well: `card word:`."""
WHAT_TO_DO: Final = (
    "These harmless words take back a secret that is asked for. Say what is harmless about it: an "
    "attribute behind it (`attribute:` in grammar.txt), or a longer expression that holds it. If "
    "such a request asks for the secret itself, it was no false alarm."
)


class Entry(NamedTuple):
    """Words that show a harmless sense."""

    place: str
    concept: str
    head: str
    """What it makes harmless under `HEAD not with:`; else nothing."""
    words: str

    @property
    def said(self) -> str:
        return fold(f"{self.words} {self.head}".strip())


def entries() -> Iterator[Entry]:
    for path in sorted(FOLDER.glob("*/*.txt")):
        for heading, listed_there in paragraphs(path.read_text("utf-8")):
            place = f"{path.parent.name}/{path.name}"
            heads = heading.removesuffix(" not with")
            if heads != heading:
                for head in heads.split(", "):
                    yield from (Entry(place, heading, fold(head), fold(it)) for it in listed_there)
            elif not {"harmless", "public", "unless"}.isdisjoint(heading.split(", ")):
                yield from (Entry(place, heading, "", fold(it)) for it in listed_there)


ENTRIES: Final = [*entries()]


def let_pass(asked: Iterable[tuple[Entry, str]]) -> list[str]:
    """Which of some requests are not stopped, and which entry each was made of."""
    return [
        f"{entry.place}, {entry.concept}: {entry.words} -> allowed: {message!r}"
        for entry, message in asked
        if GUARDIAN.review(form(message, answer=TEXT)).verdict != "block"
    ]


@pytest.mark.parametrize(
    ("demand", "contexts"),
    [
        ("Enter your password", ("{1}: {0}.", "{0} for the {1}.")),
        (
            "Enter the six digits we just texted you",
            ("{1}: {0}.", "{0} for the {1}.", "{0} and the {1}."),
        ),
    ],
    ids=["named", "described"],
)
def test_harmless_words_disarm_nothing_that_is_asked_for_beside_them(
    demand: str, contexts: tuple[str, ...]
) -> None:
    asked = ((one, context.format(demand, one.said)) for one in ENTRIES for context in contexts)
    assert let_pass(asked) == [], WHAT_TO_DO


def is_sure(name: str) -> bool:
    """Whether the lexicon calls a name a secret, whatever else is said, and in no other sense."""
    words = words_of(name)
    whole = any(hit.end - hit.start == len(words) for hit in find(words, False).get("sure", ()))
    return whole and name not in OTHER_SENSES


def with_their_rest(entry: Entry) -> Iterator[tuple[str, str]]:
    """Each secret whose name holds the head, or stands in the entry, and what is left of that."""
    for name in NAMES:
        before, stands_there, behind = f" {entry.said} ".partition(f" {name} ")
        rest = f"{before} {behind}".strip()
        if entry.head in name.split():
            yield name, entry.words
        elif stands_there and rest and not entry.head:
            yield name, rest


def owned(entry: Entry) -> Iterator[str]:
    """Demands for a secret that belongs to what shows the harmless sense."""
    for name, rest in with_their_rest(entry):
        yield f"Enter your {name} for the {rest}."
        if is_sure(name):
            yield f"Enter the {name} of the {rest}."
            if entry.place.startswith("en/") and entry.said.endswith(f" {name}"):
                yield f"Enter the {rest} {name}."


def test_a_secret_of_what_shows_a_harmless_sense_stays_a_secret() -> None:
    asked = ((one, message) for one in ENTRIES for message in owned(one))
    assert let_pass(asked) == [], WHAT_TO_DO


CARDS = [
    ("Add a trading card. The card number is printed at the bottom.", "Card number in the set"),
    ("Albüme eklemek istediğin kartın numarası kaç?", "Kart numarası"),
    ("새 트레이딩 카드의 카드 번호를 적어 주세요.", "도감 카드 번호"),
]


@pytest.mark.parametrize(("message", "title"), CARDS)
def test_the_number_of_a_card_in_its_set_is_none_of_a_bank(message: str, title: str) -> None:
    of_a_set = {**TEXT, "title": title, "description": "025/165"}
    by_its_pattern = {**TEXT, "title": title, "pattern": "^[0-9]{1,3}/[0-9]{1,3}$"}
    of_a_bank = {**TEXT, "title": title, "description": "MM/YYYY: 12/2027"}
    verdicts = [
        GUARDIAN.review(form(message, card_number=field)).verdict
        for field in (of_a_set, by_its_pattern, of_a_bank)
    ]
    assert verdicts == ["allow", "allow", "block"]


def test_a_pin_that_its_field_shows_to_be_of_the_post_is_none_wherever_it_is_spoken_of() -> None:
    told = "To which village post office should the seed go? The PIN has six digits."
    village, pin = {**TEXT, "title": "Village"}, {**TEXT, "title": "PIN"}
    of_the_post = {**pin, "pattern": "^[1-9][0-9]{5}$"}
    verdicts = [
        GUARDIAN.review(form(told, village=village, pin=field)).verdict
        for field in (of_the_post, {**pin, "pattern": "^[0-9]{4}$"})
    ]
    assert verdicts == ["allow", "block"]
