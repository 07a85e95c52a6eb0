"""The pictures of a result, one at a time, drawn as finely as the terminal can."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Center, Vertical
from textual.widgets import Static

from elicit_tui.dataclass import dataclass
from elicit_tui.text import neutral_line
from elicit_tui.tui.console.picture_program import MOST_PIXELS
from elicit_tui.tui.console.results import Binary

if TYPE_CHECKING:
    from elicit_tui.tui.console.controller import Controller

Drawing = Literal["kitty", "sixel", "cells"]
"""By kitty's protocol, as sixels, or as two coloured halves a cell, which any terminal can."""

ENCODED_CHARACTERS: Final = 30_000_000
"""Of base64: about 22 MB."""
SECONDS: Final = 10
"""How long a picture is waited for; the processor's time is bounded too."""
FITTING: Final[Mapping[Drawing, tuple[int, int]]] = {
    "kitty": (1_200, 800),
    "cells": (400, 400),
    # They are written by the library in Python, while nothing else is drawn.
    "sixel": (480, 320),
}
SIXEL_PROGRAMS: Final = frozenset({"iTerm.app", "WezTerm", "mintty", "contour"})
SIXEL_TERMINALS: Final = ("foot", "mlterm", "contour", "yaft")
KONSOLE_WITH_SIXELS: Final = 220_400
WANTED: Final = "pip install '.[images]' in the folder of elicit-tui has it drawn here"


def drawing(environment: Mapping[str, str]) -> Drawing | None:
    """How this terminal draws pictures, by what it says of itself; None: not at all.

    It is not asked: its answer would come among the keys that the person types.
    """
    terminal, program = environment.get("TERM", ""), environment.get("TERM_PROGRAM", "")
    if environment.get("NO_COLOR") or terminal in ("dumb", "linux"):
        return None
    if "TMUX" in environment or terminal.startswith(("tmux", "screen")):
        return "cells"
    if "KITTY_WINDOW_ID" in environment or terminal in ("xterm-kitty", "xterm-ghostty"):
        return "kitty"
    konsole = environment.get("KONSOLE_VERSION", "")
    if (
        program in SIXEL_PROGRAMS
        or terminal.startswith(SIXEL_TERMINALS)
        or (konsole.isdigit() and int(konsole) >= KONSOLE_WITH_SIXELS)
    ):
        return "sixel"
    return "cells"


TOO_LONG: Final = f"It was not drawn within {SECONDS:g} s."


@dataclass(frozen=True)
class Decoded:
    """What the program made of a picture."""

    about: str = ""
    """`PNG, 640 x 480`; empty where that could not be read."""
    problem: str = ""
    """Why it is not drawn, in a sentence."""
    size: tuple[int, int] = (0, 0)
    pixels: bytes = b""
    """Three bytes each, top row first."""


async def decoded(data: str, most: tuple[int, int], ground: str) -> Decoded:
    """A picture, read and made to fit by a process of its own. `ground`: what stands behind it."""
    import asyncio
    import subprocess

    import anyio

    if len(data) > ENCODED_CHARACTERS:
        return Decoded(problem="It is too large to be drawn.")
    program = str(Path(__file__).with_name("picture_program.py"))
    words = [sys.executable, "-I", program, *map(str, most), ground]
    try:
        process = await asyncio.create_subprocess_exec(
            *words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return Decoded(problem="The program that reads pictures could not be started.")
    written = b""
    try:
        with anyio.move_on_after(SECONDS) as bound:
            written, _ = await process.communicate(data.encode("ascii", "ignore"))
    finally:
        if process.returncode is None:
            process.kill()
    return Decoded(problem=TOO_LONG) if bound.cancelled_caught else _read(written)


def _read(written: bytes) -> Decoded:
    head, _, rest = written.partition(b"\n")
    size, _, pixels = rest.partition(b"\n")
    if not head:
        return Decoded(problem="It is broken, or no picture of a kind that is drawn here.")
    kind, wide, high = json.loads(head)
    about = f"{kind}, {wide:,} x {high:,}"
    if wide * high > MOST_PIXELS:
        return Decoded(about, "It has too many pixels to be drawn.")
    width, height = json.loads(size or b"[0, 0]")
    if not pixels or len(pixels) != width * height * 3:
        return Decoded(about, "It is broken, or takes more time or memory than a picture gets.")
    return Decoded(about, size=(width, height), pixels=pixels)


def can_draw() -> bool:
    """Whether the libraries that read and draw pictures are installed."""
    from importlib.util import find_spec

    return find_spec("PIL") is not None and find_spec("textual_image") is not None


def widget_of(picture: Decoded, way: Drawing) -> Any:
    """The library's widget for a picture."""
    from PIL import Image

    widgets = _library()
    kinds: Mapping[Drawing, Callable[[Any], Any]] = {
        "kitty": widgets.TGPImage,
        "sixel": widgets.SixelImage,
        "cells": widgets.HalfcellImage,
    }
    return kinds[way](Image.frombytes("RGB", picture.size, picture.pixels))


def _library() -> Any:
    """The library's widgets, loaded without a question to the terminal.

    As shipped it asks at its import what the terminal can and how large a cell is, and reads the
    answer from where the console reads its keys. Where it finds no terminal it asks nothing; the
    size of a cell it takes from the environment then.
    """
    if "textual_image.widget" not in sys.modules:
        width, height = _cell_pixels()
        sizes = {"TEXTUAL_CELL_WIDTH": str(width), "TEXTUAL_CELL_HEIGHT": str(height)}
        terminal, sys.__stdout__ = sys.__stdout__, io.StringIO()  # type: ignore[misc, assignment]
        os.environ.update(sizes)
        try:
            import textual_image.widget  # noqa: F401
        finally:
            sys.__stdout__ = terminal  # type: ignore[misc]
            for name in sizes:
                del os.environ[name]
    return sys.modules["textual_image.widget"]


def _cell_pixels() -> tuple[int, int]:
    """A cell's width and height; of a terminal that does not say, those of a VT340."""
    try:
        import fcntl
        import struct
        import termios

        packed = fcntl.ioctl(sys.__stderr__, termios.TIOCGWINSZ, b"\0" * 8)  # type: ignore[arg-type]
        rows, columns, width, height = struct.unpack("HHHH", packed)
        return max(1, width // columns) if width else 10, max(1, height // rows) if height else 20
    except (ImportError, OSError, ValueError, AttributeError, ZeroDivisionError):
        return 10, 20


class PicturePage(Vertical, can_focus=True):
    """One picture of a result, and a line that says what it is; the arrows go to the next one."""

    app: Controller

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,j", "turn(1)", "Next", key_display="→", id="picture.next"),
        Binding("left,k", "turn(-1)", "Picture before", show=False, id="picture.previous"),
    ]

    DEFAULT_CSS = """
    PicturePage { padding: 0 1; }
    PicturePage > #about-picture { height: auto; color: $faint; margin: 0 0 1 0; }
    PicturePage > #picture { height: 1fr; }
    PicturePage > #picture > * { width: auto; height: auto; }
    """

    def __init__(self, pictures: Sequence[Binary]) -> None:
        super().__init__()
        self._pictures = pictures
        self._number = 0
        self._drawing = drawing(os.environ)
        self._widget: Any = None
        """The library's, while a picture is drawn."""

    def compose(self) -> ComposeResult:
        """The line, and room for the picture."""
        yield Static("", id="about-picture", markup=False)
        yield Center(id="picture")

    def on_mount(self) -> None:
        """Draw the first one."""
        self.action_turn(0)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """There is no next one where there is one only."""
        return action != "turn" or len(self._pictures) > 1

    def action_turn(self, by: int) -> None:
        """Draw the next picture, or the one before."""
        self._number = (self._number + by) % len(self._pictures)
        self.run_worker(self._draw(), exclusive=True)

    def find(self, term: str) -> Sequence[Any]:
        """Nothing is found in a picture."""
        return ()

    def go_to(self, place: Any) -> None:
        """There is no place to go to."""

    async def _draw(self) -> None:
        binary, way = self._pictures[self._number], self._drawing
        room = self.query_one("#picture", Center)
        self._let_go()
        await room.remove_children()
        room.display = False  # An empty one says what it is called.
        if not can_draw():
            self._say(binary, WANTED)
            return
        self._say(binary)
        ground = self.background_colors[1].hex6
        most = FITTING[way or "cells"]
        picture = await decoded(binary.data, most, ground)
        self._say(binary, picture.about, picture.problem)
        if picture.pixels and way is not None:
            room.display = True
            self._widget = widget_of(picture, way)
            await room.mount(self._widget)

    def on_unmount(self) -> None:
        """Nothing of it stays in the terminal's memory."""
        self._let_go()

    def _let_go(self) -> None:
        if self._widget is not None:
            self._widget.image = None
            self._widget = None

    def _say(self, binary: Binary, *more: str) -> None:
        """In one line which picture it is, what it is, and why it is not drawn."""
        count = len(self._pictures)
        words = [f"{self._number + 1} of {count}"] if count > 1 else []
        words += [neutral_line(binary.label(), 120), *filter(None, more)]
        self.query_one("#about-picture", Static).update(" · ".join(words))
