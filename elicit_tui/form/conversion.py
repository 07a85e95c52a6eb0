"""One field's raw input to a content value, and back.

A number is read by the grammar of RFC 8259 and nothing else; integers stay exact.
"""

from __future__ import annotations

import math
import re
from typing import Any, Final

from elicit_tui.form.field import (
    NUMBER_KINDS,
    TEXT_KINDS,
    Chosen,
    ChosenMany,
    EmptyOnPurpose,
    Entry,
    Field,
    Problem,
    Ticked,
    Typed,
    Unset,
    is_unset,
)
from elicit_tui.form.formats import FORMATS
from elicit_tui.form.json_values import (
    MAX_DIGITS,
    MISSING,
    is_integer,
    json_key,
    number_text,
    same_json,
)

# As JSON spells a number: no plus sign, no leading zero, digits on both sides of the point.
_NUMBER: Final = re.compile(r"(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?")
_BLANKS: Final = " \t"

WANTED_INTEGER: Final = "a whole number, such as 12"
WANTED_NUMBER: Final = "a number, such as 12 or 0.5"


def read_number(text: str, whole: bool) -> int | float | str:
    """The number that a text spells, or (as a string) what is wanted instead.

    Blanks around it are ignored. `whole` asks for an integer: `5.0` and `5e2` are integers.
    """
    wanted = WANTED_INTEGER if whole else WANTED_NUMBER
    match = _NUMBER.fullmatch(text.strip(_BLANKS))
    if match is None:
        return wanted
    sign, units, fraction, exponent = match.groups()
    # Before int() sees it, whose time grows with the square of the digits.
    if len(units) + len(fraction or "") > MAX_DIGITS or len(exponent or "") > 9:
        return f"a number of at most {MAX_DIGITS} digits"
    if fraction is None and exponent is None:
        return int(sign + units)
    if whole:
        return _integer(sign, units, fraction or "", int(exponent or "0"))
    return _real(match.group())


def _integer(sign: str, units: str, fraction: str, exponent: int) -> int | str:
    """An integer written with a fraction or exponent, without a detour over floats."""
    digits = units + fraction
    if not digits.strip("0"):
        return 0
    # How many of the digits stand behind the point.
    places = len(fraction) - exponent
    if places > 0:
        return WANTED_INTEGER if digits[-places:].strip("0") else int(sign + digits[:-places])
    if len(digits) - places > MAX_DIGITS:
        return f"a number of at most {MAX_DIGITS} digits"
    return int(sign + digits) * int(10**-places)


def _real(text: str) -> float | str:
    value = float(text)
    if math.isinf(value):
        return "a number between -1.8e308 and 1.8e308"
    # What is written as something and reads as 0 is refused, not rounded away.
    mantissa = re.split("[eE]", text)[0]
    if value == 0 and mantissa.strip("-0."):
        return "a number that is not so close to 0"
    return value


def value_of(field: Field, entry: Entry) -> Any:
    """The value an entry means, MISSING if it means none, or a Problem; limits are not judged."""
    if is_unset(entry):
        return MISSING
    if isinstance(entry, EmptyOnPurpose):
        return _empty(field)
    if field.kind in TEXT_KINDS and isinstance(entry, Typed):
        return _text(field, entry.text)
    if field.kind in NUMBER_KINDS and isinstance(entry, Typed):
        if not entry.text.strip():
            return MISSING
        number = read_number(entry.text, whole=field.kind == "integer")
        return Problem(field.name, number) if isinstance(number, str) else number
    if field.kind == "boolean" and isinstance(entry, Ticked):
        return entry.value
    if field.kind == "single" and isinstance(entry, Chosen):
        return _choice(field, entry.value)
    if field.kind == "multi" and isinstance(entry, ChosenMany):
        values = [_choice(field, value) for value in entry.values]
        return next((value for value in values if isinstance(value, Problem)), values)
    return Problem(field.name, wanted(field))


def _text(field: Field, text: str) -> Any:
    if field.each_line:
        # The last line break ends the last line and begins none.
        return (text[:-1] if text.endswith("\n") else text).split("\n")
    if field.kind not in FORMATS:
        return text
    return text.strip() or MISSING


def _empty(field: Field) -> Any:
    if field.each_line or field.kind == "multi":
        return []
    if field.kind in TEXT_KINDS:
        return ""
    return Problem(field.name, f"{wanted(field)}; it cannot be empty on purpose")


def _choice(field: Field, value: Any) -> Any:
    """The schema's own spelling of a chosen value, or a Problem."""
    found = field.values_by_key.get(json_key(value), MISSING)
    return Problem(field.name, wanted(field)) if found is MISSING else found


def wanted(field: Field) -> str:
    """What kind of answer a field takes, for an entry that is of another kind."""
    if field.kind == "unsupported":
        return "this property cannot be answered"
    if field.kind == "boolean":
        return "choose yes or no"
    if field.kind == "single":
        return "choose one of the listed"
    if field.kind == "multi":
        return "choose among the listed"
    if field.kind in NUMBER_KINDS:
        return WANTED_INTEGER if field.kind == "integer" else WANTED_NUMBER
    return "one text on each line" if field.each_line else "a text"


def entry_for(field: Field, value: Any) -> Entry:
    """A content value as raw input; what does not fit the kind becomes refusable input."""
    if value is MISSING or value is None:
        return Unset()
    if field.kind == "boolean":
        return Ticked(value) if isinstance(value, bool) else Typed(_shown(value))
    if field.kind == "single":
        return Chosen(value)
    if field.kind == "multi" or field.each_line:
        return _list_entry(field, value)
    if field.kind in TEXT_KINDS and isinstance(value, str):
        return Typed(value) if value else EmptyOnPurpose()
    if field.kind in TEXT_KINDS:
        # Of another type: it becomes an entry that `value_of` refuses, and not a text that looks
        # alike.
        return Chosen(value)
    if field.kind == "integer" and is_integer(value):
        # 5.0 is an integer to JSON Schema, and drawn as 5.
        value = int(value)
    return Typed(_shown(value))


def _list_entry(field: Field, value: Any) -> Entry:
    if not isinstance(value, (list, tuple)):
        return Chosen(value)
    if not value:
        return EmptyOnPurpose()
    if field.kind == "multi":
        return ChosenMany(tuple(value))
    if not all(isinstance(item, str) for item in value):
        return Chosen(tuple(value))
    text = "\n".join(value)
    # An empty last line needs its line break, or it would be lost.
    return Typed(text if value[-1] else text + "\n")


def _shown(value: Any) -> str:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return number_text(value)
    return value if isinstance(value, str) else repr(value)


def faithful_entry(field: Field, value: Any) -> Entry:
    """The entry of a default, Unset when filling it in would show or send something else."""
    entry = entry_for(field, value)
    return entry if means(field, entry, value) else Unset()


def means(field: Field, entry: Entry, value: Any) -> bool:
    """Whether an entry comes to this value and no other: a text of a list may have two lines."""
    return same_json(value_of(field, entry), value)


def whole_entry(field: Field, value: Any) -> Entry:
    """As `entry_for`; Unset where the lines of a field would take a text of a list apart."""
    entry = entry_for(field, value)
    return entry if not field.each_line or means(field, entry, value) else Unset()
