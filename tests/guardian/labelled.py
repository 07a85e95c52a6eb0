"""All labelled requests as the weights of `tables/like_….txt` see them, and what others find."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from multiprocessing import Pool
from pathlib import Path
from typing import Any, Final

from elicit_tui.elicitation import ElicitationRequest
from elicit_tui.elicitation.settings import GuardianSettings
from elicit_tui.guardian import Guardian
from elicit_tui.guardian.families.suspected import PAGES, lent_by, made, may_be, spared_below
from elicit_tui.guardian.frames import neighbouring
from elicit_tui.guardian.pages import table
from elicit_tui.guardian.reading import read
from tests.guardian.matrices import LANGUAGES, remarks
from tests.guardian.requests import TEXT, YES_OR_NO, form
from tests.guardian.scores import OWN, ROOT, request_of
from tests.guardian.test_context import ALLOWED as ALLOWED_THERE
from tests.guardian.test_context import BLOCKED
from tests.guardian.test_harmless_words import CARDS
from tests.guardian.test_parity import ANSWERS, TABLE
from tests.guardian.test_sums import ALLOWED, AT_NO_STAKE, AT_STAKE, DESCRIBED, TOLD
from tests.guardian.test_suspected import CASES, GAMES_FOR_GOOD, PUBLIC, said
from tests.guardian.test_suspected import SPARED as SPARED_THERE

BLIND: Final = ROOT / "tests" / "data" / "blind"
OWN_FILE: Final = OWN.stem
SEEN, HARMLESS, OURS = 0.2, 2.0, {OWN_FILE: 0.3, "held": 0.6}
"""What a request weighs that another rule has found as well, one that is harmless, and our own."""
OTHERS: Final = Guardian(GuardianSettings(disable=tuple(PAGES)))
KINDS: Final = {
    "like_secret": {"credential", "exfiltration"},
    "like_lure": {"phishing"},
    "like_act": {"destructive", "confirm-destructive"},
}
KIND_OF: Final = {rule: min(KINDS[page]) for rule, page in PAGES.items()}
ACTS: Final = ("found-nowhere", "no-way-back", "gone-for-good")
SECRETS: Final = ("typed-at-the-cash-machine", "shown-by-an-authenticator")
LURES: Final = {rule for rule, (page, *_) in table("spared").items() if page == "like_lure"}
Window = frozenset[str]
NOTHING: Final[Mapping[str, Any]] = {}


@dataclass(frozen=True)
class Labelled:
    """A request as the weights see it."""

    file: str
    kind: str
    expected: str
    also_ok: tuple[str, ...]
    is_disguised: bool
    said: str
    found: tuple[tuple[str, str, int], ...]
    """What other rules say: the page and the bound below which it is spared, and how bad it is."""
    may: frozenset[str]
    """The pages that can be meant at all."""
    near: tuple[Window, ...]
    """The signs of each window, without those that can only be chosen."""
    chosen: Window

    def windows(self, page: str) -> tuple[Window, ...]:
        """What can be chosen from a list is no secret, but all else."""
        return self.near if page == "like_secret" else tuple(it | self.chosen for it in self.near)

    def is_one(self, page: str) -> bool | None:
        """Whether it is what a page tells of; None where it is no matter."""
        if self.expected == "allow":
            return False
        if self.kind in KINDS[page]:
            return True
        if self.file == "held":
            return None if self.kind == "phishing" and self.found else False
        return None if self.expected == "block" or page == "like_act" else False

    def amount(self, page: str) -> float:
        """What it weighs for a fit."""
        amount = (SEEN if self.found or page not in self.may else 1.0) * OURS.get(self.file, 1.0)
        return amount if self.is_one(page) else amount * HARMLESS

    def spared_by(self, page: str) -> list[tuple[str, str]]:
        """The bounds of a page below which what others found is spared."""
        return [(of, name) for of, name, _ in self.found if of == page]

    def is_decided_by(self, page: str) -> bool:
        """Whether a test holds what is said of it, and a page's sum can change it.

        Of our own file no act is held, nor a warning.
        """
        is_held = self.file == "held" or (self.is_ours and self.expected != "warn")
        told = self.is_one(page) is not None
        may = all(of == page for of, *_ in self.found) if self.found else page in self.may
        return bool(is_held and told and may)

    @property
    def is_ours(self) -> bool:
        return self.file in OURS


def labelled(path: Path) -> list[Labelled]:
    """The requests of a file; those without a form are left out."""
    items = map(json.loads, path.read_text("utf-8").splitlines())
    told = (known(path.stem, it["kind"], it["expected"], request_of(it), it) for it in items)
    return [one for one in told if one is not None]


def known(
    file: str,
    kind: str,
    expected: str,
    request: ElicitationRequest,
    item: Mapping[str, Any] = NOTHING,
) -> Labelled | None:
    reading = read(request)
    if reading.mode == "url":
        return None
    own, every = lent_by(reading)
    chosen = frozenset(sign for sign, (place, _) in own.items() if place.role == "choice")
    always = made(reading) | (own.keys() - chosen)
    found = {
        (*spared_below(rule.id, sighting, reading), int(sighting.severity))
        for rule in OTHERS.rules
        for sighting in rule.find(reading)
        if not rule.finding(sighting, reading).to_author
    }
    return Labelled(
        file,
        kind,
        expected,
        tuple(item.get("also_ok", ())),
        bool(item.get("disguise")),
        f"{item.get('id', '')} {reading.message.text}",
        tuple(sorted(found)),
        # A lure teaches in a few words as well.
        frozenset(it for it in PAGES.values() if it == "like_lure" or may_be(it, reading)),
        tuple(
            sorted({frozenset({*always, *told}) for told in ({}, *neighbouring(every))}, key=sorted)
        ),
        chosen,
    )


def foretold() -> Iterator[tuple[str, str, ElicitationRequest]]:
    """What the table of languages holds, and is weighed here or may be spared."""
    for one in TABLE:
        request = form(one.text, v=ANSWERS[one.answer])
        rules = {it.rule for it in OTHERS.review(request).findings}
        if one.seen in ACTS or "destructive.effect" in rules:
            yield "destructive", "warn", request
        elif one.seen in SECRETS or "credentials.secret" in rules:
            yield "credential", "block", request
        elif not LURES.isdisjoint(rules):
            yield "phishing", "block", request


def held() -> list[Labelled]:
    """The sentences of the tests that are to be found by what is weighed here, or by nothing."""
    choices = {"type": "string", "enum": ["1", "2"]}
    answers = ({"v": choices}, {"ok": YES_OR_NO})
    acts = [*TOLD, *(form(text, **answer) for text, _ in AT_STAKE for answer in answers)]
    free = [*ALLOWED, *ALLOWED_THERE, *(form(text, ok=YES_OR_NO) for text in AT_NO_STAKE)]
    shown = {**TEXT, "description": "025/165"}
    free += [form(text, card_number={**shown, "title": title}) for text, title in CARDS]
    free += [request_of(it) for code in LANGUAGES for it in remarks(code)]
    free += [said(text, harmless, [*harmless][:1]) for text, harmless, _ in SPARED_THERE]
    free += [request_of(it) for it in PUBLIC]
    told = [("destructive", "warn", it) for it in acts] + [("benign", "allow", it) for it in free]
    told += [("credential", "block", it) for it in (*DESCRIBED, *BLOCKED)]
    told += [*foretold()]
    told += [("destructive", "warn", it) for it in GAMES_FOR_GOOD]
    told += [(KIND_OF[rule], "block", said(*it)) for rule, *it in CASES]  # type: ignore[arg-type]
    return [one for it in told if (one := known("held", *it)) is not None]


def every_labelled() -> list[Labelled]:
    with Pool() as pool:
        files = pool.map(labelled, [*sorted(BLIND.glob("*.jsonl")), OWN], chunksize=1)
    return [one for file in (*files, held()) for one in file]
