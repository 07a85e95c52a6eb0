"""The bytes that reach a real terminal while a hostile server asks, answers and complains."""

from __future__ import annotations

import os
import re
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("pty", reason="there is no pseudo-terminal")

from tests.hostile.terminal import Terminal
from tests.hostile.tricks import ALL, COMMAND_LINES, FORBIDDEN, SHOWN
from tests.keys import DECLINE, END, ENTER, LEAVE
from tests.servers.scripts import added, form

SERVER = Path(__file__).with_name("server.py")
SECONDS = 60.0
QUIET = 0.35
"""A screen on which nothing changed for so long is painted."""

DEAF = 0.15
"""A question on which no key had an effect for so long did not hear it."""

LINE = 0.5
"""The same for a line, which a plain prompt would hear also later."""

ESCAPE_SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-_=>78])")


@pytest.fixture
def answered(tmp_path: Path) -> Path:
    """Where the server notes which of its questions were answered."""
    file = tmp_path / "answered"
    file.touch()
    return file


@pytest.fixture
def configuration(tmp_path: Path, answered: Path) -> Path:
    """The guardian only advises, so that every hostile question reaches the screen."""
    file = tmp_path / "config.toml"
    file.write_text(
        'approvals_reviewer = "user"\n'
        "[elicitation.limits]\nper_minute = 1000\n"
        f"[mcp_servers.hostile]\ncommand = '{sys.executable}'\nargs = ['{SERVER}', '{answered}']\n"
    )
    return file


def command(configuration: Path, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "elicit_tui", "--config", str(configuration), *arguments]


def must_be_ours(written: bytes | bytearray, during: str) -> None:
    """Nothing that only the server's words could have brought is among the bytes."""
    text = written.decode("utf-8", "replace")
    found = FORBIDDEN.search(text)
    assert not found, (during, text[max(0, found.start() - 100) : found.end() + 100])
    for sequence in ESCAPE_SEQUENCE.findall(text):
        assert "0wned" not in sequence, during


def refused(answered: Path) -> int:
    return len(answered.read_text().split())


def refuse_each(terminal: Terminal, answered: Path, keys: str, within: float = DEAF) -> None:
    """Refuse one question after another, which only one that is painted hears; see its bytes."""
    for number, trick in enumerate(SHOWN):
        before = len(terminal.written)
        assert terminal.process.poll() is None, (trick, bytes(terminal.written[-2000:]))
        end = time.monotonic() + SECONDS
        while refused(answered) <= number:
            assert time.monotonic() < end, (trick, bytes(terminal.written[-2000:]))
            # A question does not hear keys in the moment in which it opens, nor before.
            terminal.type(keys)
            terminal.read_while(lambda most=number: refused(answered) <= most, within)
        must_be_ours(terminal.written[before:], trick)
    assert answered.read_text().split() == list(SHOWN)


def test_an_inline_form_shows_each_trick_and_none_acts(configuration: Path, answered: Path) -> None:
    with Terminal(command(configuration, "call", "hostile", ALL), os.environ) as terminal:
        assert terminal.read_until("Decline", SECONDS), bytes(terminal.written[-2000:])
        refuse_each(terminal, answered, DECLINE)
        assert terminal.end(SECONDS) == 0
        must_be_ours(terminal.written, "the whole call")


def test_plain_prompts_tell_of_each_trick_and_none_acts(
    configuration: Path, answered: Path
) -> None:
    line = command(configuration, "call", "hostile", ALL, "--plain")
    with Terminal(line, {**os.environ, "TERM": "dumb"}) as terminal:
        assert terminal.read_until("\n> ", SECONDS), bytes(terminal.written[-2000:])
        refuse_each(terminal, answered, "/decline\n", LINE)
        assert terminal.end(SECONDS) == 0
        must_be_ours(terminal.written, "the whole call")
        text = terminal.written.decode("utf-8", "replace").replace("\r\n", "\n")
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f]", text)


def test_the_console_shows_each_trick_in_all_its_panes_and_none_acts(
    configuration: Path, answered: Path
) -> None:
    with Terminal(command(configuration), os.environ, columns=120, lines=36) as terminal:
        assert terminal.read_until(ALL, SECONDS), bytes(terminal.written[-2000:])
        must_be_ours(terminal.written, "the list of the server's tools")
        end = time.monotonic() + SECONDS
        while b"Decline" not in terminal.written:
            assert time.monotonic() < end, bytes(terminal.written[-2000:])
            terminal.type(f"/{ALL}{ENTER}")
            terminal.read_for(QUIET, 3)
            terminal.type(ENTER)
            terminal.read_for(2 * QUIET, 3)
        refuse_each(terminal, answered, DECLINE)
        for keys, seen in (
            ("3", "the result"),
            ("t", "the result as JSON"),
            ("4", "the activity"),
            ("\x1b[H\x1b[B\x1b[B", "more of the activity"),
            ("5", "the history"),
            (ENTER, "one record"),
            ("\x1b[B\x1b[B", "the next record"),
            ("\x1b", "the history again"),
            ("2", "the questions"),
            ("1", "the servers"),
            ("\x1b[B" * 3, "the next tools"),
            (END, "the last tools"),
            (ENTER, "the call of a tool with a hostile name"),
        ):
            before = len(terminal.written)
            terminal.type(keys)
            terminal.read_for(QUIET, 2)
            must_be_ours(terminal.written[before:], seen)
        terminal.type("\x1b\x1b")
        terminal.read_for(QUIET, 2)
        terminal.type(LEAVE)
        terminal.read_for(QUIET, 2)
        terminal.type(ENTER)
        terminal.end(5)
        must_be_ours(terminal.written, "the whole session")


def test_results_on_a_terminal_do_not_act(configuration: Path) -> None:
    for trick in ("commands_in_a_result", "escapes_in_a_result"):
        with Terminal(command(configuration, "call", "hostile", trick), os.environ) as terminal:
            assert terminal.end(SECONDS) == 0
            must_be_ours(terminal.written, trick)
            text = terminal.written.decode("utf-8", "replace").replace("\r\n", "\n")
            assert not COMMAND_LINES.search(text), trick
            assert not re.search("[\x00-\x08\x0b-\x1f\x7f]", text), trick


def test_nothing_that_a_server_says_comes_between_a_prompt_and_its_answer(
    tmp_path: Path, configuration: Path
) -> None:
    server = Path(__file__).with_name("attacker.py")
    told = "type your password"
    configuration.write_text(
        'approvals_reviewer = "user"\n'
        f"[mcp_servers.a]\ncommand = '{sys.executable}'\n"
        f"args = ['{server}', 'talks_while_it_asks', '{tmp_path / 'go'}']\n"
    )
    line = command(configuration, "call", "a", "play", "--plain")
    with Terminal(line, {**os.environ, "TERM": "dumb"}) as terminal:
        assert terminal.read_until("\n> ", SECONDS), bytes(terminal.written[-2000:])
        (tmp_path / "go").touch()
        assert not terminal.read_until(told, 1.0)
        terminal.type("bob\n")
        assert terminal.read_until("/cancel: ", SECONDS)
        assert told not in terminal.written.decode()
        terminal.type("/send\n")
        assert terminal.end(SECONDS) == 0
        assert told in terminal.written.decode().partition("accepted by user")[0]


def test_the_environment_presses_no_key_and_keeps_no_log_of_what_is_typed(tmp_path: Path) -> None:
    log, shots = tmp_path / "keys.log", tmp_path / "shots"
    environment = {
        **os.environ,
        "TEXTUAL_PRESS": "x,ctrl+s",
        "TEXTUAL_LOG": str(log),
        "TEXTUAL_SCREENSHOT": "1",
        "TEXTUAL_SCREENSHOT_LOCATION": str(shots),
        "TEXTUAL_DRIVER": "nowhere:Driver",
        "TEXTUAL": "debug,devtools",
    }
    server = added(tmp_path, {"t": [{"ask": form("What is your name?")}]})
    run = [sys.executable, "-m", "elicit_tui", *server, "call", "s", "t"]
    with Terminal(run, environment) as terminal:
        assert terminal.read_until("Decline", SECONDS), bytes(terminal.written[-2000:])
        terminal.read_for(1.5, most=5)
        assert terminal.process.poll() is None, bytes(terminal.written[-2000:])
        terminal.type(DECLINE)
        terminal.end(SECONDS)
    assert b'"action": "decline"' in terminal.written
    assert not log.exists()
    assert not shots.exists()
