"""Secrets asked for in a form: the spec sends them to URL mode, so here they are stopped.

What counts is who asks for the *value* of a secret (`elicit_tui.guardian.wanting` says how that
is summed up), who describes one without its name, and what only a secret can be: a pattern, a
format, an example, a word in disguise.

No single word gives a description away; a few signs that stand together do: figures, a phone,
just now. Each recipe names the signs that must all be there, in neighbouring sentences, each at a
word of its own; `rows` name those that stand in an order. A sentence that speaks of something
harmless (`unless`: a scale, a shirt, an error) lends no signs, but "for the parcel" speaks of none.
`hints` are fewer signs, or weaker ones: they only warn.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from typing import Final

from elicit_tui.elicitation import Severity
from elicit_tui.elicitation.shapes import random_looking
from elicit_tui.guardian.clauses import Clause, Standing, sentences
from elicit_tui.guardian.folding import fold, plain
from elicit_tui.guardian.frames import fits
from elicit_tui.guardian.looks import BEGINS, OPENS, looks
from elicit_tui.guardian.pages import pattern, table
from elicit_tui.guardian.reading import GENERAL, SHORT_NAME, UNREAD, FieldReading, Place, Reading
from elicit_tui.guardian.rule import Found, Sighting, excerpt, found, house_rule, weight
from elicit_tui.guardian.spelling import disguised_secret
from elicit_tui.guardian.wanting import Sense, Thing, Wanting, counts_on, shows
from elicit_tui.guardian.words import is_word

_FOR_OPEN_FIELDS: Final = ("link-that-lets-in", "figures-just-sent", "label-that-lets-in")
"""What is told rather than asked where every field says that something harmless is typed."""
_NEAR: Final = 3
"""How many sentences are read together."""
_LONGEST: Final = 120
_FEWEST_JOINED: Final = {"recipes": 3, "hints": 2}


def _described(place: Place, message: Place | None, recipes: str = "recipes") -> str | None:
    """The recipe that a place, or the message together with it, fulfils."""
    signs = place.views[0].concepts
    if message is not None:
        signs |= message.views[0].concepts
    if not any(map(signs.issuperset, table(recipes).values())):
        return None
    own = sentences(place.clauses)
    if message is None:
        windows = [[*chain(*own[at : at + _NEAR])] for at in range(len(own))]
    else:
        windows = [said + sentence for said in sentences(message.clauses) for sentence in own]
    short = (one for one in windows if sum(len(clause.words) for clause in one) <= _LONGEST)
    fewest = 0 if message is None else _FEWEST_JOINED[recipes]
    return next(filter(None, (_fulfilled(one, recipes, fewest) for one in short)), None)


def _fulfilled(window: list[Clause], recipes: str, fewest: int) -> str | None:
    harmless = {clause.sentence for clause in window if _is_harmless(clause)}
    signing = [
        clause for clause in window if clause.sentence not in harmless and not clause.whether
    ]
    signs = {concept for clause in signing for concept in clause.by_concept}
    for name, recipe in table(recipes).items():
        told = len(recipe) >= fewest and signs.issuperset(recipe)
        if told and fits(recipe, signing, overlapping=True):
            return name
    return None


def _is_harmless(clause: Clause) -> bool:
    """Whether it speaks of something harmless, and not beside a sign nor as what that is for."""
    spoken = () if clause.of("joint") else clause.of("unless")
    if clause.of("key pair"):  # "The file without .pub" is the other half.
        spoken = [hit for hit in spoken if not clause.is_denied(hit)]
    # "The numbers on the back of your card" are no number of cards.
    over = [(hit, side) for hit in spoken for side in clause.of("card side")]
    spanned = {hit for hit, side in over if hit.start < side.start < hit.end}
    ends = [link.start for link in clause.of("until")]
    return any(hit not in spanned and all(hit.start < end for end in ends) for hit in spoken)


_OF_A_SET: Final = re.compile(pattern("card of a set"))
_PUBLIC_KEY: Final = re.compile(r"(?i)\bssh-(?:rsa|ed25519)\b|\bBEGIN [A-Z0-9 ]*PUBLIC")
_SENSES: Final = (
    Sense("postal word", "postal sense", re.compile(r"\[1-9\](?:\[0-9\]|\\d)\{(?:4|5|2)\}")),
    Sense("card word", "card sense", _OF_A_SET),
    Sense("ticket word", "ticket sense", re.compile(r"\[A-[A-Z]\](?:\[0-9\]|\\d)\{[23]\}")),
    Sense("seed word", "seed sense"),
    Sense("pem word", "pem sense", re.compile("BEGIN CERT")),
    Sense("otp word", "otp sense", re.compile("%")),
    Sense("key word", "public sense", _PUBLIC_KEY),
    Sense("bolt word", "bolt sense"),
    Sense("cookie word", "cookie sense"),
)
SECRET: Final = Thing("secret", "sure", "maybe", "name", "in figures", "signin", _SENSES)
_SERIES: Final = re.compile(r"(\D{0,24}?)[\W_]*(\d{1,2})(?:\D{1,4}(\d{1,2}))?")
_VARIABLE: Final = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_VALUE: Final = re.compile(pattern("value behind its name"))
_BEGINNING: Final = re.compile(
    rf"[\s\"'`“‘«:*]{{0,4}}(?:(?P<issued>{BEGINS}|{OPENS})"
    r"|[A-Za-z][A-Za-z0-9]{1,11}_(?![A-Za-z0-9]{1,3}\b|\w*\.))"
)
_MADE_UP: Final = re.compile(pattern("made up"))
_REMEMBERED: Final = ("security question text", "asked memory")
_SHORTEST_SERIES, _MOST_IN_PARTS, _SERIES_OF_WORDS, _MOST_NAMED = 4, 8, 8, 50
_WALLETS: Final = (12, 15, 18, 21, 24)
"""How many words bring back a wallet."""


def _block(
    place: Place, frame: str, field: str | None, evidence: str | None = None, amount: int = 4
) -> Sighting:
    """One sign of a secret that decides alone, with the place's text unless told otherwise."""
    shown = place.text[:120] if evidence is None else evidence
    why = weight(amount, frame, place, shown)
    return Sighting(Severity.BLOCK, place.where, shown, field, (why,))


def _asked(reading: Reading) -> Iterator[Sighting]:
    if not (free := reading.free_fields):
        return
    wanting = Wanting(reading, SECRET)
    is_open = any(map(_takes_a_code, free[:_MOST_NAMED]))
    together = next(_over_all(reading, wanting, is_open), None)
    choices = [one for one in _secret_choices(reading) if not wanting.is_in_other_sense(one)]
    for field in free:
        if (asked := wanting.sighting(field, Severity.BLOCK)) is not None:
            yield asked
        else:
            yield from _by_its_look(reading, field, wanting, choices)
    if together is not None:
        for field in free[:_MOST_NAMED]:
            yield replace(together, field=field.name)


def _takes_a_code(field: FieldReading) -> bool:
    """Whether what was sent to somebody can be typed there."""
    signs = (place.says("sign") for place in field.told("name", "title"))
    return any(signs) or field.is_open or field.is_called("link field")


def _over_all(reading: Reading, wanting: Wanting, is_open: bool) -> Iterator[Sighting]:
    """A secret that the form as a whole asks for: described, or disguised, in pieces as well."""
    for place in reading.told(*GENERAL):
        yield from _secret_in(place, wanting, is_open)
    free = reading.free_fields[:_MOST_NAMED]
    for role in ("name", "title"):
        parts = (one.plain for field in free for one in field.told(role))
        joined = " ".join(part for part in parts if len(part) <= _MOST_IN_PARTS)
        where = "requestedSchema.properties"
        yield from _disguised(Place(where, "name", joined, len(joined), joined))


def _secret_in(
    place: Place, wanting: Wanting, is_open: bool, beside: Sequence[Place] = ()
) -> Iterator[Sighting]:
    """A secret that a text, alone or with the message or its title, disguises or describes."""
    if not (place.role == "default" and _VARIABLE.fullmatch(place.plain)):
        yield from _disguised(place)
    recipe = next(filter(None, (_described(place, one) for one in (None, *beside))), None)
    is_asked = is_open or recipe not in _FOR_OPEN_FIELDS
    if recipe and is_asked and not wanting.means_other(table("meant").get(recipe, ())):
        yield _block(place, recipe, place.field)


def _disguised(place: Place) -> Iterator[Sighting]:
    if (hidden := disguised_secret(place.unsplit, place.plain)) is not None:
        yield _block(place, "disguised", place.field, excerpt(*hidden))


def _by_its_look(
    reading: Reading, field: FieldReading, wanting: Wanting, choices: Sequence[Found]
) -> Iterator[Sighting]:
    is_open, takes_a_code = field.is_open, _takes_a_code(field)
    if is_open or field.is_called("anything"):
        yield from _chosen(choices, field)
    for place in field.places:
        if place.role in ("pattern", "format", "choice") or counts_on(field):
            continue
        told = field.told("title") if place.role == "description" else ()
        beside = (reading.message, *told) if place.role in ("title", "description") else ()
        for secret in _secret_in(place, wanting, takes_a_code, beside):
            yield secret
            return
    whole = (reading.message,) if is_open or len(reading.free_fields) == 1 else ()
    for frame, place in looks((*field.places, *whole), is_open=is_open):
        yield _block(place, frame, field.name)
    yield from _beside_another(reading, field)
    yield from _begins_like_a_key(reading, field)
    if field.drawn.get("writeOnly") is True:
        first = field.places[0] if field.places else reading.message
        yield _block(first, "format-of-secret", field.name, "writeOnly")


def _begins_like_a_key(reading: Reading, field: FieldReading) -> Iterator[Sighting]:
    """The text says how the value begins, as issued keys do: "starts with acme_live_"."""
    told = (reading.message,)[: field.is_open] + field.told("title", "description")
    for one in found(told, "prefix", usual_only=True):
        begun = _BEGINNING.match(one.view.folded.original, one.span[1])
        if begun and (field.is_open or begun["issued"]) and not one.clause.denies(one.hit):
            yield one.sighting(Severity.BLOCK, 4, "begins-like-a-key", field.name)
            return


def _says_nothing(field: FieldReading) -> bool:
    """Whether its name, or its title, tells nothing of what is typed: "a1", "the one below"."""
    clauses = field.places[0].clauses if field.places else ()
    return all(
        clause.of("anything") or len(clause.words[0]) <= SHORT_NAME for clause in clauses
    ) or any(place.clauses[0].of("it") for place in field.told("title") if place.clauses)


def _secret_choices(reading: Reading) -> Iterator[Found]:
    """Secrets that stand among the choices of a field, or variables for them that it shows."""
    for one in found(reading.places, "sure", *_REMEMBERED, usual_only=True):
        told = ("choice",) if one.hit.concept in _REMEMBERED else ("choice", "title")
        variable = one.place.role == "default" and _VARIABLE.fullmatch(one.place.text.upper())
        if (one.place.role in told or variable) and one.clause.standing(one.hit) >= Standing.NAMED:
            yield one


def _chosen(choices: Sequence[Found], field: FieldReading) -> Iterator[Sighting]:
    """A secret stands among another field's choices, and this one holds whatever was chosen."""
    others = (one for one in choices if one.place.field not in (None, field.name))
    for one in islice(others, _says_nothing(field) or field.is_called("bare value")):
        yield one.sighting(Severity.BLOCK, 3, "choice-is-secret", field.name)


def _company(entry: str) -> tuple[str, str]:
    """What another field is called, and what the form speaks of; "" where it need not."""
    other, _, topic = entry.partition("when ")
    return other.strip(), topic.strip()


def _beside_another(reading: Reading, field: FieldReading) -> Iterator[Sighting]:
    """What another field holds tells what belongs to it: a card's holder, the name of a key."""
    for own, entries in table("beside").items():
        if not (_says_nothing(field) if own == "anything" else field.is_called(own)):
            continue
        for other, topic in map(_company, entries):
            beside = not other or any(one is not field for one in reading.called(other))
            if beside and (not topic or _says(reading, topic)):
                frame = f"beside-{(other or topic).replace(' ', '-')}"
                yield _block(field.places[0], frame, field.name, field.name[:80], 3)
                return


def _says(reading: Reading, concept: str) -> bool:
    """Whether the form as a whole speaks of something, and neither denies it nor asks whether."""
    return any(
        not (one.clause.denies(one.hit) or one.clause.whether or one.clause.of("unless"))
        for one in found(reading.told(*GENERAL, "choice"), concept, usual_only=True)
    )


def _hinted(reading: Reading) -> Iterator[Sighting]:
    """Where nothing is wanted, the first field meant by what falls short of a recipe."""
    message = reading.message
    said = _described(message, None, "hints")
    free = reading.free_fields[:_MOST_NAMED]
    if any(shows(field, sense) for field in free for sense in _SENSES):
        return
    for field in free:
        for place in field.told("name", "title", "description") if field.is_open else ():
            hint = said or _described(place, None, "hints") or _described(place, message, "hints")
            if hint is not None and next(_asked(reading), None) is None:
                yield replace(_block(place, hint, field.name, amount=2), severity=Severity.WARN)
                return


def _in_pieces(reading: Reading) -> Iterator[Sighting]:
    """Fields that are numbered: a phrase word by word, a code figure by figure."""
    series, figures = Counter[str](), Counter[str]()
    kept = sum(len(clause.of("words", "wallet")) for clause in reading.message.clauses)
    kept += len([*found(reading.told("title"), "kept", usual_only=True)])
    counts = ("sign", "counted")[: 1 + (kept > 0)]
    for field in reading.free_fields:
        told = (field.name, *(one.plain for one in field.told("title") if one.says(*counts)))
        spans = filter(None, (_SERIES.fullmatch(plain(one)) for one in told))
        match = max(spans, key=lambda one: one[3] is not None, default=None)
        if match is not None:
            stem, first, last = match.groups()
            series[stem] += 1 + max(0, int(last or first) - int(first))
            figures[stem] += (field.schema.get("minimum"), field.schema.get("maximum")) == (0, 9)
    for stem, count in series.items():
        bare = fold(stem).strip(" _-")
        nameless = len(bare) <= SHORT_NAME or is_word(bare, "anything", bare.isascii())
        is_wallet = kept > 0 and count in _WALLETS and nameless
        words = is_wallet or is_word(bare, "series", bare.isascii())
        digits = is_word(bare, "series of digits", bare.isascii()) or figures[stem] == count
        # Some words "of your paper copy" are enough.
        fewest = _SHORTEST_SERIES - 1 if kept > 1 else _SERIES_OF_WORDS
        if (words and count >= fewest) or (digits and count >= _SHORTEST_SERIES):
            yield Sighting(Severity.BLOCK, "requestedSchema.properties", f"{stem}1 … {stem}{count}")


def _named(concept: str, reading: Reading) -> Iterator[Sighting]:
    if any(field.kind == "text" for field in reading.free_fields):
        for one in found(reading.told(*GENERAL, "name", "title", "description"), concept):
            if one.clause.standing(one.hit) >= Standing.NAMED:
                yield one.sighting(Severity.WARN, 2, concept.replace(" ", "-"))
                return


def _shown(reading: Reading) -> Iterator[Sighting]:
    # What is prepared in a field for a "Key ID" is what the key is called.
    called = [one for one in reading.fields if any(p.says("value id") for p in one.places[:2])]
    names = {place.text.lower() for field in called for place in field.told("default")}
    for place in reading.places:
        if place.role not in UNREAD and (place.shape or _is_told_its_value(place, names)):
            yield Sighting(Severity.WARN, place.where, place.text[:12] + "…", place.field)
            return


def _is_told_its_value(place: Place, names: Collection[str]) -> bool:
    """Whether a secret is named and right after it stands what looks like its value, no name."""
    for one in found((place,), "sure", usual_only=True):
        value = _VALUE.match(one.view.folded.original, one.span[1])
        if value is None or value[2].lower() in names:
            continue
        if _MADE_UP.fullmatch(value[2]) or (value[1] and random_looking(value[2])):
            return True
    return False


def _revealed(reading: Reading) -> Iterator[Sighting]:
    if reading.mode == "url" or reading.free_fields:
        return
    for one in found((place for place in reading.places if place.role not in UNREAD), "sure"):
        if not (one.clause.denies(one.hit) or one.clause.of("aside")) and any(
            verb.end <= one.hit.start <= verb.end + 3 and one.clause.is_proposed(verb)
            for verb in one.clause.of("reveal")
        ):
            yield Sighting(Severity.WARN, one.place.where, one.evidence)
            return


RULES = (
    house_rule("credentials.secret", _asked),
    house_rule("credentials.hinted", _hinted),
    house_rule("credentials.in_pieces", _in_pieces),
    house_rule("credentials.webhook", partial(_named, "webhook")),
    house_rule("credentials.security_question", partial(_named, "security question text")),
    house_rule("credentials.shown", _shown),
    house_rule("credentials.revealed", _revealed),
)
