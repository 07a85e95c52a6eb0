"""Pages of plain words, for a person to read: the lexicon, and the tables beside it.

A page holds paragraphs. A heading stands at a line's beginning, the indented lines below it are
its entries, with commas between them; `#` begins a remark.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Set
from functools import lru_cache
from pathlib import Path
from typing import Final

TABLES: Final = Path(__file__).parent / "tables"
_WAYS: Final = ("", "not ", "denying ", "asked ", "field ", "named ")


def paragraphs(text: str) -> Iterator[tuple[str, list[str]]]:
    """The headings of one file's text, each with its entries."""
    heading = ""
    entries: list[str] = []
    for line in text.splitlines():
        if not (body := line.partition("#")[0]) or body.isspace():
            continue
        if not body[0].isspace():
            if heading:
                yield heading, entries
            heading, entries = body.rstrip().rstrip(":"), []
        else:
            entries += filter(None, map(str.strip, body.split(",")))
    if heading:
        yield heading, entries


@lru_cache(maxsize=32)
def table(name: str) -> dict[str, tuple[str, ...]]:
    """What stands under each heading of one page of `tables`."""
    page = (TABLES / f"{name}.txt").read_text("utf-8")
    return {heading: tuple(entries) for heading, entries in paragraphs(page)}


@lru_cache(maxsize=32)
def weights_of(page: str) -> Mapping[str, int]:
    """What each sign of a page weighs: below `+3` it is 3."""
    amounts = ((name, signs) for name, signs in table(page).items() if name[0] in "+-")
    return {sign: int(amount) for amount, signs in amounts for sign in signs}


@lru_cache(maxsize=32)
def _heaviest(page: str) -> Mapping[str, int]:
    """What each concept weighs at most on a page, told in every way: `asked `, `field `."""
    found = Counter[str]()
    for sign, amount in weights_of(page).items():
        for way in _WAYS if amount > 0 else ():
            found[sign.removeprefix(way)] += amount * sign.startswith(way)
    return found


def most_of(page: str, known: Set[str]) -> int:
    """What some concepts can weigh together at most, so that few texts are weighed in full."""
    heaviest = _heaviest(page)
    return sum(map(heaviest.__getitem__, heaviest.keys() & known))


_Row = tuple[int, str, tuple[str, ...], frozenset[str]]


@lru_cache(maxsize=1)
def rows() -> dict[str, list[_Row]]:
    """Rows by their last concept: their number, name and steps, and what must stand where one ends.

    Of a clause only those are looked at whose last concept stands there.
    """
    found: dict[str, list[_Row]] = {}
    listed = ((name, row.split(" > ")) for name, rows in table("rows").items() for row in rows)
    for number, (name, row) in enumerate(listed):
        needs = frozenset(map(step_concept, row[1:]))
        found.setdefault(step_concept(row[-1]), []).append((number, name, (*row,), needs))
    return found


def step_concept(step: str) -> str:
    """The concept of a step, which may have a little before it (…)."""
    return step.removeprefix("… ")


@lru_cache(maxsize=4)
def blocks(name: str) -> dict[str, list[str]]:
    """The whole lines below each name of a page of `tables`; `# ` begins one that is a remark."""
    found: dict[str, list[str]] = {}
    own: list[str] = []
    for line in (TABLES / f"{name}.txt").read_text("utf-8").splitlines():
        if line[:1].isspace():
            own.append(line.strip())
        elif line and not line.startswith("# "):
            own = found[line] = []
    return found


@lru_cache(maxsize=64)
def pattern(name: str) -> str:
    """A regular expression of `tables/patterns.txt`."""
    return "".join(blocks("patterns")[name])


@lru_cache(maxsize=64)
def compiled(name: str) -> re.Pattern[str]:
    """The same, ready to search with: most take long to compile, and few texts need them."""
    return re.compile(pattern(name))


def frame_words(frame: str) -> str:
    """What a frame says to a person: `it is asked for` for `asked-for`, else its own name."""
    return next(iter(table("frames").get(frame, ())), frame.replace("-", " "))
