"""Signals during the start, during a call and during a question: 130, and nothing left."""

from __future__ import annotations

import json
import signal

from tests.faults.console import QUESTION, Console
from tests.faults.row import Row, each
from tests.faults.stand import SECONDS, Stand, until
from tests.faults.terminal import Terminal

SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")


def rows(fault: str, done: str, saw: str, sent: str) -> tuple[Row, ...]:
    return tuple(
        Row(f"{name} {fault}", done, saw, sent, code=130, case=name.lower()) for name in SIGNALS
    )


@each(rows("during the start", "`call` on a server that hangs", "Interrupted.", "handshake"))
def test_a_signal_while_a_server_starts_ends_it(row: Row, stand: Stand) -> None:
    interrupted(stand, "hears_and_hangs", "handshake", row)


@each(
    rows(
        "during a call",
        "`call` of a tool that works on",
        "Interrupted.",
        "handshake, list, call",
    )
)
def test_a_signal_during_a_call_ends_it(row: Row, stand: Stand) -> None:
    interrupted(stand, "none", "handshake, list, call", row)


def interrupted(stand: Stand, fault: str, sent: str, row: Row) -> None:
    stand.faulty(fault)
    with stand.start("call", "faulty", "works", "--output", "json") as process:
        stand.pid()
        until(lambda: stand.sent() == sent, sent)
        process.send_signal(getattr(signal, row.case.upper()))
        data, told = process.communicate(timeout=SECONDS)
    document = json.loads(data)
    assert process.returncode == document["exitCode"] == row.code
    assert document["error"] == {"code": "interrupted", "message": row.saw}
    assert told.endswith(f"elicit-tui: {row.saw}\n")
    assert stand.sent().startswith(sent)
    stand.nothing_left()


@each(
    rows(
        "during a question of a call",
        "`call` with a form open",
        "Interrupted.",
        "cancel, by shutdown",
    )
)
def test_a_signal_during_an_inline_form_cancels_it_truthfully(row: Row, stand: Stand) -> None:
    stand.faulty()
    with Terminal(stand.command("call", "faulty", "question"), stand.environment) as terminal:
        terminal.shows(QUESTION)
        terminal.signal(signal.Signals[row.case.upper()])
        assert terminal.end() == row.code
        assert f"elicit-tui: {row.saw}" in terminal.everything
        assert terminal.as_it_was
    assert stand.outcomes() == [("cancel", "shutdown")]
    assert stand.sent().startswith("handshake, list, call, cancel")
    stand.nothing_left()


@each(
    rows(
        "during a question in the console",
        "the console with a form open",
        "the terminal as it was",
        "cancel, by shutdown",
    )
)
def test_a_signal_during_a_question_of_the_console_leaves(row: Row, stand: Stand) -> None:
    stand.faulty()
    with Console(stand) as console:
        console.shows("1 of 1 ready")
        console.call("faulty", "question")
        console.shows(QUESTION)
        console.signal(signal.Signals[row.case.upper()])
        assert console.end() == row.code
        assert "Traceback" not in console.everything
        assert console.as_it_was
    assert stand.outcomes() == [("cancel", "shutdown")]
    assert stand.sent().startswith("handshake, list, call, cancel")
    stand.nothing_left()
