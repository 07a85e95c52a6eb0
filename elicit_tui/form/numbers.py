"""Typed text to a JSON number: the grammar of RFC 8259 and nothing else, integers exact."""

from __future__ import annotations

import math
import re
from typing import Final

from elicit_tui.form.json_values import MAX_DIGITS

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
    places = len(fraction) - exponent
    if places > 0:
        if len(digits) < places or digits[-places:].strip("0"):
            return WANTED_INTEGER
        return int(sign + (digits[:-places] or "0"))
    if len(digits) - places > MAX_DIGITS:
        return f"a number of at most {MAX_DIGITS} digits"
    return int(sign + digits) * int(10**-places)


def _real(text: str) -> float | str:
    value = float(text)
    if math.isinf(value):
        return "a number between -1.8e308 and 1.8e308"
    mantissa = re.split("[eE]", text)[0]
    if value == 0 and mantissa.strip("-0."):
        return "a number that is not so close to 0"
    return value
