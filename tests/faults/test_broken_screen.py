"""A part of a screen that cannot be drawn: a question ends alone, and a terminal never hangs."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.faults.console import LATER, QUESTION, Console
from tests.faults.row import Row, proves
from tests.faults.stand import Stand
from tests.faults.terminal import Terminal

BROKEN = Path(__file__).with_name("broken.py")
MESSAGE = "elicit_tui.tui.question.regions.Region.compose"
PANE = "elicit_tui.tui.console.panels.activity.ActivityPane.compose"
WRONG = "ZeroDivisionError: broken ␛[31mon purpose (broken.py:"


def broken(stand: Stand, part: str, *arguments: str) -> list[str]:
    """The command line of a run in which this part cannot be drawn."""
    return [sys.executable, str(BROKEN), part, *stand.arguments(*arguments)]


@proves(
    Row(
        fault="a question's message cannot be composed",
        done="the console; the tool that asks was called, then another one",
        saw="“It could not be shown here”; the other call's result",
        sent="cancel, by nobody",
        code=0,
    )
)
def test_a_question_that_cannot_be_shown_ends_and_the_console_goes_on(stand: Stand) -> None:
    stand.faulty()
    stand.faulty(name="steady")
    with Console(stand, command=broken(stand, MESSAGE)) as console:
        console.shows("2 of 2 ready")
        console.call("faulty", "question")
        console.shows("It could not be shown here")
        console.call("steady", "echo")
        console.shows("here I am")
        assert console.leave() == 0
        assert console.as_it_was
        assert "Traceback" not in console.everything
    assert stand.outcomes() == [("cancel", "nobody")]
    assert stand.sent() == "handshake, list, call, cancel"
    stand.nothing_left()


@proves(
    Row(
        fault="a question's message cannot be composed, inline",
        done="`call`",
        saw="“It could not be shown here”, with what went wrong and where",
        sent="cancel, by nobody",
        code=0,
    )
)
def test_an_inline_question_that_cannot_be_shown_is_cancelled(stand: Stand) -> None:
    stand.faulty()
    command = broken(stand, MESSAGE, "call", "faulty", "question")
    with Terminal(command, stand.environment) as terminal:
        assert terminal.end() == 0
        assert f"cancelled by nobody. It could not be shown here: {WRONG}" in terminal.everything
        assert "Traceback" not in terminal.everything
        assert terminal.as_it_was
    assert stand.outcomes() == [("cancel", "nobody")]
    assert stand.sent() == "handshake, list, call, cancel"
    stand.nothing_left()


@proves(
    Row(
        fault="a part of the console itself cannot be composed",
        done="the console; a question was put off, then that part was opened",
        saw="one sentence, with what went wrong and where",
        sent="cancel, by shutdown",
        code=4,
    )
)
def test_a_console_that_breaks_ends_its_questions_and_servers_in_order(stand: Stand) -> None:
    stand.faulty()
    with Console(stand, command=broken(stand, PANE)) as console:
        console.shows("1 of 1 ready")
        console.call("faulty", "question")
        console.shows(QUESTION)
        console.press_until(LATER, lambda: "[Questions]" in console.text, "the questions")
        console.press_until("4", lambda: console.process.poll() is not None, "the end")
        assert console.end() == 4
        assert f"elicit-tui: The console broke ({WRONG}" in console.everything
        assert "Traceback" not in console.everything
        assert console.as_it_was
    assert stand.outcomes() == [("cancel", "shutdown")]
    assert stand.sent().startswith("handshake, list, call, cancel")
    stand.nothing_left()
