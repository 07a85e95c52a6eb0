"""The administrator's locks as the commands show them: exit code 2, and each is told why."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from elicit_tui import paths
from elicit_tui.cli import run
from elicit_tui.config import loading
from elicit_tui.config.documents import Document
from elicit_tui.config.trust import read_managed

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def managed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A managed file whose administrator is whoever runs the tests."""
    directory = tmp_path / "managed"
    directory.mkdir(mode=0o755)
    path = directory / "managed.toml"

    def trusting(file: Path, owner: int = 0) -> Document | None:
        return read_managed(file, os.getuid())

    monkeypatch.setattr(paths, "managed_file", lambda: path)
    monkeypatch.setattr(loading, "read_managed", trusting)
    return path


def write(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o644)


def refused(capsys: Capture, *arguments: str) -> str:
    """What stderr says; the command must end with 2 and print no data."""
    assert run(list(arguments)) == 2
    captured = capsys.readouterr()
    return captured.err


def test_a_flag_looser_than_the_lock_is_refused(managed: Path, capsys: Capture) -> None:
    write(managed, 'approval_policy = "never"\n')
    said = refused(capsys, "call", "a", "t", "--with", "a=x", "--approval-policy", "on-request")
    assert "--approval-policy" in said
    assert "looser than managed configuration allows" in said


def test_with_under_only_is_refused(managed: Path, capsys: Capture) -> None:
    write(managed, '[managed]\nservers = "only"\n')
    said = refused(capsys, "call", "a", "t", "--with", "a=x")
    assert "managed configuration lets only its own servers run" in said


def test_a_refused_server_is_listed_and_only_naming_it_is_an_error(
    managed: Path, tmp_path: Path, capsys: Capture
) -> None:
    write(managed, '[managed]\nservers = "only"\n')
    own = tmp_path / "config.toml"
    own.write_text('[mcp_servers.mine]\ncommand = "x"\n')
    assert "may not run" in refused(capsys, "--config", str(own), "call", "mine", "t")
    assert run(["--config", str(own), "config", "show"]) == 0
    assert "mcp_servers.mine.refused" in capsys.readouterr().out
    assert run(["--config", str(own), "config", "check"]) == 0
    assert "mine may not run" in capsys.readouterr().err
    assert run(["--config", str(own), "config", "explain", "mine"]) == 0
    assert "Result: not called" in capsys.readouterr().out


def test_a_users_looser_value_is_ignored_and_said_once(
    managed: Path, tmp_path: Path, capsys: Capture
) -> None:
    write(managed, '[guardian]\non_block = "decline"\n')
    own = tmp_path / "config.toml"
    own.write_text('[guardian]\non_block = "ask"\n')
    assert run(["--config", str(own), "config", "show"]) == 0
    captured = capsys.readouterr()
    assert captured.err.count("looser than managed configuration allows") == 1
    assert 'guardian.on_block = "decline"  # managed, locked' in captured.out


@pytest.mark.parametrize("mode", [0o666, 0o664])
def test_a_file_that_cannot_be_trusted_stops_the_start_and_says_so(
    managed: Path, capsys: Capture, mode: int
) -> None:
    write(managed, 'approval_policy = "never"\n')
    managed.chmod(mode)
    said = refused(capsys, "call", "a", "t", "--with", "a=x")
    assert "managed" in said
    assert str(managed) in said


def test_no_variable_and_no_directory_of_a_user_moves_the_managed_path(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before = paths.managed_file()
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "PROGRAMDATA", "ALLUSERSPROFILE"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert paths.managed_file() == before
    assert before.is_absolute()
