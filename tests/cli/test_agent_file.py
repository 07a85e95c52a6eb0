"""How an agent is told to start us."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from elicit_tui.cli.agent_file import own_program


def script(path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """An executable file, with which this process was started; none of ours is on the PATH."""
    path.parent.mkdir(parents=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o700)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(sys, "argv", [str(path)])
    return str(path)


def test_our_script_starts_us(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = script(tmp_path / "bin" / "elicit-tui", monkeypatch)
    assert own_program() == [ours]


def test_another_program_in_a_folder_of_our_name_does_not_start_us(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script(tmp_path / "elicit-tui" / ".venv" / "bin" / "pytest", monkeypatch)
    assert own_program() == [sys.executable, "-m", "elicit_tui"]
