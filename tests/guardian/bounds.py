"""From which sum on it is warned of, blocked and spared: where a new set most likely holds all.

Told by requests that the weights were not fitted on. A bound is moved as long as it gets likelier
that six shares (`LIMITS`) of a new set are on the right side of their limits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import inf, sqrt
from typing import Any, Final

import numpy as np
from scipy.special import log_ndtr

from tests.guardian.labelled import Labelled
from tests.guardian.regression import PAGES

WARNS, BLOCKS, RAISES = "warns from", "blocks from", "raises from"
NEWEST = ("2026-11-30-", "2026-12-01-")
LIMITS: Final = {
    "clever": (0.85, 80, 1),
    "plain": (0.98, 48, 1),
    "acts": (0.85, 96, 1),
    "blocked": (0.01, 288, -1),
    "warned": (0.02, 288, -1),
    "lenient": (0.95, 600, 1),
}
"""The limit of each share, of how many requests of a set it is one, and which way it holds."""
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
    ("like_secret", "spares named below"): -3.0,
    ("like_secret", RAISES): 3.0,
    ("like_lure", WARNS): -1.5,
    ("like_lure", BLOCKS): -1.0,
    ("like_lure", "spares sure below"): -2.0,
    ("like_lure", RAISES): 1.5,
    ("like_act", WARNS): 0.125,
    ("like_act", "spares below"): -0.5,
    ("like_act", "spares sure below"): -1.0,
    ("like_act", "spares bare below"): -2.0,
}
"""Where the search begins."""


class Verdicts:
    """What the newest files are judged by some sums and bounds."""

    def __init__(self, every: Sequence[Labelled]) -> None:
        self._at = np.array([at for at, it in enumerate(every) if it.file.startswith(NEWEST)])
        known = [every[at] for at in self._at]
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
        self._secret = np.array([(it.kind, it.expected) == ("credential", "block") for it in known])
        self._disguised = np.array([it.is_disguised for it in known])
        self._acts = np.array([it.kind == "confirm-destructive" for it in known])
        self._rows = np.arange(len(known))

    def best(self, sums: Mapping[str, Any], bounds: Bounds, within: Iterable[Within]) -> Bounds:
        """The bounds with which a new set likeliest holds, moved one after the other."""
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
        if (page, RAISES) in moved:  # What it warns of itself is not raised.
            moved[page, RAISES] = max(moved[page, RAISES], moved[page, BLOCKS])
        return moved

    def _cost(self, sums: Mapping[str, Any], bounds: Bounds) -> float:
        """How unlikely it is that a new set holds all limits."""
        shares = self._shares(self._judged(sums, bounds))
        return -sum(
            float(log_ndtr(way * (shares[name] - limit) / sqrt(limit * (1 - limit) / number)))
            for name, (limit, number, way) in LIMITS.items()
        )

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
        verdicts = np.where(verdicts, verdicts, suspected)
        for page, name in bounds:
            if name == RAISES:
                raised = (verdicts == 1) & (sums[page] >= bounds[page, name])
                verdicts = np.where(raised, 2, verdicts)
        return verdicts

    def told(self, sums: Mapping[str, Any], bounds: Bounds) -> str:
        """The figures of the newest files, as docs/guardian.md gives them."""
        verdicts = self._judged({page: it[self._at] for page, it in sums.items()}, bounds)
        return ", ".join(f"{name} {it:.2%}" for name, it in self._shares(verdicts).items())

    def _shares(self, verdicts: Any) -> dict[str, float]:
        is_seen, harmless = verdicts > 0, verdicts[self._harmless]
        return {
            "clever": is_seen[self._secret & self._disguised].mean(),
            "plain": is_seen[self._secret & ~self._disguised].mean(),
            "acts": is_seen[self._acts].mean(),
            "blocked": (harmless == 2).mean(),
            "warned": (harmless == 1).mean(),
            "lenient": self._right[self._rows, verdicts].mean(),
        }
