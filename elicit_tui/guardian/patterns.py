"""Patterns that explode: whether a regular expression can take more than linear time."""

from __future__ import annotations

import importlib
import re
import sys
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, Literal

PatternTrouble = Literal["catastrophic", "broken", "unusual"]

_MANY: Final = 10
_HUGE: Final = 5_000
_CHAIN: Final = 4
_LONGEST: Final = 2_000
_ALL: Final = frozenset(range(129))
_OTHER: Final = 128
"""Stands for every character beyond ASCII."""
_UNUSUAL: Final = re.compile(r"\(\?(?:[=!]|<[=!])|\\[1-9]|\\k<|\(\?P?[<>(]")
_ESCAPES: Final = re.compile(r"\\u\{?([0-9a-fA-F]{1,6})\}?|\\[pP]\{[^}]*\}")


@dataclass(frozen=True)
class _Piece:
    """A part of a concatenation: what characters it takes and how often."""

    letters: frozenset[int]
    least: int
    most: float

    @property
    def varies(self) -> bool:
        return self.most - self.least >= _MANY


def trouble_in(pattern: str) -> PatternTrouble | None:
    """What is wrong with a pattern, or None: it compiles and takes linear time."""
    if len(pattern) > _LONGEST:
        return "catastrophic"
    spelt = re.sub(r"\(\?<(?![=!])", "(?P<", pattern)
    spelt = _ESCAPES.sub(lambda match: r"\w" if match[1] is None else "x", spelt)
    parser: Any = importlib.import_module(
        "re._parser" if sys.version_info >= (3, 11) else "sre_parse"
    )
    try:
        # A server's pattern may be odd in ways that Python would warn its own author of.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = parser.parse(spelt)
            if _explodes(tree):
                return "catastrophic"
            re.compile(spelt)
    except (re.error, OverflowError, ValueError):
        return "broken"
    except RecursionError:
        return "catastrophic"
    return "unusual" if _UNUSUAL.search(pattern) else None


def _explodes(tree: Any, times: float = 1) -> bool:
    pieces = _pieces(tree)
    if _chained(pieces):
        return True
    for operator, argument in tree:
        name = str(operator)
        if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            least, most, body = argument
            highest = float("inf") if most >= 4_000_000_000 else float(most)
            if highest != float("inf") and (times * highest > _HUGE):
                return True
            if highest >= _MANY and _ambiguous(body):
                return True
            if _explodes(body, times * (highest if highest != float("inf") else 1)):
                return True
            del least
        elif name == "SUBPATTERN" or name == "ATOMIC_GROUP":
            if _explodes(argument[-1] if name == "SUBPATTERN" else argument, times):
                return True
        elif name == "BRANCH":
            if any(_explodes(branch, times) for branch in argument[1]):
                return True
        elif name in ("ASSERT", "ASSERT_NOT") and _explodes(argument[1], times):
            return True
    return False


def _ambiguous(body: Any) -> bool:
    """Whether the body of a loop can take the same text in several ways."""
    for operator, argument in body:
        if str(operator) == "SUBPATTERN" and _ambiguous(argument[-1]):
            return True
        # The parser factors what options share: equal ones are left empty.
        if str(operator) == "BRANCH" and sum(not list(option) for option in argument[1]) > 1:
            return True
    for option in _options(body):
        for index, piece in enumerate(option):
            others = [other for at, other in enumerate(option) if at != index and other.least > 0]
            if (
                piece.most > piece.least
                and piece.letters
                and all(o.letters & piece.letters for o in others)
            ):
                return True
    return _options_overlap(body)


def _options_overlap(body: Any) -> bool:
    options = _options(body)
    for index, first in enumerate(options):
        for second in options[index + 1 :]:
            shared = _ALL
            for piece in (*first, *second):
                if piece.least > 0:
                    shared &= piece.letters
            if shared and first and second:
                return True
    return False


def _options(body: Any) -> list[list[_Piece]]:
    """The alternatives of a loop's body, each as its pieces; nested groups are opened."""
    items = list(body)
    while len(items) == 1 and str(items[0][0]) == "SUBPATTERN":
        items = list(items[0][1][-1])
    if len(items) == 1 and str(items[0][0]) == "BRANCH":
        return [option for branch in items[0][1][1] for option in _options(branch)]
    if len(items) == 1 and str(items[0][0]) == "IN":
        return [[_Piece(_letters(items[0][1]), 1, 1)]]
    return [_pieces(items)]


def _chained(pieces: list[_Piece]) -> bool:
    run = 0
    shared = _ALL
    for piece in pieces:
        if piece.most == float("inf"):
            shared = shared & piece.letters if run else piece.letters
            run = run + 1 if shared else 1
            shared = shared or piece.letters
            if run >= _CHAIN:
                return True
        elif piece.least and run and not (piece.letters & shared):
            run = 0
    return False


def _pieces(items: Iterable[Any]) -> list[_Piece]:
    pieces: list[_Piece] = []
    for operator, argument in items:
        name = str(operator)
        if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            least, most, body = argument
            inner = _pieces(body)
            letters = (
                frozenset().union(*(piece.letters for piece in inner)) if inner else frozenset()
            )
            required = [piece for piece in inner if piece.least]
            highest = float("inf") if most >= 4_000_000_000 else float(most)
            if len(required) > 1 and highest > 1:
                # A loop over several parts is opened: its parts separate one another.
                pieces.extend(
                    _Piece(piece.letters, piece.least if least else 0, piece.most)
                    for piece in inner
                )
            else:
                most_inside = max((piece.most for piece in inner), default=0)
                pieces.append(_Piece(letters, least, highest * max(1, most_inside)))
        elif name == "SUBPATTERN":
            pieces.extend(_pieces(argument[-1]))
        elif name == "ATOMIC_GROUP":
            pieces.extend(_pieces(argument))
        elif name == "BRANCH":
            options = [_pieces(branch) for branch in argument[1]]
            flat = [piece for option in options for piece in option]
            letters = frozenset().union(*(piece.letters for piece in flat)) if flat else frozenset()
            least = min((sum(p.least for p in option) for option in options), default=0)
            most = max((sum(p.most for p in option) for option in options), default=0)
            pieces.append(
                _Piece(letters, min(least, 1), most if most == float("inf") else min(most, 1))
            )
        elif name in ("AT", "ASSERT", "ASSERT_NOT", "GROUPREF"):
            continue
        else:
            pieces.append(_Piece(_single(name, argument), 1, 1))
    return pieces


def _single(name: str, argument: Any) -> frozenset[int]:
    if name == "LITERAL":
        return frozenset((min(int(argument), _OTHER),))
    if name == "NOT_LITERAL":
        return _ALL - {int(argument)}
    if name == "IN":
        return _letters(argument)
    return _ALL


def _letters(items: Any) -> frozenset[int]:
    letters: set[int] = set()
    negated = False
    for operator, argument in items:
        name = str(operator)
        if name == "NEGATE":
            negated = True
        elif name == "LITERAL":
            letters.add(min(int(argument), _OTHER))
        elif name == "RANGE":
            low, high = argument
            letters.update(range(low, min(high, 127) + 1))
            if high > 127:
                letters.add(_OTHER)
        elif name == "CATEGORY":
            letters |= _category(str(argument))
    return _ALL - letters if negated else frozenset(letters)


def _category(name: str) -> frozenset[int]:
    word = frozenset(n for n in range(128) if chr(n).isalnum() or chr(n) == "_") | {_OTHER}
    digit = frozenset(range(48, 58))
    space = frozenset(map(ord, " \t\n\r\f\v"))
    found = {"WORD": word, "DIGIT": digit, "SPACE": space}.get(name.rpartition("_")[2], _ALL)
    return _ALL - found if "_NOT_" in name else found
