"""Ctrl+C and its like at every moment: outcomes are told, servers end, the exit code is 130."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.cli.running import COMMAND, DEMO, SECONDS, environment
from tests.cli.terminal import Terminal
from tests.keys import INTERRUPT


def start(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, "--with", DEMO, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_running_call_is_interrupted_in_order(number: signal.Signals) -> None:
    with start("call", "demo", "count_slowly", "steps=60", "--output", "jsonl") as process:
        assert process.stdout is not None
        while '"progress"' not in process.stdout.readline():
            pass
        process.send_signal(number)
        rest, told = process.communicate(timeout=SECONDS)
        last = json.loads(rest.splitlines()[-1])
        assert (last["event"], last["exitCode"]) == ("result", 130)
        assert last["error"]["code"] == "interrupted"
        assert process.returncode == 130
        assert "Traceback" not in told


def test_control_c_at_a_plain_prompt_cancels_by_shutdown(tmp_path: Path) -> None:
    file = tmp_path / "out.json"
    arguments = ["--with", DEMO, "call", "demo", "plan_trip", "--plain", "--output", "json"]
    with file.open("wb") as out, Terminal(arguments, stdout=out) as terminal:
        terminal.wait_for("\n> ")
        terminal.type(INTERRUPT)
        assert terminal.end() == 130
    document = json.loads(file.read_text())
    assert document["exitCode"] == 130
    assert [entry["action"] for entry in document["elicitations"]] == ["cancel", "cancel"]
    assert {entry["decidedBy"] for entry in document["elicitations"]} == {"shutdown"}


def test_no_server_process_is_left_behind(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    wrapper = tmp_path / "server.sh"
    demo = DEMO.removeprefix("demo=")
    wrapper.write_text(f"#!/bin/sh\necho $$ > {pid_file}\nexec {demo}\n")
    wrapper.chmod(0o755)
    process = subprocess.Popen(
        [*COMMAND, "--with", f"demo={wrapper}", "call", "demo", "count_slowly", "steps=60"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    with process:
        assert process.stderr is not None
        while "progress" not in process.stderr.readline():
            pass
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=SECONDS)
    server = int(pid_file.read_text())
    end = time.monotonic() + 5
    while time.monotonic() < end:
        try:
            os.kill(server, 0)
        except ProcessLookupError:
            return
    raise AssertionError(f"server process {server} is still there")


@pytest.mark.parametrize("plain", [True, False])
def test_a_request_to_end_reaches_a_run_whose_form_is_open(plain: bool, tmp_path: Path) -> None:
    file = tmp_path / "out.json"
    arguments = ["--with", DEMO, "call", "demo", "plan_trip", "--output", "json"]
    more = ["--plain"] if plain else []
    with file.open("wb") as out, Terminal([*arguments, *more], stdout=out) as terminal:
        terminal.wait_for("City")
        terminal.process.send_signal(signal.SIGTERM)
        assert terminal.end() == 130, terminal.shown
    document = json.loads(file.read_text())
    assert {entry["decidedBy"] for entry in document["elicitations"]} == {"shutdown"}


@pytest.mark.parametrize("plain", [True, False])
def test_a_terminal_that_goes_away_ends_the_run_truthfully(plain: bool, tmp_path: Path) -> None:
    file = tmp_path / "out.json"
    arguments = ["--with", DEMO, "call", "demo", "plan_trip", "--output", "json"]
    more = ["--plain"] if plain else []
    with file.open("wb") as out:
        terminal = Terminal([*arguments, *more], stdout=out)
        try:
            terminal.wait_for("City")
            terminal.hang_up()
            assert terminal.process.wait(SECONDS) == 130
        finally:
            terminal.process.kill()
            terminal.process.wait(SECONDS)
    document = json.loads(file.read_text())
    assert document["exitCode"] == 130
    assert {entry["decidedBy"] for entry in document["elicitations"]} <= {"shutdown", "nobody"}
    assert {entry["action"] for entry in document["elicitations"]} == {"cancel"}


def test_an_end_that_is_asked_for_once_more_after_all_was_told_writes_nothing_more() -> None:
    again = (
        "import os, signal; from elicit_tui.cli import interrupts; "
        "interrupts.raise_when_asked_to_end()\n"
        "with interrupts.Interrupts(): pass\n"
        "os.kill(os.getpid(), signal.SIGINT)"
    )
    ended = subprocess.run(
        [COMMAND[0], "-c", again], capture_output=True, timeout=SECONDS, env=environment()
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (-signal.SIGINT, b"", b"")
