from __future__ import annotations

import re
import shlex
import subprocess

from elicit_tui.cli.run_settings import demo_command
from tests.cli.terminal import Terminal
from tests.keys import LEAVE, SEND, TAB


def leave(terminal: Terminal) -> None:
    for _ in range(20):
        terminal.type(LEAVE)
        try:
            code = terminal.end(2)
        except subprocess.TimeoutExpired:  # the key came before the console was ready for it
            continue
        break
    assert code == 0, terminal.shown[-3000:]


def test_the_demo_opens_the_console_and_leaves_the_terminal_in_order() -> None:
    more = f"second={shlex.join(demo_command())}"
    with Terminal(["--with", more, "demo"], columns=100, lines=30) as terminal:
        terminal.wait_for("second")
        terminal.wait_for("book_table")
        leave(terminal)


def test_a_server_that_is_added_in_the_demo_is_there_at_once() -> None:
    with Terminal(["demo"], columns=140, lines=30) as terminal:
        terminal.wait_for("book_table")
        terminal.type("n")
        terminal.wait_for("what you call it by")
        for word in (shlex.join(demo_command()), TAB, "second"):
            terminal.type(word)
        terminal.wait_for("second")
        for turn in range(200):
            terminal.type(SEND if turn % 10 == 0 else "")  # One may come with what was pasted.
            # What is painted over differs in a few signs only; another width is painted whole.
            terminal.resize(141 + turn % 2, 30)
            terminal.read(0.2)
            if re.search(r"second +ready", terminal.shown):
                break
        else:
            raise AssertionError(terminal.shown[-3000:])
        leave(terminal)
