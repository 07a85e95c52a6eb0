"""Every command of the guides is run, as it stands there, where what it speaks of exists."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.forks import COMMAND, ready_elicit_tui, ready_python
from tests.project.test_documents import DOCUMENTS, ROOT, blocks

DEPLOYS = ROOT / "tests" / "servers" / "guides.py"
ELSEWHERE = {
    "python3 -m venv": "makes an environment, as CI does before it calls the tests",
    "sudo": "needs another user",
    "npx": "stands for a server of one's own",
    "https://": "stands for a server of one's own",
}
"""What the commands that are not run here begin with or hold, and why they are not."""


class Ending(NamedTuple):
    """How a command ends: its exit code, and words that standard error holds."""

    code: int
    words: str


ENDINGS = {
    "elicit-tui": Ending(2, "terminal"),
    "elicit-tui inbox": Ending(2, "terminal"),
    "elicit-tui call deploy deploy branch=main replicas:=3 --output json": Ending(0, "nobody"),
    "elicit-tui gateway install claude-code demo": Ending(2, "terminal"),
    "elicit-tui inbox answer 3f2a environment=staging": Ending(2, "3f2a"),
    "elicit-tui inbox answer 3f2a --session": Ending(2, "3f2a"),
    'elicit-tui inbox decline 3f2a --note "use staging instead"': Ending(2, "3f2a"),
    "elicit-tui login tracker": Ending(2, "tracker"),
    "elicit-tui call tracker list_issues": Ending(2, "tracker"),
    "elicit-tui inbox revoke prod deploy": Ending(1, "nothing to take back"),
}
"""How those end whose terminal or question is missing here; all others end with 0."""
STARTED = "elicit-tui call demo book_table"
"""Of the commands, the one that an interpreter of its own runs; the others are forks."""


def commands() -> list[tuple[str, str]]:
    """Each command line of a guide with the guide's name; what follows a `;` is one of its own."""
    found = []
    for name, document in DOCUMENTS.items():
        for block in blocks(document.read_text(encoding="utf-8"), "sh"):
            for line in block.splitlines():
                for command in re.sub(r"\s+#.*", "", line).split("; "):
                    if command.strip() and not any(word in command for word in ELSEWHERE):
                        found.append((name, command.strip()))
    return [each for each in found if each[0] not in ("CONTRIBUTING.md", "CHANGELOG.md")]


def program_of(command: str) -> Sequence[str]:
    return COMMAND if command == STARTED else ready_elicit_tui()


@pytest.fixture
def desk(tmp_path: Path, sealed_machine: Path, command: str) -> Path:
    """A directory with all that the guides' commands name, and `elicit-tui` on its PATH."""
    python = sys.executable
    configuration = sealed_machine / ".config" / "elicit-tui" / "config.toml"
    configuration.parent.mkdir(parents=True)
    configuration.write_text(f"[mcp_servers.deploy]\ncommand = '{python}'\nargs = ['{DEPLOYS}']\n")
    (tmp_path / "bin").mkdir()
    for name, words in [("python", ready_python()), ("elicit-tui", program_of(command))]:
        program = tmp_path / "bin" / name
        program.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
        program.chmod(0o755)
    for guide, language, file in [
        ("docs/ci.md", "toml", "answers.toml"),
        ("docs/testing-your-server.md", "toml", "book.toml"),
        ("docs/testing-your-server.md", "python", "table_server.py"),
        ("docs/administrators.md", "toml", "managed.toml"),
    ]:
        text = DOCUMENTS[guide].read_text(encoding="utf-8")
        (tmp_path / file).write_text(blocks(text, language)[0], encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(("guide", "command"), commands())
def test_a_command_of_a_guide_does_what_it_says(guide: str, command: str, desk: Path) -> None:
    ran = subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=desk,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=100,
        check=False,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "PATH": f"{desk / 'bin'}:{os.environ['PATH']}"},
    )
    ending = ENDINGS.get(command, Ending(0, ""))
    assert ran.returncode == ending.code, f"{ran.stdout[-2000:]}\n{ran.stderr}"
    assert ending.words in ran.stderr


def test_only_commands_of_a_guide_are_said_to_end_otherwise() -> None:
    assert {*ENDINGS, STARTED} - {command for _, command in commands()} == set()
