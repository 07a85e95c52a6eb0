"""Draws the pictures of the README: `python screenshots/draw.py [NAME]…` writes NAME.svg here.

Each picture is the real application, driven by its keys, on the bundled demo server.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent

if __package__ in (None, ""):
    sys.path.insert(0, str(FOLDER.parent))

from screenshots.frozen import held_still, settled  # noqa: E402 - found by the path set above
from screenshots.scenes import SCENES  # noqa: E402

TITLES = {"inline": "elicit-tui call"}


def draw(name: str) -> str:
    """One picture, as SVG."""
    drawn: list[str] = []

    def take(app: Any) -> None:
        drawn.append(app.export_screenshot(title=TITLES.get(name, "elicit-tui")))

    with tempfile.TemporaryDirectory() as folder, held_still(Path(folder)):
        asyncio.run(SCENES[name](take))
    return settled(drawn[0])


def main(names: list[str]) -> int:
    """Write these pictures, or all of them."""
    unknown = [name for name in names if name not in SCENES]
    if unknown:
        print(f"There is no picture {unknown[0]}. There are: {', '.join(SCENES)}.", file=sys.stderr)
        return 2
    for name in names or SCENES:
        (FOLDER / f"{name}.svg").write_text(draw(name), encoding="utf-8")
        print(f"{name}.svg")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
