"""The weights of what is weighed as a whole: `python -m tests.guardian.fit` makes them anew.

Each page of `tables/like_….txt` is a logistic regression over all labelled requests: the weights
that best tell what is wrong from what is harmless, of signs that `suspected.py` reads. `--check`
says whether the pages that stand are those that it makes. It needs the group `fit`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from math import ceil, inf
from multiprocessing import Pool
from operator import itemgetter
from textwrap import fill
from typing import Any, Final

import numpy as np
from threadpoolctl import threadpool_limits

from elicit_tui.guardian.pages import TABLES
from tests.guardian.bounds import BLOCKS, FIRST, WARNS, Bounds, Verdicts, Within
from tests.guardian.labelled import Labelled, every_labelled
from tests.guardian.regression import PAGES, Page

PER_UNIT, FOLDS, TURNS = 8, 8, 10
MORE, FOUND_MORE = 1.6, 1.6
"""How much more a request of the tests weighs each turn in which it is judged wrongly, and where
others have found it."""
SPARED: Final = -3.0
"""Below which sum what is harmless is to be spared, wherever the bound will lie."""
BY, HARMLESS_BY = 0.3, 0.25
"""By how much a request of the tests is to be on the right side of a bound: a word more is none."""
WARNED_OF: Final = 1
"""So many harmless requests of our own may be warned of as an act: of a hundred one may be."""
WHAT: Final = {
    "like_secret": "a secret that is asked for, or contents of the machine",
    "like_act": "an act that is hard to take back",
    "like_lure": "a lure",
}
HEAD: Final = """\
# What each sign weighs for {}, as
# `python -m tests.guardian.fit` made it of labelled requests. The signs are those of the form's own
# words, of up to three neighbouring sentences of the message, and of how it is made (`made` of
# suspected.py)."""


def out_of_file(page: Page, weights: Any) -> Any:
    """The score of each request, by weights that its file has not taught."""
    files = sorted({one.file for one in page.every if not one.is_ours})
    scores = page.scores(weights)
    for number in range(FOLDS):
        left = np.isin(page.files, files[number::FOLDS])
        scores[left] = page.scores(page.fitted(~left, weights))[left]
    return scores


def held(page: Page) -> Any:
    """The weights with which, turn by turn, what the tests hold is judged as they hold it."""
    weights = page.fitted()
    for _ in range(TURNS):
        off = np.array(list(map(partial(_off, page.name), page.every, page.scores(weights))))
        if not off.any():
            break
        page.amounts[off > 0] *= np.where(page.is_found, FOUND_MORE, MORE)[off > 0]
        weights = page.fitted(begin=weights)
    return weights


def _off(page: str, one: Labelled, score: float) -> float:
    """By how much a request of the tests is on the wrong side of where bounds are looked for."""
    spared = [FIRST[it] for it in one.spared_by(page)]
    if not one.is_decided_by(page):
        return 0.0
    if one.is_one(page):
        return max(0.0, max(spared, default=FIRST[page, WARNS]) + BY - score)
    # What is more of another kind is told by that page.
    over = score + HARMLESS_BY - (SPARED if spared else FIRST[page, WARNS])
    return max(0.0, over) if one.expected == "allow" else 0.0


def taught(page: Page) -> tuple[Any, Any]:
    """The weights of a page, and the sum of each request by what its file has not taught."""
    with threadpool_limits(1):  # What several threads add up differs with their number.
        weights = held(page)
        return np.rint(weights * PER_UNIT) / PER_UNIT, out_of_file(page, weights)


def within(page: Page, weights: Any) -> Iterator[Within]:
    """Between which sums a bound must lie for each request that the tests hold."""
    may_warn: list[Within] = []
    for one, score in zip(page.every, page.scores(weights), strict=True):
        if one.is_decided_by(page.name) and one.is_one(page.name):
            yield next(iter(one.spared_by(page.name)), (page.name, WARNS)), -inf, score
        elif one.is_decided_by(page.name) and one.expected == "allow" and not one.found:
            is_act = page.name == "like_act"
            bound = WARNS if is_act or one.file == "held" else BLOCKS
            least = (page.name, bound), score + (1 if is_act else 3) / PER_UNIT, inf
            if is_act and one.file != "held":
                may_warn.append(least)
            else:
                yield least
    yield from sorted(may_warn, key=itemgetter(1))[:-WARNED_OF]


def fitted(every: list[Labelled]) -> Iterator[tuple[str, str]]:
    """The pages, and their bounds by requests that had taught them nothing."""
    pages, verdicts = [Page(name, every) for name in PAGES], Verdicts(every)
    with Pool() as pool:
        weights, scores = zip(*pool.map(taught, pages), strict=True)
    sums = dict(zip(PAGES, scores, strict=True))
    held_there = chain.from_iterable(map(within, pages, weights))
    bounds = verdicts.best(sums, FIRST, held_there)
    print("out of file:", verdicts.told(sums, bounds), file=sys.stderr)
    for page, points in zip(pages, weights, strict=True):
        yield page.name, text_of(page, points * PER_UNIT, bounds)


def text_of(page: Page, weights: Any, bounds: Bounds) -> str:
    """A page of weights, as it stands in `tables`."""
    *points, begins = weights
    of_page = {name: limit for (of, name), limit in bounds.items() if of == page.name}
    limits = {name: ceil(limit * PER_UNIT - begins) for name, limit in of_page.items()}
    signs: dict[int, list[str]] = {}
    for sign, amount in zip(page.signs, points, strict=True):
        signs.setdefault(int(amount), []).append(sign)
    blocks = {name: [str(limit)] for name, limit in limits.items()}
    blocks |= {f"{amount:+}": signs[amount] for amount in sorted(signs, reverse=True) if amount}
    listed = (f"{name}:\n{_wrapped(entries)}" for name, entries in blocks.items())
    return "\n\n".join((HEAD.format(WHAT[page.name]), *listed)) + "\n"


def _wrapped(entries: Iterable[str]) -> str:
    """Entries in lines, none of them broken at a space of its own."""
    told = ", ".join(entry.replace(" ", "\N{NO-BREAK SPACE}") for entry in entries)
    lines = fill(told, 100, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
    return lines.replace("\N{NO-BREAK SPACE}", " ")


def main(arguments: list[str]) -> int:
    differs = 0
    for page, text in fitted(every_labelled()):
        path = TABLES / f"{page}.txt"
        differs += text != path.read_text("utf-8")
        if "--check" not in arguments:
            path.write_text(text, encoding="utf-8")
    return differs if "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
