"""The key that sends, pressed once more behind a form: nobody has it, not even the shell."""

from __future__ import annotations

import os
import sys
import termios
from collections.abc import Iterator
from typing import Any, cast

import pytest

from elicit_tui.cli.asking import InlineForms
from elicit_tui.cli.narration import Narration
from elicit_tui.cli.output import Output
from elicit_tui.cli.own_terminal import flow_control_off
from elicit_tui.elicitation import Deadline, Queue
from elicit_tui.elicitation.settings import Settings
from tests.keys import SEND
from tests.tui.question.asking import form_question, schema

pytestmark = pytest.mark.anyio


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Where a person types who is at the terminal on standard input."""
    typed_into, theirs = os.openpty()
    with os.fdopen(theirs, "r") as terminal:
        monkeypatch.setattr(sys, "stdin", terminal)
        yield typed_into
    os.close(typed_into)


class Form:
    """A form that somebody sends at once."""

    async def respond(self, *asked: Any) -> str:
        return "sent"


async def test_the_key_that_sends_pressed_again_behind_the_form_is_for_nobody(keys: int) -> None:
    before = termios.tcgetattr(sys.stdin)
    forms = InlineForms(Settings(), Queue(), Narration(), Output(), lambda: None)
    forms._inner = cast(Any, Form())
    with flow_control_off():
        assert cast(Any, await forms.respond(form_question(schema()), Deadline(60))) == "sent"
        os.write(keys, f"{SEND}{SEND}ls\n".encode())
        # What a terminal has in line for whoever reads next: first one line, then nothing of it.
        assert sys.stdin.readline() == "ls\n"
    assert termios.tcgetattr(sys.stdin) == before


async def test_before_a_form_the_word_that_stands_before_that_key_stays(keys: int) -> None:
    with flow_control_off():
        os.write(keys, f"Lisbon{SEND}\n".encode())
        assert sys.stdin.readline() == f"Lisbon{SEND}\n"
