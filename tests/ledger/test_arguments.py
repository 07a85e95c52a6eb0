"""The record of an approval says with what was called, as far as the owner lets it be kept."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.cli.history_text import answer
from elicit_tui.elicitation import Call, accept, decline
from elicit_tui.elicitation.finding import MASK
from elicit_tui.elicitation.settings import ContentPolicy
from elicit_tui.ledger import Ledger
from elicit_tui.ledger.bodies import LONGEST_REQUEST
from elicit_tui.ledger.rows import Row
from elicit_tui.tui.console.screens.records import RecordScreen
from elicit_tui.tui.console.spans import text_of
from tests.ledger.world import PASSED, request

EDIT = {
    "path": "notes/todo.md",
    "edits": [{"oldText": "- [ ] tea", "newText": "- [x] tea"}],
    "dryRun": False,
}


def recorded(path: Path, arguments: Any, content: ContentPolicy = "redacted") -> Row:
    """What a ledger says of a call of `edit_file` that a person declined."""
    with closing(Ledger.open(path / "ledger.db", content=content)) as ledger:
        call = Call("tools/call", "edit_file", arguments)
        asked = request(kind="approval", calls=(call,), params={"message": "Call it?", "tool": {}})
        ledger.decided(asked, decline("user", "No."), PASSED)
        return ledger.row(asked.id)


def test_what_a_person_was_asked_to_allow_stands_in_the_record(tmp_path: Path) -> None:
    row = recorded(tmp_path, EDIT)
    assert row.as_json()["arguments"] == EDIT
    shown = "\n".join(answer(row))
    assert shown.startswith("arguments       (nothing was masked)")
    assert '"path": "notes/todo.md"' in shown
    in_console = [text_of(line) for line in RecordScreen(row).lines(80)]
    assert '  "path": "notes/todo.md",' in in_console[in_console.index("arguments") :]


def test_secrets_in_arguments_are_masked_by_name_and_by_look_however_deep(tmp_path: Path) -> None:
    token = "ghp_" + "a1B2" * 9
    given = {
        "password": "hunter2",
        "servers": [{"name": "db", "api_key": "k", "port": 5432}],
        "note": f"use {token} for it",
    }
    row = recorded(tmp_path, given)
    kept = row.as_json()["arguments"]
    assert kept["password"] == MASK
    assert kept["servers"] == [{"name": "db", "api_key": MASK, "port": 5432}]
    assert token not in json.dumps(row.as_json())
    assert f"what looked like a secret is masked: {MASK}" in "\n".join(answer(row))


@pytest.mark.parametrize(("content", "kept"), [("none", None), ("full", {"password": "hunter2"})])
def test_the_owner_says_what_of_it_is_kept(
    tmp_path: Path, content: ContentPolicy, kept: Any
) -> None:
    assert recorded(tmp_path, {"password": "hunter2"}, content).details.get("arguments") == kept


def test_what_an_agent_sends_is_kept_neutral_and_bounded(tmp_path: Path) -> None:
    deep: Any = "x"
    for _ in range(500):
        deep = [deep]
    given = {"text": "\x1b[2J\u202e" + "y" * 100_000, "deep": deep, "\x1bname": 1}
    written = json.dumps(recorded(tmp_path, given).details["arguments"], ensure_ascii=False)
    assert "\x1b" not in written
    assert "\u202e" not in written
    assert len(written) < 2 * LONGEST_REQUEST


def test_an_answer_to_a_servers_question_has_no_arguments(tmp_path: Path) -> None:
    with closing(Ledger.open(tmp_path / "ledger.db")) as ledger:
        asked = request(calls=(Call("tools/call", "deploy", {"branch": "main"}),))
        ledger.decided(asked, accept("user", "Sent.", {"environment": "staging"}), PASSED)
        assert "arguments" not in ledger.row(asked.id).details
