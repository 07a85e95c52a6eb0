"""What the protocol's eras may stands in one table, and nowhere else."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import elicit_tui
from elicit_tui.elicitation.eras import ERAS, HANDSHAKE, MODERN, Era, Revision

HOUSE = Path(elicit_tui.__file__).parent


def test_every_era_has_its_entry_and_says_its_revision() -> None:
    assert tuple(ERAS) == get_args(Era)
    for traits, revision in zip(ERAS.values(), (HANDSHAKE, MODERN), strict=True):
        assert traits.shown.startswith(revision)
        assert revision in get_args(Revision)


def test_no_module_compares_an_era_by_its_name() -> None:
    names = "|".join(ERAS)
    compared = re.compile(rf'era\s*(?:==|!=|in|not in)\s*\(?"(?:{names})"|"(?:{names})"\s*:')
    found = [
        f"{path.relative_to(HOUSE)}: {match[0]}"
        for path in HOUSE.rglob("*.py")
        for match in compared.finditer(path.read_text(encoding="utf-8"))
        if path.name != "eras.py"
    ]
    assert not found
