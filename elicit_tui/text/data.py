"""JSON values of a server: neutral for records, in ASCII for programs, readable for people."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from elicit_tui.text.neutral import SLACK, escaped_commands, marked, neutral, neutral_line

MAXIMUM_DEPTH: Final = 64
MAXIMUM_ITEMS: Final = 20_000
MAXIMUM_TEXT: Final = 20_000
MAXIMUM_TOTAL: Final = 2_000_000
MAXIMUM_KEY: Final = 200
_JSON_DEPTH: Final = 200
_LONGEST_NUMBER_BITS: Final = 4096
_ORDINARY_DIGITS, _DIGITS_OF_A_FLOAT = 24, 20
_ON_ONE_LINE: Final = json.JSONEncoder(allow_nan=False)
UNWRITABLE: Final = "(this cannot be written as JSON)"


def neutral_value(
    value: Any, *, text_limit: int = MAXIMUM_TEXT, total_limit: int = MAXIMUM_TOTAL
) -> Any:
    """A JSON value whose every string, keys too, is neutral text; of bounded depth and size.

    What is left out is said in its place. Numbers that JSON does not have become words.

    Args:
        value: anything; what is not JSON is named by its type.
        text_limit: the most characters that one string keeps.
        total_limit: the most characters that all strings and numbers keep together.
    """
    return _Neutraliser(text_limit, total_limit).value(value, MAXIMUM_DEPTH)


class _Neutraliser:
    """One walk over one value, with what is left of its allowance of items and characters."""

    def __init__(self, text_limit: int, total_limit: int) -> None:
        self._text_limit = text_limit
        self._characters = total_limit
        self._items = MAXIMUM_ITEMS

    def value(self, value: Any, depth: int) -> Any:
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            text = neutral(value, max(0, min(self._text_limit, self._characters)))
            self._characters -= len(text)
            return text
        if isinstance(value, int):
            return self._number(value)
        if isinstance(value, float):
            self._characters -= _DIGITS_OF_A_FLOAT
            return value if math.isfinite(value) else f"⟨{value}⟩"
        if isinstance(value, Mapping):
            return self._mapping(value, depth) if depth else "⟨nested too deep⟩"
        if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
            return self._sequence(value, depth) if depth else "⟨nested too deep⟩"
        return _type_name(value)

    def _number(self, value: int) -> int | str:
        """A number as far as its digits may be kept: they count as characters do."""
        bits = value.bit_length()
        digits = bits // 3 + 1
        if bits > _LONGEST_NUMBER_BITS or digits > max(self._characters, _ORDINARY_DIGITS):
            self._characters -= _ORDINARY_DIGITS
            return f"⟨a number of {bits} bits⟩"
        self._characters -= digits
        return value

    def _spent(self) -> bool:
        return self._items <= 0 or self._characters <= 0

    def _mapping(self, value: Mapping[Any, Any], depth: int) -> dict[str, Any]:
        result: dict[str, Any] = {}
        alike: Counter[str] = Counter()
        for taken, (key, item) in enumerate(value.items()):
            if self._spent():
                result["⟨left out⟩"] = f"{len(value) - taken} more"
                break
            self._items -= 1
            name = neutral_line(str(key), MAXIMUM_KEY)
            # Two keys may read alike once they are neutral: each stays, with a mark behind it, a
            # number from the third one on, or thousands of such keys would grow ever longer.
            read = name
            while name in result:
                alike[read] += 1
                name = f"{read}′{alike[read] if alike[read] > 1 else ''}"
            self._characters -= len(name)
            result[name] = self.value(item, depth - 1)
        return result

    def _sequence(self, value: Sequence[Any], depth: int) -> list[Any]:
        result: list[Any] = []
        for taken, item in enumerate(value):
            if self._spent():
                result.append(f"⟨{len(value) - taken} more left out⟩")
                break
            self._items -= 1
            result.append(self.value(item, depth - 1))
        return result


def ascii_json(value: Any, indent: int | None = None) -> str:
    """JSON in printable ASCII only: every other character is an escape, DEL too.

    So is the first sign of what a CI system could take for a command. Values come out exactly as
    they are: a program reads what the server sent, a terminal and a build's log see nothing active.
    What JSON cannot say (NaN, infinities) is null.

    Args:
        value: a JSON value; nesting beyond 200 levels is replaced by a sentence.
        indent: spaces for each level, or None for one line.
    """
    try:
        if indent is None:
            text = _ON_ONE_LINE.encode(value)
        else:
            text = json.dumps(value, indent=indent, allow_nan=False)
    except (ValueError, TypeError, RecursionError):
        text = json.dumps(_expressible(value, _JSON_DEPTH), indent=indent, allow_nan=False)
    # DEL is printable to `json`, and obeyed by terminals.
    return escaped_commands(text.replace("\x7f", "\\u007f"))


def _expressible(value: Any, depth: int) -> Any:
    """The nearest value that JSON has."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return value if value.bit_length() <= _LONGEST_NUMBER_BITS else None
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        if not depth:
            return "(nested too deep)"
        return {str(key): _expressible(item, depth - 1) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        if not depth:
            return "(nested too deep)"
        return [_expressible(item, depth - 1) for item in value]
    return f"({type(value).__name__})"


def readable_json(value: Any, *, indent: int | None = 2, most: int | None = None) -> str:
    """JSON that says exactly what is there; whatever cannot be seen is written as `\\uXXXX`.

    Args:
        value: a JSON value; what JSON has no word for is named by its type.
        indent: spaces for each level, or None for one line.
        most: of how many characters the reader takes no more: then what follows may be missing.
    """
    try:
        written = json.dumps(value, indent=indent, ensure_ascii=False, default=_type_name)
    except (TypeError, ValueError, RecursionError):
        return UNWRITABLE
    if most is not None:
        # Whether the last one is natural depends on what follows it.
        written = written[: most + SLACK]
    if written.isascii():
        return written.replace("\x7f", "\\u007f")
    return _NEITHER_LETTER_NOR_ASCII.sub(_printable, marked(written, _escaped))


_NEITHER_LETTER_NOR_ASCII: Final = re.compile(r"[^\w\n -~]+")


def _printable(match: re.Match[str]) -> str:
    run = match[0]
    return run if run.isprintable() else "".join(c if c.isprintable() else _escape(c) for c in run)


def _escaped(run: str) -> str:
    return "".join(map(_escape, run))


def _type_name(value: Any) -> str:
    """What stands for a value that JSON has no word for."""
    return f"⟨{neutral_line(type(value).__name__)}⟩"


@lru_cache
def _escape(character: str) -> str:
    code = ord(character)
    # Beyond the first plane as two halves, as JSON has it.
    if code > 0xFFFF:
        code -= 0x10000
        return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
    return f"\\u{code:04x}"
