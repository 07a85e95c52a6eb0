"""Patterns that explode: tried in every way on a few short texts, with a bound on the steps."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, Final, Literal

if sys.version_info >= (3, 11):
    from re import _compiler as compiler  # type: ignore[attr-defined]
    from re import _parser as parser  # type: ignore[attr-defined]
else:
    # Before 3.11 under other names.
    import sre_compile as compiler
    import sre_parse as parser

PatternTrouble = Literal["catastrophic", "broken", "unusual"]

STEPS_TOGETHER: Final = 200_000
"""What all patterns of a form may take."""
_STEPS: Final = 5_000
"""What a pattern may take on one text; an ordinary one takes less than a hundred."""
_LONGEST, _TEXT_LENGTH, _MOST_TEXTS = 2_000, 20, 12
# What Python reads as ECMA-262 does, and servers in other languages may not have: looks ahead and
# behind, references to groups, groups with names.
_UNUSUAL: Final = re.compile(r"\(\?(?:[=!]|<[=!])|\\[1-9]|\\k<|\(\?P?[<>(]")
_ESCAPES: Final = re.compile(r"\\u\{?([0-9a-fA-F]{1,6})\}?|\\[pP]\{[^}]*\}")
# An escaped sign, any other escape, a word, or a sign that means itself.
_LITERALS: Final = re.compile(r"\\(\W)|\\.|(\w+|[^\w\\^$*+?.()\[\]{}|])")


class _TooManySteps(Exception):
    """A pattern takes more steps on a short text than any ordinary one."""


class Patterns:
    """The patterns of one form."""

    def __init__(self) -> None:
        self._left = STEPS_TOGETHER
        # For as long as the form: a pattern of several fields is tried once.
        self.trouble_in = cache(self._trouble_in)
        """`_trouble_in`, which takes its steps once for each pattern."""

    def _trouble_in(self, pattern: str) -> PatternTrouble | None:
        """What is wrong with a pattern, or None: it compiles and takes few steps."""
        if len(pattern) > _LONGEST:
            return "catastrophic"
        # ECMA spells a named group without the P; a look behind begins alike.
        spelt = re.sub(r"\(\?<(?![=!])", "(?P<", pattern)
        # What Python has no spelling of stands for some letter: only the steps are counted.
        spelt = _ESCAPES.sub(lambda match: r"\w" if match[1] is None else "x", spelt)
        try:
            # A server's pattern may be odd in ways that Python would warn its own author of.
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tried = _Tried(spelt)
            for text in _texts(spelt):
                self._left -= tried.steps_on(text, min(_STEPS, self._left))
        except (re.error, OverflowError, ValueError):
            return "broken"
        except (RecursionError, _TooManySteps):
            # As if it had used up all that one pattern may.
            self._left -= _STEPS
            return "catastrophic"
        return "unusual" if _UNUSUAL.search(pattern) else None


def _texts(pattern: str) -> list[str]:
    """One letter over and over, and the pattern's own letters and words over and over."""
    own = (match[1] or match[2] for match in _LITERALS.finditer(pattern))
    pieces = list(dict.fromkeys(("a", "0", "A", " ", *filter(None, own))))[:_MOST_TEXTS]
    return [(piece * _TEXT_LENGTH)[:_TEXT_LENGTH] for piece in pieces]


class _Tried:
    """A pattern that is tried in all ways in which it could match."""

    def __init__(self, pattern: str) -> None:
        self._tree = parser.parse(pattern)
        # Compiled once, to find what Python's parser lets pass.
        compiler.compile(self._tree)
        self._one_character: dict[int, re.Pattern[str]] = {}
        """The parts that stand for one character, as they are compiled; the tree keeps each."""
        self._text, self._left = "", 0

    def steps_on(self, text: str, most: int) -> int:
        """How many steps it takes on a text; raises _TooManySteps."""
        self._text, self._left = text, most
        for _ in self._ends(self._tree.data, 0):
            pass
        return most - self._left

    # Not how a real engine searches: it follows every way, where an engine stops at the first. So
    # the worst case shows on a text of twenty characters.
    def _ends(self, items: Sequence[Any], at: int) -> Iterator[int]:
        """Where a row of parts may end that begins at a place, once for each way there."""
        self._left -= 1
        if self._left < 0:
            raise _TooManySteps
        if not items:
            yield at
            return
        for end in self._part(items[0], at):
            yield from self._ends(items[1:], end)

    def _part(self, part: Any, at: int) -> Iterator[int]:
        name, argument = str(part[0]), part[1]
        if name.endswith("_REPEAT"):
            least, most, body = argument
            yield from self._again(list(body), int(least), int(most), at)
        elif name in ("SUBPATTERN", "ATOMIC_GROUP"):
            yield from self._ends(list(argument[-1] if name == "SUBPATTERN" else argument), at)
        elif name == "BRANCH":
            for option in argument[1]:
                yield from self._ends(list(option), at)
        elif name.startswith("ASSERT"):
            # A look takes no characters; whether there is a way is all that counts.
            yield from (at for _ in [*self._ends(list(argument[1]), at)][:1])
        # What a group held is not known here; it is taken for nothing.
        elif name == "AT" or name.startswith("GROUPREF"):
            yield at
        elif self._takes(part, at):
            yield at + 1

    def _takes(self, part: Any, at: int) -> bool:
        known = self._one_character.get(id(part))
        if known is None:
            only = parser.SubPattern(self._tree.state, [part])
            known = self._one_character[id(part)] = compiler.compile(only)
        return known.match(self._text, at) is not None

    def _again(self, body: Sequence[Any], least: int, most: int, at: int) -> Iterator[int]:
        for end in self._ends(body, at) if most else ():
            # A body that took nothing would repeat for ever.
            if end > at:
                yield from self._again(body, max(least - 1, 0), most - 1, end)
            elif least:
                yield at
        if not least:
            yield at
