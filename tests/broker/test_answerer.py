"""Who may answer: a person at a terminal of their own, and no process of an agent that waits."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from elicit_tui.broker.answerer import BELOW_AN_AGENT, NO_TERMINAL

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sessions of POSIX")

ROOT = Path(__file__).parents[2]
BOUND = 60.0

SHOW = """
import json, os, sys
from dataclasses import asdict
from elicit_tui.broker.answerer import refusal, this_process
asking = [int(sys.argv[1])]
lifted = len(sys.argv) > 2
print(json.dumps({"refusal": refusal(asking, without_terminal=lifted), **asdict(this_process())}))
"""
PYTHON = f"{sys.executable} -c '{SHOW}'"


def in_a_session(script: str, *, terminal: bool = True) -> dict[str, object]:
    """What `script` prints, a shell script that leads a session of its own on a new terminal."""
    if not terminal:
        return _printed(subprocess.PIPE, script)
    master, slave = os.openpty()
    try:
        return _printed(slave, script)
    finally:
        os.close(slave)
        os.close(master)


def _printed(terminal: int, script: str) -> dict[str, object]:
    done = subprocess.run(
        ["/bin/sh", "-c", script],
        cwd=ROOT,
        stdin=terminal if terminal != subprocess.PIPE else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=terminal,
        text=True,
        timeout=BOUND,
        check=False,
        start_new_session=True,
    )
    shown: dict[str, object] = json.loads(done.stdout)
    return shown


def test_a_person_at_a_terminal_of_their_own_may_answer() -> None:
    shown = in_a_session(f"{PYTHON} {os.getpid()}; true")
    assert shown["refusal"] is None
    assert str(shown["terminal"]).startswith(("pts/", "tty"))
    assert shown["user"]
    assert shown["machine"]
    names = [str(process).partition(" ")[2] for process in shown["ancestry"]]  # type: ignore[attr-defined]
    assert len(names) == 2
    assert names[0].startswith("python")
    assert names[1] in ("sh", "dash", "bash")


def test_without_a_terminal_nobody_answers_unless_the_owner_lifts_that() -> None:
    refused = in_a_session(f"{PYTHON} {os.getpid()}; true", terminal=False)
    assert refused["refusal"] == NO_TERMINAL
    lifted = in_a_session(f"{PYTHON} {os.getpid()} lifted; true", terminal=False)
    assert lifted["refusal"] is None
    assert lifted["terminal"] is None


def test_a_child_of_who_asks_does_not_answer() -> None:
    shown = in_a_session(f"{PYTHON} $$; true")
    assert shown["refusal"] == BELOW_AN_AGENT


def test_a_process_beside_who_asks_below_the_same_shell_does_not_answer() -> None:
    shown = in_a_session(f"sleep 30 & ASKER=$!; {PYTHON} $ASKER; kill $ASKER")
    assert shown["refusal"] == BELOW_AN_AGENT


def test_lifting_the_terminal_lifts_nothing_else() -> None:
    shown = in_a_session(f"{PYTHON} $$ lifted; true", terminal=False)
    assert shown["refusal"] == BELOW_AN_AGENT


def test_who_asked_and_has_ended_is_in_nobodys_way() -> None:
    shown = in_a_session(f"sleep 0 & ASKER=$!; wait; {PYTHON} $ASKER; true")
    assert shown["refusal"] is None


@pytest.mark.skipif(sys.platform != "linux", reason="setsid as a program")
def test_a_session_of_its_own_gets_past_it_as_the_readme_says() -> None:
    shown = in_a_session(f"sleep 30 & ASKER=$!; setsid -w {PYTHON} $ASKER; kill $ASKER")
    assert shown["refusal"] is None
