"""A logistic regression of which signs tell a page's kind; its optimum, to the last digit."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Final

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix
from scipy.special import expit

from elicit_tui.guardian.families.suspected import lent_by
from elicit_tui.guardian.reading import read
from tests.guardian.labelled import KINDS, Labelled
from tests.guardian.laws import PROMISES
from tests.guardian.requests import form

PAGES: Final = tuple(KINDS)
ROUNDS, AGAIN, RAREST, EVEN = 6, 2, 5, 2.0
"""How often windows are chosen anew, how often a sign must stand, what a weight's square costs."""
UNTOLD: Final = frozenset(
    """small|it|that|of|ask|your|determiner|act or thing|noun too|name too|apart|not|no|but|per
    |predicate|joint|bare value|anything|relative|if|one word|person|mostly|many senses
    |for instance|addressed|disguised|near a secret|which|aside|told|spoken|until|since|past
    |sure|maybe|name|contents|in figures|attribute""".replace("\n    ", "").split("|")
)
"""Grammar, and what other rules read in its clause."""


def is_told(page: str, sign: str) -> bool:
    """Whether a sign may weigh something: of an act grammar tells as well, where it just stands."""
    thing = sign.removeprefix("denying ").removeprefix("asked ").removeprefix("field ")
    if sign.startswith("named "):  # What a yes is called tells no act, nor a lure.
        return page == "like_secret" and sign.removeprefix("named ") not in UNTOLD
    return thing not in UNTOLD or (page == "like_act" and thing == sign)


@cache
def promised() -> frozenset[str]:
    """What a promise denies: it speaks against what is wrong, and never for it."""
    near = [lent for text in PROMISES for lent in lent_by(read(form(text)))[1]]
    return frozenset(sign for lent in near for sign in lent if sign.startswith("denying "))


class Page:
    """The signs of all windows of all requests, and what each request weighs for the fit."""

    def __init__(self, name: str, every: Sequence[Labelled]) -> None:
        self.name, self.every = name, every
        self.files = np.array([one.file for one in every])
        self.signs: list[str] = sorted({it for one in every for w in one.windows(name) for it in w})
        numbers = {sign: at for at, sign in enumerate(self.signs)}
        windows = [(at, window) for at, one in enumerate(every) for window in one.windows(name)]
        self._owner = np.array([at for at, _ in windows])
        self._last = np.cumsum(np.bincount(self._owner)) - 1
        signs = [sorted(map(numbers.__getitem__, window)) for _, window in windows]
        starts = np.cumsum([0, *map(len, signs)])
        entries = np.concatenate([np.array(it, int) for it in signs])
        shape = (len(signs), len(self.signs))
        self._windows = csr_matrix((np.ones(len(entries)), entries, starts), shape)
        owned = (np.ones(len(windows)), (self._owner, np.arange(len(windows))))
        self._any = (csr_matrix(owned, (len(every), len(windows))) @ self._windows).minimum(1)
        is_one = [one.is_one(name) for one in every]
        self._counts = np.array([it is not None for it in is_one])
        self._is_one = np.array([float(bool(it)) for it in is_one])
        self.is_found = np.array([bool(one.found) for one in every])
        self.amounts = np.array([one.amount(name) for one in every])
        self._told = np.array([is_told(name, sign) for sign in self.signs])
        self._most = [0.0 if sign in promised() else None for sign in self.signs]

    def fitted(self, taught: Any = True, begin: Any = None) -> Any:
        """The weights of all signs, and behind them the sum of nothing; quicker from others."""
        rows = np.flatnonzero(self._counts & taught)
        often = np.asarray(self._any[rows].sum(0)).ravel() >= RAREST
        columns = np.flatnonzero(often & self._told)
        bounds = [*((None, self._most[at]) for at in columns), (None, None)]
        weights = np.zeros(len(self.signs) + 1)
        found, picked = np.zeros(len(columns) + 1), self._any
        if begin is not None:
            found = begin[[*columns, -1]]
            picked = self._windows[self._heaviest(begin)]
        for _ in range(ROUNDS if begin is None else AGAIN):
            told = picked[rows][:, columns]
            found = minimize(
                _cost,
                found,
                (told, told.T.tocsr(), self._is_one[rows], self.amounts[rows]),
                "L-BFGS-B",
                jac=True,
                bounds=bounds,
                options={"maxiter": 300, "ftol": 1e-7},
            ).x
            weights[columns], weights[-1] = found[:-1], found[-1]
            picked = self._windows[self._heaviest(weights)]
        return weights

    def _heaviest(self, weights: Any) -> Any:
        """The window of each request that weighs most."""
        sums = self._windows @ weights[:-1]
        return np.lexsort((sums, self._owner))[self._last]

    def scores(self, weights: Any) -> Any:
        """The sum of each request's heaviest window."""
        return (self._windows[self._heaviest(weights)] @ weights[:-1]) + weights[-1]


def _cost(weights: Any, told: Any, turned: Any, is_one: Any, amounts: Any) -> tuple[float, Any]:
    """How unlikely what is known is by some weights, with what these cost, and its slope."""
    sums, even = told @ weights[:-1] + weights[-1], np.append(weights[:-1], 0.0) * EVEN
    cost = amounts @ (np.logaddexp(0, sums) - is_one * sums) + even @ weights / 2
    slope = amounts * (expit(sums) - is_one)
    return float(cost), np.append(turned @ slope, slope.sum()) + even
