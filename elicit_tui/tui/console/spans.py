"""A line of text as spans with a role each: plain values, no markup, no colours of their own."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Literal

Role = Literal["plain", "strong", "dim", "accent", "good", "warn", "bad"]
Span = tuple[str, Role]
Line = tuple[Span, ...]

PIECE = 1_000
_WORD = re.compile("[^ ]+ *| +")

ROLES: tuple[Role, ...] = ("plain", "strong", "dim", "accent", "good", "warn", "bad")


def line(*spans: Span | str) -> Line:
    """A line of spans; a bare string is plain."""
    return tuple((span, "plain") if isinstance(span, str) else span for span in spans)


def text_of(spans: Line) -> str:
    """The characters of a line."""
    return "".join(text for text, _role in spans)


@lru_cache(8_192)
def cells(text: str) -> int:
    """How many terminal cells a text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0
        if unicodedata.combining(character)
        else 2
        if unicodedata.east_asian_width(character) in "WF"
        else 1
        for character in text
    )


def shortened(text: str, width: int) -> str:
    """The text in at most `width` cells; an ellipsis stands for what was cut."""
    if width <= 0:
        return ""
    if cells(text) <= width:
        return text
    kept, used = [], 0
    for character in text:
        used += cells(character)
        if used > width - 1:
            break
        kept.append(character)
    return "".join(kept) + "…"


def padded(text: str, width: int) -> str:
    """The text in exactly `width` cells."""
    text = shortened(text, width)
    return text + " " * (width - cells(text))


def wrapped(text: str, width: int) -> Iterator[str]:
    """The lines of a text, broken at blanks where they are wider than `width` cells."""
    for paragraph in text.split("\n"):
        if cells(paragraph) <= width:
            yield paragraph
        else:
            yield from _broken(paragraph, max(4, width))


def _broken(paragraph: str, width: int) -> Iterator[str]:
    indent = paragraph[: len(paragraph) - len(paragraph.lstrip(" "))][: width // 2]
    current, used = "", 0
    for word in _words(paragraph):
        size = cells(word)
        if used + cells(word.rstrip(" ")) <= width:
            current, used = current + word, used + size
            continue
        if current.strip():
            yield current.rstrip()
            current, used = indent, len(indent)
        if used + cells(word.rstrip(" ")) <= width:
            current, used = current + word, used + size
            continue
        while word.isascii() and used + len(word) > width:
            yield current + word[: width - used]
            word = word[width - used :]
            current, used = indent, len(indent)
        for character in word:
            if used + cells(character) > width:
                yield current
                current, used = indent, len(indent)
            current, used = current + character, used + cells(character)
    if current.strip():
        yield current.rstrip()


def _words(paragraph: str) -> Iterator[str]:
    """Words with the blanks behind them; very long ones in pieces, which are quick to measure."""
    for word in _WORD.findall(paragraph):
        if len(word) <= PIECE:
            yield word
        else:
            yield from (word[start : start + PIECE] for start in range(0, len(word), PIECE))


def text_lines(text: str, width: int, role: Role = "plain") -> list[Line]:
    """A text as wrapped lines of one role."""
    return [((part, role),) for part in wrapped(text, width)]


def labelled(label: str, text: str, width: int, *, label_width: int = 12) -> list[Line]:
    """`label  text` with the text wrapped in its own column; stacked where it is narrow."""
    if width < label_width * 3:
        return [((label, "dim"),), *text_lines(text, width)]
    parts = list(wrapped(text, width - label_width)) or [""]
    return [
        ((padded(label if index == 0 else "", label_width), "dim"), (part, "plain"))
        for index, part in enumerate(parts)
    ]


def joined(groups: Iterable[list[Line]]) -> list[Line]:
    """Groups of lines with one empty line between them; empty groups are left out."""
    result: list[Line] = []
    for group in groups:
        if group:
            if result:
                result.append(())
            result.extend(group)
    return result
