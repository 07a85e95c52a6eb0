"""The weights of what is weighed as a whole: `python -m tests.guardian.fit` makes them anew.

Each page of `tables/like_….txt` is a logistic regression over all labelled requests: the weights
that best tell what is wrong from what is harmless, of signs that `suspected.py` reads. Of a form's
windows of neighbouring sentences the one counts that weighs most, so the weights and the window are
found in turn. What says little is left out (`FEW`), what is left rounded: a quarter is one point.

From where on it is warned of, blocked and spared is told by requests that the weights were not
fitted on: each eighth of the blind files is weighed by what the other seven taught.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import ceil, exp, inf
from multiprocessing import Pool
from pathlib import Path
from textwrap import fill
from typing import Final

from elicit_tui.elicitation import ElicitationRequest, Review
from elicit_tui.elicitation.settings import GuardianSettings
from elicit_tui.guardian import Guardian
from elicit_tui.guardian.families.suspected import PAGES, lent_by, made, may_be, spared_below
from elicit_tui.guardian.pages import TABLES, table
from elicit_tui.guardian.reading import read
from tests.guardian.laws import PROMISES
from tests.guardian.matrices import LANGUAGES, remarks
from tests.guardian.requests import YES_OR_NO, form
from tests.guardian.scores import OWN, ROOT, request_of
from tests.guardian.test_parity import ANSWERS, TABLE
from tests.guardian.test_sums import ALLOWED, AT_NO_STAKE, AT_STAKE, DESCRIBED, TOLD
from tests.guardian.test_suspected import CASES, GAMES_FOR_GOOD, said
from tests.guardian.test_suspected import SPARED as SPARED_THERE

BLIND: Final = ROOT / "tests" / "data" / "blind"
FOLDS, ROUNDS, PASSES, RAREST, PER_UNIT = 8, 6, 6, 5, 8
EVEN: Final = 3.0
"""How much is paid for a weight's square."""
SEEN, HARMLESS, INVENTED = 0.2, 2.0, {OWN.stem: 0.3, "held": 0.6}
"""What a request weighs that another rule has found as well, one that is harmless, and our own."""
MORE: Final = {OWN.stem: 1.5, "held": 3.3}
FOUND_MORE: Final = 2.8
"""How much more it weighs each round where it is judged wrongly, and where others found it too."""
LOW: Final = {"like_secret": 0.7, "like_act": 0.7, "like_lure": -0.5}
HIGH: Final = {"like_secret": -0.1, "like_act": -0.3, "like_lure": -1.3}
"""Wrong is what has less where it is one, and more where it is none."""
LEAST: Final = {
    "like_secret": {"spares below": -0.4, "spares described below": 0.3},
    "like_act": {"spares below": -0.4, "spares sure below": -1.4},
    "like_lure": {"spares sure below": -3.5},
}
MOST: Final = -3.0
"""The same of what others found, and what can be spared."""
SHARES: Final = {
    "like_secret": {"warns from": 0.0018, "blocks from": 0.0018},
    "like_act": {"warns from": 0.004},
    "like_lure": {"warns from": 0.0017, "blocks from": 0.0009},
}
"""Which share of the harmless requests may be found there, of those that were not fitted on."""
SPARED: Final = {
    "like_secret": {"spares below": 0.05, "spares described below": 0.05},
    "like_act": {"spares below": 0.2, "spares sure below": 0.06},
    "like_lure": {"spares sure below": 0.0},
}
"""Which share of what other rules have found may be spared."""
OTHERS: Final = Guardian(GuardianSettings(disable=tuple(PAGES)))
KINDS: Final = {
    "like_secret": {"credential", "exfiltration"},
    "like_act": {"destructive", "confirm-destructive"},
    "like_lure": {"phishing"},
}
KIND_OF: Final = {rule: min(KINDS[page]) for rule, page in PAGES.items()}
ACTS: Final = ("found-nowhere", "no-way-back", "gone-for-good")
SECRETS: Final = ("typed-at-the-cash-machine", "shown-by-an-authenticator")
LURES: Final = {rule for rule, (page, *_) in table("spared").items() if page == "like_lure"}
UNTOLD: Final = frozenset(
    """small|it|that|of|ask|your|determiner|act or thing|noun too|name too|apart|not|no|but|per
    |predicate|joint|bare value|anything|relative|if|one word|person|mostly|many senses
    |for instance|addressed|disguised|near a secret|which|aside|told|spoken|until|since|past
    |sure|maybe|name|contents|in figures|attribute""".replace("\n    ", "").split("|")
)
"""Grammar, and what other rules read in its clause."""


def is_told(page: str, sign: str) -> bool:
    """Whether a sign may weigh something: of an act grammar tells as well, unless it is denied."""
    thing = sign.removeprefix("denying ")
    return thing not in UNTOLD or (page == "like_act" and thing == sign)


@dataclass
class Labelled:
    """A request as the weights see it."""

    file: str
    kind: str
    expected: str
    verdict: str
    """What all other rules say."""
    spared: tuple[tuple[str, str], ...]
    """The pages, each with its bound, below which all that they have found is spared."""
    may: frozenset[str]
    """The pages that can be meant at all."""
    windows: tuple[frozenset[str], ...]
    rows: list[list[int]] = field(default_factory=list)
    picked: int = 0

    def is_one(self, page: str) -> bool | None:
        """Whether it is what a page tells of; None where it is no matter."""
        if self.expected == "allow":
            return False
        if self.kind in KINDS[page]:
            return True
        if self.file == "held":
            return None if self.kind == "phishing" and self.verdict != "allow" else False
        return None if self.expected == "block" or page == "like_act" else False

    def spares(self, page: str) -> list[str]:
        """The bounds of a page below which it is spared."""
        return [name for of, name in self.spared if of == page]

    def amount(self, page: str) -> float:
        """What it weighs for a fit."""
        seen = self.verdict != "allow" or page not in self.may
        amount = (SEEN if seen else 1.0) * INVENTED.get(self.file, 1.0)
        return amount if self.is_one(page) else amount * HARMLESS

    @property
    def is_held(self) -> bool:
        """Whether a test holds what is said of it: of our own file no act, nor a warning."""
        return self.file == "held" or (self.file in INVENTED and self.expected != "warn")


def labelled(path: Path) -> list[Labelled]:
    """The requests of a file; those without a form are left out."""
    items = map(json.loads, path.read_text("utf-8").splitlines())
    told = (known(path.stem, it["kind"], it["expected"], request_of(it)) for it in items)
    return [one for one in told if one is not None]


def known(file: str, kind: str, expected: str, request: ElicitationRequest) -> Labelled | None:
    reading = read(request)
    if reading.mode == "url":
        return None
    own, near = lent_by(reading)
    windows = {frozenset({*made(reading), *own, *told}) for told in near}
    findings = OTHERS.review(request).findings
    said = tuple(it for it in findings if not it.to_author)
    bounds = {spared_below(it.rule, it.because, reading) for it in said}
    spared = () if ("", "") in bounds else tuple(sorted(bounds))
    may = frozenset(page for page in PAGES.values() if may_be(page, reading))
    return Labelled(
        file, kind, expected, Review(said).verdict, spared, may, tuple(sorted(windows, key=sorted))
    )


def foretold() -> Iterator[tuple[str, str, ElicitationRequest]]:
    """What the table of languages holds, and is weighed here or may be spared."""
    for one in TABLE:
        request = form(one.text, v=ANSWERS[one.answer])
        if one.seen in ACTS:
            yield "destructive", "warn", request
        elif one.seen in SECRETS:
            yield "credential", "block", request
        elif not LURES.isdisjoint(it.rule for it in OTHERS.review(request).findings):
            yield "phishing", "block", request


def held() -> list[Labelled]:
    """The sentences of the tests that are to be found by what is weighed here, or by nothing."""
    choices = {"type": "string", "enum": ["1", "2"]}
    answers = ({"v": choices}, {"ok": YES_OR_NO})
    acts = [*TOLD, *(form(text, **answer) for text, _ in AT_STAKE for answer in answers)]
    free = [*ALLOWED, *(form(text, ok=YES_OR_NO) for text in AT_NO_STAKE)]
    free += [request_of(it) for code in LANGUAGES for it in remarks(code)]
    free += [said(text, harmless, [*harmless][:1]) for text, harmless, _ in SPARED_THERE]
    told = [("destructive", "warn", it) for it in acts] + [("benign", "allow", it) for it in free]
    told += [("credential", "block", it) for it in DESCRIBED]
    told += [*foretold()]
    told += [("destructive", "warn", it) for it in GAMES_FOR_GOOD]
    told += [(KIND_OF[rule], "block", said(*it)) for rule, *it in CASES]  # type: ignore[arg-type]
    return [one for it in told if (one := known("held", *it)) is not None]


@cache
def promised() -> frozenset[str]:
    """What a promise denies: it speaks against what is wrong, and never for it."""
    near = [lent for text in PROMISES for lent in lent_by(read(form(text)))[1]]
    return frozenset(sign for lent in near for sign in lent if sign.startswith("denying "))


class Fit:
    """Weights of signs, and the sum at which a request is as likely one as not."""

    def __init__(self, page: str, taught: Sequence[Labelled]) -> None:
        known = [(one, one.is_one(page), one.amount(page)) for one in taught]
        self.taught = [
            (one, float(is_one), amount) for one, is_one, amount in known if is_one is not None
        ]
        counted = Counter(
            sign for one, *_ in self.taught for sign in frozenset().union(*one.windows)
        )
        self.weights = {
            sign: 0.0 for sign in sorted(counted) if counted[sign] >= RAREST and is_told(page, sign)
        }
        self.begins = 0.0
        picked = [frozenset().union(*one.windows) for one, *_ in self.taught]
        for _ in range(ROUNDS):
            self._weigh(picked)
            picked = [max(one.windows, key=self.sum_of) for one, *_ in self.taught]
            self.taught = [
                (one, is_one, amount * self._still(page, one, is_one))
                for one, is_one, amount in self.taught
            ]

    def _still(self, page: str, one: Labelled, is_one: float) -> float:
        """How much more a request of the tests weighs that is not judged as they hold it."""
        spared, score, is_found = one.spares(page), self.score(one), one.verdict != "allow"
        # What is harmless stays so where a sentence is added that lets it be one.
        may = not is_found and (page in one.may or not is_one)
        if not one.is_held or not (spared or may):
            return 1.0
        least = max((LEAST[page][name] for name in spared), default=LOW[page])
        is_wrong = score < least if is_one else score > (MOST if spared else HIGH[page])
        return (FOUND_MORE if is_found else MORE[one.file]) if is_wrong else 1.0

    def sum_of(self, signs: Iterable[str]) -> float:
        return sum(self.weights.get(sign, 0.0) for sign in signs)

    def score(self, one: Labelled) -> float:
        return self.begins + max(map(self.sum_of, one.windows))

    def _weigh(self, picked: Sequence[frozenset[str]]) -> None:
        """One weight after the other is set to what fits best, as long as the others stay."""
        stands: dict[str, list[int]] = {sign: [] for sign in self.weights}
        for at, signs in enumerate(picked):
            for sign in signs & stands.keys():
                stands[sign].append(at)
        sums = [self.begins + self.sum_of(signs) for signs in picked]
        every = range(len(sums))
        for _ in range(PASSES):
            self.begins += self._step(sums, every, 0.0, 0.0)
            for sign, where in stands.items():
                most = 0.0 if sign in promised() else inf
                self.weights[sign] += self._step(sums, where, self.weights[sign], EVEN, most)

    def _step(
        self, sums: list[float], where: Sequence[int], now: float, even: float, most: float = inf
    ) -> float:
        slope, bend = even * now, even
        for at in where:
            _, is_one, amount = self.taught[at]
            likely = 1 / (1 + exp(-sums[at]))
            slope += amount * (likely - is_one)
            bend += amount * likely * (1 - likely)
        step = min(max(-1.0, min(1.0, -slope / bend)), most - now) if bend else 0.0
        for at in where if step else ():
            sums[at] += step
        return step

    def rounded(self) -> Fit:
        self.weights = {it: round(w * PER_UNIT) / PER_UNIT for it, w in self.weights.items()}
        return self


def scores(page: str, every: Sequence[Labelled]) -> list[tuple[Labelled, float]]:
    """Each blind request, weighed by what the files of the other folds taught."""
    files = sorted({one.file for one in every} - {OWN.stem, "held"})
    told: list[tuple[Labelled, float]] = []
    for number in range(FOLDS):
        left = files[number::FOLDS]
        fit = Fit(page, [one for one in every if one.file not in left]).rounded()
        told += [(one, fit.score(one)) for one in every if one.file in left]
    return told


def bounds(page: str, told: Sequence[tuple[Labelled, float]]) -> dict[str, float]:
    """From where on a page warns and blocks, and below what it spares."""
    harmless = [(one, score) for one, score in told if one.expected == "allow"]
    free = sorted(
        (it for one, it in harmless if one.may >= {page} and one.verdict == "allow"), reverse=True
    )
    named = {name: free[int(share * len(harmless))] for name, share in SHARES[page].items()}
    for name, share in SPARED.get(page, {}).items():
        found = sorted(it for one, it in told if one.is_one(page) and one.spared == ((page, name),))
        named[name] = found[int(share * len(found))]
    return dict(reversed(named.items()))


def page_of(page: str, every: Sequence[Labelled]) -> str:
    """A page of weights, as it stands in `tables`."""
    fit, limits = Fit(page, every).rounded(), bounds(page, scores(page, every))
    for one in every:
        score, is_free = fit.score(one), one.expected == "allow" and one.verdict == "allow"
        if one.is_held and one.is_one(page) and (names := one.spares(page)):
            least = min(names, key=lambda name: limits[name])
            limits[least] = min(limits[least], score - 0.5 / PER_UNIT)
        if one.is_held and is_free and page in one.may and "blocks from" in limits:
            limits["blocks from"] = max(limits["blocks from"], score + 1 / PER_UNIT)
    signs: dict[int, list[str]] = {}
    for sign, weight in sorted(fit.weights.items()):
        signs.setdefault(int(weight * PER_UNIT), []).append(sign)
    blocks = {name: [str(ceil((limit - fit.begins) * PER_UNIT))] for name, limit in limits.items()}
    blocks |= {f"{points:+}": signs[points] for points in sorted(signs, reverse=True) if points}
    listed = (f"{name}:\n{_wrapped(entries)}" for name, entries in blocks.items())
    return "\n\n".join((HEAD.format(WHAT[page]), *listed)) + "\n"


def _wrapped(entries: Iterable[str]) -> str:
    """Entries in lines, none of them broken at a space of its own."""
    told = ", ".join(entry.replace(" ", "\N{NO-BREAK SPACE}") for entry in entries)
    lines = fill(told, 100, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
    return lines.replace("\N{NO-BREAK SPACE}", " ")


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


def main() -> None:
    with Pool() as pool:
        files = pool.map(labelled, [*sorted(BLIND.glob("*.jsonl")), OWN], chunksize=1)
        every = [one for file in (*files, held()) for one in file]
        pages = pool.starmap(page_of, [(page, every) for page in SHARES])
    for page, text in zip(SHARES, pages, strict=True):
        (TABLES / f"{page}.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
