"""A request of any size is looked at as it came without a wait, on a real terminal."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from tests.cli.running import COMMAND
from tests.faults.console import Console
from tests.faults.stand import Stand
from tests.tui.received.stand import SERVER

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")

ABOUT: Final = "\x1bOQ"
"""F2, as a terminal sends it."""
END: Final = "\x1b[F"
DECLINE: Final = "\x0e"


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
        console.press_until(ABOUT, lambda: "Back" in console.text, "what is known of it")
        console.press_until(END, lambda: "39 more" in console.text, "the mark of the rest")
        console.type("\x1b")
        console.shows("Decline")
        console.press_until(DECLINE, lambda: "Decline" not in console.text, "the end of it")
        assert console.leave() == 0
