"""A text cut into sentences and clauses, as a reader hears its pauses.

A sentence ends at its mark, at an empty line or before an item of a list, but not at the dot in
`.env` or `3.0.0`; a clause ends at a comma or a dash. A single line break is a blank.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby
from operator import attrgetter
from typing import Final

from elicit_tui.guardian.clauses import Clause
from elicit_tui.guardian.spelling import parts
from elicit_tui.guardian.words import word_pattern

_SENTENCE_END: Final = re.compile(
    r"[.!?:;](?=[\s\"'»”)*_`]|$)|[。！？：；]|\n\s*\n|\n\s*(?:[-*•#]|\d+[.)])"
)
_CLAUSE_END: Final = re.compile(r"(?<!\d),|,(?!\d)|[{}\[\]、，【】–—…]|\s-\s|(?<=\w)--|--(?!\w)")
_QUOTES: Final = dict(zip("'\"“„«「『‘»", "'\"”“»」』’«", strict=True))
"""What opens a quotation, and what closes it."""
_MOST_WORDS: Final = 2_500


def clauses_of(text: str, *, latin: bool = False) -> list[Clause]:
    """A folded text cut into clauses; a bounded number of words of it.

    `latin`: it was ASCII before it was folded.
    """
    found: list[Clause] = []
    current = Clause([], [], latin=latin)
    sentence, end, quote = 0, 0, ""
    for count, match in enumerate(word_pattern(text.isascii()).finditer(text)):
        if count >= _MOST_WORDS:
            break
        gap = text[end : match.start()]
        if gap not in ("", " "):
            ends_sentence = _ends_sentence(text, end, match.start())
            ends_clause = ends_sentence or _CLAUSE_END.search(text, end, match.start() + 1)
            if current.words and ends_clause:
                current.is_question = ends_sentence and ("?" in gap or "？" in gap)
                found.append(current)
                sentence += ends_sentence
                current = Clause([], [], latin=latin, sentence=sentence, opens=ends_sentence)
                if ends_sentence and ":" in gap:
                    found[-1].listed = current
                if not ends_sentence:
                    current.before, found[-1].after = found[-1], current
            was, quote = quote, _quote_after(quote, gap if end else " " + gap)
            if not current.words and found and was and was == quote:
                current.quotes = found[-1]
        at, end = match.span()
        for piece in parts(match[0], latin):
            at = max(at, text.find(piece, at, end))
            current.words.append(piece)
            current.spans.append((at, min(at + len(piece), end)))
            current.gaps.append(gap)
            current.quoted.append(bool(quote))
            at += len(piece)
            gap = ""
    if current.words:
        rest = text[end : end + 8]
        current.is_question = "?" in rest or "？" in rest
        found.append(current)
    # What is asked at the end of a sentence is asked by all of its clauses.
    asked = {clause.sentence for clause in found if clause.is_question}
    for clause in found:
        clause.is_question = clause.sentence in asked
    return found


def _ends_sentence(text: str, start: int, end: int) -> bool:
    """Whether a sentence ends between two words: not at the dot in `.env` or `3.0.0`."""
    found = _SENTENCE_END.search(text, start, end)
    if found is None:
        return False
    return found[0] not in (".", ":", "!", "?", ";") or found.end() < end or end == len(text)


def _quote_after(quote: str, gap: str) -> str:
    """The mark that closes the quotation which is open behind a gap between two words."""
    for at, character in enumerate(gap):
        if quote and character == quote:
            if character != "'" or len(gap) > 1:
                quote = ""
        elif (
            not quote
            and character in _QUOTES
            and (character != "'" or (at == len(gap) - 1 and at > 0 and gap[at - 1] in " (:"))
        ):
            quote = _QUOTES[character]
    return quote


def sentences(clauses: Iterable[Clause]) -> list[list[Clause]]:
    """The clauses of each sentence."""
    return [[*group] for _, group in groupby(clauses, attrgetter("sentence"))]
