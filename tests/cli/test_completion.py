"""Tab completes commands, their options and the names of servers, in a real shell's own way."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


def completed(line: str, home: Path) -> list[str]:
    """What Tab offers at the end of the line, by the variables that a shell sets."""
    answer = home / "completions"
    subprocess.run(
        [sys.executable, "-m", "elicit_tui"],
        check=True,
        timeout=60,
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
    ],
)
def test_tab_offers_what_can_stand_there(line: str, offered: list[str], home: Path) -> None:
    assert completed(line, home) == offered


def test_a_configuration_that_cannot_be_read_completes_without_a_word(home: Path) -> None:
    (home / ".config" / "elicit-tui" / "config.toml").write_text("[[[")
    assert completed("elicit-tui call d", home) == ["demo"]


def test_bash_completes_with_what_the_command_prints(home: Path) -> None:
    bash = shutil.which("bash")
    assert bash is not None
    (home / "bin").mkdir()
    program = home / "bin" / "elicit-tui"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m elicit_tui "$@"\n')
    program.chmod(0o755)
    script = """
        source <(elicit-tui completion bash)
        COMP_LINE="elicit-tui call dep" COMP_POINT=19 COMP_TYPE=9
        COMP_WORDS=(elicit-tui call dep) COMP_CWORD=2
        _python_argcomplete elicit-tui dep call
        printf '%s\\n' "${COMPREPLY[@]}"
    """
    environment = {**os.environ, "PATH": f"{home / 'bin'}:{os.environ['PATH']}"}
    shell = subprocess.run(
        [bash, "-c", script],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env=environment,
    )
    assert shell.stdout.split() == ["deploy"]
