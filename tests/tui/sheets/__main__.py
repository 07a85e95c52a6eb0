"""Draws them: `python -m tests.tui.sheets FOLDER [--size 40x15]… [--theme dark]… [SCENE]…`.

Each screen becomes an SVG and its text; with `rsvg-convert` on the path, a PNG too.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any
from unittest.mock import patch

from textual.app import App

from screenshots.frozen import held_still, settled
from tests.tui.sheets.questions import QUESTIONS
from tests.tui.sheets.scenes import CONSOLE, Look

SCENES = CONSOLE | QUESTIONS

SIZES = ("40x15", "80x24", "140x40", "200x60")
NO_COLOUR = "no-color"
THEMES = ("dark", "light", "high-contrast", NO_COLOUR)


def text_of(app: App[Any]) -> str:
    """What stands on the screen, line by line."""
    strips = app.screen._compositor.render_strips(app.screen.size)
    return "\n".join(strip.text.rstrip() for strip in strips) + "\n"


def draw(name: str, size: str, theme: str, folder: Path) -> None:
    """Every picture of one scene."""
    columns, rows = map(int, size.split("x"))

    def take(shot: str, app: App[Any]) -> None:
        svg = settled(app.export_screenshot(title=f"{shot} {size} {theme}"))
        path = folder / f"{size}-{theme}-{shot}.svg"
        # rsvg-convert has another font, and leaves out the blanks with which a text begins.
        svg = svg.replace("Fira Code", "DejaVu Sans Mono")
        path.write_text(svg.replace("<text ", '<text xml:space="preserve" '), "utf-8")
        path.with_suffix(".txt").write_text(text_of(app), "utf-8")
        if shutil.which("rsvg-convert"):
            subprocess.run(
                ["rsvg-convert", "-z", "0.75", path, "-o", path.with_suffix(".png")], check=True
            )

    with tempfile.TemporaryDirectory() as home, held_still(Path(home)):
        colours = {"NO_COLOR": "1"} if theme == NO_COLOUR else {}
        with patch.dict(os.environ, colours):
            worn = "dark" if theme == NO_COLOUR else theme
            asyncio.run(SCENES[name](Look((columns, rows), worn, Path(home)), take))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.tui.sheets", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("scenes", nargs="*", choices=[*SCENES, []], metavar="SCENE")
    parser.add_argument("--size", action="append", choices=SIZES)
    parser.add_argument("--theme", action="append", choices=THEMES)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    failed = 0
    for size in options.size or SIZES:
        for theme in options.theme or THEMES:
            for name in options.scenes or SCENES:
                try:
                    draw(name, size, theme, options.folder)
                except Exception as error:  # noqa: BLE001 - the other scenes are drawn all the same
                    failed += 1
                    print(f"{size} {theme} {name}: {error!r}"[:2_000], file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
