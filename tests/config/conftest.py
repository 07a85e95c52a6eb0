"""A small machine for each test: a user's file, an administrator's file, and programs."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.config import CommandLine, load
from elicit_tui.elicitation.settings import Settings

ALLOW = '[managed]\nservers = "allow"\n[[managed.allow]]\nname = "team-*"\n'
"""The beginning of a managed file that allows servers by entries."""


class Machine:
    """Loads settings with files of its own; the administrator is whoever runs the tests."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.user_file = root / "config.toml"
        self.managed_directory = root / "managed"
        self.managed_directory.mkdir(mode=0o755)
        self.managed_file = self.managed_directory / "managed.toml"
        self.programs = root / "programs"
        self.programs.mkdir()

    def user(self, text: str) -> None:
        self.user_file.write_text(text, encoding="utf-8")

    def managed(self, text: str) -> None:
        self.managed_file.write_text(text, encoding="utf-8")
        self.managed_file.chmod(0o644)

    def program(self, name: str, directory: Path | None = None) -> Path:
        path = (directory or self.programs) / name
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
        return path

    def load(self, environment: Mapping[str, str] | None = None, **command_line: Any) -> Settings:
        return load(
            CommandLine(**command_line),
            config_path=self.user_file if self.user_file.exists() else None,
            environment=environment or {},
            managed_path=self.managed_file,
            managed_owner=os.getuid(),
            directories=(self.programs,),
        )


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    def _write(text: str | bytes, name: str = "file.toml") -> Path:
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return _write
