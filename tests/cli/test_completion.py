"""Tab completes commands, their options and the names of servers, in a real shell's own way."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from elicit_tui.elicitation.saved_call import SavedCall


def completed(line: str, home: Path, folder: Path | None = None) -> list[str]:
    """What Tab offers at the end of the line, by the variables that a shell sets."""
    answer = home / "completions"
    subprocess.run(
        [sys.executable, "-m", "elicit_tui"],
        check=True,
        timeout=60,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        env={
            **os.environ,
            "_ARGCOMPLETE": "1",
            "_ARGCOMPLETE_STDOUT_FILENAME": str(answer),
            "_ARGCOMPLETE_IFS": "\n",
            "COMP_LINE": line,
            "COMP_POINT": str(len(line)),
        },
    )
    return [word.strip() for word in answer.read_text(encoding="utf-8").split("\n") if word]


@pytest.fixture
def home(sealed_machine: Path) -> Path:
    file = sealed_machine / ".config" / "elicit-tui" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text(
        '[mcp_servers.deploy]\ncommand = "true"\n[mcp_servers.docs]\ncommand = "true"\n'
    )
    return sealed_machine


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("elicit-tui hi", ["history"]),
        ("elicit-tui call d", ["demo", "deploy", "docs"]),
        ("elicit-tui tools --output ", ["text", "json"]),
        ("elicit-tui history ver", ["verify"]),
        ("elicit-tui inbox revoke dep", ["deploy"]),
        ("elicit-tui gateway d", ["demo", "deploy", "docs", "doctor"]),
        ("elicit-tui gateway install copi", ["copilot-cli"]),
        ("elicit-tui gateway install cursor d", ["demo", "deploy", "docs"]),
        ("elicit-tui gateway token rev", ["revoke"]),
        ("elicit-tui call demo book --all", ["--allow-tool"]),
        (
            "elicit-tui --with dry='ls -l' call --with due=ls d",
            ["demo", "deploy", "docs", "dry", "due"],
        ),
        ("elicit-tui --config /no/where call d", ["demo"]),
        ("elicit-tui --config", ["--config"]),
    ],
)
def test_tab_offers_what_can_stand_there(line: str, offered: list[str], home: Path) -> None:
    assert completed(line, home) == offered


def test_a_configuration_that_cannot_be_read_completes_without_a_word(home: Path) -> None:
    (home / ".config" / "elicit-tui" / "config.toml").write_text("[[[")
    assert completed("elicit-tui call d", home) == ["demo"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder in which two calls are kept."""
    for name in ("ship", "look"):
        SavedCall("demo", name, {}).write(tmp_path / f"{name}.call.json")
    return tmp_path


@pytest.mark.parametrize(
    ("line", "offered"),
    [("call @", ["@look", "@ship"]), ("call @l", ["@look"]), ("tools @", [])],
)
def test_tab_offers_the_calls_that_are_kept_in_the_folder(
    line: str, offered: list[str], home: Path, folder: Path
) -> None:
    assert completed(f"elicit-tui {line}", home, folder) == offered


@pytest.mark.parametrize(
    ("word", "offered"), [("dep", "deploy"), ("@l", "@look")], ids=["server", "kept call"]
)
def test_bash_completes_with_what_the_command_prints(
    home: Path, folder: Path, word: str, offered: str
) -> None:
    bash = shutil.which("bash")
    assert bash is not None
    line = f"elicit-tui call {word}"
    (home / "bin").mkdir()
    program = home / "bin" / "elicit-tui"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m elicit_tui "$@"\n')
    program.chmod(0o755)
    script = f"""
        source <(elicit-tui completion bash)
        COMP_LINE="{line}" COMP_POINT={len(line)} COMP_TYPE=9
        COMP_WORDS=(elicit-tui call {word}) COMP_CWORD=2
        _python_argcomplete elicit-tui {word} call
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    environment = {**os.environ, "PATH": f"{home / 'bin'}:{os.environ['PATH']}"}
    shell = subprocess.run(
        [bash, "-c", script],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        cwd=folder,
        env=environment,
    )
    assert shell.stdout.split() == [offered]
