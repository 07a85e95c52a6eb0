"""A result says how big it is, and its reader where one is in it."""

from __future__ import annotations

import base64
import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.elicitation import Call
from elicit_tui.tui.console.result_size import how_big
from tests.tui.console.reading import ROWS, reading, text_result
from tests.tui.console.stand import console

pytestmark = pytest.mark.anyio

LOG = "".join(f"{number} of a log\n" for number in range(2_000))
PICTURE = {
    "type": "image",
    "mimeType": "image/png",
    "data": base64.b64encode(b"x" * 3_000).decode(),
}


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (text_result(LOG), ("2,000 lines", "27 kB")),
        (text_result("x" * 37), ("37 bytes",)),
        (text_result("é"), ("2 bytes",)),
        (text_result(json.dumps(ROWS)), ("30 items", "1 kB")),
        (text_result("x", structuredContent={"hosts": ROWS, "next": None}), ("30 items", "1 byte")),
        ({"content": [], "structuredContent": {"a": 1}}, ("8 bytes",)),
        (text_result("x" * 1_300_000), ("1.3 MB",)),
        ({"content": [PICTURE]}, ("image/png", "3 kB")),
        ({"content": [PICTURE] * 2}, ("image/png", "6 kB")),
        *(
            ({"content": [{**PICTURE, "data": base64.b64encode(b"x" * size).decode()}]}, words)
            for size, words in ((55, ("image/png", "55 bytes")), (56, ("image/png", "56 bytes")))
        ),
        ({"content": []}, ()),
    ],
)
def test_how_big_a_result_is(result: dict[str, Any], words: tuple[str, ...]) -> None:
    assert how_big(result) == words


@pytest.mark.parametrize("size", [(140, 40), (80, 24)])
async def test_a_call_says_how_big_its_result_is(tmp_path: Path, size: tuple[int, int]) -> None:
    async with reading(tmp_path, text_result(LOG), size=size) as (stand, _):
        await stand.press("escape")
        await stand.until(lambda: "result · 2,000 lines · 27 kB" in stand.text())
        assert "done · 27 kB" in stand.text()
        await stand.press("z")


async def test_the_size_leaves_the_room_to_what_the_call_was_made_with(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha"], size=(80, 24)) as stand:
        for city in ("Oslo", "Llanfair"):
            call = Call("tools/call", "look", {"c": city})
            stand.app.state.calls.start("alpha", call).end("answered", result=text_result("x" * 3))
        await stand.press("3")
        await stand.until(lambda: "done · c=Oslo · 3 bytes" in stand.text())
        assert "done · c=Llanfair " in stand.text()


async def test_a_text_says_which_of_its_lines_is_the_first_in_sight(tmp_path: Path) -> None:
    wide = "".join(f"{'word ' * (30 * (n % 2))}{n}\n" for n in range(200))
    async with reading(tmp_path, text_result(LOG), text_result(wide), size=(80, 24)) as (stand, _):
        await stand.until(lambda: "line 1 of 200 · Text" in stand.text())
        await stand.press(*["down"] * 4)
        await stand.until(lambda: "line 3 of 200 · Text" in stand.text())
        await stand.press("end")
        await stand.until(lambda: "end of 200 lines · Text" in stand.text())
        await stand.press("escape", "down", "z")
        await stand.until(lambda: "line 1 of 2,000 · Text" in stand.text())
        await stand.press(*["down"] * 9)
        await stand.until(lambda: "line 10 of 2,000 · Text" in stand.text())


async def test_a_text_that_is_all_in_sight_says_how_long_it_is(tmp_path: Path) -> None:
    async with reading(tmp_path, text_result("one\ntwo")) as (stand, _):
        await stand.until(lambda: "2 lines · Text" in stand.text())


async def test_a_tree_says_which_entry_of_how_many_of_an_array_the_cursor_is_on(
    tmp_path: Path,
) -> None:
    data = {"name": "x", "numbers": list(range(250)), "last": {}}
    async with reading(tmp_path, text_result("x", structuredContent=data)) as (stand, screen):
        await screen._show("json")
        await stand.until(lambda: "─ JSON · alpha" in stand.text())
        await stand.press("down", "down", "right")
        await stand.until(lambda: "1 of 250 · JSON" in stand.text())
        await stand.press("down", "down", "right", "right")
        await stand.until(lambda: "201 of 250 · JSON" in stand.text() or "of 250" in stand.text())
        await stand.press("end")
        await stand.until(lambda: "╰" in stand.text() and "of" not in stand.text().split("╰")[-1])


async def test_a_page_of_markdown_says_how_far_one_has_read(tmp_path: Path) -> None:
    page = "# Title\n\n" + "\n\n".join(f"paragraph **{number}**" for number in range(100))
    async with reading(tmp_path, text_result(page), size=(80, 24)) as (stand, _):
        await stand.until(lambda: "0% · Markdown" in stand.text())
        await stand.press("end")
        await stand.until(lambda: "100% · Markdown" in stand.text())


async def test_a_call_of_another_day_has_its_date(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha"], size=(100, 30)) as stand:
        record = stand.app.state.calls.start("alpha", Call("tools/call", "look", {}))
        record.end("answered", result=text_result("x"))
        record.began = datetime.now() - timedelta(days=2)
        await stand.press("3")
        day = f"{record.began:%m-%d %H:%M}"
        await stand.until(lambda: day in stand.text())
