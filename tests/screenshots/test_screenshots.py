"""The pictures of the README show the application as it is."""

from __future__ import annotations

import re

import pytest

from screenshots.draw import FOLDER, draw
from screenshots.frozen import words
from screenshots.scenes import SCENES


@pytest.mark.parametrize("name", sorted(SCENES))
def test_a_picture_says_what_the_application_says(name: str) -> None:
    kept = (FOLDER / f"{name}.svg").read_text(encoding="utf-8")
    assert words(kept) == words(draw(name)), f"stale: python screenshots/draw.py {name}"


def test_every_picture_that_the_readme_shows_is_drawn_by_a_scene() -> None:
    readme = (FOLDER.parent / "README.md").read_text(encoding="utf-8")
    shown = re.findall(r"screenshots/([\w-]+)\.svg", readme)
    assert set(shown) <= set(SCENES)
    assert {path.stem for path in FOLDER.glob("*.svg")} == set(SCENES)
