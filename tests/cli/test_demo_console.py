from __future__ import annotations

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
        for word in ("second", TAB, shlex.join(demo_command())):
            terminal.type(word)
        terminal.wait_for("__main__.py")
        for turn in range(20):
            terminal.type(SEND)
            # What is painted over differs in a few signs only; another width is painted whole.
            terminal.resize(141 + turn % 2, 30)
            try:
                terminal.wait_for("2 of 2 ready", 2)
            except AssertionError:  # the key came with what was pasted
                continue
            break
        else:
            terminal.wait_for("2 of 2 ready")
        leave(terminal)
