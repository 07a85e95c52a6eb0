"""A part of a screen that cannot be drawn: a question ends alone, and a terminal never hangs."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

from tests.faults.console import Console, console_on
from tests.faults.row import CALLED, Row, proves
from tests.faults.stand import Stand
from tests.faults.terminal import Terminal
from tests.keys import LATER

BROKEN = Path(__file__).with_name("broken.py")
MESSAGE = "elicit_tui.tui.question.seen_texts.TextRegion.compose"
PANE = "elicit_tui.tui.console.panels.activity.ActivityPane.compose"
WRONG = "ZeroDivisionError: broken ␛[31mon purpose (broken.py:"


def broken(stand: Stand, part: str, *arguments: str) -> list[str]:
    """The command line of a run in which this part cannot be drawn."""
    return [sys.executable, str(BROKEN), part, *stand.arguments(*arguments)]


CANCELLED = {"sent": f"{CALLED}, cancel", "ledger": "cancel by nobody"}


@proves(
    Row(
        "a question's message cannot be composed",
        "“It could not be shown here”; the other call's result",
        done="the console; the tool that asks was called, then another one",
        **CANCELLED,
    )
)
def test_a_question_that_cannot_be_shown_ends_and_the_console_goes_on(stand: Stand) -> None:
    stand.faulty()
    stand.faulty(name="steady")
    with console_on(stand, "2 of 2 ready", command=broken(stand, MESSAGE)) as console:
        console.call("faulty", "question")
        console.shows("It could not be shown here")
        console.call("steady", "echo")
        console.shows("here I am")
    assert (stand.sent(), stand.ledger()) == tuple(CANCELLED.values())


@proves(
    Row(
        "a question's message cannot be composed, inline",
        "“It could not be shown here”, with what went wrong and where",
        **CANCELLED,
    )
)
def test_an_inline_question_that_cannot_be_shown_is_cancelled(stand: Stand) -> None:
    stand.faulty()
    command = broken(stand, MESSAGE, "call", "faulty", "question")
    with Terminal(command, stand.environment) as terminal:
        assert terminal.end() == 0
        told = " ".join(terminal.everything.split())
        assert f"cancelled by nobody. It could not be shown here: {WRONG}" in told
        assert "Traceback" not in terminal.everything
        assert terminal.as_it_was
    assert (stand.sent(), stand.ledger()) == tuple(CANCELLED.values())
    stand.nothing_left()


BREAKS = Row(
    "a part of the console itself cannot be composed",
    "one sentence, with what went wrong and where",
    done="the console; a question was put off, then that part was opened",
    code=4,
    sent=f"{CALLED}, cancel, withdrawal",
    ledger="cancel by shutdown",
)


@proves(BREAKS)
def test_a_console_that_breaks_ends_its_questions_and_servers_in_order(stand: Stand) -> None:
    stand.faulty()
    with Console(stand, command=broken(stand, PANE)) as console:
        console.shows("1 of 1 ready")
        console.is_asked()
        console.press_until(LATER, lambda: "[2 Questions" in console.text, "the questions")
        console.press_until("4", lambda: console.process.poll() is not None, "the end")
        assert console.end() == BREAKS.code
        assert f"elicit-tui: The console broke ({WRONG}" in console.everything
        assert "Traceback" not in console.everything
        assert console.as_it_was
    stand.bears_out(BREAKS)


KEEPING = "elicit_tui.tui.console.kept_calls.KeptCalls._add"
UNKEPT = Row(
    "what keeps a call for the next run breaks while the console is being left",
    "one sentence, with what went wrong and where",
    done="the console; left with SIGTERM while a call runs",
    code=4,
)


@proves(UNKEPT)
def test_what_could_not_be_kept_when_the_console_is_gone_is_told_and_is_its_exit_code(
    stand: Stand,
) -> None:
    stand.faulty()
    with Console(stand, command=broken(stand, KEEPING)) as console:
        console.shows("1 of 1 ready")
        console.call("faulty", "exits_when_told")
        console.until(lambda: stand.sent() == CALLED, "the call")
        console.signal(signal.SIGTERM)
        assert console.end() == UNKEPT.code
        told = " ".join(console.everything.split())
        assert f"elicit-tui: Something could not be kept for the next run ({WRONG}" in told
        assert "Traceback" not in console.everything
        assert console.as_it_was
    stand.bears_out(UNKEPT)
