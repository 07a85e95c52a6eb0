"""What differs between two long texts, line by line, found part by part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import takewhile
from typing import Final

COMPARED_AT_ONCE: Final = 3_000
"""Lines of each text; comparing takes their product."""
AROUND: Final = 2
"""Lines around a change that are shown with it."""

Change = tuple[str, int, int, int, int]
"""As the standard library has it: equal, replace, delete or insert, and where in both texts."""


def unified(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    """The lines of a unified diff, without those that name the files."""
    for group in _FoundInParts(_changes(old, new)).get_grouped_opcodes(AROUND):
        first, last = group[0], group[-1]
        yield f"@@ -{_span(first[1], last[2])} +{_span(first[3], last[4])} @@"
        for kind, begin, end, new_begin, new_end in group:
            if kind == "equal":
                yield from (f" {line}" for line in old[begin:end])
                continue
            yield from (f"-{line}" for line in old[begin:end])
            yield from (f"+{line}" for line in new[new_begin:new_end])


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
    """All changes in order, equal parts that meet as one."""
    found: list[Change] = []
    for kind, begin, end, new_begin, new_end in _in_parts(old, new):
        if found and found[-1][0] == kind == "equal":
            _, before, _, new_before, _ = found.pop()
            found.append((kind, before, end, new_before, new_end))
        elif end > begin or new_end > new_begin:
            found.append((kind, begin, end, new_begin, new_end))
    return found


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
