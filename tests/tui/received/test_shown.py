"""What a server sent is shown as what it is, on a real terminal, however large or sly."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.tui.question.frame import NOT_HEARD
from tests.cli.running import COMMAND, environment
from tests.faults.console import Console
from tests.faults.stand import Stand
from tests.faults.terminal import Terminal
from tests.keys import ABOUT, DECLINE, END
from tests.tui.received.stand import SERVER

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")


def test_forty_fields_of_ten_thousand_choices_are_shown_as_they_came(tmp_path: Path) -> None:
    forms, notes = tmp_path / "forms.json", tmp_path / "received"
    choice: dict[str, Any] = {"type": "string", "enum": [f"choice {n}" for n in range(9_999)]}
    properties = {f"field{n}": choice for n in range(40)}
    asked = {"message": "Choose.", "requestedSchema": {"type": "object", "properties": properties}}
    forms.write_text(json.dumps({"ask": asked}))
    server = f"forms={sys.executable} {SERVER} {forms} {notes}"
    with Console(Stand(tmp_path), command=[*COMMAND, "--with", server]) as console:
        console.shows("1 of 1 ready")
        console.call("forms", "ask")
        console.shows("too large")
        open_about(console)
        console.press_until(END, lambda: "39 more" in console.text, "the mark of the rest")
        console.type("\x1b")
        console.shows("Decline")
        console.press_until(DECLINE, lambda: "Decline" not in console.text, "the end of it")
        assert console.leave() == 0


def open_about(console: Console) -> None:
    """Open the page of a question; its key closes it too, so it is pressed again only unheard."""
    heard = "Back"
    console.type(ABOUT)
    console.until(lambda: heard in console.text or NOT_HEARD in console.text, "a word to the key")
    if heard not in console.text:
        console.type(ABOUT)
        console.shows(heard)


def test_what_a_server_calls_itself_stays_in_its_quotation_marks(tmp_path: Path) -> None:
    """Blanks that look like the end of a word put none of our own words into its mouth."""
    blank = "\N{BRAILLE PATTERN BLANK}"
    own = {"name": "deploy", "version": f"1.0{blank}{blank}stdio:{blank}/usr/bin/x"}
    script, forms = tmp_path / "server.py", tmp_path / "forms.json"
    said = SERVER.read_text("utf-8").replace('{"name": "forms", "version": "0"}', repr(own))
    script.write_text(said, "utf-8")
    forms.write_text('{"ask": {"type": "object", "properties": {"name": {"type": "string"}}}}')
    server = f"forms={sys.executable} {script} {forms}"
    command = [*COMMAND, "--with", server, "call", "--plain", "forms", "ask"]
    with Terminal(command, environment(), columns=200) as terminal:
        terminal.shows("Field 1 of 1")
        assert 'calls itself "deploy", version "1.0 stdio: /usr/bin/x"' in terminal.text
        assert blank not in terminal.everything
        terminal.type("/cancel\n")
        assert terminal.end() == 0
