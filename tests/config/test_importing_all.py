"""`config import` without a file: what other programs have is found, shown and offered."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from elicit_tui import paths
from elicit_tui.config import load
from tests.cli.running import run

CODEX = """
[mcp_servers.docs]
command = "npx"
args = ["-y", "docs-server", "--token", "ghp_0123456789abcdefghij0123456789abcdef"]

[mcp_servers.mine]
command = "theirs"
"""
CURSOR = {
    "docs": {"command": "another"},
    "cloud": {"url": "https://mcp.example.com/mcp"},
    "elicit-tui": {"command": "/usr/bin/elicit-tui", "args": ["gateway"]},
}
OWN = '# my own words\n[mcp_servers.mine]\ncommand = "mine"\n'


@pytest.fixture
def files() -> dict[str, Path]:
    """What Codex, Cursor and Claude Code left in this home, and our own configuration."""
    home = Path.home()
    found = {
        "codex": home / ".codex" / "config.toml",
        "cursor": home / ".cursor" / "mcp.json",
        "claude": home / ".claude.json",
        "own": paths.config_file(),
    }
    for file in found.values():
        file.parent.mkdir(parents=True, exist_ok=True)
    found["codex"].write_text(CODEX)
    found["cursor"].write_text(json.dumps({"mcpServers": CURSOR}))
    found["claude"].write_text(json.dumps({"numStartups": 3}))
    found["own"].write_text(OWN)
    found["own"].chmod(0o600)
    return found


def test_without_a_terminal_they_are_printed_and_nothing_is_written(
    files: dict[str, Path], tmp_path: Path
) -> None:
    done = run("config", "import")
    assert done.code == 0, done.stderr
    assert "Codex (~/.codex/config.toml): docs, mine" in done.stderr
    assert "Cursor (~/.cursor/mcp.json): docs, cloud\n" in done.stderr
    assert "Claude Code" not in done.stderr
    assert "mine is in your configuration already" in done.stderr
    assert "Cursor has another docs, which is left out" in done.stderr
    assert "ghp_" not in done.stdout + done.stderr
    assert files["own"].read_text() == OWN
    printed = tmp_path / "printed.toml"
    printed.write_text(done.stdout)
    servers = load(config_path=printed, managed_path=tmp_path / "none").servers
    assert sorted(servers) == ["cloud", "docs"]
    assert servers["docs"].command == "npx"


def test_with_nothing_to_find_it_says_where_it_looked() -> None:
    done = run("config", "import")
    assert (done.code, done.stdout) == (0, "")
    assert "No servers were found: Claude Code, Claude Desktop, Codex" in done.stderr


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="there is no pseudo-terminal")
@pytest.mark.parametrize("answer", ["y", "n"])
def test_a_person_is_asked_before_they_are_added_to_what_there_is(
    files: dict[str, Path], tmp_path: Path, answer: str
) -> None:
    from tests.cli.terminal import Terminal

    with Terminal(["config", "import"], columns=120) as terminal:
        terminal.answer("Add them to ~/.config/elicit-tui/config.toml (2)? [y/N] ", answer)
        assert terminal.end() == (0 if answer == "y" else 1), terminal.shown
    if answer == "n":
        assert files["own"].read_text() == OWN
        return
    assert files["own"].read_text().startswith(OWN)
    assert files["own"].stat().st_mode & 0o777 == 0o600
    servers = load(managed_path=tmp_path / "none", config_path=files["own"]).servers
    assert sorted(servers) == ["cloud", "docs", "mine"]
    assert servers["mine"].command == "mine"
    again = run("config", "import")
    assert "✓ ~/.config/elicit-tui/config.toml has all of them." in again.stderr
