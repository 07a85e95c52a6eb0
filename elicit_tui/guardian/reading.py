"""A request read once for all rules: every place where words can stand, and every field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from itertools import chain
from typing import Any, Final, Literal, NamedTuple, cast

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import ElicitationRequest
from elicit_tui.elicitation.shapes import known_shape
from elicit_tui.form.choices import (
    both_ends,
    choice_texts,
    is_select,
    is_select_of_few,
    longer_lists,
    read_choices,
    shown_texts,
)
from elicit_tui.form.field import Choice
from elicit_tui.form.limits import flattened
from elicit_tui.guardian.clauses import Clause, clauses_of
from elicit_tui.guardian.pages import table
from elicit_tui.guardian.words import Hit
from elicit_tui.kept import kept
from elicit_tui.text.deceptive import without_invisible
from elicit_tui.text.folding import (
    Folded,
    fold_text,
    is_plain,
    only_greek,
    other_readings,
    plain,
)

_OfAll = Literal["server", "message", "url", "schema title", "schema description"]
_OfField = Literal[
    "name", "title", "description", "choice", "default", "example", "pattern", "format"
]
Role = _OfAll | _OfField
"""What a text is to the person: of the whole request, or of one field."""
GENERAL: Final = ("message", "schema title", "schema description")
"""What is said about the whole form."""

EXAMINED_CHARACTERS, SEARCHED_CHARACTERS = 8_000, 1_000_000
"""Of a longer text both ends, so many in all; of so many what is invisible is left out before."""
EXAMINED_LABELS, EXAMINED_IN_ALL = 100_000, 200_000  # names and titles; choices, and all else
EXAMINED_FIELDS, EXAMINED_CHOICES, _LEAST = 1_000, 2_000, 20  # characters that a text counts
MOST_OF_A_FEW: Final = 3
"""Choices of a question that can be taken in at a glance, as yes and no can."""
_FEWEST_SIGNS, SHORT_NAME = 10, 2
"""Up to so many words, or characters of one, a name says little."""
UNREAD: Final = ("server", "url", "pattern", "format")
"""What is no text for the person."""
_HARMLESS_FORMATS: Final = ("email", "date", "date-time", "uri")
_NOTHING: Final = frozenset[str]()
_ROLES: Final = [pair.split() for pair in table("schemas")["roles"]]


def _clip(text: str, most: int = EXAMINED_CHARACTERS) -> str:
    half = most // 2
    return text if len(text) <= most else text[:half] + "\n" + text[-half:]


class View(NamedTuple):
    """One way to read a text, folded and cut into clauses."""

    folded: Folded
    clauses: tuple[Clause, ...]
    concepts: frozenset[str]
    """All that stands there."""
    usual_hits: frozenset[tuple[str, tuple[int, int]]]
    """What the usual reading shows as well, where this is another one."""

    def repeats(self, clause: Clause, hit: Hit) -> bool:
        """Whether the usual reading has this hit too, and so decides about it."""
        return (hit.concept, self.folded.span(*clause.span(hit))) in self.usual_hits

    @property
    def hits(self) -> frozenset[tuple[str, tuple[int, int]]]:
        """Its hits by concept and place in the original."""
        return frozenset(
            (hit.concept, self.folded.span(*clause.span(hit)))
            for clause in self.clauses
            for hits in clause.by_concept.values()
            for hit in hits
        )


@dataclass(eq=False)
class Place:
    """One text of the server's and where it stood."""

    where: str
    role: Role
    text: str
    """What was there, or both its ends where it is longer than is examined."""
    length: int
    read: str
    """What is searched for words: the same, without what is not seen where that hid some."""
    field: str | None = None

    @kept
    def unsplit(self) -> Folded:
        """The text folded for comparison, camelCase left as it is."""
        return fold_text(self.read, split_camel=False)

    @kept
    def views(self) -> tuple[View, ...]:
        """All that the text can be read as, cut into clauses, none twice; the usual one first.

        Prose is read as it is written, names also with a new word at each capital.
        """
        # Small letters alone hold no new word.
        is_split = self.role == "name" and not (self.read.islower() and is_plain(self.read))
        split = (fold_text(self.read),) if is_split else ()
        found = {view.text: view for view in (*split, self.unsplit)}
        if not self.read.isascii():
            joined = fold_text(self.read, split_camel=False, across_ends=True)
            found.setdefault(joined.text, joined)
        for request in other_readings(self.read):
            view = fold_text(request, split_camel=False)
            found.setdefault(view.text, replace(view, original=self.read))
        latin = self.read.isascii()
        views: list[View] = []
        for folded in found.values():
            clauses = tuple(clauses_of(folded.text, latin=latin))
            concepts = _NOTHING.union(*[clause.by_concept for clause in clauses])
            usual_hits = views[0].hits if views else frozenset()
            views.append(View(folded, clauses, concepts, usual_hits))
        return tuple(views)

    @property
    def clauses(self) -> tuple[Clause, ...]:
        """The clauses of the usual reading."""
        return self.views[0].clauses

    @property
    def word_count(self) -> int:
        """How many words it has."""
        return sum(len(clause.words) for clause in self.clauses)

    def says(self, *concepts: str) -> bool:
        """Whether one of some concepts stands in the usual reading."""
        return not self.views[0].concepts.isdisjoint(concepts)

    def is_harmless_in_greek(self, said: str, span: tuple[int, int]) -> bool:
        """Whether a Greek word, in capitals maybe, is a part of what is harmless in small ones."""
        others = self.views[1:] if not (said.isascii() or only_greek().isdisjoint(said)) else ()
        senses = (it for view in others for concept, it in view.hits if concept == "harmless")
        return any(start <= span[0] and span[1] <= end for start, end in senses)

    @kept
    def plain(self) -> str:
        """The text with nothing invisible in it and look-alikes as what they look like."""
        return plain(self.read)

    @kept
    def shape(self) -> str | None:
        """Which secret's value stands in it, by its shape."""
        return known_shape(self.plain)


def _leaves_open(place: Place) -> bool | None:
    """Whether a name or title leaves open what is typed; None where it says nothing at all."""
    clauses = place.clauses
    if not clauses:
        return None
    clause = clauses[0]
    if len(clause.words) == 1 and len(clause.words[0]) <= SHORT_NAME and clause.words[0].isascii():
        return True
    last = len(clause.words)
    first = last if any(hit.end == last for hit in clause.of("bare value")) else 0
    says = any(hit.end == last or hit.start == first for hit in clause.of("plain"))
    return not (says or clause.of("harmless", "public"))


class _Places:
    places: tuple[Place, ...]

    @kept
    def concepts(self) -> frozenset[str]:
        """All that stands there, read in any way: most rules need to look no further."""
        read = (place.views for place in self.places if place.role not in UNREAD)
        return _NOTHING.union(*[view.concepts for views in read for view in views])

    def texts(self, *roles: str) -> tuple[Place, ...]:
        """The places of some roles; looked up once, as many rules ask for the same."""
        if roles not in self._by_role:
            self._by_role[roles] = tuple(place for place in self.places if place.role in roles)
        return self._by_role[roles]

    @kept
    def _by_role(self) -> dict[tuple[str, ...], tuple[Place, ...]]:
        return {}


@dataclass(frozen=True)
class FieldReading(_Places):
    """One property of the form as the rules see it."""

    name: str
    where: str
    schema: Mapping[str, Any]
    drawn: Mapping[str, Any]
    """The schema with what it refers to merged in, as a form draws it."""
    places: tuple[Place, ...]

    @property
    def _select(self) -> Mapping[str, Any]:
        items = self.drawn.get("items") if self.drawn.get("type") == "array" else None
        return items if isinstance(items, Mapping) else self.drawn

    @kept
    def few(self) -> tuple[Choice, ...]:
        """What can be chosen there, where it is one thing or a few; else nothing."""
        if not is_select_of_few(self._select, MOST_OF_A_FEW):
            return ()
        selected = read_choices(self._select)
        return selected[0] if selected is not None else ()

    @kept
    def kind(self) -> str:
        """`choice`, `boolean`, `number`, `date` or `text`."""
        schema, declared = self.drawn, self.drawn.get("type")
        if is_select(self._select):
            return "choice"
        if declared == "boolean":
            return "boolean"
        if declared in ("integer", "number"):
            return "number"
        return "date" if schema.get("format") in ("date", "date-time", "time") else "text"

    @kept
    def is_free(self) -> bool:
        """Whether the person types the value, so that it can carry a secret."""
        # Where single characters are chosen, one types a word, letter by letter.
        signs = [place.text for place in self.texts("choice")]
        spells = len(signs) >= _FEWEST_SIGNS and all(len(sign) == 1 for sign in signs)
        return spells or self.kind in ("text", "number", "date")

    @kept
    def may_be_left(self) -> bool:
        """Whether one of its choices leaves everything as it is, or puts it off."""
        return any(
            hit.start == 0 and (hit.concept == "leaves" or hit.end == len(clause.words))
            for place in self.texts("choice")
            for clause in place.clauses
            for hit in clause.of("refusal", "leaves")
        )

    @kept
    def is_open(self) -> bool:
        """Whether neither its name nor its title says that something harmless is typed."""
        if self.kind == "date" or self.drawn.get("format") in _HARMLESS_FORMATS:
            return False
        opened = map(_leaves_open, self.texts("title") + self.texts("name"))
        return next((leaves for leaves in opened if leaves is not None), True)

    def is_called(self, concept: str) -> bool:
        """Whether a whole title, else the name, is a word for this."""
        return concept in self.concepts and any(
            hit.start == 0 and hit.end == len(clause.words)
            for place in self.texts("title") or self.places[:1]
            for clause in place.clauses
            for hit in clause.of(concept)
        )


@dataclass(frozen=True, eq=False)
class Reading(_Places):
    """Everything in a request that a person or a client would see."""

    source: ElicitationRequest
    mode: str
    places: tuple[Place, ...]
    fields: tuple[FieldReading, ...]
    """None where a page is to be opened."""
    clipped: tuple[str, ...]
    """Places that were longer than what is examined."""
    unread: tuple[tuple[str, str | None], ...]
    """Places that were left out altogether, each with its field."""
    _called: dict[str, tuple[FieldReading, ...]] = field(default_factory=dict)

    @kept
    def free_fields(self) -> tuple[FieldReading, ...]:
        """The fields a person types into."""
        return tuple(field for field in self.fields if field.is_free)

    def called(self, concept: str) -> tuple[FieldReading, ...]:
        """The fields whose whole title, else name, is a word for this."""
        if concept not in self._called:
            self._called[concept] = tuple(it for it in self.fields if it.is_called(concept))
        return self._called[concept]

    @kept
    def optional(self) -> frozenset[str]:
        """The names of the fields that an answer may leave out; none where `required` is odd."""
        required = (self.source.requested_schema or {}).get("required", ())
        if not isinstance(required, (list, tuple)):
            return frozenset()
        names = frozenset(field.name for field in self.fields)
        return names.difference(name for name in required if isinstance(name, str))

    @kept
    def only_chooses(self) -> bool:
        """Whether all that must be answered is chosen, so that nothing need be told."""
        must = [field.kind for field in self.fields if field.name not in self.optional]
        return bool(must) and "text" not in must

    def is_spare(self, field: FieldReading) -> bool:
        """Whether a field may be left out where one only has to choose: no place for an answer."""
        return self.only_chooses and field.name in self.optional

    @kept
    def message(self) -> Place:
        """The message, empty when there is none."""
        return next(iter(self.texts("message")), Place("message", "message", "", 0, ""))


class _Reader:
    def __init__(self) -> None:
        self.places: list[Place] = []
        self.clipped: list[str] = []
        self.unread: list[tuple[str, str | None]] = []
        self.left = {"label": EXAMINED_LABELS, "choice": EXAMINED_IN_ALL, "text": EXAMINED_IN_ALL}

    def add(self, where: str, role: Role, text: object, field: str | None = None) -> None:
        if not isinstance(text, str) or not text:
            return
        readable = clipped = _clip(text)
        kind = "label" if role in ("name", "title") else "choice" if role == "choice" else "text"
        cost = max(len(clipped), _LEAST)
        if cost > self.left[kind]:
            if kind == "choice":  # To choose hands nothing over: one is warned of what is unread.
                self.clipped.append(where)
            else:
                self.unread.append((where, field))
            return
        self.left[kind] -= cost
        if len(text) > EXAMINED_CHARACTERS:
            self.clipped.append(where)
            if not text.isascii():
                # Nobody pushes words out of it by what is not seen.
                readable = _clip(without_invisible(_clip(text, SEARCHED_CHARACTERS)))
        self.places.append(Place(where, role, clipped, len(text), readable, field))


def read(request: ElicitationRequest) -> Reading:
    """Read a request; never raises for a malformed one, and looks at a bounded amount of it."""
    reader = _Reader()
    reader.add("server", "server", request.server.name)
    reader.add("server.title", "server", request.server.calls_itself)
    reader.add("message", "message", request.message)
    reader.add("url", "url", request.url)
    fields: list[FieldReading] = []
    schema = request.requested_schema
    if schema is not None and request.mode != "url":
        reader.add("requestedSchema.title", "schema title", schema.get("title"))
        reader.add("requestedSchema.description", "schema description", schema.get("description"))
        properties = schema.get("properties")
        if isinstance(properties, Mapping):
            for name, subschema in [*properties.items()][:EXAMINED_FIELDS]:
                fields.append(_read_field(reader, str(name), subschema, schema))
            if len(properties) > EXAMINED_FIELDS:
                reader.unread.append(("requestedSchema.properties", None))
    told = (*reader.places,), (*fields,), (*reader.clipped,), (*reader.unread,)
    return Reading(request, request.mode, *told)


def _read_field(reader: _Reader, name: str, subschema: object, root: object) -> FieldReading:
    where = "requestedSchema.properties." + (name if len(name) <= 60 else name[:60] + "…")
    first = len(reader.places)
    reader.add(where, "name", name, name)
    schema: Mapping[str, Any] = subschema if isinstance(subschema, Mapping) else {}
    drawn = flat if isinstance(flat := flattened(subschema, root), Mapping) else schema
    for key, role in _ROLES:
        for value in shown_texts(drawn[key]) if key in drawn else ():
            reader.add(f"{where}.{key}", cast(Role, role), value, name)
    for option in both_ends(drawn.get("oneOf"), EXAMINED_CHOICES):
        if isinstance(option, Mapping) and option.get("const") == drawn.get("default", option):
            reader.add(f"{where}.default", "default", option.get("title"), name)
    reader.clipped += [f"{where}.{key}" for key in longer_lists(drawn, EXAMINED_CHOICES)]
    texts = (choice_texts(shown, EXAMINED_CHOICES) for shown in (schema, drawn))
    for key, value in dict.fromkeys(chain.from_iterable(texts)):
        reader.add(f"{where}.{key}", "choice", value, name)
    return FieldReading(name, where, schema, drawn, tuple(reader.places[first:]))
