"""Pictures of a result: drawn as the terminal can; whatever is sent as one is bounded."""

from __future__ import annotations

import base64
import io
import os
import re
import select
import struct
import subprocess
import sys
import time
import zlib
from pathlib import Path

import pytest
from PIL import Image

from elicit_tui.tui.console import pictures
from elicit_tui.tui.console.pictures import PicturePage, drawing
from tests.bounds import bounded
from tests.tui.console.reading import reading
from tests.tui.console.stand import Stand

pytestmark = [
    pytest.mark.anyio,
    # By the library that draws; Pillow before 14 has what it calls.
    pytest.mark.filterwarnings("ignore:Image.Image.getdata is deprecated:DeprecationWarning"),
]


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def a_picture(kind: str = "PNG", size: tuple[int, int] = (64, 32)) -> str:
    written = io.BytesIO()
    Image.new("RGB", size, "#ff0000").save(written, kind)
    return encoded(written.getvalue())


def png_that_claims(width: int, height: int) -> str:
    """A few bytes that say they are this many pixels."""

    def chunk(name: bytes, body: bytes) -> bytes:
        return (
            struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        )

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = (
        chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(bytes(100_000))) + chunk(b"IEND", b"")
    )
    return encoded(b"\x89PNG\r\n\x1a\n" + body)


def in_words(stand: Stand) -> str:
    """What stands on the screen, on one line without frames."""
    return " ".join(stand.text().replace("│", " ").split())


def result(*data: str, kind: str = "image/png") -> dict[str, object]:
    return {"content": [{"type": "image", "mimeType": kind, "data": each} for each in data]}


async def test_a_picture_is_drawn_and_one_line_says_what_it_is(tmp_path: Path) -> None:
    async with reading(tmp_path, result(a_picture())) as (stand, screen):
        await stand.until(lambda: "PNG, 64 x 32" in stand.text())
        assert isinstance(screen.view, PicturePage)
        await stand.until(lambda: "▀▀▀" in stand.text())
        assert "s Save" in stand.text()
        await stand.press("t")
        await stand.until(lambda: "[image/png" in stand.text())


async def test_the_arrows_go_through_the_pictures_of_a_result(tmp_path: Path) -> None:
    both = result(a_picture(), a_picture("JPEG", (30, 60)))
    async with reading(tmp_path, both) as (stand, _):
        await stand.until(lambda: "1 of 2" in stand.text())
        await stand.press("right")
        # It calls itself a PNG; what it is stands beside that.
        await stand.until(lambda: "2 of 2 · image/png" in stand.text())
        await stand.until(lambda: "JPEG, 30 x 60" in stand.text())


async def test_a_wrong_checksum_of_a_note_hides_no_picture() -> None:
    whole = base64.b64decode(a_picture())
    pixels = whole.index(b"IDAT") - 4
    note = struct.pack(">I", 3) + b"tEXta\0b" + bytes(4)
    noted = await pictures.decoded(encoded(whole[:pixels] + note + whole[pixels:]), (8, 8), "#000")
    assert (noted.about, noted.problem, noted.size) == ("PNG, 64 x 32", "", (8, 4))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (png_that_claims(100_000, 100_000), "PNG, 100,000 x 100,000 · It has too many pixels"),
        (png_that_claims(7_000, 7_000), "PNG, 7,000 x 7,000 · It is broken"),
        (a_picture()[:90], "It is broken"),
        (encoded(b"\x1b]0;title\x07 no picture at all"), "It is broken, or no picture"),
        ("not base64 at all!", "It is broken, or no picture"),
        ("AAAA" * 16_700_000, "It is too large to be drawn"),
    ],
    ids=["100,000 a side", "pixels missing", "cut", "no picture", "no base64", "50 MB"],
)
async def test_whatever_is_sent_as_a_picture_costs_a_sentence(
    tmp_path: Path, data: str, said: str
) -> None:
    async with reading(tmp_path, result(data)) as (stand, screen):
        with bounded():
            await stand.until(lambda: said in in_words(stand))
        assert not screen.query_one("#picture").children


async def test_the_console_answers_keys_while_a_picture_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = tmp_path / "begun"
    (tmp_path / "picture_program.py").write_text(
        f"import pathlib, threading; pathlib.Path({str(begun)!r}).touch()\n"
        "threading.Event().wait(60)\n"
    )
    monkeypatch.setattr(pictures, "__file__", str(tmp_path / "pictures.py"))
    async with reading(tmp_path, result(a_picture())) as (stand, screen):
        await stand.until(begun.exists)
        await stand.press("t")
        await stand.until(lambda: "[image/png" in stand.text())
        assert not screen.query("#picture > *")


async def test_a_picture_that_never_ends_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "SECONDS", 0.0)
    async with reading(tmp_path, result(a_picture())) as (stand, screen):
        await stand.until(lambda: "It was not drawn within" in stand.text())
        assert not screen.query_one("#picture").children


async def test_where_pictures_are_not_installed_a_line_says_how_to_have_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "can_draw", lambda: False)
    async with reading(tmp_path, result(a_picture())) as (stand, _):
        await stand.until(lambda: "pip install '.[images]'" in in_words(stand))
        assert "image/png" in stand.text()
        await stand.press("escape")
        await stand.until(lambda: "s saves what is not text" in in_words(stand))
        assert "pip install '.[images]'" in in_words(stand)
        assert "shows the picture" not in in_words(stand)
        await stand.press("z")


async def test_where_pictures_are_not_installed_words_beside_one_come_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "can_draw", lambda: False)
    both = result(a_picture())
    both["content"] = [{"type": "text", "text": "Here is the logo."}, *both["content"]]  # type: ignore[misc]
    async with reading(tmp_path, both) as (stand, _):
        await stand.until(lambda: "Here is the logo." in stand.text())
        assert "Text · alpha" in stand.text()
        await stand.until(lambda: "t JSON" in stand.text())
        await stand.press("t", "t")
        await stand.until(lambda: "pip install '.[images]'" in in_words(stand))


@pytest.mark.parametrize(
    ("environment", "way"),
    [
        ({"TERM": "xterm-kitty"}, "kitty"),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}, "sixel"),
        ({"TERM": "foot-extra"}, "sixel"),
        ({"TERM": "xterm-256color", "KONSOLE_VERSION": "230805"}, "sixel"),
        ({"TERM": "xterm-256color", "KONSOLE_VERSION": "210805"}, "cells"),
        ({"TERM": "xterm-256color"}, "cells"),
        ({"TERM": "tmux-256color", "TERM_PROGRAM": "iTerm.app"}, "cells"),
        ({"TERM": "xterm-kitty", "NO_COLOR": "1"}, None),
        ({"TERM": "linux"}, None),
    ],
)
def test_how_pictures_are_drawn_follows_from_what_the_terminal_says(
    environment: dict[str, str], way: str | None
) -> None:
    assert drawing(environment) == way


PROGRAM = """
import sys
from textual.app import App
from elicit_tui.tui.console.pictures import PicturePage
from elicit_tui.tui.console.results import Binary

class Shows(App):
    BINDINGS = [("q", "quit", "")]

    def get_css_variables(self):
        return {**super().get_css_variables(), "faint": "#888888"}

    def compose(self):
        yield PicturePage([Binary("image/png", sys.argv[1])])

Shows().run()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize(
    ("terminal", "drawn"), [("xterm-kitty", rb"\x1b_G[^\x1b]*f=100"), ("foot", rb"\x1bP[0-9;]*q")]
)
def test_a_terminal_that_draws_gets_the_picture_and_is_asked_nothing(
    terminal: str, drawn: bytes
) -> None:
    import fcntl
    import pty
    import termios

    main, inner = pty.openpty()
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 800, 480))
    environment = {**os.environ, "TERM": terminal}
    words = [sys.executable, "-c", PROGRAM, a_picture()]
    process = subprocess.Popen(words, stdin=inner, stdout=inner, stderr=inner, env=environment)
    os.close(inner)
    output, end, left = b"", time.monotonic() + 40, False
    while time.monotonic() < end:
        if not select.select([main], [], [], 0.1)[0]:
            continue
        try:
            output += os.read(main, 65_536)
        except OSError:  # The last one that had it open has ended.
            break
        if not left and re.search(drawn, output):
            left = True
            os.write(main, b"q")
    assert left, output[-2_000:]
    assert process.wait(10) == 0
    os.close(main)
    assert b"64 x 32" in output
    # Neither what the terminal can nor how large a cell is: the answer would come as keys.
    assert not re.search(rb"\x1b\[16t|\x1b\[c|a=q", output)
    if terminal == "xterm-kitty":
        assert re.search(rb"\x1b_Ga=d", output), "nothing stays in the terminal's memory"


async def test_where_no_picture_is_drawn_nothing_else_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with reading(tmp_path, result(encoded(b"no picture"))) as (stand, _):
        await stand.until(lambda: "It is broken, or no picture" in stand.text())
        assert "Center" not in stand.text()
        monkeypatch.setattr(pictures, "SECONDS", 0.0)
        stand.app.screen.query_one(PicturePage).action_turn(0)
        await stand.until(lambda: "It was not drawn within" in stand.text())
