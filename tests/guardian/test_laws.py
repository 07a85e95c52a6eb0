"""The laws of the guardian, on labelled requests: no context disarms a finding or makes one.

Each request and each sentence has its turn; `python -m tests.guardian.laws` tries all with all.
"""

from __future__ import annotations

import pytest

from tests.guardian.laws import LAWS, TURNS, Judge, items

JUDGE = Judge()
PARTS = 8


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_a_law_holds_for_every_labelled_request(law, part: int) -> None:  # type: ignore[no-untyped-def]
    broken = [
        one
        for number, item in enumerate(items())
        if number % PARTS == part
        for one in law(JUDGE, item, (number * 7) % TURNS[law])
    ]
    assert broken == []
