"""The ledger under the death of its writers, and under many of them at once."""

from __future__ import annotations

import signal
import sys
from contextlib import closing
from pathlib import Path

import pytest

from elicit_tui.ledger import Ledger
from tests.forks import ModuleFork
from tests.ledger.walking import STEPS

BOUND = 60.0


def walk(path: Path, *arguments: str) -> ModuleFork:
    return ModuleFork("tests.ledger.walking", str(path), *arguments)


def told(line: str) -> tuple[str, str]:
    step, _, question = line.strip().partition(" ")
    return step, question


def must_hold(path: Path, answered: set[str]) -> None:
    """It opens, verifies, and holds every answer that left."""
    with closing(Ledger.open(path)) as ledger:
        found = ledger.verify()
        assert found.ok, found
        for question in answered:
            row = ledger.row(question)
            assert row.decided_at is not None
            assert row.content == {"environment": "staging"}


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_fifty_deaths_at_every_step_lose_no_answer_that_was_sent(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite3"
    answered: set[str] = set()
    steps = [STEPS[number % len(STEPS)] for number in range(50)]
    for first in range(0, len(steps), 5):
        children = [walk(path, "3", step) for step in steps[first : first + 5]]
        for child in children:
            output = child.communicate("go\n", timeout=BOUND)
            assert child.returncode == -signal.SIGKILL
            answered |= {id for step, id in map(told, output.splitlines()) if step == "answer"}
        must_hold(path, answered)
    assert len(answered) >= 100


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_death_at_any_moment_loses_no_answer_that_was_sent(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite3"
    answered: set[str] = set()
    for lines in range(1, 60, 6):
        child = walk(path, "100000")
        child.stdin.write("go\n")
        child.stdin.flush()
        for _ in range(lines):
            step, question = told(child.stdout.readline())
            if step == "answer":
                answered.add(question)
        child.kill()
        rest = child.communicate(timeout=BOUND).splitlines(keepends=True)
        whole = [line for line in rest if line.endswith("\n")]
        answered |= {id for step, id in map(told, whole) if step == "answer"}
        must_hold(path, answered)
    assert answered


def test_ten_processes_at_once_lose_nothing_and_keep_one_chain(tmp_path: Path) -> None:
    path = tmp_path / "new" / "ledger.sqlite3"
    children = [walk(path, "30") for _ in range(10)]
    for child in children:
        child.stdin.write("go\n")
        child.stdin.close()
    sent: set[str] = set()
    for child in children:
        output = child.communicate(timeout=BOUND)
        assert child.returncode == 0
        sent |= {id for step, id in map(told, output.splitlines()) if step == "sent"}
    assert len(sent) == 300
    with closing(Ledger.open(path)) as ledger:
        found = ledger.verify()
        assert (found.ok, found.records) == (True, 900)
        rows = {row.id: row for row in ledger.rows()}
    assert rows.keys() == sent
    assert {row.state for row in rows.values()} == {"sent"}


def test_a_death_leaves_no_lock_behind(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite3"
    walk(path, "1", "asked").communicate("go\n", timeout=BOUND)
    with closing(Ledger.open(path)) as ledger:
        ledger.sent("question")
