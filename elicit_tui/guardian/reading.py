"""A request read once for all rules: every place where words can stand, and every field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, Literal, NamedTuple

from elicit_tui.elicitation import ElicitationRequest
from elicit_tui.elicitation.shapes import known_shape
from elicit_tui.guardian.appearance import other_readings, plain
from elicit_tui.guardian.clauses import Clause
from elicit_tui.guardian.folding import Folded, fold_text, without_invisible
from elicit_tui.guardian.sentences import clauses_of
from elicit_tui.guardian.words import Hit

_OfAll = Literal["server", "message", "url", "schema title", "schema description"]
_OfField = Literal[
    "name", "title", "description", "choice", "default", "example", "pattern", "format"
]
Role = _OfAll | _OfField
"""What a text is to the person: of the whole request, or of one field."""

EXAMINED_CHARACTERS: Final = 8_000
"""Of a longer text both ends are examined, this many characters in all."""
SEARCHED_CHARACTERS: Final = 1_000_000
"""Of what is longer than that, invisible characters are left out at both ends only."""
EXAMINED_IN_ALL: Final = 200_000
EXAMINED_FIELDS: Final = 1_000
EXAMINED_CHOICES: Final = 200
_FEWEST_SIGNS: Final = 10

_TEXT_ROLES: Final[tuple[tuple[str, Role], ...]] = (
    ("title", "title"),
    ("description", "description"),
    ("format", "format"),
    ("pattern", "pattern"),
    ("contentMediaType", "format"),
    ("$comment", "description"),
    ("placeholder", "description"),
    ("x-placeholder", "description"),
)
_VALUE_ROLES: Final[tuple[tuple[str, Role], ...]] = (
    ("default", "default"),
    ("examples", "example"),
    ("example", "example"),
    ("const", "default"),
)


def _clip(text: str, most: int = EXAMINED_CHARACTERS) -> str:
    if len(text) <= most:
        return text
    half = most // 2
    return text[:half] + "\n" + text[-half:]


def _readable(text: str) -> str:
    """What is examined for its words: nobody pushes them out of it by what is not seen."""
    if len(text) <= EXAMINED_CHARACTERS or text.isascii():
        return _clip(text)
    return _clip(without_invisible(_clip(text, SEARCHED_CHARACTERS)))


class View(NamedTuple):
    """One way to read a text, folded and cut into clauses."""

    folded: Folded
    clauses: tuple[Clause, ...]
    concepts: frozenset[str]
    """All that stands there."""
    told: frozenset[tuple[str, tuple[int, int]]] = frozenset()
    """What the usual reading shows as well, where this is another one."""

    def repeats(self, clause: Clause, hit: Hit) -> bool:
        """Whether the usual reading has this hit too, and so decides about it."""
        return (hit.concept, self.folded.span(*clause.span(hit))) in self.told

    @property
    def shown(self) -> frozenset[tuple[str, tuple[int, int]]]:
        """Its hits by concept and place in the original."""
        return frozenset(
            (hit.concept, self.folded.span(*clause.span(hit)))
            for clause in self.clauses
            for hit in clause.hits
        )


@dataclass(frozen=True)
class Place:
    """One text of the server's and where it stood."""

    where: str
    role: Role
    text: str
    """What was there, or both its ends where it is longer than is examined."""
    length: int
    field: str | None = None
    words: str | None = None
    """The same without what cannot be seen, where that would have hidden words; else None."""

    @property
    def read(self) -> str:
        """The text that is searched for words."""
        return self.text if self.words is None else self.words

    @cached_property
    def folded(self) -> Folded:
        """The text folded for comparison, camelCase split into words."""
        return fold_text(self.read)

    @cached_property
    def unsplit(self) -> Folded:
        """The text folded for comparison, camelCase left as it is."""
        return fold_text(self.read, split_camel=False)

    @cached_property
    def views(self) -> tuple[View, ...]:
        """All that the text can be read as, cut into clauses, none twice; the usual one first.

        Prose is read as it is written, names also with a new word at each capital.
        """
        usual = (self.folded, self.unsplit) if self.role == "name" else (self.unsplit,)
        found = {view.text: view for view in usual}
        for reading in other_readings(self.read):
            view = fold_text(reading, split_camel=False)
            found.setdefault(view.text, replace(view, original=self.read))
        latin = self.read.isascii()
        views = []
        for folded in found.values():
            clauses = tuple(clauses_of(folded.text, latin=latin))
            concepts = frozenset(concept for clause in clauses for concept in clause.by_concept)
            views.append(View(folded, clauses, concepts))
        if len(views) == 1:
            return tuple(views)
        shown = views[0].shown
        return (views[0], *(view._replace(told=shown) for view in views[1:]))

    @cached_property
    def plain(self) -> str:
        """The text with nothing invisible in it and look-alikes as what they look like."""
        return plain(self.read)

    @cached_property
    def shape(self) -> str | None:
        """Which secret's value stands in it, by its shape."""
        return known_shape(self.plain)


@dataclass(frozen=True)
class FieldReading:
    """One property of the form as the rules see it."""

    name: str
    where: str
    schema: Mapping[str, Any]
    places: tuple[Place, ...]

    @cached_property
    def kind(self) -> str:
        """`choice`, `boolean`, `number`, `date`, `text` or `other`."""
        schema = self.schema
        if any(key in schema for key in ("enum", "oneOf", "anyOf", "const")):
            return "choice"
        declared = schema.get("type")
        if declared == "boolean":
            return "boolean"
        if declared in ("integer", "number"):
            return "number"
        if declared == "array":
            items = schema.get("items")
            chosen = isinstance(items, Mapping) and any(
                key in items for key in ("enum", "oneOf", "anyOf")
            )
            return "choice" if chosen else "text"
        if schema.get("format") in ("date", "date-time", "time"):
            return "date"
        return "text"

    @property
    def is_free(self) -> bool:
        """Whether the person types the value, so that it can carry a secret."""
        return self.kind in ("text", "number", "date") or self._spells

    @property
    def _spells(self) -> bool:
        """Whether single characters are chosen: so one types a word, letter by letter."""
        signs = [place.text for place in self.places if place.role == "choice"]
        return len(signs) >= _FEWEST_SIGNS and all(len(sign) == 1 for sign in signs)

    def is_called(self, concept: str) -> bool:
        """Whether a whole title, else the name, is a word for this."""
        titles = [place for place in self.places if place.role == "title"] or self.places[:1]
        return any(
            hit.start == 0 and hit.end == len(clause.words)
            for place in titles
            for clause in place.views[0].clauses
            for hit in clause.of(concept)
        )


@dataclass(frozen=True)
class Reading:
    """Everything in a request that a person or a client would see."""

    request: ElicitationRequest
    mode: str
    places: tuple[Place, ...]
    fields: tuple[FieldReading, ...]
    clipped: tuple[str, ...]
    """Places that were longer than what is examined, or left out altogether."""

    @cached_property
    def free_fields(self) -> tuple[FieldReading, ...]:
        """The fields a person types into."""
        return tuple(field for field in self.fields if field.is_free)

    @cached_property
    def general_places(self) -> tuple[Place, ...]:
        """What is said about the whole form: message, schema title and description, choices."""
        roles = ("message", "schema title", "schema description", "choice")
        return tuple(place for place in self.places if place.role in roles)

    def called(self, concept: str) -> tuple[FieldReading, ...]:
        """The fields a person types into whose whole title, else name, is a word for this."""
        if concept not in self._called:
            self._called[concept] = tuple(
                field for field in self.free_fields if field.is_called(concept)
            )
        return self._called[concept]

    @cached_property
    def _called(self) -> dict[str, tuple[FieldReading, ...]]:
        return {}

    @cached_property
    def words(self) -> tuple[Place, ...]:
        """All that is written to be read by the person: everything but patterns and formats."""
        return tuple(place for place in self.places if place.role not in ("pattern", "format"))

    @cached_property
    def message(self) -> Place:
        """The message, empty when there is none."""
        for place in self.places:
            if place.role == "message":
                return place
        return Place("message", "message", "", 0)


class _Reader:
    def __init__(self) -> None:
        self.places: list[Place] = []
        self.clipped: list[str] = []
        self.left = EXAMINED_IN_ALL

    def add(self, where: str, role: Role, text: object, field: str | None = None) -> Place | None:
        if not isinstance(text, str) or not text:
            return None
        clipped = _clip(text)
        if len(clipped) > self.left:
            self.clipped.append(where)
            return None
        self.left -= len(clipped)
        if len(text) > EXAMINED_CHARACTERS:
            self.clipped.append(where)
        readable = _readable(text)
        words = readable if readable != clipped else None
        place = Place(where, role, clipped, len(text), field, words)
        self.places.append(place)
        return place


def read(request: ElicitationRequest) -> Reading:
    """Read a request; never raises for a malformed one, and looks at a bounded amount of it."""
    reader = _Reader()
    reader.add("server", "server", request.server.name)
    if request.server.calls_itself:
        reader.add("server.title", "server", request.server.calls_itself)
    reader.add("message", "message", request.message)
    if request.url is not None:
        reader.add("url", "url", request.url)
    fields: list[FieldReading] = []
    schema = request.requested_schema
    if schema is not None and request.mode != "url":
        reader.add("requestedSchema.title", "schema title", schema.get("title"))
        reader.add("requestedSchema.description", "schema description", schema.get("description"))
        properties = schema.get("properties")
        if isinstance(properties, Mapping):
            for count, (name, subschema) in enumerate(properties.items()):
                if count >= EXAMINED_FIELDS:
                    reader.clipped.append("requestedSchema.properties")
                    break
                fields.append(_read_field(reader, str(name), subschema))
    return Reading(
        request, request.mode, tuple(reader.places), tuple(fields), tuple(reader.clipped)
    )


def _read_field(reader: _Reader, name: str, subschema: object) -> FieldReading:
    shown = name if len(name) <= 60 else name[:60] + "…"
    where = f"requestedSchema.properties.{shown}"
    first = len(reader.places)
    reader.add(where, "name", name, name)
    schema: Mapping[str, Any] = subschema if isinstance(subschema, Mapping) else {}
    for key, role in _TEXT_ROLES:
        reader.add(f"{where}.{key}", role, schema.get(key), name)
    for key, role in _VALUE_ROLES:
        for value in _strings(schema.get(key)):
            reader.add(f"{where}.{key}", role, value, name)
    for key, value in _choices(schema):
        reader.add(f"{where}.{key}", "choice", value, name)
    return FieldReading(name, where, schema, tuple(reader.places[first:]))


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value[:20]:
            if isinstance(item, str):
                yield item
    elif isinstance(value, Mapping):
        for key, item in list(value.items())[:20]:
            if isinstance(item, str):
                yield item
            yield str(key)


def _choices(schema: Mapping[str, Any], depth: int = 0) -> Iterator[tuple[str, str]]:
    for key in ("enum", "enumNames"):
        values = schema.get(key)
        if isinstance(values, (list, tuple)):
            ends = values if len(values) <= EXAMINED_CHOICES else _both_ends(values)
            yield from ((key, value) for value in ends if isinstance(value, str))
    for key in ("oneOf", "anyOf"):
        options = schema.get(key)
        if isinstance(options, (list, tuple)):
            ends = options if len(options) <= EXAMINED_CHOICES else _both_ends(options)
            for option in ends:
                if isinstance(option, Mapping):
                    for word in ("const", "title", "description"):
                        if isinstance(option.get(word), str):
                            yield f"{key}.{word}", option[word]
    items = schema.get("items")
    if isinstance(items, Mapping) and depth == 0:
        yield from ((f"items.{key}", value) for key, value in _choices(items, 1))


def _both_ends(values: list[Any] | tuple[Any, ...]) -> list[Any]:
    half = EXAMINED_CHOICES // 2
    return [*values[:half], *values[-half:]]
