"""Finds the line of each key in a TOML text; the TOML reader itself keeps none.

The text has been read successfully before, so this scanner trusts its syntax; on anything it does
not understand it stops, and later keys have no line.
"""

from __future__ import annotations

import contextlib
import re
from bisect import bisect_right
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import tomli

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation.toml_spelling import BARE_KEY

if TYPE_CHECKING:
    from elicit_tui.config.validating import KeyPath

_BLANK: Final = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SPACE: Final = re.compile(r"[ \t]*")
_BASIC: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_LITERAL: Final = re.compile(r"'[^'\n]*'")
# It may end in up to two quotation marks of its own, before the three that end it.
_LONG_BASIC: Final = re.compile(r'"""(?:[^"\\]|\\.|"{1,2}(?!"))*"{3,5}', re.DOTALL)
_LONG_LITERAL: Final = re.compile(r"'''(?:[^']|'{1,2}(?!'))*'{3,5}")
# A number, a date, a boolean: up to what may stand behind it.
_SCALAR: Final = re.compile(r"[^,\]}#\n]+")


class _Lost(Exception):
    """The scanner does not understand the text."""


def locate(text: str) -> Mapping[KeyPath, int]:
    """The line, from 1, on which each key path first stands."""
    scanner = _Scanner(text)
    with contextlib.suppress(_Lost, RecursionError):
        scanner.document()
    # Where each line ends, so that a place becomes a line by one search.
    ends = [match.end() for match in re.finditer("\n", text)]
    return {path: bisect_right(ends, at) + 1 for path, at in scanner.found.items()}


@dataclass(frozen=True)
class TableSpan:
    """One table as it stands in a text: from its header to the end of its last line."""

    path: KeyPath
    start: int
    end: int


def tables(text: str) -> list[TableSpan]:
    """Every table with a header of its own, in order; up to what is not understood."""
    scanner = _Scanner(text)
    with contextlib.suppress(_Lost, RecursionError):
        scanner.document()
    return [
        TableSpan(path, start, len(text) if (line := text.find("\n", end)) < 0 else line + 1)
        for path, start, end in scanner.tables
    ]


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.found: dict[KeyPath, int] = {}
        self.tables: list[tuple[KeyPath, int, int]] = []
        self._arrays: dict[KeyPath, int] = {}

    def _match(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self.text, self.at)
        if match is None:
            raise _Lost
        self.at = match.end()
        return match.group()

    def _take(self, mark: str) -> bool:
        if self.text.startswith(mark, self.at):
            self.at += len(mark)
            return True
        return False

    def document(self) -> None:
        """Walk the whole text."""
        # The table that pairs belong to, until the next header.
        prefix: KeyPath = ()
        while True:
            # Each turn reads one header or one pair.
            self._match(_BLANK)
            if self.at >= len(self.text):
                return
            start = self.at
            if self._take("[["):
                prefix = self._header(self._keys(), start, array=True)
                self._close("]]")
                self.tables.append((prefix, start, self.at))
            elif self._take("["):
                prefix = self._header(self._keys(), start, array=False)
                self._close("]")
                self.tables.append((prefix, start, self.at))
            else:
                self._pair(prefix)
                # A table reaches to the last pair in it.
                if self.tables:
                    path, begin, _ = self.tables[-1]
                    self.tables[-1] = (path, begin, self.at)

    def _close(self, mark: str) -> None:
        self._match(_SPACE)
        if not self._take(mark):
            raise _Lost

    def _header(self, keys: list[str], start: int, *, array: bool) -> KeyPath:
        # The path as it grows, each part at the place where this header stands.
        path: KeyPath = ()
        for position, key in enumerate(keys):
            path = (*path, key)
            last = position == len(keys) - 1
            # An array of tables has one more entry with each such header.
            if last and array:
                self._arrays[path] = self._arrays.get(path, 0) + 1
            self.found.setdefault(path, start)
            # Below an array, its newest entry is meant.
            if path in self._arrays:
                path = (*path, self._arrays[path] - 1)
                self.found.setdefault(path, start)
        return path

    def _keys(self) -> list[str]:
        keys = []
        while True:
            self._match(_SPACE)
            keys.append(self._key())
            self._match(_SPACE)
            if not self._take("."):
                return keys

    def _key(self) -> str:
        following = self.text[self.at : self.at + 1]
        if following == '"':
            # A quoted key may have escapes, which the reader itself knows best.
            return next(iter(tomli.loads(self._match(_BASIC) + "=1")))
        if following == "'":
            return self._match(_LITERAL)[1:-1]
        return self._match(BARE_KEY)

    def _pair(self, prefix: KeyPath) -> None:
        start = self.at
        path = prefix
        for key in self._keys():
            path = (*path, key)
            # Each table on the way stands there too, if nowhere before.
            self.found.setdefault(path, start)
        self._close("=")
        self._match(_SPACE)
        self._value(path)

    def _value(self, path: KeyPath) -> None:
        if self._take("["):
            self._array(path)
        elif self._take("{"):
            self._inline(path)
        elif self.text.startswith('"""', self.at):
            self._match(_LONG_BASIC)
        elif self.text.startswith("'''", self.at):
            self._match(_LONG_LITERAL)
        elif self.text.startswith('"', self.at):
            self._match(_BASIC)
        elif self.text.startswith("'", self.at):
            self._match(_LITERAL)
        else:
            self._match(_SCALAR)

    def _array(self, path: KeyPath) -> None:
        index = 0
        while True:
            self._match(_BLANK)
            if self._take("]"):
                return
            # The reader has judged the commas; here they only part the items.
            if self._take(","):
                continue
            self.found.setdefault((*path, index), self.at)
            self._value((*path, index))
            index += 1

    def _inline(self, path: KeyPath) -> None:
        while True:
            self._match(_BLANK)
            if self._take("}"):
                return
            if self._take(","):
                continue
            self._pair(path)
