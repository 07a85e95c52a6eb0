"""The key "as last time" of a form under the prompt: it knows what was sent in earlier runs."""

from __future__ import annotations

from tests.cli.running import DEMO
from tests.cli.terminal import Terminal
from tests.cli.test_terminal import type_until
from tests.keys import SEND

CALL = ("--with", DEMO, "call", "demo", "change_mind", "seconds=60")
AS_LAST_TIME = "\x1b[19~"


def test_a_form_of_a_call_is_filled_in_as_an_earlier_call_was_answered() -> None:
    with Terminal(CALL, columns=100) as terminal:
        terminal.wait_for("not filled in")
        assert "F8" not in terminal.shown, "nothing was sent yet"
        type_until(terminal, "Rome", "ready to send")
        type_until(terminal, SEND, "✓ change_mind")
        assert terminal.end() == 0, terminal.shown
    with Terminal(CALL, columns=100) as terminal:
        terminal.wait_for("F8 As last time")
        type_until(terminal, AS_LAST_TIME, "filled in as last time")
        assert "Rome" in terminal.shown
        type_until(terminal, SEND, "✓ change_mind · city=Rome")
        assert terminal.end() == 0, terminal.shown
