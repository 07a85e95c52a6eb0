"""The whole program is killed at every step: no answer left that the ledger does not hold."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.ledger import Ledger
from tests.cli.running import DEMO, SECONDS, environment
from tests.cli.terminal import Terminal
from tests.forks import ready_elicit_tui

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")

SERVER = Path(__file__).parent.parent / "servers" / "killing.py"
DEATHS = int(os.environ.get("DEATHS", "8"))
"""How often the program is killed; more for a long search."""
AT_ONCE = 4


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "config.toml"
    file.write_text(f"history.path = {json.dumps(str(tmp_path / 'ledger.sqlite3'))}\n")
    return file


def start(config: Path, ordinal: int, step: str) -> subprocess.Popen[bytes]:
    heard = config.parent / "heard"
    server = f"deploy={sys.executable} {SERVER} {heard} {ordinal} {step}"
    answers = config.parent / "answers.toml"
    answers.write_text('[[answers]]\nmessage = "Question *"\ncontent = { environment = "x" }\n')
    return subprocess.Popen(
        [
            *(*ready_elicit_tui(), "--config", config, "--with", server),
            *("call", "deploy", "ask", "--answers", answers),
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )


def heard(config: Path) -> dict[str, Any]:
    """What the servers received, by the question's message."""
    lines = (config.parent / "heard").read_text().splitlines()
    return {message: json.loads(answer) for message, answer in (x.split("\t") for x in lines)}


def test_no_answer_leaves_that_the_ledger_does_not_hold(config: Path) -> None:
    chance = random.Random(20260728)
    steps = [
        ("asked", "answered", str(chance.randrange(40_000)), str(chance.randrange(8_000)))[
            number % 4
        ]
        for number in range(DEATHS)
    ]
    for first in range(0, len(steps), AT_ONCE):
        runs = [start(config, chance.randint(1, 20), step) for step in steps[first:][:AT_ONCE]]
        for run in runs:
            # The server holds the other end of these pipes no longer than it lives itself.
            _, told = run.communicate(timeout=SECONDS)
            assert run.returncode == -9, told.decode()
    with closing(Ledger.open(config.parent / "ledger.sqlite3", create=False)) as ledger:
        verified = ledger.verify()
        assert verified.ok, verified
        rows = {row.message: row for row in ledger.rows()}
    answers = heard(config)
    assert len(answers) >= DEATHS
    for message, answer in answers.items():
        row = rows[message]
        assert row.decided_at is not None, message
        assert (row.action, row.content) == (answer["action"], answer["content"]), message
    print(f"{DEATHS} deaths, {len(rows)} questions, {len(answers)} answers, all held")


def test_a_death_while_the_question_is_shown_leaves_it_asked_and_undecided(config: Path) -> None:
    arguments = ["--config", str(config), "--with", DEMO, "call", "demo", "book_table", "--plain"]
    with Terminal(arguments) as terminal:
        terminal.wait_for("Field 1")
        terminal.process.kill()
        terminal.process.wait(SECONDS)
    with closing(Ledger.open(config.parent / "ledger.sqlite3", create=False)) as ledger:
        assert ledger.verify().ok
        (row,) = ledger.rows()
    assert (row.state, row.action) == ("asked", None)
