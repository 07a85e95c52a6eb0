"""`--record` on a disk that is full, and in a run that is killed: what was answered stays."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import environment, run
from tests.cli.terminal import Terminal

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits another process's files")

SERVER = f"rounds={sys.executable} {Path(__file__).with_name('three_rounds.py')}"
CALL = ("--with", SERVER, "call", "rounds", "three_rounds")


def recording(file: Path, *options: str) -> list[str]:
    return [*CALL, "--plain", "--record", str(file), *options]


def test_a_run_that_is_killed_keeps_what_was_answered_before(tmp_path: Path) -> None:
    file = tmp_path / "recorded.toml"
    with Terminal(recording(file)) as terminal:
        terminal.answer("\n> ", "Rome")
        terminal.answer("or /cancel: ", "/send")
        terminal.wait_for("\n> ")  # The next question is there.
        terminal.process.kill()
        terminal.process.wait(30)
    replay = run(*CALL, "--answers", str(file), "--output", "json")
    assert replay.code == 3
    first, second, *_ = replay.document["elicitations"]
    assert (first["action"], first["content"]) == ("accept", {"city": "Rome"})
    assert second["action"] == "cancel"


def test_a_full_disk_is_told_in_the_document_and_leaves_no_empty_file(tmp_path: Path) -> None:
    file = tmp_path / "recorded.toml"
    ours, theirs = os.pipe()
    with (
        os.fdopen(ours, "rb") as document,
        os.fdopen(theirs, "wb") as stdout,
        Terminal(recording(file, "--output", "json"), stdout=stdout) as terminal,
    ):
        terminal.wait_for("\n> ")
        nothing_more = (0, resource.RLIM_INFINITY)
        resource.prlimit(terminal.process.pid, resource.RLIMIT_FSIZE, nothing_more)
        # What is recorded nowhere may still be refused.
        terminal.type("/decline\n")
        assert terminal.end() == 2, terminal.shown
        stdout.close()
        told = json.loads(document.read())
        assert f"--record: {file} cannot be written" in " ".join(terminal.shown.split())
    assert told["exitCode"] == 2
    assert told["error"]["code"] == "usage"
    assert "0 of 1 answers recorded" in told["error"]["message"]
    assert told["result"]["content"][0]["text"] == "stopped"
    assert told["elicitations"][0]["action"] == "decline"
    assert not file.exists()


FULL_AFTER_ONE = """
import resource, sys
from pathlib import Path
from elicit_tui.broker import Resolved
from elicit_tui.cli.narration import Narration
from elicit_tui.cli.recording import Recording
from elicit_tui.elicitation import Review, accept
from tests.ledger.world import request

def answered(environment):
    content = {"environment": environment}
    return Resolved(request(), Review(), accept("user", "Sent.", content, via="plain"))

def at_most(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

path = Path(sys.argv[1])
recording = Recording.create(path)
recording.note_answer(answered("first"))
whole = path.stat().st_size
at_most(whole + 20)
recording.note_answer(answered("second"))
assert path.stat().st_size == whole, "a piece of an entry stands there"
if sys.argv[2] == "freed":
    at_most(resource.RLIM_INFINITY)
failure = recording.finish(Narration())
print(failure)
"""


@pytest.mark.parametrize(
    ("disk", "said", "kept"),
    [
        ("full", "1 of 2 answers recorded", ["first"]),
        ("freed", "None", ["first", "second"]),
    ],
)
def test_an_entry_stands_in_the_file_whole_or_not_at_all(
    tmp_path: Path, disk: str, said: str, kept: list[str]
) -> None:
    from elicit_tui.config import load_answers

    file = tmp_path / "recorded.toml"
    done = subprocess.run(
        [sys.executable, "-c", FULL_AFTER_ONE, str(file), disk],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=60,
        env=environment(),
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert said in done.stdout
    entries = load_answers(file)
    assert [(entry.content or {})["environment"] for entry in entries] == kept
