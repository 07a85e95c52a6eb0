"""The sheets of the screens can be drawn."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.sheets.__main__ import NO_COLOUR, draw


@pytest.mark.parametrize(("scene", "shot"), [("no_server", "servers-none"), ("yes-no", "yes-no")])
def test_a_scene_is_drawn_as_a_picture_and_as_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scene: str, shot: str
) -> None:
    monkeypatch.setenv("PATH", "")  # A PNG of it, by a program that not everybody has, takes 3 s.
    draw(scene, "40x15", NO_COLOUR, tmp_path)
    drawn = tmp_path / f"40x15-{NO_COLOUR}-{shot}"
    assert drawn.with_suffix(".svg").read_text("utf-8").startswith("<svg")
    lines = drawn.with_suffix(".txt").read_text("utf-8").splitlines()
    assert len(lines) == 15
    assert max(map(len, lines)) <= 40
