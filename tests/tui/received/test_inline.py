"""The form under the prompt of `elicit-tui call`, typed into as a person does."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import COMMAND, environment
from tests.faults.terminal import Terminal
from tests.tui.received.spellings import (
    BIG,
    EVERYTHING,
    EVERYTHING_CONTENT,
    EVERYTHING_KEYS,
    FAMILY,
    TEXT,
)
from tests.tui.received.stand import SERVER

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")

SENT = {"space": " ", "tab": "\t", "right": "\x1b[C", "ctrl+u": "\x15", "ctrl+e": "\x05"}
KEPT = {
    "type": "object",
    "properties": {
        "text": TEXT,
        "kept": {**TEXT, "default": "x"},
        "cleared": {**TEXT, "default": "x"},
        "empty": TEXT,
        "joined": TEXT,
        "untouched": {"type": "boolean"},
        "zero": {"type": "integer", "default": 0},
        "big": {"type": "integer", "default": BIG},
    },
}


@pytest.mark.parametrize(
    ("schema", "keys", "content"),
    [
        pytest.param(EVERYTHING, EVERYTHING_KEYS[3:], EVERYTHING_CONTENT, id="every kind"),
        pytest.param(
            KEPT,
            ("tab", "tab", "ctrl+u", "tab", "ctrl+e", "tab", *FAMILY),
            {"text": "Ada", "kept": "x", "empty": "", "joined": FAMILY, "zero": 0, "big": BIG},
            id="kept, cleared, empty, untouched",
        ),
    ],
)
def test_the_server_receives_what_was_typed_under_the_prompt(
    tmp_path: Path, schema: dict[str, Any], keys: tuple[str, ...], content: dict[str, Any]
) -> None:
    forms, file = tmp_path / "forms.json", tmp_path / "out.json"
    forms.write_text(json.dumps({"ask": schema}))
    server = f"forms={sys.executable} {SERVER} {forms}"
    arguments = ["--with", server, "call", "forms", "ask", "--output", "json"]
    command = [*COMMAND, *arguments]
    with file.open("wb") as out, Terminal(command, environment(), stdout=out) as terminal:
        terminal.shows("Review")
        # Typed before it can be seen it would be thrown away, so until it stands there.
        terminal.press_until("\x15Ada", lambda: " Ada " in terminal.text, "the first answer")
        terminal.type("".join(SENT.get(key, key) for key in keys))
        terminal.shows("ready to send")
        terminal.press_until("\x13", lambda: "✓ ask · " in terminal.text, "the sending")
        assert terminal.end() == 0, terminal.text
    received = json.loads(json.loads(file.read_text())["result"]["content"][0]["text"])
    assert received["action"] == "accept"
    assert json.dumps(received["content"]) == json.dumps(content)


def test_what_is_typed_on_blindly_reaches_no_second_question(tmp_path: Path) -> None:
    forms, file = tmp_path / "forms.json", tmp_path / "out.json"
    forms.write_text(json.dumps({"twice": {"type": "object", "properties": {"city": TEXT}}}))
    server = f"forms={sys.executable} {SERVER} {forms}"
    command = [*COMMAND, "--with", server, "call", "forms", "twice", "--output", "json"]
    with file.open("wb") as out, Terminal(command, environment(), stdout=out) as terminal:
        terminal.shows("This is twice.", "Review")
        terminal.press_until("\x15Rome", lambda: " Rome " in terminal.text, "the first answer")
        # A send that comes while the form is deaf does nothing, so it is pressed until it does;
        # what stands behind it in the same burst is for nobody.
        terminal.press_until(
            "\x13mD\x13\x0e\x13", lambda: "And again?" in terminal.text, "the second question"
        )
        terminal.shows("unset")
        terminal.press_until("\x0e", lambda: "✗ twice · declined" in terminal.text, "the refusal")
        assert terminal.end() == 0, terminal.text
    first, second = json.loads(json.loads(file.read_text())["result"]["content"][0]["text"])
    assert first["action"] == "accept"
    assert first["content"]["city"].startswith("Rome")
    assert (second["action"], "content" in second) == ("decline", False)
