"""Data that nobody got is no success, whichever command was to write it."""

from __future__ import annotations

import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from elicit_tui.elicitation import Review
from elicit_tui.ledger import Ledger
from elicit_tui.paths import ledger_file
from tests.cli.running import COMMAND, DEMO, SECONDS, environment
from tests.forks import ready_elicit_tui
from tests.ledger.world import request

FULL = Path("/dev/full")
STARTED = ("--version", "--help", "tell_time", "export")
"""The last words of the commands that an interpreter of their own runs to its end."""

pytestmark = pytest.mark.skipif(not FULL.exists(), reason="only Linux has a full device")

SCENARIO = """
[[scenario]]
name = "tells the time"
server = "demo"
call = "tell_time"
"""
CODEX = '[mcp_servers.a]\ncommand = "a"\n'


def told(*arguments: str, directory: Path) -> tuple[int, str]:
    """The exit code and the narration of a run that can write no data."""
    with FULL.open("wb") as full:
        done = subprocess.run(
            [*(COMMAND if arguments[-1] in STARTED else ready_elicit_tui()), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=SECONDS,
            env=environment(),
            cwd=directory,
            check=False,
        )
    return done.returncode, done.stderr


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """Files to read, and a question that was recorded."""
    (tmp_path / "scenario.toml").write_text(SCENARIO)
    (tmp_path / "codex.toml").write_text(CODEX)
    (tmp_path / "requests.json").write_text('{"message": "Which?"}')
    with closing(Ledger.open(ledger_file())) as ledger:
        ledger.asked(request(id="abc"), Review())
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [
        "--version",
        "--help",
        "call --help",
        "call demo tell_time",
        "call demo tell_time --output jsonl",
        "tools demo --output json",
        "prompts demo",
        "test scenario.toml",
        "test scenario.toml --output json",
        "check requests.json",
        "config path",
        "config show",
        "config schema",
        "config check",
        "config explain demo",
        "config import codex.toml",
        "gateway snippet codex",
        "history list",
        "history show abc --output json",
        "history export",
        "history verify",
        "history prune --before 1d",
    ],
)
def test_no_command_ends_well_whose_data_was_lost(command: str, directory: Path) -> None:
    code, narration = told("--with", DEMO, *command.split(), directory=directory)
    if command in ("--version", "--help"):
        code, narration = told(command, directory=directory)
    assert code == 2, narration
    said = "elicit-tui: stdout could not be written: No space left on device"
    assert narration.splitlines()[-1] == said
    assert narration.count("could not be written") == 1


def test_a_token_that_nobody_could_see_is_none(directory: Path) -> None:
    code, narration = told("gateway", "token", "add", "laptop", directory=directory)
    assert code == 2
    assert "could not be shown, so there is no token 'laptop'" in " ".join(narration.split())
    listed = subprocess.run(
        [*COMMAND, "gateway", "token", "list"],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        env=environment(),
        check=True,
    )
    assert listed.stdout == ""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no RLIMIT_FSIZE")
def test_a_token_that_could_not_be_kept_is_none_and_its_name_stays_free() -> None:
    program = (
        "import resource, sys; from elicit_tui.cli import run;"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY));"
        "sys.exit(run(['gateway', 'token', 'add', 'laptop']))"
    )
    refused = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        env=environment(),
        check=False,
    )
    assert refused.returncode == 2
    assert "could not be kept, so there is no token 'laptop'" in " ".join(refused.stderr.split())
    added = subprocess.run(
        [*COMMAND, "gateway", "token", "add", "laptop"],
        capture_output=True,
        timeout=SECONDS,
        env=environment(),
        check=False,
    )
    assert added.returncode == 0
