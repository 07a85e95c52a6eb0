"""Text folded for comparison, with a way back to what was really there.

Disguise is undone here once, for every rule: compatibility forms, accents, invisible characters,
look-alike letters of other scripts, camelCase, spaces inside words of scripts that have none.
A vocabulary is folded by the same function, as with the skeleton of Unicode UTS 39.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

from elicit_tui.dataclass import dataclass
from elicit_tui.text.deceptive import CONTROLS, is_invisible, translated
from elicit_tui.text.lookalikes import camel_cuts, capital_i, case_of, representatives, taken_apart

_PAIRS: Final = Path(__file__).with_name("simplified.txt").read_text("utf-8").splitlines()[1:]
SIMPLIFIED: Final = {pair[0]: pair[1:] for pair in " ".join(_PAIRS).split()}
"""A traditional Chinese character's simplified form."""
_IDEOGRAPHIC: Final = "\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_SYLLABLE: Final = re.compile(
    "[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?|[\uac00-\ud7a3][\u11a8-\u11c2]"
)
"""Korean letters that came one by one, and are read together."""
_BETWEEN_SCRIPTS: Final = (
    ("[a-zA-Z]", str.maketrans("ſβϐᏰꞵ𝛃𝛽𝜷𝝱𝞫", "fßßßßßßßßß")),
    ("[\u0370-\u03ff]", str.maketrans("ГᎱⲄß", "ΓΓΓβ")),
    ("[\u0400-\u052f]", str.maketrans("ΓᎱⲄʍ", "ГГГм")),
)
"""The letters of a script, and what glyphs that may belong to it as well are read as among them."""
_SMALL_GREEK: Final = dict(zip("bezhimnyx", "βεζηιμνυχ", strict=True))
"""The small letters of Greek capitals that look like Latin ones."""
_CAPITAL_I_AS_L: Final = re.compile(
    # Among small letters, where no capital belongs; or first, before a vowel as an l would be.
    "I(?:(?<=[a-z]I)I*|(?<![A-Za-z]I)I*(?=[Iaeiouy][a-zI]))"
)
_L_AS_CAPITAL_I: Final = re.compile("l(?:(?<=[A-Z]l)l*(?![a-z])|(?<![a-z]l)l*(?=[A-Z]))")


@lru_cache(maxsize=2)
def _space_between_ideographs(across_ends: bool) -> re.Pattern[str]:
    # What ends a sentence is a full stop with a blank behind it, or an empty line.
    end = "" if across_ends else r"(?!\.[*_]{0,3}\s|\s?\n\s?\n)"
    # So many letters take long to compile, and few texts have them.
    return re.compile(
        rf"(?<=[{_IDEOGRAPHIC}]){end}[\s._\-*·・|/]{{1,5}}(?=[{_IDEOGRAPHIC}])"
        # Blanks around a number are a matter of typesetting.
        rf"|(?<=[{_IDEOGRAPHIC}])[ \u3000](?=\d)|(?<=\d)[ \u3000](?=[{_IDEOGRAPHIC}])"
    )


@lru_cache(maxsize=8192)
def fold_character(character: str) -> str:
    """One character as it is compared: nothing, one letter, or a few."""
    if is_invisible(character):
        return ""
    if character < "\x80":
        return character.lower()
    apart = taken_apart(character)
    # Only what is beyond ASCII has another representative; the table takes time to load.
    if not apart.isascii():
        apart = "".join(representatives().get(letter, letter) for letter in apart)
        apart = "".join(SIMPLIFIED.get(letter, letter) for letter in apart)
    return unicodedata.normalize("NFC", apart)


@lru_cache(maxsize=1)
def only_greek() -> frozenset[str]:
    """The letters, folded, that only Greek has."""
    return frozenset(map(fold_character, "δθξπφψω"))


def fold(text: str) -> str:
    """The text as it is compared, without camelCase or spacing undone."""
    if is_plain(text):
        return text.lower()
    folded = translated(text, fold_character)
    return folded if folded.isascii() else _SYLLABLE.sub(_joined, folded)


@dataclass(frozen=True)
class Folded:
    """Folded text in which each character knows its place in the original."""

    original: str
    text: str
    origin: tuple[int, ...] | None
    """For each character of `text` its index in `original`; None where they are the same."""

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where `text[start:end]` stood in the original."""
        if self.origin is None:
            return start, end
        if not self.origin:
            return 0, 0
        last = len(self.origin) - 1
        return self.origin[min(start, last)], self.origin[min(max(end - 1, 0), last)] + 1


def fold_text(text: str, *, split_camel: bool = True, across_ends: bool = False) -> Folded:
    """Fold a text for comparison; the work is linear in its length.

    `across_ends`: what ends a sentence counts as a blank inside a word, too.
    """
    cuts = camel_cuts(text) if split_camel else ()
    if not cuts and is_plain(text):
        return Folded(text, text.lower(), None)
    folds = {character: fold_character(character) for character in set(text)}
    pieces = [folds[character] for character in text]
    for cut in cuts:
        pieces[cut] = " " + pieces[cut]
    origin = [place for place, piece in enumerate(pieces) for _ in piece]
    folded = "".join(pieces)
    if not folded.isascii():
        folded, origin = _replaced(_SYLLABLE, _joined, folded, origin)
        blanks = _space_between_ideographs(across_ends)
        folded, origin = _replaced(blanks, lambda _: "", folded, origin)
    return Folded(text, folded, tuple(origin))


def is_plain(text: str) -> bool:
    """Whether there is nothing in the text that could look like something else."""
    return text.isascii() and (text.isprintable() or not CONTROLS.search(text))


def _joined(letters: re.Match[str]) -> str:
    return unicodedata.normalize("NFC", letters[0])


def _replaced(
    pattern: re.Pattern[str], by: Callable[[re.Match[str]], str], text: str, origin: list[int]
) -> tuple[str, list[int]]:
    """The text with each match replaced, and the place that each character came from."""
    places: list[int] = []
    end = 0
    for match in pattern.finditer(text):
        places += origin[end : match.start()] + [origin[match.start()]] * len(by(match))
        end = match.end()
    return (pattern.sub(by, text), places + origin[end:]) if end else (text, origin)


def plain(text: str) -> str:
    """The text with nothing invisible in it and look-alikes as what they look like, case kept."""
    return text if is_plain(text) else translated(text, _look)


@lru_cache(maxsize=8192)
def _look(character: str) -> str:
    if character in " \t\n":
        return character
    letter = fold_character(character)
    return letter.upper() if case_of(character) == "A" else letter


def other_readings(text: str) -> list[str]:
    """The text with each glyph that is two letters at once read as the other one, as long as it.

    A capital `I` among small letters, or a small `l` among capitals, may stand for the other, and
    capitals in a clause with a Greek letter may be Greek, with other small forms.
    """
    in_script = text
    # Glyphs between two scripts are read in the script of the letters around them.
    for letters, read_as in () if text.isascii() else _BETWEEN_SCRIPTS:
        if re.search(letters, in_script):
            in_script = in_script.translate(read_as)
    greek = () if in_script.isascii() else (_in_small_greek(in_script),)
    readings = (*_with_i_as_l(in_script), *greek)
    return [request for request in dict.fromkeys(readings) if request != text]


def _in_small_greek(text: str) -> str:
    """The text with small Greek letters for capitals, in clauses that may be Greek."""
    folds = {sign: fold_character(sign) for sign in set(text)}
    if only_greek().isdisjoint(folds.values()):
        return text
    ends = "".join(sign for sign, letter in folds.items() if letter in {*".!?:;,"})
    blanks = "".join(sign for sign, letter in folds.items() if letter.isspace())

    def may_be_greek(word: str) -> bool:
        # "БАНК" is Russian, whatever stands beside it.
        return not any("\u0400" <= letter <= "\u052f" for sign in word for letter in folds[sign])

    def read(clause: str) -> str:
        words = re.split(f"([{re.escape(blanks)}\n])", clause)
        greek = {word for word in words if may_be_greek(word)}
        if only_greek().isdisjoint(folds[sign] for word in greek for sign in word):
            return clause
        small = (translated(word, _small_greek) if word in greek else word for word in words)
        return "".join(small)

    return "".join(map(read, re.split(f"([{re.escape(ends)}\n])", text)))


def _small_greek(sign: str) -> str:
    if "\u0370" <= sign <= "\u03ff":
        return sign.lower()
    letter = fold_character(sign)
    is_capital = case_of(sign) == "A" and len(letter) == 1
    return _SMALL_GREEK.get(letter, letter) if is_capital else sign


def _with_i_as_l(text: str) -> Iterator[str]:
    """The text with an l for what looks like a capital I, and the other way around."""
    drawn = text
    places: Sequence[int] = range(len(text))
    if not is_plain(text):
        looks = {sign: "I" if sign in capital_i() else _look(sign)[:1] for sign in set(text)}
        if {"I", "l"}.isdisjoint(looks.values()):
            return
        drawn = "".join(looks[sign] for sign in text)
        places = [place for place in places if looks[text[place]]]
    for pattern, letter in ((_CAPITAL_I_AS_L, "l"), (_L_AS_CAPITAL_I, "I")):
        if not pattern.search(drawn):
            continue
        characters = list(text)
        for match in pattern.finditer(drawn):
            for place in places[slice(*match.span())]:
                characters[place] = letter
        yield "".join(characters)
