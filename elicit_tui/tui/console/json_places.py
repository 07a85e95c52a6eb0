"""Where in a JSON text each value stands, and how one more, or a line, is begun."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from elicit_tui.form.field import Problem
from elicit_tui.form.wording import place_words
from elicit_tui.text import readable_json

_SCALAR: Final = re.compile(
    r'"(?:[^"\\\n]|\\.)*"?|[^\s{}\[\],:"](?:[^\n{}\[\],:"]*[^\s{}\[\],:"])?'
)
"""Also of JSON that is wrong: a text that does not end, ends with its line; words without quotes
are one value."""
_TOKEN: Final = re.compile(rf"[{{}}\[\],:]|{_SCALAR.pattern}")


class Written(NamedTuple):
    """A value of a JSON text that holds no other one."""

    sign: str
    """As it is written; an empty list or object as its two brackets."""
    begin: int
    """What is written over: a value without its quotes or brackets."""
    end: int
    behind: int
    """Where all of it ends."""

    @property
    def is_blank(self) -> bool:
        """Whether it is still to be written."""
        return self.sign in ("null", '""', "[]", "{}")


def nulls_in(text: str) -> int:
    """How many values are null, of JSON that may be wrong: soon told of a long one too."""
    return _SCALAR.findall(text).count("null")


def written_in(text: str) -> Iterator[Written]:
    """Each value that holds no other one, of JSON that may be wrong."""
    tokens = [*_TOKEN.finditer(text)]
    for number, token in enumerate(tokens):
        sign, begin, end = token[0], token.start(), token.end()
        following = tokens[number + 1] if number + 1 < len(tokens) else None
        follows = following[0] if following is not None else ""
        if following is not None and sign + follows in ("[]", "{}"):
            yield Written(sign + follows, end, following.start(), following.end())
        elif sign not in "{}[],:" and follows != ":":
            quotes = sign.startswith('"'), len(sign) > 1 and sign.endswith('"')
            yield Written(sign, begin + quotes[0], end - quotes[1], end)


def place_of(problem: Problem, text: str) -> tuple[int, int] | None:
    """Where the value at fault is written, without its quotes; None where it is not there.

    Of an object or a list, which are rarely at fault as a whole, only the place of its beginning.
    """
    for path, begin, end in _values(text):
        if path and path[0] == problem.field and place_words(path[1:]) == problem.inside:
            return begin, end
    return None


def _values(text: str) -> Iterator[tuple[tuple[str | int, ...], int, int]]:
    """Each value of valid JSON, what holds others before these."""
    path: list[str | int] = []
    before = ""
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if sign in ("{", "["):
            yield tuple(path), token.start(), token.start()
            path.append("" if sign == "{" else 0)
        elif sign in ("}", "]"):
            path.pop()
        elif sign == "," and isinstance(path[-1], int):
            path[-1] += 1
        elif before in ("{", ",") and isinstance(path[-1], str):
            path[-1] = json.loads(sign)
        elif sign not in (",", ":"):
            quote = sign.startswith('"')
            yield tuple(path), token.start() + quote, token.end() - quote
        before = sign


def one_more(lines: Sequence[str], indent: str) -> list[str]:
    """The lines of a value like the one with which these end, with nothing written in it yet."""
    first = next(
        (
            row
            for row in range(len(lines) - 1, -1, -1)
            if lines[row] in (f"{indent}{{", f"{indent}[")
        ),
        len(lines),
    )
    try:
        last = json.loads("\n".join(lines[first:]))
    except (ValueError, RecursionError):
        return ["null"]
    return readable_json(_unwritten(last)).split("\n")


def _unwritten(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _unwritten(part) for key, part in value.items()}
    return [_unwritten(part) for part in value[:1]] if isinstance(value, list) else None


def next_line(begun: str) -> str:
    """What ends a line that is `begun` so: a break, and as many blanks, or more in a bracket."""
    opens = begun.rstrip().endswith(("{", "["))
    return "\n" + begun[: len(begun) - len(begun.lstrip())] + "  " * opens
