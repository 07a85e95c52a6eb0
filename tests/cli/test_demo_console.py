from __future__ import annotations

import shlex
import subprocess

from elicit_tui.cli.run_settings import demo_command
from tests.cli.terminal import Terminal
from tests.keys import LEAVE


def test_the_demo_opens_the_console_and_leaves_the_terminal_in_order() -> None:
    more = f"second={shlex.join(demo_command())}"
    with Terminal(["--with", more, "demo"], columns=100, lines=30) as terminal:
        terminal.wait_for("second")
        terminal.wait_for("book_table")
        for _ in range(20):
            terminal.type(LEAVE)
            try:
                code = terminal.end(2)
            except subprocess.TimeoutExpired:  # the key came before the console was ready for it
                continue
            break
        assert code == 0, terminal.shown[-3000:]
