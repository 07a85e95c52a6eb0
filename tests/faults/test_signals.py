"""Signals during the start, during a call and during a question: 130, and nothing left."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from tests.faults.console import QUESTION, Console
from tests.faults.row import CALLED, Row, each
from tests.faults.stand import SECONDS, Stand, until
from tests.faults.terminal import Terminal

SAID = "Interrupted."
QUESTIONS = ("Field 1 of 1", QUESTION)


def by_each_signal(row: Row) -> Iterator[Row]:
    """The same row for each signal that asks a run to end."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        yield replace(row, fault=f"{name} {row.fault}", case=name.lower(), code=130)


def number(row: Row) -> signal.Signals:
    return signal.Signals[row.case.upper()]


@each(
    by_each_signal(
        Row("during the start", SAID, done="`call` on a server that hangs", sent="handshake")
    )
)
def test_a_signal_while_a_server_starts_ends_it(row: Row, stand: Stand) -> None:
    stand.faulty("hears_and_hangs")
    interrupted(row, stand, "handshake")


@each(
    by_each_signal(
        Row(
            "during a call",
            SAID,
            done="`call` of a tool that works on",
        )
    )
)
def test_a_signal_during_a_call_ends_it(row: Row, stand: Stand) -> None:
    stand.faulty()
    interrupted(row, stand, CALLED)


def interrupted(row: Row, stand: Stand, sent: str) -> None:
    with stand.start("call", "faulty", "works", "--output", "json") as process:
        until(lambda: stand.sent() == sent, sent)
        process.send_signal(number(row))
        data, told = process.communicate(timeout=SECONDS)
    document = json.loads(data)
    assert process.returncode == document["exitCode"] == row.code
    assert document["error"] == {"code": "interrupted", "message": row.saw}
    assert told.endswith(f"elicit-tui: {row.saw}\n")
    stand.bears_out(row)


@contextmanager
def asked(stand: Stand, *how: str) -> Iterator[Terminal]:
    """A run on a terminal with its question open: `call` with these options, else the console."""
    stand.faulty()
    if how:
        command = stand.command("call", "faulty", "question", *how)
        with Terminal(command, stand.environment) as terminal:
            terminal.until(lambda: any(words in terminal.text for words in QUESTIONS), "the form")
            yield terminal
    else:
        with Console(stand) as console:
            console.shows("1 of 1 ready")
            console.is_asked()
            yield console


def asked_when(where: str, saw: str = SAID) -> tuple[Row, ...]:
    row = Row("during a question", saw, done=where, ledger="cancel by shutdown")
    return tuple(by_each_signal(replace(row, sent=f"{CALLED}, cancel, withdrawal")))


def ends_in_order(row: Row, stand: Stand, *how: str) -> None:
    with asked(stand, *how) as terminal:
        terminal.signal(number(row))
        assert terminal.end() == row.code
        assert "Traceback" not in terminal.everything
        assert not how or f"elicit-tui: {row.saw}" in terminal.everything
        assert terminal.as_it_was
    stand.bears_out(row)


@each(asked_when("`call` with a form open"))
def test_a_signal_during_an_inline_form_cancels_it_truthfully(row: Row, stand: Stand) -> None:
    ends_in_order(row, stand, "--output", "text")


@each(asked_when("`call --plain` with a prompt open"))
def test_a_signal_during_plain_prompts_cancels_them_truthfully(row: Row, stand: Stand) -> None:
    ends_in_order(row, stand, "--plain")


@each(
    (
        Row(
            "SIGINT during a question of a server that asks round after round (2026-07-28)",
            SAID,
            done="`call` with a form open",
            case="asks_round_after_round",
            code=130,
            sent="discovery, list, call, call",
            ledger="cancel by shutdown",
            keys={"protocol": "2026-07-28"},
        ),
    )
)
def test_a_signal_is_answered_to_a_round_once_and_the_tool_is_not_called_again(
    row: Row, stand: Stand
) -> None:
    stand.faulty("modern", **row.keys)
    command = stand.command("call", "faulty", row.case, "--output", "text")
    with Terminal(command, stand.environment) as terminal:
        terminal.until(lambda: any(words in terminal.text for words in QUESTIONS), "the form")
        terminal.signal(signal.SIGINT)
        assert terminal.end() == row.code
        assert f"elicit-tui: {row.saw}" in terminal.everything
    # Whether the server answered the refusals before it heard of the end is its own affair.
    assert stand.sent().removesuffix(", withdrawal") == row.sent
    assert stand.ledger() == row.ledger
    stand.nothing_left()


@each(asked_when("the console with a form open", "the shell's screen again"))
def test_a_signal_during_a_question_of_the_console_leaves(row: Row, stand: Stand) -> None:
    ends_in_order(row, stand)
