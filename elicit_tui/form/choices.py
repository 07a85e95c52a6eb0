"""The choices of a select, in each of its spellings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, Final

from elicit_tui.form.field import Choice
from elicit_tui.form.json_values import is_integer, is_number, is_writable, json_key, number_text
from elicit_tui.text import CUT_ENDS, looks_blank, neutral_line

LABEL_LENGTH: Final = 200


def read_choices(schema: Mapping[str, Any]) -> tuple[tuple[Choice, ...], list[str]] | None:
    """The choices that can be sent, and notes about the others; None when it is no select.

    Read are `enum` with or without `enumNames`, and `oneOf` or `anyOf` of const/title.
    """
    values = _values(schema)
    if values is None:
        return None
    names = _names(schema)
    notes: list[str] = []
    unique: dict[Any, tuple[Any, str, str]] = {}
    unfit = twice = 0
    for value, name in zip_longest(values, names[: len(values)]):
        if not fits_type(value, schema.get("type")):
            unfit += 1
        elif json_key(value) in unique:
            twice += 1
        else:
            label = _title_or_value(name, value)
            unique[json_key(value)] = (value, label, name if is_beginning_of(label, name) else "")
    if unfit:
        notes.append(f"{unfit} of its choices cannot be sent and {_are(unfit)} left out")
    if twice:
        notes.append(f"{twice} of its choices {_are(twice)} there twice")
    same_label = Counter(label for _, label, _ in unique.values())
    choices = tuple(
        Choice(value, _disambiguated(value, label, same_label[label] > 1), title)
        for value, label, title in unique.values()
    )
    return choices, notes


def is_select(schema: Mapping[str, Any]) -> bool:
    """Whether something is chosen there; `read_choices` tells what."""
    return _values(schema) is not None


def is_select_of_few(schema: Mapping[str, Any], most: int) -> bool:
    """Whether it is one whose choices that can be sent are at least one, and no more than `most`.

    Costs a moment for a schema that a form is too small for, too.
    """
    different: set[Any] = set()
    for value in _values(schema) or ():
        if fits_type(value, schema.get("type")):
            different.add(json_key(value))
        if len(different) > most:
            return False
    return bool(different)


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _disambiguated(value: Any, label: str, ambiguous: bool) -> str:
    """The label, with its value beside it where another choice has the same label."""
    value_text = value_label(value)
    return f"{label} ({value_text})" if ambiguous and label != value_text else label


def value_label(value: Any) -> str:
    """A value as a label: neutral, on one line, never blank."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, str):
        return number_text(value)
    return f"“{neutral_line(value, 20)}”" if looks_blank(value) else _short_line(value)


def _values(schema: Mapping[str, Any]) -> list[Any] | None:
    """The values of a select as they were written; None when it is none."""
    values = schema.get("enum")
    if isinstance(values, list):
        return values
    if (branches := _constants(schema)) is not None:
        return [_constant(branch) for branch in branches]
    return [schema["const"]] if "const" in schema else None


def _names(schema: Mapping[str, Any]) -> list[Any]:
    """What they are called, as far as the schema says it."""
    if isinstance(schema.get("enum"), list):
        names = schema.get("enumNames")
        return names if isinstance(names, list) else []
    return [branch.get("title") for branch in _constants(schema) or ()]


def _constants(schema: Mapping[str, Any]) -> list[Mapping[str, Any]] | None:
    for keyword in ("oneOf", "anyOf"):
        branches = schema.get(keyword)
        if isinstance(branches, list) and branches and all(map(_is_constant, branches)):
            return branches
    return None


def _is_constant(branch: Any) -> bool:
    if not isinstance(branch, Mapping):
        return False
    return "const" in branch or (isinstance(branch.get("enum"), list) and len(branch["enum"]) == 1)


def _constant(branch: Mapping[str, Any]) -> Any:
    return branch["const"] if "const" in branch else branch["enum"][0]


def _title_or_value(title: Any, value: Any) -> str:
    if isinstance(title, str) and not looks_blank(title):
        return _short_line(title)
    return value_label(value)


def is_beginning_of(line: str, text: Any) -> bool:
    """Whether a text had to be cut to stand on this line."""
    return isinstance(text, str) and line.endswith(CUT_ENDS) and neutral_line(text, None) != line


def _short_line(text: str) -> str:
    return neutral_line(text, LABEL_LENGTH)


def _is_scalar(value: Any) -> bool:
    return isinstance(value, (str, bool)) or (is_number(value) and is_writable(value))


def choice_texts(
    schema: Mapping[str, Any], most: int, *, of_items: bool = False
) -> Iterator[tuple[str, str]]:
    """The texts of all that can be chosen, each below its keyword; of a long list both ends."""
    for key in ("enum", "enumNames"):
        yield from ((key, end) for end in both_ends(schema.get(key), most) if isinstance(end, str))
    for key in ("oneOf", "anyOf"):
        for option in both_ends(schema.get(key), most):
            for word in ("const", "title", "description") if isinstance(option, Mapping) else ():
                if isinstance(option.get(word), str):
                    yield f"{key}.{word}", option[word]
    if not of_items and isinstance(items := schema.get("items"), Mapping):
        texts = choice_texts(items, most, of_items=True)
        yield from ((f"items.{key}", text) for key, text in texts)


def longer_lists(schema: Mapping[str, Any], most: int) -> Iterator[str]:
    """The keywords of the lists of choices of which `choice_texts` gives both ends only."""
    items = schema.get("items")
    for prefix, part in (("", schema), ("items.", items if isinstance(items, Mapping) else {})):
        for key in ("enum", "enumNames", "oneOf", "anyOf"):
            values = part.get(key)
            if isinstance(values, (list, tuple)) and len(values) > most:
                yield f"{prefix}{key}"


def both_ends(values: object, most: int) -> Sequence[Any]:
    """Up to so many of a list's values, from its two ends; nothing where it is none."""
    if not isinstance(values, (list, tuple)):
        return ()
    half = most // 2
    return [*values[:half], *values[max(half, len(values) - half) :]]


def fits_type(value: Any, kind: Any) -> bool:
    """Whether a value can be sent, and is of the declared type, where one is declared."""
    if not _is_scalar(value):
        return False
    if kind is None:
        return True
    kinds = map(str, kind if isinstance(kind, list) else [kind])
    return any(name in _TYPE_TESTS and _TYPE_TESTS[name](value) for name in kinds)


_TYPE_TESTS: Final[Mapping[str, Callable[[Any], bool]]] = {
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "number": is_number,
    "integer": is_integer,
}


def shown_texts(value: object) -> Iterator[str]:
    """The texts of a value to show: itself, those of a list, or an object's names and values."""
    parts = value[:20] if isinstance(value, (list, tuple)) else (value,)
    if isinstance(value, Mapping):
        parts = [part for pair in list(value.items())[:20] for part in reversed(pair)]
    return (part for part in parts if isinstance(part, str))
