"""Programs of the system are found by their absolute path, never in the current directory."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from elicit_tui.paths import program, windows_program
from elicit_tui.tui.question.address import _desktop_command
from elicit_tui.tui.widgets.own_editor import EditorTrouble, _found

NAMES = ("wl-copy", "xclip", "vi", "clip")


def planted(directory: Path) -> None:
    for name in NAMES:
        file = directory / name
        file.write_text("#!/bin/sh\nexit 0\n")
        file.chmod(0o755)


@pytest.mark.parametrize("entries", ["", ".", ":.:", "bin:/nowhere", "./bin"])
def test_nothing_of_the_current_directory_is_a_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entries: str
) -> None:
    (tmp_path / "bin").mkdir()
    for directory in (tmp_path, tmp_path / "bin"):
        planted(directory)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", entries)
    monkeypatch.setenv("WAYLAND_DISPLAY", "w")
    monkeypatch.setenv("DISPLAY", ":0")
    assert [program(name) for name in NAMES] == [None] * len(NAMES)
    assert _desktop_command() is None
    with pytest.raises(EditorTrouble, match="in no directory of PATH"):
        _found(["vi"])
    monkeypatch.setenv("PATH", os.pathsep.join([entries, str(tmp_path / "bin")]))
    assert program("xclip") == str(tmp_path / "bin" / "xclip")
    assert _desktop_command() == [str(tmp_path / "bin" / "wl-copy")]
    assert _found(["vi", "-n"]) == [str(tmp_path / "bin" / "vi"), "-n"]
    assert program("../bin/xclip") is None


def test_windows_endings_are_tried_in_each_directory_and_never_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    for directory in (tmp_path, tmp_path / "bin"):
        (directory / "clip.EXE").touch(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("elicit_tui.paths.sys.platform", "win32")
    monkeypatch.setenv("PATHEXT", ".COM;.EXE")
    assert program("clip", "") is None
    assert program("clip", str(tmp_path / "bin")) == str(tmp_path / "bin" / "clip.EXE")


def test_a_program_of_windows_is_found_in_its_own_directory_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = tmp_path / "Windows" / "System32"
    system.mkdir(parents=True)
    (tmp_path / "taskkill.EXE").touch(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("elicit_tui.paths.sys.platform", "win32")
    monkeypatch.setenv("PATHEXT", ".COM;.EXE")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("SYSTEMROOT", str(system.parent))
    assert windows_program("taskkill") is None
    (system / "taskkill.EXE").touch(0o755)
    assert windows_program("taskkill") == str(system / "taskkill.EXE")
