"""What the tests of the console share."""

from __future__ import annotations

from pathlib import Path

import pytest

from elicit_tui import paths


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(paths, "managed_file", lambda: tmp_path / "managed.toml")
    return tmp_path / "config.toml"
