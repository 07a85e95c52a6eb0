"""What a question wants, by its grammar: the head of its noun phrase, who is told to type what.

"Text of the reminder that people get before their password runs out" asks for a text, and "Give
this passkey a nickname" for a nickname, whatever else is named. `[asking]` in the vocabularies
holds the words of each language for it.
"""

from __future__ import annotations

import re
from typing import Final

from elicit_tui.guardian.lexicon import concept, languages
from elicit_tui.guardian.reading import FieldReading
from elicit_tui.guardian.spotting import clause_before

_TABLE: Final = "asking"
_CLAUSE: Final = 240
_OPENING: Final = 40
_LINKED: Final = 24
_MODIFIERS: Final = 2
_QUOTED: Final = re.compile(r"(?:[\"“„«「『‘]|(?<!\w)')[^\"”“»」』’']*$")


def is_told_of_something_else(text: str, start: int) -> bool:
    """Whether another thing is the head of the clause in which `text[start]` stands.

    The head stands first and is linked to what follows ("reason for ..."); a secret that is
    joined to it ("name and password") is wanted as well.
    """
    if _is_mentioned(text[max(0, start - _CLAUSE) : start]):
        return True
    bare = _bare(clause_before(text, start, _CLAUSE))
    return any(_is_headed(bare, language) for language in languages())


def _is_headed(bare: str, language: str) -> bool:
    joined = concept(_TABLE, "joined", language)
    if any(len(bare[end:].split()) <= 1 for _, end in joined.matches(bare)):
        return False
    for first, last in concept(_TABLE, "head", language).matches(bare):
        if first > _OPENING or bare[:first] in concept(_TABLE, "contents", language):
            return False
        after = bare[last : last + _LINKED].lstrip(" _-'\"`")
        if concept(_TABLE, "link", language).starts(after) and not joined.starts(after):
            return True
    return False


def _is_mentioned(before: str) -> bool:
    """Whether a text ends inside quotation marks that words are spoken of with."""
    quoted = _QUOTED.search(before)
    return quoted is not None and before[: quoted.start()] in concept(_TABLE, "mention")


def is_asked(text: str, start: int, end: int) -> bool:
    """Whether `text[start:end]` itself is asked for: it opens its clause or is to be typed."""
    bare = _bare(clause_before(text, start, _CLAUSE))
    after = re.split(r"[.?!\n。？！]", text[end : end + _CLAUSE], maxsplit=1)[0]
    language = _language(text)
    if any(_ends_with(name, bare, language) for name in ("joined", "typing", "which")):
        return True
    if after in concept(_TABLE, "typing_after", language):
        return True
    if (
        concept(_TABLE, "link", language).starts(bare.lstrip())
        or bare in concept(_TABLE, "example", language)
        or bare in concept(_TABLE, "handling", language)
        or concept(_TABLE, "handling_after", language).starts(after.lstrip())
    ):
        return False
    opening = concept(_TABLE, "determiner", language).mask(bare).replace("\0", " ")
    return len(re.findall(r"\w+", opening)) <= _MODIFIERS


def _bare(clause: str) -> str:
    return clause.rstrip(" _-'\"`«“„")


def _ends_with(name: str, bare: str, language: str | None) -> bool:
    return any(end >= len(bare) for _, end in concept(_TABLE, name, language).matches(bare))


def _language(text: str) -> str | None:
    """The language whose small words fill most of a text; None, for any, where several may."""

    def filled(language: str) -> int:
        found = {
            span
            for name in ("determiner", "joined", "link", "typing_after")
            for span in concept(_TABLE, name, language).matches(text[:_CLAUSE])
        }
        return sum(end - start for start, end in found if text[start:end].strip().isalpha())

    share = {language: filled(language) for language in languages()}
    best = [language for language in share if share[language] == max(share.values())]
    return best[0] if len(best) == 1 else None


def names_plain_answer(field: FieldReading) -> bool:
    """Whether a field's title, or its name where it has none, says that no secret is typed."""
    if field.kind == "date":
        return True
    titles = [place for place in field.places if place.role == "title"] or list(field.places[:1])
    for place in titles:
        text = place.folded.text.strip(" _-:*?")
        found = list(concept(_TABLE, "plain").matches(text))
        if found and (found[-1][1] == len(text) or found[0][0] == 0):
            return True
    return False
