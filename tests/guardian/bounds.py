"""From which sum on it is warned of, blocked and spared: where least is judged wrongly.

Told by requests that the weights were not fitted on. A bound is moved as long as fewer are wrong,
where a harmless request that is stopped counts for more (`BLOCKED`, `WARNED`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import inf
from typing import Any, Final

import numpy as np

from tests.guardian.labelled import Labelled
from tests.guardian.regression import PAGES

WARNS, BLOCKS, NEWEST = "warns from", "blocks from", "2026-11-30-"
BLOCKED, WARNED = 3.0, 1.0
"""What one more harmless request that is blocked, or warned of, costs beside its being wrong."""
STEPS: Final = np.arange(-1.5, 1.51, 0.125)
"""How far a bound is moved."""
SWEEPS: Final = 6
ORDER: Final = ("allow", "warn", "block")
Bounds = dict[tuple[str, str], float]
Within = tuple[tuple[str, str], float, float]
FIRST: Final[Bounds] = {
    ("like_secret", WARNS): 0.75,
    ("like_secret", BLOCKS): 0.75,
    ("like_secret", "spares below"): -1.0,
    ("like_secret", "spares described below"): 0.5,
    ("like_lure", WARNS): -1.5,
    ("like_lure", BLOCKS): -1.0,
    ("like_lure", "spares sure below"): -2.0,
    ("like_act", WARNS): 0.125,
    ("like_act", "spares below"): -0.5,
    ("like_act", "spares sure below"): -1.0,
}
"""Where the search begins."""


class Verdicts:
    """What the newest files are judged by some sums and bounds."""

    def __init__(self, every: Sequence[Labelled]) -> None:
        self._at = np.array([at for at, it in enumerate(every) if it.file.startswith(NEWEST)])
        self._known = known = [every[at] for at in self._at]
        self._may = {page: np.array([page in it.may for it in known]) for page in PAGES}
        self._sure = np.zeros(len(known), int)
        self._unsure: dict[tuple[str, str], Any] = {}
        for at, one in enumerate(known):
            for page, name, severity in one.found:
                bound = (page, name)
                into = self._unsure.setdefault(bound, self._sure * 0) if page else self._sure
                into[at] = max(into[at], severity)
        self._right = np.array(
            [[it in (one.expected, *one.also_ok) for it in ORDER] for one in known]
        )
        self._harmless = np.array([one.expected == "allow" for one in known])
        self._rows = np.arange(len(known))

    def best(self, sums: Mapping[str, Any], bounds: Bounds, within: Iterable[Within]) -> Bounds:
        """The bounds with which least is judged wrongly, moved one after the other."""
        least: Bounds = {}
        most: Bounds = {}
        for bound, low, high in within:
            least[bound] = max(least.get(bound, low), low)
            most[bound] = min(most.get(bound, high), high)
        sums = {page: scores[self._at] for page, scores in sums.items()}
        cost = inf
        for _ in range(SWEEPS):
            for bound in bounds:
                for step in STEPS:
                    to = max(
                        min(bounds[bound] + float(step), most.get(bound, inf)),
                        least.get(bound, -inf),
                    )
                    moved = self._moved(bounds, bound, to)
                    if (now := self._cost(sums, moved)) < cost or not step:
                        cost, bounds = now, moved
        return bounds

    def _moved(self, bounds: Bounds, bound: tuple[str, str], to: float) -> Bounds:
        """Bounds with one at another place; what is blocked is always warned of as well."""
        page, moved = bound[0], {**bounds, bound: to}
        if (page, BLOCKS) in moved and moved[page, BLOCKS] < moved[page, WARNS]:
            moved[page, BLOCKS if bound[1] == WARNS else WARNS] = to
        return moved

    def _cost(self, sums: Mapping[str, Any], bounds: Bounds) -> float:
        verdicts = self._judged(sums, bounds)
        wrong = ~self._right[self._rows, verdicts]
        paid = np.array((0.0, WARNED, BLOCKED))[verdicts[self._harmless & wrong]]
        return float(wrong.sum() + paid.sum())

    def _judged(self, sums: Mapping[str, Any], bounds: Bounds) -> Any:
        verdicts = self._sure.copy()
        for (page, name), severity in self._unsure.items():
            verdicts = np.maximum(verdicts, np.where(sums[page] >= bounds[page, name], severity, 0))
        suspected, furthest = verdicts * 0, verdicts * 0.0 - 1e-9
        for page in PAGES:
            warns, blocks = bounds[page, WARNS], bounds.get((page, BLOCKS), inf)
            above = np.where(self._may[page], sums[page] - warns, -inf)
            told = (above >= 0) * 1 + (sums[page] >= blocks)
            suspected = np.where(above > furthest, told, suspected)
            furthest = np.maximum(furthest, above)
        return np.where(verdicts, verdicts, suspected)

    def told(self, sums: Mapping[str, Any], bounds: Bounds) -> str:
        """The figures of the newest files, as docs/guardian.md gives them."""
        verdicts = self._judged({page: it[self._at] for page, it in sums.items()}, bounds)
        secret = np.array(
            [it.kind == "credential" and it.expected == "block" for it in self._known]
        )
        disguised = np.array([it.is_disguised for it in self._known])
        acts = np.array([it.kind == "confirm-destructive" for it in self._known])
        shares = {
            "clever": verdicts[secret & disguised] > 0,
            "plain": verdicts[secret & ~disguised] > 0,
            "acts": verdicts[acts] > 0,
            "blocked": verdicts[self._harmless] == 2,
            "warned": verdicts[self._harmless] == 1,
            "lenient": self._right[self._rows, verdicts],
        }
        return ", ".join(f"{name} {it.mean():.2%}" for name, it in shares.items())
