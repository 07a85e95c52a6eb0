"""What of Markdown would be waited for, parsed or drawn: that is read as text, without its links.

A few characters may cost much: each cell of a table is a widget, also one that no line writes, and
so is each quote or list that one line begins within another.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from elicit_tui.tui.console.markdown_parts import parts_of

if TYPE_CHECKING:
    from markdown_it.token import Token

MARKDOWN_CHARACTERS: Final = 100_000
MARKDOWN_LINES: Final = 1_000
"""Whoever goes to the end, or searches, waits for the widgets of all paragraphs: about five
milliseconds of the processor for each line."""
MARKDOWN_BRACKETS: Final = 5_000
"""Each may begin a link, whose end is looked for."""
ADDRESSES: Final = 25_000_000
"""Addresses of a paragraph by its characters: the end of each may be looked for in all of them."""
PIECES_AT_ONCE: Final = 400
"""Of one part of the page, each drawn in a millisecond or two: cells, mostly."""
PIECES: Final = 4_000
"""Of all parts: so many has a list of as many lines as may be."""
_WEIGHTS: Final = {"list_item_open": 3, "fence": 5, "code_block": 5}
"""What takes as long as several cells."""
_DEEP: Final = 4
"""Levels of nesting; whatever is deeper by so many is laid out once more."""

_BLANK_LINES: Final = re.compile(r"\n[\s>]*\n")
_LETTER: Final = re.compile(r"\w")
_NO_PIECES: Final = frozenset(["inline", "thead_open", "tbody_open", "tr_open"])


def is_long(text: str) -> bool:
    """Whether there is more of it than is drawn as Markdown."""
    return (
        len(text) > MARKDOWN_CHARACTERS
        or text.count("\n") > MARKDOWN_LINES
        or is_long_to_parse(text)
    )


def is_long_to_parse(text: str) -> bool:
    """Whether its links alone would be waited for."""
    addresses = sum(part.count("://") * len(part) for part in _BLANK_LINES.split(text))
    return addresses > ADDRESSES or text.count("[") > MARKDOWN_BRACKETS


@lru_cache(maxsize=4)
def is_long_to_draw(text: str) -> bool:
    """Whether the widgets of a text that is not long would be waited for."""
    if _cells_of(text) > PIECES:
        return True
    pieces = [_pieces_of(part) for part in parts_of(text)]
    return sum(pieces) > PIECES or max(pieces) > PIECES_AT_ONCE


def _cells_of(text: str) -> int:
    """How many cells its tables have at the most: they are counted before any is made."""
    cells = 0
    for part in _BLANK_LINES.split(text):
        columns = 0
        for line in part.split("\n"):
            if "-" in line and not _LETTER.search(line):
                # It may stand below headings, and tell how many columns all rows have.
                columns = max(columns, line.count("|") + 1)
            cells += columns
    return cells


def _pieces_of(part: str) -> int:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("gfm-like", {"html": False})
    tokens: list[Token] = []
    parser.block.parse(part, parser, {}, tokens)
    begun = (token for token in tokens if token.nesting >= 0 and token.type not in _NO_PIECES)
    return sum(_WEIGHTS.get(token.type, 1) + token.level // _DEEP for token in begun)
