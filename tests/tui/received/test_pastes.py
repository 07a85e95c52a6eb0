"""A paste is text: whatever it holds, it sends nothing, on a real terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from tests.cli.running import COMMAND, environment
from tests.faults.console import Console
from tests.faults.stand import Stand
from tests.faults.terminal import Terminal
from tests.tui.received.spellings import TEXT
from tests.tui.received.stand import SERVER

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")

BEGINS, ENDS, SEND, ANYWAY, REVIEW, DECLINE = (
    "\x1b[200~",
    "\x1b[201~",
    "\x13",
    "\x19",
    "\x12",
    "\x0e",
)
ENDS_ITSELF: Final = f"{BEGINS}bob\n{SEND}\n{ENDS}{SEND}{ANYWAY}\r{DECLINE}\x1b[<0;5;5M{ENDS}"
"""As a terminal hands on a text that holds the mark of a paste's end."""
HOLDS_ESCAPES: Final = f"\x15{BEGINS}\x1b{'e' * 40}{SEND}\x1b[31m{ENDS}"
"""Text with an escape that begins no sequence, and one that does."""

NOT_OBEYED: Final = "A key that came with the paste was not obeyed."
FORM: Final = {
    "message": "Confirm deletion. Delete production?",
    "requestedSchema": {"type": "object", "properties": {"name": TEXT}},
}


@contextmanager
def under_the_prompt(tmp_path: Path, server: str) -> Iterator[Terminal]:
    command = [*COMMAND, "--with", server, "call", "forms", "ask"]
    with Terminal(command, environment()) as terminal:
        yield terminal
        assert terminal.end() == 0, terminal.text


@contextmanager
def in_the_console(tmp_path: Path, server: str) -> Iterator[Terminal]:
    with Console(Stand(tmp_path), command=[*COMMAND, "--with", server]) as console:
        console.shows("1 of 1 ready")
        console.call("forms", "ask")
        yield console
        console.until(lambda: "◐" not in console.text, "the end of the call")
        assert console.leave() == 0


@pytest.mark.parametrize("face", [under_the_prompt, in_the_console])
def test_no_page_of_a_question_obeys_a_key_that_comes_with_a_paste(
    tmp_path: Path, face: Any
) -> None:
    forms, notes = tmp_path / "forms.json", tmp_path / "received"
    forms.write_text(json.dumps({"ask": FORM}))
    with face(tmp_path, f"forms={sys.executable} {SERVER} {forms} {notes}") as terminal:
        terminal.shows("Review")
        terminal.press_until("\x15Ada", lambda: " Ada " in terminal.text, "a first answer")
        terminal.press_until(
            ENDS_ITSELF, lambda: NOT_OBEYED in terminal.text, "the paste's refusal"
        )
        terminal.shows(" Adabob")
        assert not notes.exists()
        terminal.press_until(
            HOLDS_ESCAPES, lambda: "control characters were left out" in terminal.text, "the sign"
        )
        terminal.shows("eee[31m")
        terminal.press_until("\x15Ada", lambda: " Ada " in terminal.text, "the answer")
        # The JSON of the review may stand beside the form, too, and a moment behind it.
        terminal.press_until(REVIEW, lambda: "Back" in terminal.text, "the review")
        terminal.shows('"name": "Ada"')
        terminal.press_until(
            ENDS_ITSELF, lambda: NOT_OBEYED in terminal.text, "the paste's refusal"
        )
        terminal.press_until(SEND, lambda: "^Y" in terminal.text, "the second step")
        terminal.press_until(
            ENDS_ITSELF, lambda: NOT_OBEYED in terminal.text, "the paste's refusal"
        )
        assert not notes.exists(), notes.read_text()
        terminal.press_until(ANYWAY, notes.exists, "the sending")
    (received,) = map(json.loads, notes.read_text().splitlines())
    assert received["content"] == {"name": "Ada"}


def unwrapped(terminal: Terminal) -> str:
    """The screen's words in one line, without the frame around them."""
    return " ".join(terminal.text.replace("│", " ").split())


def test_control_characters_of_a_paste_reach_no_value(tmp_path: Path) -> None:
    forms, notes = tmp_path / "forms.json", tmp_path / "received"
    forms.write_text(json.dumps({"ask": {"type": "object", "properties": {"name": TEXT}}}))
    server = f"forms={sys.executable} {SERVER} {forms} {notes}"
    with under_the_prompt(tmp_path, server) as terminal:
        terminal.shows("Review")
        paste = f"{BEGINS}a\x1b[2Jb\x07\tc{SEND}\nd\x9be{ENDS}"
        terminal.press_until("\x15Ada", lambda: " Ada " in terminal.text, "a first answer")
        said = "4 control characters were left out of what you entered."
        terminal.press_until(f"\x15{paste}", lambda: said in unwrapped(terminal), "the sign")
        terminal.shows(" a[2Jb   c ", " de ")
        terminal.press_until(SEND, notes.exists, "the sending")
    received = json.loads(notes.read_text())
    assert received["content"] == {"name": "a[2Jb\tc\nde"}
