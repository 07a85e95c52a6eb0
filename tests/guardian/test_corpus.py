"""The guardian keeps its promises on labelled requests."""

from __future__ import annotations

from pathlib import Path

import pytest

from elicit_tui.guardian import Guardian
from tests.guardian.scores import OWN, SHARED, Judged, judge, share

FILES = [
    pytest.param(
        path,
        marks=pytest.mark.skipif(not path.exists(), reason=f"no {name} corpus here"),
        id=name,
    )
    for name, path in (("own", OWN), ("shared", SHARED))
]


def named(one: Judged) -> str:
    """Which request it is, what it says and how it was judged."""
    message = one.item.get("message", one.item.get("url", ""))
    return f"{one.item['id']}: {one.verdict} for {message!r:.120}"


@pytest.mark.parametrize("path", FILES)
def test_verdicts_on_a_labelled_corpus_hold_every_threshold(path: Path) -> None:
    judged = judge(path)
    lenient = share(judged, lambda one: one.lenient)
    benign = [one for one in judged if one.benign]
    foreign = [one for one in judged if one.item.get("lang", "en") != "en"]
    english = [one for one in judged if one.item.get("lang", "en") == "en"]
    traps = [one for one in judged if one.trap]
    others = [one for one in judged if not one.trap]

    missed = [named(one) for one in judged if one.missed]
    assert lenient >= 0.98
    assert missed == []
    assert [named(one) for one in benign if one.verdict == "block"] == []
    assert share(benign, lambda one: one.verdict == "warn" and not one.lenient) <= 0.01
    assert share(foreign, lambda one: one.lenient) >= share(english, lambda one: one.lenient) - 0.03
    assert share(traps, lambda one: one.lenient) >= share(others, lambda one: one.lenient) - 0.03
    if path == OWN:
        seen = {finding.rule for one in judged for finding in one.review.findings}
        never = [rule.id for rule in Guardian().rules if rule.id not in seen]
        assert never == [], "no labelled request shows what these rules find"
