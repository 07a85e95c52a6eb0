"""Secrets asked for in a form: the spec sends them to URL mode, so here they are stopped.

What counts is who asks for the *value* of a secret (`elicit_tui.guardian.demand` says how that
is summed up), who describes one without its name, and what only a secret can be: a pattern, a
format, an example, a word in disguise.

No single word gives a description away; a few signs that stand together do: figures, a phone,
just now. Each recipe names the signs that must all be there, in neighbouring sentences, each at a
word of its own; `rows` name those that stand in an order. A sentence that speaks of something
harmless (`unless`: a scale) lends no signs. `described` weighs signs that no recipe foresaw.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import chain, islice, product
from typing import Final

from elicit_tui.elicitation import Severity
from elicit_tui.elicitation.shapes import random_looking
from elicit_tui.guardian.clauses import Clause, Standing, sentences
from elicit_tui.guardian.demand import Demand, Sense, Thing, counts_on
from elicit_tui.guardian.frames import NEAR, fits, neighbouring, windows_of
from elicit_tui.guardian.looks import BEGINS, OPENS, looks
from elicit_tui.guardian.pages import blocks, compiled, most_of, table, weights_of
from elicit_tui.guardian.reading import GENERAL, SHORT_NAME, UNREAD, FieldReading, Place, Reading
from elicit_tui.guardian.rule import Mention, Sighting, excerpt, house_rule, mentions, weight
from elicit_tui.guardian.spelling import disguised_secret
from elicit_tui.guardian.words import Hit, is_word
from elicit_tui.text.folding import fold, plain

_FOR_OPEN_FIELDS: Final = ("link-that-lets-in", "figures-just-sent", "label-that-lets-in")
"""What is told rather than asked where every field says that something harmless is typed."""
_LONGEST, _MOST_TRIED, _FEWEST_JOINED = 120, 60, 3
_IDENTIFIER: Final = re.compile(r"(?<!\w)[^\W\d_][^\W_]*(?:[-_.]+[^\W_]+){0,12}[-_]\d+\b")
"""A name with a number at its end (`inbox-open-7`), no sentence; no text fits it in two ways."""
Signs = dict[str, tuple[Place, Clause, Hit]]  # each sign with where it stands
_ENOUGH: Final = 9  # is the sum from which a description is one of a secret


@lru_cache(maxsize=1)
def _may_describe(request: Reading) -> bool:
    """Whether the signs of a recipe all stand somewhere in a request."""
    return any(map(request.concepts.issuperset, table("recipes").values()))


def _described(place: Place, message: Place | None) -> str | None:
    """The recipe that a place, or the message together with it, fulfils."""
    fewest = 0 if message is None else _FEWEST_JOINED
    for view in place.views:
        signs = view.concepts if message is None else view.concepts | message.views[0].concepts
        if not any(map(signs.issuperset, table("recipes").values())):
            continue
        if message is None:
            windows = windows_of(view.clauses, NEAR)
        else:
            pairs = product(sentences(message.clauses), sentences(view.clauses))
            windows = (joined + sentence for joined, sentence in pairs)
        for recipe in filter(None, (_fulfilled(window, fewest) for window in windows)):
            return recipe
    return None


def _fulfilled(window: list[Clause], fewest: int) -> str | None:
    if sum(len(clause.words) for clause in window) > _LONGEST:
        return None
    harmless = {clause.sentence for clause in window if _is_harmless(clause)}
    signing = [it for it in window if it.sentence not in harmless and not it.whether]
    signs = {concept for clause in signing for concept in clause.by_concept}
    for name, recipe in table("recipes").items():
        may_hold = len(recipe) >= fewest and signs.issuperset(recipe)
        if may_hold and fits(recipe, signing, overlapping=True):
            return name
    return None


def _signs(place: Place, sentence: Sequence[Clause]) -> Signs:
    """The signs that a sentence lends to a description, of no thing that it names."""
    named = ((clause, thing) for clause in sentence for thing in clause.of("harmless"))
    is_asked = any(clause.standing(thing) == Standing.ASKED for clause, thing in named)
    if is_asked or any(map(_is_harmless, sentence)) or all(it.is_courtesy for it in sentence):
        return {}
    found: Signs = {}
    weights = weights_of("described")
    text = place.views[0].folded.text
    ids = [it.span() for it in _IDENTIFIER.finditer(text)] if "-" in text or "_" in text else ()
    for clause in sentence:
        may_deny = clause.denies_something or True in clause.quoted
        heaviest: dict[tuple[int, int], str] = {}
        # Of two that weigh the same at a place always the same one counts; a question lends none.
        known = (it for it in clause.by_concept if it in weights or f"not {it}" in weights)
        for concept in () if clause.whether else sorted(known):
            for hit in clause.of(concept)[:_MOST_TRIED]:
                at = clause.spans[hit.start][0]
                if ids and any(start <= at < end for start, end in ids):
                    continue
                sign = f"not {concept}" if may_deny and clause.denies(hit) else concept
                amount = weights.get(sign, 0)
                if amount < 0:
                    found[sign] = place, clause, hit
                elif amount > weights.get(heaviest.get(hit[1:], ""), 0) and _describes(clause, hit):
                    heaviest[hit[1:]] = sign
        found |= {sign: (place, clause, Hit(sign, *span)) for span, sign in heaviest.items()}
    return found


def _describes(clause: Clause, hit: Hit) -> bool:
    """Whether a sign is no part of what is named there: a telephone number, a password."""
    return not any(
        thing.start <= hit.start and hit.end <= thing.end and thing[1:] != hit[1:]
        for thing in clause.of("plain", "sure", "contents", "harmless")
    )


@lru_cache(maxsize=1)
def _told(request: Reading) -> tuple[list[Signs], int]:
    """What up to three neighbouring sentences of the form lend together, and the most of it."""
    weights, known = weights_of("described"), request.concepts
    few = "types there" not in known and len(known & {*table("described")["what it is"]}) < 2
    if few or weights["open field"] + most_of("described", known) < _ENOUGH:
        return [], -_LONGEST
    own = ([_signs(at, it) for it in sentences(at.clauses)] for at in request.texts(*GENERAL))
    told: list[Signs] = [{}, *chain.from_iterable(map(neighbouring, own))]
    return told, max(sum(max(weights[sign], 0) for sign in signs) for signs in told)


def _weighed(request: Reading, field: FieldReading) -> Iterator[Sighting]:
    """A secret whose description adds up: what a field says with some sentences of the message."""
    weights, told_of = weights_of("described"), table("described")["what it is"]
    shape = weights["open field"] * field.is_open + weights.get(field.kind, 0)
    everywhere, most = _told(request)
    enough = shape + most + most_of("described", field.concepts) >= _ENOUGH
    if not enough or request.is_spare(field):
        return
    own: Signs = {}
    for place in field.texts("title", "description"):
        for sentence in sentences(place.clauses):
            own |= _signs(place, sentence)
    for told in everywhere:
        signs = told | own
        # What is wanted must be told, and where it is kept or what it is for.
        told_apart = {sign in told_of for sign in signs if weights[sign] > 0}
        enough = shape + sum(map(weights.__getitem__, signs)) >= _ENOUGH
        if enough and (len(told_apart) > 1 or "types there" in signs):
            first = next((place for place, _, _ in signs.values()), request.message)
            found = (
                weight(weights[sign], sign, place, clause.said(hit))
                for sign, (place, clause, hit) in signs.items()
            )
            because = tuple(sorted(found, key=lambda why: -why.amount))
            yield Sighting(Severity.BLOCK, first.where, first.text[:120], field.name, because)
            return


def _is_harmless(clause: Clause) -> bool:
    """Whether it speaks of something harmless, and not beside a sign nor as what that is for."""
    # What is not there makes nothing harmless: "the file without .pub" is the other half.
    named = () if clause.of("joint") else clause.of("unless")
    spoken = [hit for hit in named if not clause.is_denied(hit)]
    # "The numbers on the back of your card" are no number of cards.
    over = [(hit, side) for hit in spoken for side in clause.of("card side")]
    spanned = {hit for hit, side in over if hit.start < side.start < hit.end}
    ends = [link.start for link in clause.of("until")]
    return any(hit not in spanned and all(hit.start < end for end in ends) for hit in spoken)


_SENSES: Final = tuple(
    Sense(words, shown_by, "".join(value)) for words, (shown_by, *value) in blocks("senses").items()
)
SECRET: Final = Thing("secret", "sure", "maybe", "name", "in figures", "signin", _SENSES)
_SERIES: Final = re.compile(r"(\D{0,24}?)[\W_]*(\d{1,2})(?:\D{1,4}(\d{1,2}))?")
_VARIABLE: Final = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_BEGINNING: Final = re.compile(
    rf"[\s\"'`“‘«:*]{{0,4}}(?:(?P<issued>{BEGINS}|{OPENS})"
    r"|[A-Za-z][A-Za-z0-9]{1,11}_(?![A-Za-z0-9]{1,3}\b|\w*\.))"
)
_REMEMBERED: Final = ("security question text", "asked memory")
_SHORTEST_SERIES, _MOST_IN_PARTS, _SERIES_OF_WORDS, _MOST_NAMED, _FEW = 4, 8, 8, 50, 4
_WALLETS: Final = (12, 15, 18, 21, 24)  # So many words bring one back.


def _block(
    place: Place, frame: str, field: str | None, evidence: str | None = None, amount: int = 4
) -> Sighting:
    """One sign of a secret that decides alone, with the place's text unless told otherwise."""
    shown = place.text[:120] if evidence is None else evidence
    why = weight(amount, frame, place, shown)
    return Sighting(Severity.BLOCK, place.where, shown, field, (why,))


def _asked(request: Reading) -> Iterator[Sighting]:
    # What holds a date holds no secret.
    if not (free := [it for it in request.free_fields if it.kind != "date"]):
        return
    demand = Demand(request, SECRET)
    is_open = any(map(_takes_a_code, free[:_MOST_NAMED]))
    together = next(_over_all(request, demand, is_open), None)
    choices = [it for it in _secret_choices(request) if not demand.is_in_other_sense(it)]
    for field in free:
        if (asked := demand.sighting(field, Severity.BLOCK)) is not None:
            yield asked
        else:
            seen = [*_by_its_look(request, field, demand, choices)]
            yield from seen or ([] if together else _weighed(request, field))
    if together is not None:
        for field in free[:_MOST_NAMED]:
            yield replace(together, field=field.name)


def _takes_a_code(field: FieldReading) -> bool:
    """Whether what was sent to somebody can be typed there."""
    signs = (place.says("sign") for place in field.texts("name", "title"))
    return any(signs) or field.is_open or field.is_called("link field")


def _over_all(request: Reading, demand: Demand, is_open: bool) -> Iterator[Sighting]:
    """A secret that the form as a whole asks for: described, or disguised, in pieces as well."""
    for place in request.texts(*GENERAL):
        yield from _secret_in(place, demand, is_open)
    free = request.free_fields[:_MOST_NAMED]
    for role in ("name", "title"):
        parts = (label.plain for field in free for label in field.texts(role))
        joined = " ".join(part for part in parts if len(part) <= _MOST_IN_PARTS)
        where = "requestedSchema.properties"
        yield from _disguised(Place(where, "name", joined, len(joined), joined))


def _secret_in(
    place: Place, demand: Demand, is_open: bool, beside: Sequence[Place] = ()
) -> Iterator[Sighting]:
    """A secret that a text, alone or with the message or its title, disguises or describes."""
    if not (place.role == "default" and _VARIABLE.fullmatch(place.plain)):
        yield from _disguised(place)
    near = (None, *beside) if _may_describe(demand.request) else ()
    recipe = next(filter(None, (_described(place, it) for it in near)), None)
    is_asked = is_open or recipe not in _FOR_OPEN_FIELDS
    meant = table("meant").get(recipe or "", ())
    if recipe and is_asked and not any(sense.words in meant for sense in demand.senses):
        yield _block(place, recipe, place.field)


def _disguised(place: Place) -> Iterator[Sighting]:
    if (hidden := disguised_secret(place.unsplit, place.plain)) is not None:
        yield _block(place, "disguised", place.field, excerpt(*hidden))


def _by_its_look(
    request: Reading, field: FieldReading, demand: Demand, choices: Sequence[Mention]
) -> Iterator[Sighting]:
    is_open, takes_a_code, counts = field.is_open, _takes_a_code(field), counts_on(field)
    if not counts and (is_open or field.is_called("anything")):
        # A secret stands among another field's choices, and this one holds whatever was chosen.
        others = (choice for choice in choices if choice.place.field not in (None, field.name))
        for other in islice(others, _says_nothing(field) or field.is_called("bare value")):
            yield other.sighting(Severity.BLOCK, 3, "choice-is-secret", field.name)
    for place in field.places:
        if place.role in ("pattern", "format", "choice") or counts:
            continue
        title = field.texts("title") if place.role == "description" else ()
        beside = (request.message, *title) if place.role in ("title", "description") else ()
        for secret in _secret_in(place, demand, takes_a_code, beside):
            yield secret
            return
    whole = (request.message,) if is_open or len(request.free_fields) == 1 else ()
    for frame, place in looks((*field.places, *whole), is_open=is_open):
        yield _block(place, frame, field.name)
    yield from () if counts else _beside_another(request, field)
    yield from _begins_like_a_key(request, field)
    if field.drawn.get("writeOnly") is True:
        first = field.places[0] if field.places else request.message
        yield _block(first, "format-of-secret", field.name, "writeOnly")


def _begins_like_a_key(request: Reading, field: FieldReading) -> Iterator[Sighting]:
    """The text says how the value begins, as issued keys do: "starts with acme_live_"."""
    prose = (request.message,)[: field.is_open] + field.texts("title", "description")
    for mention in mentions(prose, "prefix", usual_only=True):
        begun = _BEGINNING.match(mention.original, mention.span[1])
        if begun and (field.is_open or begun["issued"]) and not mention.is_denied:
            yield mention.sighting(Severity.BLOCK, 4, "begins-like-a-key", field.name)
            return


def _says_nothing(field: FieldReading) -> bool:
    """Whether its name, or its title, tells nothing of what is typed: "a1", "the one below"."""
    clauses = field.places[0].clauses if field.places else ()
    return all(
        clause.of("anything") or len(clause.words[0]) <= SHORT_NAME for clause in clauses
    ) or any(it.word_count <= _FEW and it.says("it") for it in field.texts("title"))


def _secret_choices(request: Reading) -> Iterator[Mention]:
    """Secrets that stand among the choices of a field, or variables for them that it shows."""
    for mention in mentions(request.places, "sure", *_REMEMBERED, usual_only=True):
        place, _, clause, hit = mention
        roles = ("choice",) if hit.concept in _REMEMBERED else ("choice", "title")
        variable = place.role == "default" and _VARIABLE.fullmatch(place.text.upper())
        if (place.role in roles or variable) and clause.standing(hit) >= Standing.NAMED:
            yield mention


def _beside_another(request: Reading, field: FieldReading) -> Iterator[Sighting]:
    """What another field holds tells what belongs to it: a card's holder, the name of a key."""
    for own, entries in table("beside").items():
        called = _says_nothing(field) if own == "anything" else field.is_called(own)
        for entry in entries if called else ():
            # What another field is called, and what the form speaks of; empty where it need not.
            other, _, topic = (part.strip() for part in entry.partition("when "))
            beside = not other or any(named is not field for named in request.called(other))
            if beside and (not topic or _says(request, topic)):
                frame = f"beside-{(other or topic).replace(' ', '-')}"
                yield _block(field.places[0], frame, field.name, field.name[:80], 3)
                return


def _says(request: Reading, concept: str) -> bool:
    """Whether the form as a whole speaks of something, and neither denies it nor asks whether."""
    return any(
        not (mention.is_denied or mention.clause.whether or mention.clause.of("unless"))
        for mention in mentions(request.texts(*GENERAL, "choice"), concept, usual_only=True)
    )


def _in_pieces(request: Reading) -> Iterator[Sighting]:
    """Fields that are numbered: a phrase word by word, a code figure by figure."""
    series, figures = Counter[str](), Counter[str]()
    kept = sum(len(clause.of("words", "wallet")) for clause in request.message.clauses)
    kept += len([*mentions(request.texts("title"), "kept", usual_only=True)])
    counts = ("sign", "counted")[: 1 + (kept > 0)]
    for field in request.free_fields:
        titles = (title.plain for title in field.texts("title") if title.says(*counts))
        spans = filter(None, (_SERIES.fullmatch(plain(it)) for it in (field.name, *titles)))
        if match := max(spans, key=lambda span: span[3] is not None, default=None):
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


def _named(concept: str, request: Reading) -> Iterator[Sighting]:
    if any(field.kind == "text" for field in request.free_fields):
        for mention in mentions(request.texts(*GENERAL, "name", "title", "description"), concept):
            if mention.clause.standing(mention.hit) >= Standing.NAMED:
                yield mention.sighting(Severity.WARN, 2, concept.replace(" ", "-"))


def _shown(request: Reading) -> Iterator[Sighting]:
    # What is prepared in a field for a "Key ID" is what the key is called.
    names = {
        place.text.lower()
        for field in request.fields
        for place in field.texts("default")
        if any(label.says("value id") for label in field.places[:2])
    }
    for place in request.places:
        if place.role not in UNREAD and (place.shape or _is_told_its_value(place, names)):
            yield Sighting(Severity.WARN, place.where, place.text[:12] + "…", place.field)


def _is_told_its_value(place: Place, names: Collection[str]) -> bool:
    """Whether a secret is named and right after it stands what looks like its value, no name."""
    for mention in mentions((place,), "sure", usual_only=True):
        value = compiled("value behind its name").match(mention.original, mention.span[1])
        if value is None or value[2].lower() in names or not value[2].isascii():
            continue
        if compiled("made up").fullmatch(value[2]) or (value[1] and random_looking(value[2])):
            return True
    return False


def _revealed(request: Reading) -> Iterator[Sighting]:
    if request.mode == "url" or request.free_fields:
        return
    for mention in mentions((it for it in request.places if it.role not in UNREAD), "sure"):
        clause, start = mention.clause, mention.hit.start
        others = clause.of("model", "anyone", "people", "speaker")
        verbs = (verb for verb in clause.of("reveal") if verb.end <= start <= verb.end + 3)
        is_apart = mention.is_denied or clause.of("aside")
        if others and not is_apart and any(map(clause.is_proposed, verbs)):
            yield Sighting(Severity.WARN, mention.place.where, mention.evidence)


RULES = (
    house_rule("credentials.secret", _asked),
    house_rule("credentials.in_pieces", _in_pieces),
    house_rule("credentials.webhook", partial(_named, "webhook"), once=True),
    house_rule("credentials.security_question", partial(_named, _REMEMBERED[0]), once=True),
    house_rule("credentials.shown", _shown, once=True),
    house_rule("credentials.revealed", _revealed, once=True),
)
