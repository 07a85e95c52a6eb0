"""What differs between two long texts, line by line, found part by part."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import takewhile
from typing import Final

COMPARED_AT_ONCE: Final = 3_000
"""Lines of each text; comparing takes their product."""
AROUND: Final = 2
"""Lines around a change that are shown with it."""

SLID: Final = 200
"""Lines that a change is moved by at the most, to begin where a row does."""
ROWS_NAMED: Final = 3
"""Of the rows of one part; of others it is said how many they are."""
NAME_CHARACTERS: Final = 40

Change = tuple[str, int, int, int, int]
"""As the standard library has it: equal, replace, delete or insert, and where in both texts."""


def unified(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    """The lines of a unified diff, without those that name the files.

    In JSON the head of a part says in which rows of its list the changes are.
    """
    old_rows, new_rows = ListedRows(old), ListedRows(new)
    for group in _FoundInParts(_changes(old, new)).get_grouped_opcodes(AROUND):
        first, last = group[0], group[-1]
        rows = dict.fromkeys(
            new_rows.name(change[3]) if change[0] == "insert" else old_rows.name(change[1])
            for change in group
            if change[0] != "equal"
        )
        told = [row for row in rows if row]
        more = [f"{len(told) - ROWS_NAMED:,} more"] if len(told) > ROWS_NAMED else []
        named = ", ".join([*told[:ROWS_NAMED], *more])
        yield f"@@ -{_span(first[1], last[2])} +{_span(first[3], last[4])} @@ {named}".rstrip()
        for kind, begin, end, new_begin, new_end in group:
            if kind == "equal":
                yield from (f" {line}" for line in old[begin:end])
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
        first = self._lines[self._begins[row - 1] + 1].strip().rstrip(",")
        key, _, value = first.partition(": ")
        named = f" · {key.strip(chr(34))} {value}" if value and value not in ("{", "[") else ""
        return f"row {row:,}{named[:NAME_CHARACTERS]}"


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


class _FoundInParts(SequenceMatcher[str]):
    """One whose changes were found elsewhere."""

    def __init__(self, changes: list[Change]) -> None:
        super().__init__()
        self._changes = changes

    def get_opcodes(self) -> list[Change]:  # type: ignore[override]
        """What was found."""
        return self._changes


def _span(begin: int, end: int) -> str:
    count = end - begin
    return f"{begin + 1}" if count == 1 else f"{begin + (count > 0)},{count}"


def _changes(old: Sequence[str], new: Sequence[str]) -> list[Change]:
    """All changes in order, equal parts that meet as one; a row that came or went is whole."""
    found: list[Change] = []
    for kind, begin, end, new_begin, new_end in _in_parts(old, new):
        if found and found[-1][0] == kind == "equal":
            _, before, _, new_before, _ = found.pop()
            found.append((kind, before, end, new_before, new_end))
        elif end > begin or new_end > new_begin:
            found.append((kind, begin, end, new_begin, new_end))
    return _at_rows(found, old, new)


def _at_rows(found: list[Change], old: Sequence[str], new: Sequence[str]) -> list[Change]:
    """The changes; one that begins in the middle of a row begins with the next, where it may.

    Where two rows end alike the lines do not tell which of both ends came or went.
    """
    begins = {"delete": (old, ListedRows(old), 1), "insert": (new, ListedRows(new), 3)}
    for at, (kind, *places) in enumerate(found[1:-1], 1):
        if kind not in begins:
            continue
        lines, rows, first = begins[kind]
        begin, end = places[first - 1 : first + 1]
        before, behind = found[at - 1], found[at + 1]
        down = _slide(lines, rows, begin, end, min(behind[2] - behind[1], SLID))
        if down:
            found[at - 1] = (*before[:2], before[2] + down, before[3], before[4] + down)
            begin, end, new_begin, new_end = (place + down for place in places)
            found[at] = (kind, begin, end, new_begin, new_end)
            found[at + 1] = (behind[0], behind[1] + down, behind[2], behind[3] + down, behind[4])
    return [change for change in found if change[2] > change[1] or change[4] > change[3]]


def _slide(lines: Sequence[str], rows: ListedRows, begin: int, end: int, most: int) -> int:
    """By how many lines a part may move down to begin with a row; 0: it does, or cannot."""
    by = 0
    while not rows.begins_at(begin + by):
        if by == most or lines[begin + by] != lines[end + by]:
            return 0
        by += 1
    return by


def _in_parts(old: Sequence[str], new: Sequence[str]) -> Iterator[Change]:
    """What is the same at the end of both is left for the end; between, part follows part."""
    same = _alike(reversed(old), reversed(new))
    same = min(same, len(old) - _alike(old, new), len(new) - _alike(old, new))
    old_end, new_end, at, new_at = len(old) - same, len(new) - same, 0, 0
    while at < old_end or new_at < new_end:
        begun = _alike(old[at:old_end], new[new_at:new_end])
        yield "equal", at, at + begun, new_at, new_at + begun
        at, new_at = at + begun, new_at + begun
        part, new_part = old[at:old_end][:COMPARED_AT_ONCE], new[new_at:new_end][:COMPARED_AT_ONCE]
        changes = SequenceMatcher(None, part, new_part).get_opcodes()
        whole = at + len(part) == old_end and new_at + len(new_part) == new_end
        if not whole and len(changes) > 1 and changes[-1][0] != "equal":
            changes.pop()  # What follows may tell where it goes on as before.
        for kind, begin, end, new_begin, new_ends in changes:
            yield kind, at + begin, at + end, new_at + new_begin, new_at + new_ends
        if changes:
            at, new_at = at + changes[-1][2], new_at + changes[-1][4]
    yield "equal", old_end, len(old), new_end, len(new)


def _alike(one: Iterator[str] | Sequence[str], other: Iterator[str] | Sequence[str]) -> int:
    """How many lines at the beginning are the same."""
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
