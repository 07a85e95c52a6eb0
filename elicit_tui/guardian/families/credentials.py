"""Secrets asked for in a form: the spec sends them to URL mode, so here they are stopped.

What counts is who asks for the *value* of a secret. A field a person types into, named after a
secret, asks for it; so does a message about one, when there is any field to type into. Naming,
choosing, counting or configuring one does not: that shows in the words beside it
(`about_before`, `about_after`), in the sense of the word, or in a form with nothing to type.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import islice
from typing import Final

from elicit_tui.elicitation import Severity
from elicit_tui.guardian.appearance import plain
from elicit_tui.guardian.asking import is_asked, is_told_of_something_else, names_plain_answer
from elicit_tui.guardian.disguise import disguised_secret
from elicit_tui.guardian.families.unnamed import described_secret, described_together
from elicit_tui.guardian.folding import Folded, fold
from elicit_tui.guardian.lexicon import concept, has_harmless_sense
from elicit_tui.guardian.reading import FieldReading, Place, Reading
from elicit_tui.guardian.rule import Rule, Sighting, excerpt
from elicit_tui.guardian.shapes import (
    card_number,
    pattern_of_secret,
    random_looking,
    secret_shape,
)
from elicit_tui.guardian.spotting import clause_before, first_spotted, is_about

_TABLE: Final = "credentials"
_VARIABLE: Final = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_SERIES: Final = re.compile(r"(\D{0,24}?)[\W_]*(\d{1,2})")
_VALUE: Final = re.compile(
    r"[\s\"'`*]*(?:is|:|=|ist|lautet|est|es|é|：|は|是)[\s\"'`*]*([^\s\"'`*]{6,200})"
)
_MADE_UP: Final = re.compile(r"(?=.*[a-z])(?=.*[A-Z0-9])(?=.*\d)[\w+=!@#$%^&*.-]{8,}")
_SECRET_VARIABLE: Final = re.compile(
    r"(?<![A-Z0-9_])(?!\w*(?:PUBLIC|PRIMARY|FOREIGN|PARTITION|SORT))"
    r"[A-Z0-9]+_(?:[A-Z0-9]+_)*(?:TOKEN|KEY|SECRET|PASSWORD|PASSWD|PWD|PASS|PAT|CREDENTIALS)\b"
)
_SHORTEST_SERIES: Final = 4
_SERIES_OF_WORDS: Final = 10


class _Search:
    """One request's search: it knows the whole context in which a word stands."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        free = reading.free_fields
        self.only_numbers = bool(free) and all(field.kind == "number" for field in free)

    @cached_property
    def context(self) -> str:
        """All words of the request, folded; what a server calls itself shows no sense of them."""
        words = (place for place in self.reading.words if place.role != "server")
        return " . ".join(place.folded.text for place in islice(words, 400))

    def _means_something_else(self, place: Place, word: str, numeric: bool) -> bool:
        if numeric and concept(_TABLE, "not_numeric").covers(word):
            return True
        if numeric and place.field is None and not concept(_TABLE, "numeric").covers(word):
            return True
        return self._is_echo(place, word) or has_harmless_sense(word, self.context)

    def _is_echo(self, place: Place, word: str) -> bool:
        """Whether a field is only called what the message names more fully, such as a design token.

        The message must speak of nothing else by that word.
        """
        if place.role not in ("name", "title") or word != place.folded.text.strip(" _-:*?"):
            return False
        message, harmless = self.reading.message.folded.text, concept(_TABLE, "other_sense")
        ends = re.compile(
            rf".* {re.escape(word)}|{re.escape(word)} (?:of|de|del|du|da|do|di|der)\b.*"
        )
        spans = harmless.matches(message)
        named = any(ends.fullmatch(message[start:end]) for start, end in spans)
        return named and word not in harmless.mask(message)

    def is_missing_value(self, field: FieldReading) -> bool:
        """Whether a field for anything stands beside word of a variable that lacks its value."""
        return self._lacks_a_value and any(
            concept("asking", "holder").covers(place.folded.text) for place in field.places[:2]
        )

    @cached_property
    def _lacks_a_value(self) -> bool:
        message = self.reading.message
        variable = _SECRET_VARIABLE.search(message.plain)
        return variable is not None and message.folded.text in concept(_TABLE, "missing")

    def is_card(self, field: FieldReading) -> bool:
        """Whether a field is called a card and another asks whose it is or how long it lasts."""
        return self._has_card_owner and _is_called("card_field", field)

    @cached_property
    def _has_card_owner(self) -> bool:
        return not has_harmless_sense("card number", self.context) and any(
            _is_called("card_owner", field) for field in self.reading.free_fields
        )

    def _is_reference(self, place: Place, described: str) -> bool:
        """Whether a field is titled as an order's number or the like, and nothing speaks of access.

        Parcels and bookings have numbers that come by text message, as codes for signing in do.
        """
        if place.field is None or described not in concept(_TABLE, "reference_way"):
            return False
        if self.context in concept(_TABLE, "no_reference"):
            return False
        return any(
            other.field == place.field
            and other.role in ("title", "name")
            and other.folded.text in concept(_TABLE, "reference")
            for other in self.reading.words
        )

    def _is_answered_by_another(self, place: Place) -> bool:
        """Whether what is typed is named as a reason, a title, a path or the like.

        Words about a secret beside such a field need to ask for it, else they only speak of it.
        """
        if place.field is not None:
            return place.role in ("description", "example") and place.field in self._plain_fields
        return len(self._plain_fields) == len(self.reading.free_fields)

    @cached_property
    def _plain_fields(self) -> frozenset[str]:
        return frozenset(f.name for f in self.reading.free_fields if names_plain_answer(f))

    def is_described_with_message(self, field: FieldReading) -> bool:
        """Whether the message and a field's title or description together describe a secret."""
        told = [p for p in field.places if p.role in ("title", "description")]
        text = ". ".join(p.folded.text for p in (self.reading.message, *told))
        return (
            bool(told)
            and described_together(concept(_TABLE, "other_sense").mask(text))
            and not self._is_reference(field.places[0], text)
        )

    def secret(self, place: Place, numeric: bool) -> tuple[Folded, int, int] | None:
        """The first value of a secret that a text speaks of as wanted, with where it stands."""
        if place.role == "default" and _VARIABLE.fullmatch(place.plain):
            return None
        for folded in place.views:
            text = concept(_TABLE, "other_sense").mask(folded.text)
            for name in ("secret", "misspelt"):
                for start, end in concept(_TABLE, name).matches(text):
                    if not (
                        is_about(_TABLE, text, start, end)
                        or is_told_of_something_else(text, start)
                        or self._means_something_else(place, text[start:end], numeric)
                        or (self._is_answered_by_another(place) and not is_asked(text, start, end))
                    ):
                        return folded, start, end
            for start, end in concept(_TABLE, "described").matches(text):
                if not self._is_reference(place, text[start:end]):
                    return folded, start, end
            for start, end in described_secret(text):
                if not self._is_reference(place, text[start:end]):
                    return folded, start, end
        return disguised_secret(place)


def _is_called(name: str, field: FieldReading) -> bool:
    """Whether a field's title, or its name where it has none, is nothing but a concept."""
    titles = [place for place in field.places if place.role == "title"] or field.places[:1]
    return any(concept(_TABLE, name).covers(p.folded.text.strip(" _-:*?")) for p in titles)


def _sighting(place: Place, found: tuple[Folded, int, int], field: str | None) -> Sighting:
    return Sighting(Severity.BLOCK, place.where, excerpt(*found), field or place.field)


def _asked_in_field(search: _Search, field: FieldReading) -> Iterator[Sighting]:
    for place in field.places:
        if place.role in ("pattern", "format", "choice"):
            continue
        found = search.secret(place, field.kind == "number")
        if found is not None:
            yield _sighting(place, found, field.name)
            return
    if (
        search.is_described_with_message(field)
        or search.is_missing_value(field)
        or search.is_card(field)
    ):
        message = search.reading.message
        yield Sighting(Severity.BLOCK, message.where, message.text[:120], field.name)
        return
    for place in field.places:
        if place.role in ("title", "description", "example") and card_number(place.plain):
            yield Sighting(Severity.BLOCK, place.where, "0000 0000 0000 0000", field.name)
            return
    if (
        field.schema.get("format") in ("password", "secret")
        or field.schema.get("writeOnly") is True
    ):
        yield Sighting(Severity.BLOCK, f"{field.where}.format", "password", field.name)
    pattern = field.schema.get("pattern")
    if isinstance(pattern, str) and pattern_of_secret(pattern):
        yield Sighting(Severity.BLOCK, f"{field.where}.pattern", pattern[:120], field.name)


def _asked(reading: Reading) -> Iterator[Sighting]:
    free = reading.free_fields
    if reading.mode == "url" or not free:
        return
    search = _Search(reading)
    for field in free:
        yield from _asked_in_field(search, field)
    if _only_remarks(reading):
        return
    for place in (*_general_places(reading), *_names_together(reading)):
        if place.role == "name":
            found = disguised_secret(place)
        else:
            found = search.secret(place, search.only_numbers)
        if found is not None:
            for field in free:
                yield _sighting(place, found, field.name)
            return


def _general_places(reading: Reading) -> Iterator[Place]:
    """What is said about the whole form.

    A choice only chooses, unless it tells the person to type or a field holds whatever was chosen;
    its title, too, may tell what to type elsewhere.
    """
    held = any(
        concept("asking", "holder").covers(place.folded.text)
        for field in reading.free_fields
        for place in field.places[:1]
    )
    for place in reading.general_places:
        if place.role != "choice" or held or place.folded.text in concept("asking", "typing"):
            yield place
    for field in reading.fields:
        for place in field.places if field.kind == "choice" else ():
            if place.role == "title" and place.folded.text in concept("asking", "typing"):
                yield place


def _only_remarks(reading: Reading) -> bool:
    """Whether all that can be typed is a remark beside a yes or no."""
    remarks = concept(_TABLE, "remark")
    return any(field.kind == "boolean" for field in reading.fields) and all(
        remarks.covers(field.places[0].folded.text) for field in reading.free_fields if field.places
    )


def _names_together(reading: Reading) -> Iterator[Place]:
    """All field names in a row: a word may be split over several fields."""
    names = [plain(field.name) for field in reading.free_fields[:60]]
    names = [name for name in names if len(name) <= 8]
    if len(names) > 1:
        joined = " ".join(names)
        yield Place("requestedSchema.properties", "name", joined, len(joined))


def _in_pieces(reading: Reading) -> Iterator[Sighting]:
    if reading.mode == "url":
        return
    series: dict[str, int] = {}
    for field in reading.free_fields:
        match = _SERIES.fullmatch(plain(field.name))
        if match is not None:
            series[match[1]] = series.get(match[1], 0) + 1
    for stem, count in series.items():
        words = concept(_TABLE, "series_word").covers(fold(stem).strip(" _-"))
        digits = concept(_TABLE, "series_digit").covers(fold(stem).strip(" _-"))
        if (words and count >= _SERIES_OF_WORDS) or (digits and count >= _SHORTEST_SERIES):
            yield Sighting(Severity.BLOCK, "requestedSchema.properties", f"{stem}1 … {stem}{count}")


def _lesser(name: str) -> Callable[[Reading], Iterator[Sighting]]:
    def find(reading: Reading) -> Iterator[Sighting]:
        if reading.mode != "url" and reading.free_fields:
            found = first_spotted(
                concept(_TABLE, name), reading.words, concept(_TABLE, f"not_{name}")
            )
            if found is not None:
                yield found

    return find


def _security_question(reading: Reading) -> Iterator[Sighting]:
    if any(field.kind != "number" for field in reading.free_fields):
        yield from _lesser("security_question")(reading)


def _shown(reading: Reading) -> Iterator[Sighting]:
    for place in reading.words:
        if place.role != "url" and (secret_shape(place.plain) or _is_told_its_value(place)):
            yield Sighting(Severity.WARN, place.where, place.text[:12] + "…", place.field)
            return


def _is_told_its_value(place: Place) -> bool:
    """Whether a secret is named and right after it stands what looks like its value."""
    text = place.folded.text
    return any(
        random_looking(value[1]) or _MADE_UP.fullmatch(value[1])
        for _, end in concept(_TABLE, "secret").matches(concept(_TABLE, "other_sense").mask(text))
        if (value := _VALUE.match(place.folded.original, place.folded.span(end - 1, end)[1]))
    )


def _revealed(reading: Reading) -> Iterator[Sighting]:
    if reading.mode == "url" or reading.free_fields:
        return
    for place in reading.words:
        for folded in place.views:
            text = concept(_TABLE, "other_sense").mask(folded.text)
            for start, end in concept(_TABLE, "secret").matches(text):
                if clause_before(text, start) in concept(_TABLE, "reveal"):
                    yield Sighting(Severity.WARN, place.where, excerpt(folded, start, end))
                    return


_ADVICE: Final = (
    "Do not type it here. A trustworthy server asks for secrets on its own web page, never in a "
    "form."
)

RULES = (
    Rule(
        "credentials.secret",
        "A form that asks for a password, key, token, code or card number.",
        _ADVICE,
        _asked,
    ),
    Rule(
        "credentials.in_pieces",
        "A secret that is asked for word by word or digit by digit.",
        _ADVICE,
        _in_pieces,
    ),
    Rule(
        "credentials.webhook",
        "An address that lets whoever knows it write in your name.",
        "Whoever has this address can post for you; treat it as a secret.",
        _lesser("webhook"),
    ),
    Rule(
        "credentials.security_question",
        "The question that guards one of your accounts.",
        "A security question is half of a key; do not give it away.",
        _security_question,
    ),
    Rule(
        "credentials.shown",
        "A question that shows what looks like a key or a password.",
        "Treat the key as known to others: it stands in the server's own text.",
        _shown,
    ),
    Rule(
        "credentials.revealed",
        "A consent that would show a secret to the model or the server.",
        "Say no unless you want this secret to be read by others.",
        _revealed,
    ),
)
