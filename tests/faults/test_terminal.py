"""The terminal under a question: resized, suspended, hung up."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace

import pytest

from tests.faults.console import QUESTION, Console, console_on
from tests.faults.row import CALLED, Row, each, proves
from tests.faults.stand import SECONDS, Stand
from tests.faults.terminal import Terminal
from tests.keys import LEAVE, SEND

pytestmark = pytest.mark.skipif(shutil.which("sh") is None, reason="needs a shell")

ADA = 'accept {"name": "Ada"}'
TYPED = "name        Ada"
SUSPEND = "\x1a"
PROMPT = "ready>"
ANSWERED = {"sent": f"{CALLED}, accept", "ledger": "accept by user"}


def shell(stand: Stand, *arguments: str) -> Terminal:
    """An interactive shell, with the command of a run in the file `run.sh`."""
    script = stand.notes / "run.sh"
    script.write_text("exec " + " ".join(f"'{part}'" for part in stand.command(*arguments)) + "\n")
    environment = {**stand.environment, "PS1": f"{PROMPT} ", "ENV": ""}
    return Terminal(["/bin/sh", "-i"], environment)


def says(terminal: Terminal, command: str, words: str) -> None:
    """Give the shell a command at its prompt, and wait for a line that begins with these words.

    What is typed before the prompt may be thrown away by what runs, or be told in another place.
    """
    terminal.until(lambda: terminal.text.rstrip().endswith(PROMPT), "the prompt")
    terminal.type(f"{command}\n")
    terminal.until(lambda: f"\n{words}" in terminal.everything.replace("\r", ""), words)


@proves(
    Row(
        "the terminal is resized while a form is half filled in",
        "the form in each size, with what was typed",
        done="the console at 120x36, then 40x20, then 100x30; the form was sent",
        **ANSWERED,
    )
)
def test_a_form_of_the_console_stays_whatever_size_the_terminal_takes(stand: Stand) -> None:
    stand.faulty()
    with console_on(stand) as console:
        console.is_asked(typed="Ada")
        console.resize(40, 20)
        console.shows("Ada", "Send")
        console.resize(100, 30)
        console.shows("Ada", QUESTION, "^R Review")
        console.send()
        console.shows(ADA)
    assert stand.ledger() == "accept by user"


@each(
    (
        Row(
            "Ctrl+Z in an inline form, which cannot be suspended",
            "the form, as before",
            case="suspended",
            done="`call` with a form open; Ctrl+Z, then an answer",
            **ANSWERED,
        ),
        Row(
            "the terminal is resized while an inline form is half filled in",
            "the form in each size, with what was typed",
            case="resized",
            done="`call` at 120x36, then 60x24, then 100x30; the form was sent",
            **ANSWERED,
        ),
    )
)
def test_an_inline_form_stays(row: Row, stand: Stand) -> None:
    stand.faulty()
    with Terminal(stand.command("call", "faulty", "question"), stand.environment) as terminal:
        terminal.shows(QUESTION)
        if row.case == "suspended":
            terminal.type(SUSPEND)
        terminal.press_until("Ada", lambda: TYPED in terminal.text, "Ada")
        for size in ((60, 24), (100, 30)) if row.case == "resized" else ():
            terminal.resize(*size)
            terminal.shows("Ada", "Send")
        terminal.press_until(SEND, lambda: terminal.process.poll() is not None, "the sending")
        assert terminal.end() == 0
        assert terminal.as_it_was
    assert "Ada" in stand.received()[-1]["result"]["content"]["name"]
    stand.bears_out(row)


@proves(
    Row(
        "the console is suspended with Ctrl+Z and brought back with `fg`",
        "the shell's own screen and “Stopped”; after `fg` the console as it was",
        done="a shell; the console; Ctrl+Z, `stty -g`, `fg`, Ctrl+Q, `stty -g`",
        sent="handshake, list",
    )
)
def test_a_suspended_console_gives_the_terminal_back_and_takes_it_again(stand: Stand) -> None:
    stand.faulty()
    with shell(stand) as terminal:
        says(terminal, "stty -g > $HOME/before; echo noted", "noted")
        terminal.type(f"sh {stand.notes}/run.sh\n")
        terminal.shows("1 of 1 ready")
        terminal.type(SUSPEND)
        terminal.shows("Stopped")
        terminal.until(lambda: not terminal.screen.alternate, "the shell's screen")
        assert not terminal.screen.left_on
        says(terminal, "stty -g | cmp - $HOME/before && echo the-same", "the-same")
        terminal.type("fg\n")
        terminal.until(lambda: terminal.screen.alternate, "the console")
        terminal.shows("1 of 1 ready")
        terminal.type(LEAVE)
        terminal.until(lambda: not terminal.screen.alternate, "the shell's screen")
        says(terminal, "echo code-$?; stty -g | cmp - $HOME/before && echo as-it-was", "as-it-was")
        assert re.search(r"code-0\b", terminal.everything)
        terminal.type("exit\n")
        terminal.end()
    assert stand.sent() == "handshake, list"
    stand.nothing_left()


@proves(
    Row(
        "plain prompts are suspended with Ctrl+Z and brought back with `fg`",
        "“Stopped”; after `fg` the answer is taken",
        done="a shell; `call --plain`; Ctrl+Z, `fg`, an answer",
        **ANSWERED,
    )
)
def test_suspended_prompts_take_the_answer_after_fg(stand: Stand) -> None:
    stand.faulty()
    with shell(stand, "call", "faulty", "question", "--plain") as terminal:
        terminal.shows(PROMPT)
        terminal.type(f"sh {stand.notes}/run.sh\n")
        terminal.shows("Field 1 of 1")
        terminal.type(SUSPEND)
        terminal.shows("Stopped")
        terminal.type("fg\n")
        terminal.type("Ada\n")
        terminal.shows("/send")
        terminal.type("/send\n")
        terminal.shows(ADA)
        terminal.type("exit\n")
        terminal.end()
    assert (stand.sent(), stand.ledger()) == (f"{CALLED}, accept", "accept by user")
    stand.nothing_left()


def hung_up(what: str, case: str, done: str) -> Row:
    return Row(
        f"the terminal of {what} is hung up",
        "nothing any more",
        case=case,
        done=f"{done}; the terminal was closed",
        code=None,
        sent=f"{CALLED}, cancel, withdrawal",
        ledger="cancel by shutdown",
    )


@each(
    (
        hung_up("the console", "console", "a form half filled in"),
        hung_up("an inline form", "inline", "`call` with a form open"),
        replace(
            hung_up("the console", "working", "a call that works on, and no question"),
            sent=CALLED,
            ledger="",
        ),
        hung_up("plain prompts", "plain", "`call --plain` with a question open"),
    )
)
def test_a_terminal_that_is_gone_ends_the_run_truthfully(row: Row, stand: Stand) -> None:
    stand.faulty()
    plain = ("--plain",) if row.case == "plain" else ()
    if row.case in ("console", "working"):
        terminal: Terminal = Console(stand)
    else:
        terminal = Terminal(stand.command("call", "faulty", "question", *plain), stand.environment)
    with terminal:
        if isinstance(terminal, Console):
            terminal.shows("1 of 1 ready")
        if row.case == "working":
            terminal.call("faulty", "works")
            terminal.shows("at work")
        elif row.case == "console":
            terminal.is_asked(typed="Ada")
        else:
            terminal.shows("Field 1 of 1" if plain else QUESTION)
        terminal.hang_up()
        terminal.process.wait(SECONDS)
    stand.bears_out(row)


@proves(
    Row(
        "the console's terminal goes away, and no signal tells of it",
        "nothing",
        done="the console on a terminal that does not control it; the terminal is closed",
        sent="handshake, list",
    )
)
def test_a_console_whose_terminal_goes_away_without_a_word_ends_too(stand: Stand) -> None:
    stand.faulty()
    with Terminal(stand.command(), stand.environment, controls=False) as terminal:
        terminal.shows("1 of 1 ready")
        terminal.hang_up()
        terminal.process.wait(SECONDS)


WITHOUT_A_WORD = Row(
    "an inline form's terminal goes away, and no signal tells of it",
    "nothing",
    done="`call` with a form open on a terminal that does not control it; it is closed",
    code=None,
    sent=f"{CALLED}, cancel, withdrawal",
    ledger="cancel by shutdown",
)


@proves(WITHOUT_A_WORD)
def test_an_inline_form_whose_terminal_goes_away_without_a_word_ends_too(stand: Stand) -> None:
    stand.faulty()
    command = stand.command("call", "faulty", "question")
    with Terminal(command, stand.environment, controls=False) as terminal:
        terminal.shows(QUESTION)
        terminal.hang_up()
        terminal.process.wait(SECONDS)
    stand.bears_out(WITHOUT_A_WORD)
