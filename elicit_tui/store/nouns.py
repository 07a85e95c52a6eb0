"""The nouns of the house as JSON values and back, exactly: the one spelling of what waits.

The types of a dataclass's fields say how each is read back, so a field that a noun gains is kept
without a word here. Numbers keep their text (5 and 5.0 stay apart, big integers exact), a lone
half of a surrogate pair stays what it was.
"""

from __future__ import annotations

import json
import types
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from functools import cache
from typing import Any, Final, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from elicit_tui.elicitation import Finding, Question
from elicit_tui.errors import StoreError
from elicit_tui.form.field import Entry
from elicit_tui.form.form import Form

Noun = TypeVar("Noun")

_TAG: Final = "is"
"""Names the class where a field may hold one of several."""
_KEPT: Final = ("request", "review", "note", "attempt", "outgoing")
"""What is kept of a question. Its form is read again from the request, `examine` is the asker's."""
_ANOTHER_VERSION: Final = "What is kept was written by another version of elicit-tui."
# Also no infinity and no NaN, which a hostile entry may hold.
_MOST: Final = 1e11
"""No time, number or size of ours is as large."""
_NAMES: Final = {"Entry": Entry, "Form": Form, "Finding": Finding}
"""Names that the nouns import for type checkers only."""


def written(value: Any) -> bytes:
    """A noun, or a JSON value, as JSON in ASCII; raises StoreError for what cannot be written."""
    try:
        return json.dumps(_json_value(value), separators=(",", ":")).encode("ascii")
    except (TypeError, ValueError, RecursionError) as error:
        raise StoreError(f"What is asked cannot be kept: {type(error).__name__}.") from error


def read(kind: type[Noun], text: bytes) -> Noun:
    """The noun that `written` wrote; raises StoreError for what this version does not know."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise StoreError(_ANOTHER_VERSION) from error
    return noun_of(kind, value)


def noun_of(kind: type[Noun], value: Any) -> Noun:
    """The noun of a JSON value, every part of it of its type; raises StoreError as `read` does."""
    try:
        noun: Noun = _read_as(kind, value)
    except (TypeError, ValueError, KeyError, RecursionError) as error:
        raise StoreError(_ANOTHER_VERSION) from error
    return noun


def whole(kind: type[Noun], /, **values: Any) -> Noun | None:
    """A noun of these values; None where they are not of its types, as another writer's may be."""
    try:
        noun = noun_of(kind, values)
    except StoreError:
        return None
    numbers = [value for value in values.values() if isinstance(value, (int, float))]
    return noun if all(0 <= number < _MOST for number in numbers) else None


def _json_value(value: Any) -> Any:
    if isinstance(value, Question):
        return {name: _json_value(getattr(value, name)) for name in _KEPT}
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, datetime):
        return value.isoformat()
    if is_dataclass(value):
        tag = {_TAG: type(value).__name__} if isinstance(value, get_args(Entry)) else {}
        return tag | {part.name: _json_value(getattr(value, part.name)) for part in fields(value)}
    if isinstance(value, Mapping):
        if not all(isinstance(name, str) for name in value):
            raise TypeError("a name that is no text")
        return {name: _json_value(item) for name, item in value.items()}
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return [_json_value(item) for item in value]
    raise TypeError(type(value).__name__)


@cache
def _field_types(kind: type) -> Mapping[str, Any]:
    return get_type_hints(kind, localns=_NAMES)


def _read_as(kind: Any, value: Any) -> Any:
    """`value` as the type `kind` says; raises TypeError and its like for what does not fit."""
    if kind is Any or kind is object:
        return value
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Literal:
        if value not in inner:
            raise ValueError(value)
        return value
    if origin in (Union, types.UnionType):
        return _read_as_one_of(inner, value)
    if origin is tuple:
        return tuple(_read_as(inner[0], item) for item in _instance_of(list, value))
    if origin is frozenset:
        return frozenset(_read_as(inner[0], item) for item in _instance_of(list, value))
    if origin is not None and issubclass(origin, Mapping):
        return {name: _read_as(inner[1], item) for name, item in _instance_of(dict, value).items()}
    if kind is datetime:
        return datetime.fromisoformat(value)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(value)
    if is_dataclass(kind):
        return _read_dataclass(kind, _instance_of(dict, value))
    if kind is float:
        return _instance_of((int, float), value)
    return _instance_of(kind, value)


def _read_as_one_of(kinds: Sequence[Any], value: Any) -> Any:
    if value is None and type(None) in kinds:
        return None
    if isinstance(value, Mapping) and _TAG in value:
        values = dict(value)
        class_name = values.pop(_TAG)
        tagged = (kind for kind in kinds if getattr(kind, "__name__", None) == class_name)
        return _read_dataclass(next(tagged, None), values)
    for kind in kinds:
        try:
            return _read_as(kind, value)
        except (TypeError, ValueError, KeyError):
            continue
    raise TypeError(value)


def _read_dataclass(kind: Any, value: Mapping[str, Any]) -> Any:
    field_types = _field_types(kind)
    # A name that it lacks, or one that it has no default for, is an error.
    return kind(**{name: _read_as(field_types[name], item) for name, item in value.items()})


def _instance_of(kind: type | tuple[type, ...], value: Any) -> Any:
    """`value`, which is of this type; raises TypeError. A bool is no number here."""
    if not isinstance(value, kind) or (kind is not bool and isinstance(value, bool)):
        raise TypeError(value)
    return value
