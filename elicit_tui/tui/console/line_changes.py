"""What differs between two long texts, line by line, found part by part."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import takewhile
from typing import Final, NamedTuple

COMPARED_AT_ONCE: Final = 3_000
"""Lines of each text; comparing takes their product."""
AROUND: Final = 2
"""Lines around a change that are shown with it."""

SLID: Final = 200
"""Lines that a change is moved by at the most, to begin where a row does."""
ROWS_NAMED: Final = 3
"""Of the rows of one part; of others it is said how many they are."""
NAME_CHARACTERS: Final = 40


class LineChange(NamedTuple):
    """One of the standard library's opcodes: what became of lines, and where in both texts."""

    kind: str
    """equal, replace, delete or insert."""
    begin: int
    end: int
    new_begin: int
    new_end: int

    @property
    def is_empty(self) -> bool:
        """Whether it has no line of either text."""
        return self.begin == self.end and self.new_begin == self.new_end

    def joined(self, next_one: LineChange) -> LineChange:
        """Both as one: lines that are the same, or lines that are not."""
        if self.kind == "equal":
            kind = "equal"
        elif self.new_begin == next_one.new_end:
            kind = "delete"
        else:
            kind = "insert" if self.begin == next_one.end else "replace"
        return LineChange(kind, self.begin, next_one.end, self.new_begin, next_one.new_end)

    def moved(self, begin_by: int, end_by: int) -> LineChange:
        """It with its beginning and its end so many lines further down, in both texts."""
        begin, new_begin = self.begin + begin_by, self.new_begin + begin_by
        return LineChange(self.kind, begin, self.end + end_by, new_begin, self.new_end + end_by)


def unified(old: Sequence[str], new: Sequence[str], *, separated: bool = False) -> Iterator[str]:
    """The lines of a unified diff, without those that name the files.

    In JSON the head of a part says in which rows of its list the changes are. `separated`: a comma
    at the end of a line is none of it, and says only that another value follows.
    """
    kept, now = (
        [line.removesuffix(",") for line in lines] if separated else lines for lines in (old, new)
    )
    old_rows, new_rows = ListedRows(old), ListedRows(new)
    for group in _FoundInParts(_changes(kept, now)).get_grouped_opcodes(AROUND):
        changes = [LineChange(*opcode) for opcode in group]
        first, last = changes[0], changes[-1]
        rows = dict.fromkeys(
            new_rows.name(change.new_begin)
            if change.kind == "insert"
            else old_rows.name(change.begin)
            for change in changes
            if change.kind != "equal"
        )
        told = [row for row in rows if row]
        more = [f"{len(told) - ROWS_NAMED:,} more"] if len(told) > ROWS_NAMED else []
        named = ", ".join([*told[:ROWS_NAMED], *more])
        spans = f"-{_span(first.begin, last.end)} +{_span(first.new_begin, last.new_end)}"
        yield f"@@ {spans} @@ {named}".rstrip()
        for kind, begin, end, new_begin, new_end in changes:
            if kind == "equal":
                yield from (f" {line}" for line in new[new_begin:new_end])
                continue
            yield from (f"-{line}" for line in old[begin:end])
            yield from (f"+{line}" for line in new[new_begin:new_end])


class ListedRows:
    """The objects of the outermost list in JSON that is spread over lines, by the lines of each."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        begins = [number for number, line in enumerate(lines) if line.strip() == "{" and number]
        self._depth = min((_indent(lines[number]) for number in begins), default=0)
        begins = [number for number in begins if _indent(lines[number]) == self._depth]
        # Other text has such lines too, as programs do.
        is_list = bool(begins) and lines[begins[0] - 1].endswith("[") and lines[0] in ("[", "{")
        self._begins = begins if is_list else []

    def begins_at(self, number: int) -> bool:
        """Whether a row begins in this line."""
        at = bisect_right(self._begins, number)
        return at > 0 and self._begins[at - 1] == number

    def name(self, number: int) -> str:
        """`row 4 · id 3`: the row that has this line, by its first value; empty where none has."""
        row = bisect_right(self._begins, number)
        if not row or _indent(self._lines[number]) < self._depth:
            return ""
        begin = self._begins[row - 1]
        # A text that only looks so may end there.
        first = "".join(self._lines[begin + 1 : begin + 2]).strip().rstrip(",")
        key, _, value = first.partition(": ")
        named = f" · {key.strip(chr(34))} {value}" if value and value not in ("{", "[") else ""
        return f"row {row:,}{named[:NAME_CHARACTERS]}"


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


class _FoundInParts(SequenceMatcher[str]):
    """One whose changes were found elsewhere."""

    def __init__(self, changes: list[LineChange]) -> None:
        super().__init__()
        self._changes = changes

    def get_opcodes(self) -> list[LineChange]:  # type: ignore[override]
        """What was found."""
        return self._changes


def _span(begin: int, end: int) -> str:
    count = end - begin
    return f"{begin + 1}" if count == 1 else f"{begin + (count > 0)},{count}"


def _changes(old: Sequence[str], new: Sequence[str]) -> list[LineChange]:
    """All changes in order, between two of them what is equal; a row that came or went is whole."""
    found: list[LineChange] = []
    for change in _in_parts(old, new):
        if change.is_empty:
            continue
        if found and (found[-1].kind == "equal") == (change.kind == "equal"):
            change = found.pop().joined(change)
        found.append(change)
    return _at_rows(found, old, new)


def _at_rows(found: list[LineChange], old: Sequence[str], new: Sequence[str]) -> list[LineChange]:
    """The changes; one that begins in the middle of a row begins with the next, where it may.

    Where two rows end alike the lines do not tell which of both ends came or went.
    """
    old_rows, new_rows = ListedRows(old), ListedRows(new)
    for at, change in enumerate(found[1:-1], 1):
        # What is before and behind one is equal, as a change has all that differs in one place.
        most = min(found[at + 1].end - found[at + 1].begin, SLID)
        if change.kind == "delete":
            down = _slide(old, old_rows, change.begin, change.end, most)
        elif change.kind == "insert":
            down = _slide(new, new_rows, change.new_begin, change.new_end, most)
        else:
            continue
        found[at - 1] = found[at - 1].moved(0, down)
        found[at] = change.moved(down, down)
        found[at + 1] = found[at + 1].moved(down, 0)
    return [change for change in found if not change.is_empty]


def _slide(lines: Sequence[str], rows: ListedRows, begin: int, end: int, most: int) -> int:
    """By how many lines a part may move down to begin with a row; 0: it does, or cannot."""
    by = 0
    while not rows.begins_at(begin + by):
        if by == most or lines[begin + by] != lines[end + by]:
            return 0
        by += 1
    return by


def _in_parts(old: Sequence[str], new: Sequence[str]) -> Iterator[LineChange]:
    """What is the same at the end of both is left for the end; between, part follows part."""
    same = _alike(reversed(old), reversed(new))
    same = min(same, len(old) - _alike(old, new), len(new) - _alike(old, new))
    old_end, new_end, at, new_at = len(old) - same, len(new) - same, 0, 0
    while at < old_end or new_at < new_end:
        begun = _alike(old[at:old_end], new[new_at:new_end])
        yield LineChange("equal", at, at + begun, new_at, new_at + begun)
        at, new_at = at + begun, new_at + begun
        part, new_part = old[at:old_end][:COMPARED_AT_ONCE], new[new_at:new_end][:COMPARED_AT_ONCE]
        changes = SequenceMatcher(None, part, new_part).get_opcodes()
        whole = at + len(part) == old_end and new_at + len(new_part) == new_end
        if not whole and len(changes) > 1 and changes[-1][0] != "equal":
            changes.pop()  # What follows may tell where it goes on as before.
        for kind, begin, end, new_begin, new_ends in changes:
            yield LineChange(kind, at + begin, at + end, new_at + new_begin, new_at + new_ends)
        if changes:
            at, new_at = at + changes[-1][2], new_at + changes[-1][4]
    yield LineChange("equal", old_end, len(old), new_end, len(new))


def _alike(one: Iterator[str] | Sequence[str], other: Iterator[str] | Sequence[str]) -> int:
    """How many lines at the beginning are the same."""
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
