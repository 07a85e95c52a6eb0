"""A line of text as spans with a role each: plain values, no markup, no colours of their own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final, Literal

from rich.cells import cell_len, chop_cells, set_cell_size
from rich.control import strip_control_codes

from elicit_tui.text import neutral
from elicit_tui.text.active import is_plain

Role = Literal["plain", "strong", "dim", "accent", "good", "warn", "bad", "gone", "hit", "here"]
"""What a span is; `gone`: what another text has alone; `hit`: what is looked for, `here`: that of
it where one is."""
Span = tuple[str, Role]
Line = tuple[Span, ...]

_WORD: Final = re.compile(r"\s*\S+\s*")
_KEY: Final = re.compile(r'"[^"]{1,80}": ')
_CUT_WITHIN_LEAST: Final = 9
"""Cells; in fewer the beginning says more than two pieces."""
_TAB: Final = 8
"""Cells from one column of a tab to the next."""
WHOLE_CHARACTERS: Final = 8_000_000
"""Of plain ASCII in few lines: as much of a text is laid out at once, in half a second."""
_COST_OF_LINE: Final = 20
_COST_OF_TAB: Final = 16
_COST_OF_SIGN: Final = 4
_COST_OF_MARKED: Final = 32
"""How much longer, measured, than such a character takes a line, a tab, a sign beyond ASCII (twice
that in a line of more than `_LONG_LINE`), and one in a line where several are looked at together
because of what is invisible or stands on another."""
_LONG_LINE: Final = 2_000


def line(*spans: Span | str) -> Line:
    """A line of spans; a bare string is plain."""
    return tuple((span, "plain") if isinstance(span, str) else span for span in spans)


def text_of(spans: Line) -> str:
    """The characters of a line."""
    return "".join(text for text, _role in spans)


def pattern_of(*terms: str) -> re.Pattern[str]:
    """What finds each of these, whatever their case; of two that begin alike the longer one."""
    longest_first = sorted(terms, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first)), re.IGNORECASE)


def marked(spans: Line, pattern: re.Pattern[str] | None, now: int = -1) -> Line:
    """The line with each occurrence set off; the one at `now` is where one is."""
    if pattern is None:
        return spans
    start = 0
    pieces: list[Span] = []
    for span in spans:
        pieces += _pieces(span, pattern, now - start)
        start += len(span[0])
    return tuple(pieces)


def _pieces(span: Span, pattern: re.Pattern[str], now: int) -> Iterator[Span]:
    text, role = span
    end = 0
    for match in pattern.finditer(text):
        if match.start() > end:
            yield text[end : match.start()], role
        yield match[0], "here" if match.start() == now else "hit"
        end = match.end()
    if end < len(text):
        yield text[end:], role


def shortened(text: str, width: int) -> str:
    """The text in at most `width` cells; an ellipsis stands for what was cut."""
    if width <= 0:
        return ""
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, width - 1).rstrip() + "…"


def shortened_within(text: str, width: int) -> str:
    """The text in at most `width` cells: of a path or an address both ends, else its beginning."""
    last = text.rpartition(" ")[2]
    is_path = "/" in last or "\\" in last
    if not is_path or cell_len(text) <= width or width < _CUT_WITHIN_LEAST:
        return shortened(text, width)
    begins = set_cell_size(text, (width - 1) // 3).rstrip()
    room = width - 1 - cell_len(begins)
    ends = text[-room:]
    while cell_len(ends) > room:
        ends = ends[1:]
    return f"{begins}…{ends}"


def within(line: Line, width: int) -> Line:
    """The line in at most `width` cells; an ellipsis stands for words that were cut."""
    if width < 1 or _cells_of(text_of(line).rstrip()) <= width:
        return line
    kept: list[Span] = []
    for text, role in line:
        room = width - _cells_of(text_of(tuple(kept)))
        if _cells_of(text) >= room:
            return (*kept, (shortened(f"{text}…", room), role))
        kept.append((text, role))
    return line


def fitting(parts: Sequence[str], width: int) -> str:
    """As many whole parts as there is room for, with dots between; ` · …` stands for the others."""
    text, fits = "", ""
    for number, part in enumerate(parts, 1):
        text += f"{' · ' if number > 1 else ''}{part}"
        if cell_len(text) > width:
            break  # A server may have named thousands: those behind are not looked at.
        whole = text if number == len(parts) else f"{text} · …"
        fits = whole if cell_len(whole) <= width else fits
    return fits or shortened(text, width)


def padded(text: str, width: int) -> str:
    """The text in exactly `width` cells."""
    return set_cell_size(shortened(text, width), max(0, width))


def apart(left: Line, right: Line, width: int) -> Line:
    """Both ends of a line of `width` cells; the left one's last span is cut to leave room."""
    room = width - cell_len(text_of(right)) - 1
    *before, (last, role) = left
    last = shortened(last, max(4, room - cell_len(text_of(tuple(before)))))
    gap = width - cell_len(text_of((*before, (last, role), *right)))
    return (*before, (last, role), (" " * max(1, gap), "plain"), *right)


def in_columns(text: str) -> str:
    """One line with blanks for its tabs: a terminal passes over the cells that a tab skips."""
    if "\t" not in text:
        return text
    if text.isascii():
        return text.expandtabs(_TAB)
    *cells, last = text.split("\t")
    widths = (cell_len(cell) for cell in cells)
    return (
        "".join(f"{c}{' ' * (_TAB - w % _TAB)}" for c, w in zip(cells, widths, strict=True)) + last
    )


def wrapped(text: str, width: int) -> Iterator[str]:
    """The lines of a text, broken at blanks where they are wider than `width` cells.

    What was indented stays so, as far as there is room, and what goes on behind a key of JSON
    stands below it a little further in. Its tabs are columns (`in_columns`).
    """
    # What is ASCII has a cell for each character: a long log is not measured line by line.
    plain = text.isascii() and "\t" not in text
    for written in text.split("\n"):
        if plain and len(written) <= width:
            yield written
            continue
        paragraph = in_columns(written)
        if _cells_of(paragraph) <= width:
            yield paragraph
            continue
        words = paragraph.lstrip(" ")
        indent = paragraph[: min(len(paragraph) - len(words), width // 2)]
        words = strip_control_codes(words)
        hanging = "  " if _KEY.match(words) else ""
        begins = _line_begins(words, max(4, width - len(indent) - len(hanging)))
        for start, end in pairwise([0, *begins, len(words)]):
            yield indent + (hanging if start else "") + words[start:end].rstrip()


def _line_begins(text: str, width: int) -> list[int]:
    """Where the second line and those after it begin; a word wider than a line is taken apart."""
    begins: list[int] = []
    used, cells_of = 0, len if text.isascii() else cell_len
    for found in _WORD.finditer(text):
        word, start = found[0], found.start()
        cells = cells_of(word.rstrip())
        if used + cells <= width:
            used += cells_of(word)
        elif cells > width:
            pieces = chop_cells(word, width)
            begins += [start] if start else []
            for piece in pieces[:-1]:
                start += len(piece)
                begins.append(start)
            used = cells_of(pieces[-1])
        else:
            begins += [start] if used and start else []
            used = cells_of(word)
    return begins


def _cells_of(text: str) -> int:
    return len(text) if text.isascii() else cell_len(text)


def readable(text: str) -> str:
    """A server's text to be read whole: neutral, and cut where it would keep the screen waiting."""
    return neutral(text, _laid_out_at_once(text))


def _laid_out_at_once(text: str) -> int:
    """How many characters the neutral text may have, by what its lines cost."""
    head = text[:WHOLE_CHARACTERS]
    left, characters, plain = WHOLE_CHARACTERS, 0, is_plain(head)
    if plain and head.isascii():
        # A long log is not measured line by line.
        lines = head.count("\n") + 1
        cost = len(head) + 1 + lines * (_COST_OF_LINE - 1) + head.count("\t") * _COST_OF_TAB
        if cost <= left:
            return len(head) + 1 + (left - cost) // _COST_OF_MARKED
    # The last of these holds all that follows, which costs more than is left.
    for line in head.split("\n", WHOLE_CHARACTERS // _COST_OF_LINE):
        cost = _COST_OF_LINE + _cost_of(line, plain or is_plain(line))
        if cost > left:
            # The mark of the cut is no ASCII: what is left of the line is measured sign by sign.
            return characters + min(len(line) * left // cost, left // (2 * _COST_OF_SIGN))
        left -= cost
        characters += len(line) + 1
    return characters + left // _COST_OF_MARKED


def _cost_of(line: str, plain: bool) -> int:
    if plain and line.isascii():
        return len(line) + line.count("\t") * _COST_OF_TAB
    if plain or line.isascii():
        return len(line) * _COST_OF_SIGN * (1 + (len(line) > _LONG_LINE))
    return len(line) * _COST_OF_MARKED


def text_lines(text: str, width: int, role: Role = "plain") -> list[Line]:
    """A text as wrapped lines of one role."""
    return [((part, role),) for part in wrapped(text, width)]


def key_lines(text: str, width: int, keys: Iterable[str]) -> list[Line]:
    """A sentence of ours as wrapped lines, these keys in it as bars show them."""
    named = re.compile(rf"((?<!\S)(?:{'|'.join(map(re.escape, keys))})(?![\w^]))")
    return [
        tuple(
            (piece, "accent" if number % 2 else "plain")
            for number, piece in enumerate(named.split(part))
            if piece
        )
        for part in wrapped(text, width)
    ]


GUTTER: Final = "│ "
"""Before each line that a server sent: no line of it passes for one of ours, such as a title."""


def received(text: Iterable[Line]) -> list[Line]:
    """Lines that a server sent, for a width less by the gutter."""
    return [((GUTTER, "dim"), *line) for line in text]


def labelled(label: str, text: str, width: int, *, label_width: int = 12) -> list[Line]:
    """`label  text` with the text wrapped in its own column; below it where it is narrow."""
    if width < label_width * 3:
        begins = " " * (len(label) - len(label.lstrip()) + 2)
        below = text_lines(text, width - len(begins))
        return [((label, "dim"),), *(((begins, "plain"), *spans) for spans in below)]
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
