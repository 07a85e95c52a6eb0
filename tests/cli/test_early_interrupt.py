"""A request to end before anything is connected: 130, and the document that was asked for."""

from __future__ import annotations

import contextlib
import itertools
import json
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.cli.running import COMMAND, DEMO, SECONDS, Ended, environment, run, run_program

PROGRAM = """
import os, sys

class Asking:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[1]:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), int(sys.argv[2]))

sys.meta_path.insert(0, Asking())
from elicit_tui.cli import run
sys.exit(run(sys.argv[3:]))
"""
"""The command line in a process that is asked to end in the moment in which it loads a module."""

ENDING = itertools.cycle((signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
MOMENTS = [
    (module, next(ENDING))
    for module in (
        "elicit_tui.cli.dispatch",
        "elicit_tui.cli.parser",
        "argparse",
        "elicit_tui.cli.call",
        "elicit_tui.cli.arguments",
        "elicit_tui.cli.own_terminal",
        "elicit_tui.config",
        "elicit_tui.config.loading",
        "elicit_tui.host.launch",
        "subprocess",
        "elicit_tui.cli.one_call",
        "asyncio",
        "elicit_tui.broker",
        "elicit_tui.cli.report",
        "elicit_tui.runtime",
        "elicit_tui.ledger",
        "mcp",
        "elicit_tui.host.session",
    )
]
"""Of all that a call loads, in the order in which it does."""


def asked_to_end(
    moment: str, number: signal.Signals, *arguments: str, ignoring: bool = False
) -> Ended:
    """Run the command; the signal comes while `moment` is loaded."""
    ignore = (lambda: signal.signal(number, signal.SIG_IGN)) if ignoring else None
    command = (moment, str(int(number)), "--with", DEMO, *arguments)
    return run_program(PROGRAM, *command, preexec_fn=ignore)


@pytest.mark.parametrize(("moment", "number"), MOMENTS, ids=lambda value: str(value))
def test_the_document_is_there_whenever_the_end_is_asked_for(
    moment: str, number: signal.Signals
) -> None:
    ended = asked_to_end(moment, number, "call", "demo", "book_table", "--output", "json")
    assert ended.code == 130, ended.stderr
    assert ended.document == {
        "server": "demo",
        "tool": "book_table",
        "protocolVersion": None,
        "result": None,
        "elicitations": [],
        "error": {"code": "interrupted", "message": "Interrupted."},
        "exitCode": 130,
    }
    assert ended.stderr == "elicit-tui: Interrupted.\n"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("call", "demo", "book_table", "--output", "jsonl"), ("tool", "book_table")),
        (("prompt", "demo", "greet", "--output", "jsonl"), ("prompt", "greet")),
        (("read", "demo", "demo://x", "--output", "jsonl"), ("uri", "demo://x")),
    ],
    ids=lambda value: value[0],
)
def test_the_last_event_is_there_too(arguments: tuple[str, ...], told: tuple[str, str]) -> None:
    ended = asked_to_end("elicit_tui.config", signal.SIGTERM, *arguments)
    (event,) = ended.events
    assert (event["event"], event["exitCode"]) == ("result", 130)
    assert event[told[0]] == told[1]
    assert ended.code == 130


@pytest.mark.parametrize("moment", ["argparse", "elicit_tui.text.neutral"])
@pytest.mark.parametrize("command", ["test", "lint", "check"])
def test_every_document_says_that_the_end_was_asked_for(
    tmp_path: Path, command: str, moment: str
) -> None:
    report, file = tmp_path / "junit.xml", str(tmp_path / "none.toml")
    report.write_text("of the last run")
    more = ("--junit", str(report)) if command == "test" else ()
    ended = asked_to_end(moment, next(ENDING), command, file, "--output", "json", *more)
    assert ended.code == 130, ended.stderr
    assert ended.stderr == "elicit-tui: Interrupted.\n"
    assert "Interrupted." in json.dumps(ended.document)
    assert not more or 'message="Interrupted."' in report.read_text()


@pytest.mark.parametrize(
    "arguments",
    [("call", "demo", "book_table"), ("tools", "--output", "json"), ("call", "demo")],
    ids=" ".join,
)
def test_no_data_is_made_up_where_none_was_asked_for(arguments: tuple[str, ...]) -> None:
    ended = asked_to_end("elicit_tui.cli.parser", signal.SIGINT, *arguments)
    assert (ended.code, ended.stdout) == (130, "")
    assert ended.stderr == "elicit-tui: Interrupted.\n"


def test_a_wait_for_arguments_on_standard_input_can_be_ended() -> None:
    command = [*COMMAND, "--with", DEMO, "call", "demo", "book_table", "--output", "json"]
    with subprocess.Popen(
        [*command, "--arguments", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    ) as process:
        assert process.stdin is not None
        # More than a pipe holds: once it is written, it is being read.
        process.stdin.write(b" " * 1_000_000)
        end = time.monotonic() + SECONDS
        while process.poll() is None and time.monotonic() < end:
            # Between two reads Python does not look; so a person presses it again.
            process.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.1)
        assert process.returncode == 130
        assert process.stdout is not None
        assert json.loads(process.stdout.read())["error"]["code"] == "interrupted"


def test_what_a_run_was_started_to_ignore_does_not_end_it() -> None:
    arguments = ("call", "demo", "book_table", "--output", "json")
    for moment in ("elicit_tui.config", "elicit_tui.host.session"):
        ended = asked_to_end(moment, signal.SIGHUP, *arguments, ignoring=True)
        assert ended.code == 0, ended.stderr
        assert ended.document["result"]["structuredContent"] == {"booked": False}


def test_a_server_that_ends_the_run_which_starts_it_gets_a_document_too() -> None:
    server = "hostile=/bin/sh -c 'kill -TERM $PPID; exec sleep 600'"
    ended = run("--with", server, "call", "hostile", "anything", "--output", "json")
    assert ended.code == 130, ended.stderr
    assert ended.document["error"] == {"code": "interrupted", "message": "Interrupted."}
