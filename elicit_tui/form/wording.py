"""The judge's faults in words that say what is wanted; it decides nothing itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from elicit_tui.form.choices import value_label
from elicit_tui.form.field import Choice, Field
from elicit_tui.form.formats import FORMATS
from elicit_tui.form.json_values import limit_text
from elicit_tui.form.judge import Fault
from elicit_tui.text import neutral_line

NOT_ASKED_FOR: Final = "nothing that the form does not ask for"

MOST_MISSING: Final = 6
"""Names that are said of those that are missing."""

_TYPES: Final = {
    "string": "a text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "yes or no",
    "array": "a list",
    "object": "an object",
    "null": "nothing",
}


def counted(number: Any, singular: str, plural: str) -> str:
    """A number with its noun: "1 character", "3 characters"."""
    return f"{limit_text(number)} {singular if number == 1 else plural}"


def range_words(schema: Any) -> str:
    """The bounds of a number, such as "1 to 10" or "more than 0"; "" without bounds."""
    low, above = schema.get("minimum"), schema.get("exclusiveMinimum")
    high, below = schema.get("maximum"), schema.get("exclusiveMaximum")
    # Of two bounds on one side the narrower one is told.
    if above is not None and (low is None or above >= low):
        low = None
    else:
        above = None
    if below is not None and (high is None or below <= high):
        high = None
    else:
        below = None
    if low is not None and high is not None:
        return f"{limit_text(low)} to {limit_text(high)}"
    parts = [
        f"{words} {limit_text(value)}"
        for words, value in (
            ("at least", low),
            ("more than", above),
            ("at most", high),
            ("less than", below),
        )
        if value is not None
    ]
    return " and ".join(parts)


def count_words(low: Any, high: Any, singular: str, plural: str) -> str:
    """A range of counts: "3 to 20 characters", "at least 1 character", "exactly 2"; "" for none."""
    if not low and high is None:
        return ""
    if high is None:
        return f"at least {counted(low, singular, plural)}"
    if not low:
        return f"at most {counted(high, singular, plural)}"
    if low == high:
        return f"exactly {counted(low, singular, plural)}"
    return f"{limit_text(low)} to {counted(high, singular, plural)}"


def choose_words(low: Any, high: Any) -> str:
    """How many to choose: "choose 1 to 2", "choose at least 1"; "" without bounds."""
    words = count_words(low, high, "", "").strip()
    return f"choose {words}" if words else ""


def in_words(fault: Fault, field: Field | None, line: int | None = None) -> str:
    """One fault as a phrase that says what is wanted, such as "between 1 and 10".

    `line` counts from 0: where in a list of free texts the fault is.
    """
    words = _in_words(fault, field)
    return words if line is None else f"line {line + 1}: {words}"


def place_words(path: Sequence[Any]) -> str:
    """Where in a value, such as "[0].name"; of a deep place the end is left out."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return neutral_line("".join(parts), 100)


def _in_words(fault: Fault, field: Field | None) -> str:
    schema = fault.schema if isinstance(fault.schema, dict) else {}
    key, expected, value = fault.keyword, fault.expected, fault.instance
    if key == "judge":
        return str(fault.expected)
    if key in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"):
        # Two bounds are told as one, as the person has to keep both.
        low, to, high = range_words(schema).partition(" to ")
        return f"between {low} and {high}" if to else low
    if key == "multipleOf":
        return f"a multiple of {limit_text(expected)}"
    if key in ("minLength", "maxLength"):
        return _size(key, counted(expected, "character", "characters"), len(value))
    if key in ("minItems", "maxItems"):
        return _items(schema, len(value), field)
    if key == "uniqueItems":
        return "each only once"
    if key == "format":
        known = FORMATS.get(expected)
        wanted = known.check(value) if known and isinstance(value, str) else None
        return wanted or "another format"
    if key == "pattern":
        return f"it must match the pattern {neutral_line(expected, 120)}"
    if key == "type":
        return _type(expected)
    # Branches that are the choices of a select.
    if key in ("enum", "const") or (key in ("anyOf", "oneOf") and field and field.choices):
        return _choices(fault, field)
    if key in ("minProperties", "maxProperties"):
        return _size(key, counted(expected, "answer", "answers"), len(value))
    if key == "additionalProperties":
        return NOT_ASKED_FOR
    if key == "required" and isinstance(expected, list) and isinstance(value, Mapping):
        return _missing([str(name) for name in expected if name not in value])
    return f"it does not satisfy “{neutral_line(str(key), 40)}” of the server's schema"


def _missing(names: Sequence[str]) -> str:
    listed = ", ".join(neutral_line(name, 40) for name in names[:MOST_MISSING])
    more = " …" if len(names) > MOST_MISSING else ""
    return f"{listed}{more} {'is' if len(names) == 1 else 'are'} missing"


def _size(key: str, wanted: str, now: int) -> str:
    return f"{'at least' if key.startswith('min') else 'at most'} {wanted}, now {now}"


def _items(schema: dict[str, Any], now: int, field: Field | None) -> str:
    low, high = schema.get("minItems"), schema.get("maxItems")
    if field is not None and field.kind == "multi":
        return f"{choose_words(low, high)}, now {now}"
    # Each line of a list of free texts is one item of it; what is written as JSON has no lines.
    nouns = ("line", "lines") if field is not None and field.each_line else ("item", "items")
    return f"{count_words(low, high, *nouns)}, now {now}"


def _type(expected: Any) -> str:
    names = expected if isinstance(expected, list) else [expected]
    return " or ".join(_TYPES.get(str(name), "another kind of value") for name in names)


def _value_with_title(choice: Choice) -> str:
    """What is sent for a choice, and beside it what it is called where that differs."""
    value = value_label(choice.value)
    return value if choice.label == value else f"{value} ({choice.label})"


def _choices(fault: Fault, field: Field | None) -> str:
    if field is not None and field.kind == "boolean":
        values = fault.expected if fault.keyword == "enum" else [fault.expected]
        return "it must be yes" if True in values else "it must be no"
    if field is not None and field.choices:
        named = [_value_with_title(choice) for choice in field.choices[:6]]
        listed = ", ".join(named) + (" …" if len(field.choices) > 6 else "")
        return f"choose one of: {neutral_line(listed, 200)}"
    if fault.keyword == "const":
        return f"it must be {neutral_line(str(fault.expected), 80)}"
    return "one of the listed values"
