"""What each kind of question may stands in one table, and nowhere else."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

import elicit_tui
from elicit_tui.broker.ask import agent_refusal
from elicit_tui.elicitation import KINDS, ElicitationRequest, Kind, Question, ServerIdentity
from elicit_tui.elicitation.settings import GranularApproval

HOUSE = Path(elicit_tui.__file__).parent
SERVER = ServerIdentity("deploy", "stdio", "deploy-mcp-server")


def asked(kind: Kind) -> Question:
    return Question(ElicitationRequest(SERVER, {"message": "Go on?"}, kind=kind))


def test_every_kind_has_its_entry_and_a_flag_of_the_policy() -> None:
    assert tuple(KINDS) == get_args(Kind)
    for traits in KINDS.values():
        assert isinstance(getattr(GranularApproval(), traits.flag), bool)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if not KINDS[kind].from_server])
def test_nothing_prepared_accepts_a_question_of_ours(kind: Kind) -> None:
    prepared = {"rule", "answers", "hook", "agent"}
    assert not prepared & KINDS[kind].accepted_by
    assert KINDS[kind].only_person in (agent_refusal(asked(kind), "accept", None) or "").lower()


def test_no_module_compares_a_kind_by_its_name() -> None:
    names = "|".join(KINDS)
    compared = re.compile(rf'kind\s*(?:==|!=|in|not in)\s*\(?"(?:{names})"')
    found = [
        f"{path.relative_to(HOUSE)}: {match[0]}"
        for path in HOUSE.rglob("*.py")
        for match in compared.finditer(path.read_text(encoding="utf-8"))
    ]
    assert not found
