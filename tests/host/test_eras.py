"""What the protocol's eras may stands in one table, and nowhere else."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import elicit_tui
from elicit_tui.cli.command_table import OPTIONS
from elicit_tui.cli.parser import parse
from elicit_tui.cli.test import ERAS as OF_TESTS
from elicit_tui.elicitation.eras import ERAS, HANDSHAKE, MODERN, Era, Revision

HOUSE = Path(elicit_tui.__file__).parent


def test_every_era_has_its_entry_and_says_its_revision() -> None:
    assert tuple(ERAS) == get_args(Era)
    assert get_args(Revision) == ("auto", HANDSHAKE, MODERN), "CONTRIBUTING tells who speaks one"
    for traits, revision in zip(ERAS.values(), (HANDSHAKE, MODERN), strict=True):
        assert traits.shown.startswith(revision)


def test_every_revision_can_be_chosen_for_a_server_and_for_a_test() -> None:
    assert (*get_args(Revision)[1:], "both") == OF_TESTS
    for revision in get_args(Revision):
        assert parse("tools", ["--protocol", revision])[1].protocol == revision
        assert revision in OPTIONS, "`--protocol` in the text of --help"


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
