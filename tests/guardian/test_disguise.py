"""Two texts that differ only in what nobody can see have the same credential verdict."""

from __future__ import annotations

import sys
from functools import lru_cache
from random import Random
from typing import Any

import pytest
import regex
from confusable_homoglyphs.confusables import confusables_data
from hypothesis import example, given, settings
from hypothesis import strategies as st

from elicit_tui.elicitation import ElicitationRequest
from elicit_tui.guardian.words import FOLDER, paragraphs
from elicit_tui.text.folding import fold
from tests.guardian.requests import SERVER, TEXT, of_secrets_only
from tests.text.alphabet import DRAWN_FORMATS

GUARDIAN = of_secrets_only()
PLACES = ("message", "name", "title", "description", "form title", "default")
BETWEEN = "ſßβϐᏰꞵ𝛃𝛽𝜷𝝱𝞫ΓГᎱⲄʍмᴍ"
"""Glyphs that Unicode's table takes for two letters which are not taken for each other."""


def severity(text: str, place: str) -> int:
    """How grave the worst of the credential findings is when `text` stands in a place."""
    field: dict[str, Any] = dict(TEXT)
    schema: dict[str, Any] = {"type": "object"}
    name, message = "value", "What shall it be?"
    if place == "message":
        message = text
    elif place == "name":
        name = text
    elif place == "form title":
        schema["title"] = text
    else:
        field[place] = text
    schema["properties"] = {name: field}
    request = ElicitationRequest(SERVER, {"message": message, "requestedSchema": schema})
    return max(
        (
            int(finding.severity)
            for finding in GUARDIAN.review(request).findings
            if finding.rule.startswith("credentials.")
        ),
        default=-1,
    )


@lru_cache(maxsize=1)
def vocabulary() -> tuple[str, ...]:
    """Every word of all languages that is a secret by itself, or may be one."""
    words: set[str] = set()
    for path in sorted(FOLDER.glob("*/*.txt")):
        for heading, entries in paragraphs(path.read_text("utf-8")):
            if not {"sure", "maybe", "name", "harmless"}.isdisjoint(heading.split(", ")):
                words.update(entries)
    return tuple(sorted(words))


@lru_cache(maxsize=1)
def confusables() -> dict[str, tuple[str, ...]]:
    """For each letter the letters it can be taken for, by Unicode's table, in both directions."""
    found: dict[str, set[str]] = {}
    for letter, entries in confusables_data.items():
        for entry in entries:
            glyph = entry["c"]
            if len(letter) == len(glyph) == 1 and letter.isalpha() and glyph.isalpha():
                found.setdefault(letter, set()).add(glyph)
                found.setdefault(glyph, set()).add(letter)
    return {letter: tuple(sorted(glyphs)) for letter, glyphs in found.items()}


@lru_cache(maxsize=1)
def invisible() -> tuple[str, ...]:
    """Every character that leaves no mark of its own, by Unicode's properties."""
    ignorable = regex.compile(r"[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}]", regex.V1)
    return tuple(
        character
        for character in map(chr, range(sys.maxunicode + 1))
        if ignorable.match(character)
        and ord(character) not in DRAWN_FORMATS
        and not character.isspace()
    )


def same_letters(letter: str) -> tuple[str, ...]:
    """What can stand for a letter so that nobody could read another one."""
    others = confusables().get(letter, ())
    if letter in BETWEEN or looks_like_capital_i(letter):
        return ()
    return tuple(one for one in others if one not in BETWEEN and not looks_like_capital_i(one))


def looks_like_capital_i(letter: str) -> bool:
    return letter.isupper() and (letter == "I" or "l" in confusables().get(letter, ()))


@lru_cache(maxsize=1)
def kinds() -> dict[str, tuple[str, ...]]:
    return {letter: (letter, *same_letters(letter)) for letter in confusables()}


words = st.sampled_from(vocabulary())
texts = st.lists(st.one_of(words, words.map(str.upper), words.map(str.title), st.text(max_size=12)))


def disguised(text: str, seed: int) -> str:
    chance = Random(seed)
    return "".join(
        chance.choice(("", "", chance.choice(invisible())))
        + chance.choice(kinds().get(character, (character,)))
        for character in text
    )


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(PLACES), texts.map(" ".join), st.integers(0, 2**32))
@example("message", "МЕНЕДЖЕР ПАРОЛІВ", 0)
@example("title", "МЕНЕДЖЕР ПАРОЛІВ", 3)
def test_no_disguise_changes_the_credential_verdict_of_any_text(
    place: str, text: str, seed: int
) -> None:
    other = disguised(text, seed)
    assert severity(other, place) == severity(text, place), (text, other)


def test_a_secret_in_capitals_is_the_same_secret() -> None:
    different = [
        word
        for word in vocabulary()
        if len(word.upper()) == len(word)
        and severity(word.upper(), "title") < severity(word, "title")
    ]
    assert different == []


def test_every_pair_of_confusable_letters_is_compared_as_the_same_letter() -> None:
    different = [
        (letter, other)
        for letter in confusables()
        for other in same_letters(letter)
        if fold(letter) != fold(other)
    ]
    assert different == []
    assert len(confusables()) > 3000


def test_every_invisible_character_is_compared_as_nothing() -> None:
    assert [hex(ord(one)) for one in invisible() if fold(one)] == []
    assert len(invisible()) > 4000


@pytest.mark.parametrize(
    ("text", "read_as"),
    [
        ("mot de paſſe", "mot de passe"),
        ("cIave de acceso", "clave de acceso"),
        ("Iösenord", "lösenord"),
        ("ENTER THE PlN CODE", "ENTER THE PIN CODE"),
        ("credentiaI", "credential"),
        ("c\u200bI\u200bаve de acceso", "clave de acceso"),
        ("ΓосKлюч: пароль", "Госключ: пароль"),
        ("Paβwort", "Paßwort"),
        ("секретный каталоΓ пароль", "секретный каталог пароль"),
        ("паʍятная фраза", "памятная фраза"),
        ("ПІН-КОД", "пін-код"),
        ("비밀번호", "비밀번호"),
        ("api\u200bКey\x07Value", "apiKeyValue"),
        ("userꓑassword", "userPassword"),
    ],
)
def test_a_glyph_that_is_two_letters_at_once_hides_no_secret(text: str, read_as: str) -> None:
    for place in PLACES:
        assert severity(text, place) >= severity(read_as, place), place
    assert severity(text, "title") == severity(read_as, "title")


@pytest.mark.parametrize(
    "text",
    [
        "МЕНЕДЖЕР ПАРОЛІВ",
        "MЕНЕДЖЕР ΠΑРОЛІВ",
        "менеджер паролів",
        "Менеджер Паролів",
        "ΚΩΔΙΚΟΣ ΕΚΠΤΩΣΗΣ",
        "ΚΩΔΙΚΌΣ ΠΡΟΪΌΝΤΟΣ",
        "ΤΑΧΥΔΡΟΜΙΚΟΣ ΚΩΔΙΚΟΣ",
        "Κωδικός Έκπτωσης",
    ],
)
def test_what_is_harmless_as_a_whole_is_so_in_every_reading(text: str) -> None:
    assert {severity(text, place) for place in PLACES} == {-1}


@pytest.mark.parametrize("text", ["ΣΥΝΘΗΜΑΤΙΚΟ БАНК", "БАНК ΑΡΙΘΜΟΣ ΚΑΡΤΑΣ"])
def test_a_word_of_another_script_hides_no_greek_secret(text: str) -> None:
    disguise = str.maketrans("ΑΗΘΙΚΜΝΟΡΣΤΥ", "АH𝚯𝚰KМNO𝚸𝚺ТY")
    assert severity(text.translate(disguise), "title") == severity(text, "title") == 2


@pytest.mark.parametrize("text", ["Amount in PLN", "Is it all in Illinois?", "Flag: Ill will"])
def test_ordinary_letters_that_resemble_each_other_alarm_nobody(text: str) -> None:
    assert severity(text, "message") == -1


def test_characters_that_nobody_sees_push_nothing_out_of_what_is_examined() -> None:
    hidden = "\u200b" * 200_000
    assert severity(f"{hidden}Enter your password{hidden}", "message") == severity(
        "Enter your password", "message"
    )


@pytest.mark.parametrize(
    "text", ["AKIAABCDEFGH12345678", "4111 1111 1111 1111", "UGFzc3dvcmQ= please"]
)
def test_a_key_a_card_number_and_a_code_in_disguise_are_known_by_their_shape(text: str) -> None:
    other = "\u200b".join(text).replace("A", "Α")
    assert severity(other, "title") == severity(text, "title") >= 1
