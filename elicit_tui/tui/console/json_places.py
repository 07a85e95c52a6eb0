"""Where in a JSON text each value stands, by the keys and numbers that lead to it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

from elicit_tui.form.field import Problem
from elicit_tui.form.wording import place_words

_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


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
