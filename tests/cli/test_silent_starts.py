"""While a server starts, a terminal says so; the line is gone when there is something to say."""

from __future__ import annotations

import asyncio
import io
import sys
from pathlib import Path

import pytest
from rich.cells import cell_len

import elicit_tui.demo
from elicit_tui.cli import narration
from elicit_tui.cli.narration import Narration
from elicit_tui.elicitation.settings import ServerSettings
from tests.cli.terminal import Terminal

LOCAL = ServerSettings("alpha", command="alpha-server")
REMOTE = ServerSettings("beta\x1b[2J", url="https://beta.example/mcp")
GONE = "\r\x1b[K"

LATE = """
import pathlib, runpy, sys, time
while not pathlib.Path(sys.argv[1]).exists():
    time.sleep(0.05)
sys.path.insert(0, sys.argv[2])
sys.argv = [sys.argv[3]]
runpy.run_path(sys.argv[0], run_name="__main__")
"""
"""The bundled server, which starts once a file is there."""


class Screen(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr(narration, "SILENT_SECONDS", 0.0)


def told(stream: io.StringIO, *servers: ServerSettings, output: str = "text") -> str:
    """What stands on standard error when the servers did not start at once, but then did."""
    narrates = Narration(stream)

    async def starts() -> None:
        with narrates.starting(servers, output):
            for _ in range(5):
                await asyncio.sleep(0)
        narrates.tell("it has started.")

    asyncio.run(starts())
    return stream.getvalue()


def test_a_terminal_says_what_starts_until_there_is_something_to_say() -> None:
    then = "elicit-tui: it has started.\n"
    assert told(Screen(), LOCAL) == f"Starting alpha …{GONE}{then}"
    assert told(Screen(), REMOTE) == f"Connecting to beta␛[2J …{GONE}{then}"
    assert told(Screen(), LOCAL, LOCAL) == f"Starting alpha, alpha …{GONE}{then}"


def test_it_stands_on_one_line_however_wide_the_signs_of_a_name_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wide = ServerSettings("界" * 60, command="alpha-server")
    for columns in (20, 80):
        monkeypatch.setattr(narration, "columns_of", lambda stream, given=columns: given)
        line, _, _ = told(Screen(), wide, LOCAL).partition(GONE)
        assert columns - 6 < cell_len(line) < columns


def test_a_terminal_that_takes_nothing_away_has_it_on_a_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TERM", "dumb")
    assert told(Screen(), LOCAL).startswith("Starting alpha …\nelicit-tui:")


def test_nothing_is_said_of_it_where_nobody_reads_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Starting" not in told(io.StringIO(), LOCAL)
    assert "Starting" not in told(Screen(), LOCAL, output="json")
    monkeypatch.setenv("CI", "true")
    assert "Starting" not in told(Screen(), LOCAL)


@pytest.mark.parametrize("command", [("tools", "late"), ("call", "late", "tell_time")])
def test_a_person_reads_that_a_server_starts_and_then_its_answer_alone(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    file, script = tmp_path / "now", tmp_path / "late.py"
    script.write_text(LATE)
    demo = Path(elicit_tui.demo.__file__).parent / "__main__.py"
    late = f"late={sys.executable} {script} {file} {demo.parents[2]} {demo}"
    with Terminal(["--with", late, *command], TERM="xterm-256color") as terminal:
        terminal.wait_for("Starting late …")
        file.touch()
        assert terminal.end() == 0, terminal.shown
        before, _, answer = terminal.raw.partition(f"Starting late …{GONE}")
        assert not before
        assert answer.strip()
