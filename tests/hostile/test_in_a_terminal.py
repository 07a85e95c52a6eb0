"""The bytes that reach a real terminal while a hostile server asks, answers and complains."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

pytest.importorskip("pty", reason="there is no pseudo-terminal")

from tests.hostile.terminal import Terminal
from tests.hostile.tricks import COMMAND_LINES, FORBIDDEN, TRICKS

SERVER = Path(__file__).with_name("server.py")
SECONDS = 60.0
ON_SCREEN = "Decline"
ESCAPE_SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-_=>78])")

SHOWN = [
    "everything_at_once",
    "clears_the_screen",
    "writes_the_clipboard",
    "rewrites_the_line",
    "draws_a_dialog",
    "uses_markup",
    "turns_direction",
    "piles_up_marks",
    "lone_surrogates",
    "megabyte_line",
    "exploding_pattern",
    "ten_thousand_choices",
    "ten_thousand_fields",
    "nested_schema",
    "endless_reference",
    "remote_reference",
    "prototype_names",
    "commands_the_build",
    "lying_url",
    "script_url",
]


@pytest.fixture
def configuration(tmp_path: Path) -> Path:
    """The guardian only advises, so that every hostile question reaches the screen."""
    file = tmp_path / "config.toml"
    file.write_text(
        'approvals_reviewer = "user"\n'
        f"[mcp_servers.hostile]\ncommand = '{sys.executable}'\nargs = ['{SERVER}']\n"
    )
    return file


def command(configuration: Path, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "elicit_tui", "--config", str(configuration), *arguments]


def must_be_ours(terminal: Terminal) -> None:
    """Nothing that only the server's words could have brought is among the bytes."""
    text = terminal.written.decode("utf-8", "replace")
    found = FORBIDDEN.search(text)
    assert not found, repr(text[max(0, found.start() - 100) : found.end() + 100])
    for sequence in ESCAPE_SEQUENCE.findall(text):
        assert "0wned" not in sequence


DRAWN_RAW = pytest.mark.xfail(strict=True, reason="the line field draws a default as it is")
IN_A_DEFAULT = ("writes_the_clipboard", "rewrites_the_line", "turns_direction")


@pytest.mark.parametrize(
    "trick",
    [pytest.param(name, marks=DRAWN_RAW if name in IN_A_DEFAULT else ()) for name in SHOWN],
)
def test_an_inline_form_shows_a_trick_and_it_does_not_act(trick: str, configuration: Path) -> None:
    with Terminal(command(configuration, "call", "hostile", trick), os.environ) as terminal:
        asked = terminal.read_until(ON_SCREEN, SECONDS)
        terminal.read_for(0.6)
        must_be_ours(terminal)
        assert asked, bytes(terminal.written[-2000:])
        terminal.type("\x0e")  # Ctrl+N: decline
        code = terminal.end(SECONDS)
        must_be_ours(terminal)
        assert code in (0, 1), bytes(terminal.written[-2000:])


@pytest.mark.parametrize("trick", ["everything_at_once", "uses_markup", "megabyte_line"])
def test_plain_prompts_tell_of_a_trick_and_it_does_not_act(trick: str, configuration: Path) -> None:
    line = command(configuration, "call", "hostile", trick, "--plain")
    with Terminal(line, {**os.environ, "TERM": "dumb"}) as terminal:
        terminal.read_for(3)
        terminal.type("\x03")
        terminal.end(SECONDS)
        text = terminal.written.decode("utf-8", "replace")
        must_be_ours(terminal)
        assert "\x1b" not in text
        assert "hostile" in text


@pytest.mark.parametrize("trick", ["commands_in_a_result", "escapes_in_a_result"])
def test_a_result_on_a_terminal_does_not_act(trick: str, configuration: Path) -> None:
    assert TRICKS[trick].ask is None
    with Terminal(command(configuration, "call", "hostile", trick), os.environ) as terminal:
        assert terminal.end(SECONDS) == 0
        must_be_ours(terminal)
        text = terminal.written.decode("utf-8", "replace").replace("\r\n", "\n")
        assert not COMMAND_LINES.search(text)
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f]", text)
