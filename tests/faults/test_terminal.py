"""The terminal under a question: resized, suspended, hung up."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.faults.console import QUESTION, SEND, Console
from tests.faults.row import Row, each, proves
from tests.faults.stand import Stand
from tests.faults.terminal import Terminal

pytestmark = pytest.mark.skipif(shutil.which("sh") is None, reason="needs a shell")

ADA = 'accept {"name": "Ada"}'
SUSPEND = "\x1a"
PROMPT = "ready> "


def shell(stand: Stand, *arguments: str) -> Terminal:
    """An interactive shell, with the command of a run in the variable `run`."""
    script = stand.notes / "run.sh"
    script.write_text("exec " + " ".join(f"'{part}'" for part in stand.command(*arguments)) + "\n")
    environment = {**stand.environment, "PS1": PROMPT, "ENV": ""}
    return Terminal(["/bin/sh", "-i"], environment)


@proves(
    Row(
        fault="the terminal is resized while a form is half filled in",
        done="the console at 120x36, then 40x20, then 100x30; the form was sent",
        saw="the form in each size, with what was typed",
        sent="accept, with the content",
        code=0,
    )
)
def test_a_form_stays_whatever_size_the_terminal_takes(stand: Stand) -> None:
    stand.faulty()
    with Console(stand) as console:
        console.shows("1 of 1 ready")
        console.call("faulty", "question")
        console.shows(QUESTION)
        console.fill("Ada")
        console.resize(40, 20)
        console.shows("Ada", "Send")
        console.resize(100, 30)
        console.shows("Ada", QUESTION)
        console.send()
        console.shows(ADA)
        assert console.leave() == 0
        assert console.as_it_was
    assert stand.outcomes() == [("accept", "user")]
    stand.nothing_left()


@proves(
    Row(
        fault="the console is suspended with Ctrl+Z and brought back with `fg`",
        done="a shell; the console with an open call; Ctrl+Z, `stty`, `fg`, Ctrl+Q",
        saw="the shell's own screen and “Stopped”; after `fg` the console as it was",
        sent="handshake, list, call",
        code=0,
    )
)
def test_a_suspended_console_gives_the_terminal_back_and_takes_it_again(stand: Stand) -> None:
    stand.faulty()
    with shell(stand) as terminal:
        terminal.shows(PROMPT.strip())
        terminal.type("stty -g > $HOME/before\n")
        terminal.type(f"sh {stand.notes}/run.sh\n")
        terminal.shows("1 of 1 ready")
        terminal.type(SUSPEND)
        terminal.shows("Stopped")
        terminal.until(lambda: not terminal.screen.alternate, "the shell's screen")
        assert not terminal.screen.left_on
        terminal.type("stty -g | cmp - $HOME/before && echo the-same\n")
        terminal.until(lambda: "\nthe-same" in terminal.everything.replace("\r", ""), "stty")
        terminal.type("fg\n")
        terminal.until(lambda: terminal.screen.alternate, "the console")
        terminal.shows("1 of 1 ready")
        terminal.type("\x11")
        terminal.until(lambda: not terminal.screen.alternate, "the shell's screen")
        terminal.type("echo code-$?; stty -g | cmp - $HOME/before && echo as-it-was\n")
        terminal.until(lambda: "\nas-it-was" in terminal.everything.replace("\r", ""), "stty")
        assert re.search(r"code-0\b", terminal.everything)
        terminal.type("exit\n")
        terminal.end()
    stand.nothing_left()


@proves(
    Row(
        fault="plain prompts are suspended with Ctrl+Z and brought back with `fg`",
        done="a shell; `call --plain`; Ctrl+Z, `fg`, an answer",
        saw="“Stopped”; after `fg` the answer is taken",
        sent="accept, with the content",
        code=0,
    )
)
def test_suspended_prompts_take_the_answer_after_fg(stand: Stand) -> None:
    stand.faulty()
    with shell(stand, "call", "faulty", "question", "--plain") as terminal:
        terminal.shows(PROMPT.strip())
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
    assert stand.outcomes() == [("accept", "user")]
    stand.nothing_left()


HANG_UPS = (
    Row(
        fault="the terminal of the console is hung up under a question",
        done="a form half filled in; the terminal was closed",
        saw="nothing any more",
        sent="cancel, by shutdown",
        case="console",
    ),
    Row(
        fault="the terminal of an inline form is hung up",
        done="`call` with a form open; the terminal was closed",
        saw="nothing any more",
        sent="cancel, by shutdown",
        case="inline",
    ),
    Row(
        fault="the terminal of plain prompts is hung up",
        done="`call --plain` with a question open; the terminal was closed",
        saw="nothing any more",
        sent="cancel, by shutdown",
        case="plain",
    ),
)


@each(HANG_UPS)
def test_a_terminal_that_is_gone_ends_the_run_truthfully(row: Row, stand: Stand) -> None:
    stand.faulty()
    call = ("call", "faulty", "question")
    if row.case == "console":
        terminal: Terminal = Console(stand)
    else:
        plain = ("--plain",) if row.case == "plain" else ()
        terminal = Terminal(stand.command(*call, *plain), stand.environment)
    with terminal:
        if isinstance(terminal, Console):
            terminal.shows("1 of 1 ready")
            terminal.call("faulty", "question")
        terminal.shows("Field 1 of 1" if row.case == "plain" else QUESTION)
        terminal.hang_up()
        terminal.process.wait(30)
    assert stand.outcomes() == [("cancel", "shutdown")]
    assert stand.sent().startswith("handshake, list, call, cancel")
    stand.nothing_left()


@proves(
    Row(
        fault="Ctrl+Z in an inline form, which cannot be suspended",
        done="`call` with a form open; Ctrl+Z, then an answer",
        saw="the form, as before",
        sent="accept, with the content",
        code=0,
    )
)
def test_an_inline_form_stays_when_control_z_is_pressed(stand: Stand, tmp_path: Path) -> None:
    stand.faulty()
    with Terminal(stand.command("call", "faulty", "question"), stand.environment) as terminal:
        terminal.shows(QUESTION)
        terminal.type(SUSPEND)
        terminal.press_until("Ada", lambda: "name        Ada" in terminal.text, "Ada")
        terminal.press_until(SEND, lambda: QUESTION not in terminal.text, "the sending")
        assert terminal.end() == 0
        assert terminal.as_it_was
    assert stand.outcomes() == [("accept", "user")]
    assert "Ada" in stand.received()[-1]["result"]["content"]["name"]
    stand.nothing_left()
