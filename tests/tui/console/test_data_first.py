"""A result opens at its data: as a table where it is one, what it arrived in folded below it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.tui.console.result_table import ResultTable
from elicit_tui.tui.console.result_tree import ResultTree
from tests.tui.console.reading import ROWS, reading, search, text_result
from tests.tui.console.stand import Stand

pytestmark = pytest.mark.anyio

DATA = {"city": "Oslo", "days": {"rain": [1, 2]}}
PEOPLE = [
    {"id": n, "name": f"Name {n}", "address": {"street": f"Street {n}", "zip": str(n)}}
    for n in range(400)
]


def of_a_resource(text: str) -> dict[str, Any]:
    return {"contents": [{"uri": "x:y", "mimeType": "application/json", "text": text}]}


def rows_of(stand: Stand) -> list[str]:
    """What stands in the frame, without the frame."""
    lines = stand.text().splitlines()[1:-2]
    return [line.strip("│ ") for line in lines if line.strip("│ ")]


@pytest.mark.parametrize(
    "result",
    [
        text_result(json.dumps(DATA)),
        text_result("x", structuredContent=DATA),
        text_result(json.dumps(DATA), structuredContent=DATA),
        text_result(json.dumps(DATA), structuredContent={"content": json.dumps(DATA)}),
        of_a_resource(json.dumps(DATA)),
    ],
    ids=["text", "structured", "both", "a text under a key", "resource"],
)
async def test_json_opens_at_the_data_and_what_it_arrived_in_is_one_folded_last_line(
    tmp_path: Path, result: dict[str, Any]
) -> None:
    async with reading(tmp_path, result) as (stand, screen):
        assert isinstance(screen.view, ResultTree)
        await stand.until(lambda: "Oslo" in stand.text())
        first, *_, last = rows_of(stand)
        assert first == 'city  "Oslo"'
        assert last == "▸ as it arrived"
        assert "content" not in stand.text()


async def test_what_it_arrived_in_says_of_what_stands_above_only_that(tmp_path: Path) -> None:
    result = text_result(json.dumps(DATA), "a word", structuredContent=DATA, _meta={"took": 3})
    async with reading(tmp_path, result) as (stand, _):
        await stand.press("end", *["right"] * 5)
        await stand.until(lambda: "structuredContent  the same as above" in stand.text())
        assert "text  the same as above" in stand.text()
        await search(stand, "took")
        await stand.until(lambda: "took  3" in stand.text())
        assert stand.text().count("Oslo") == 1
        await search(stand, "a word")
        await stand.until(lambda: 'text  "a word"' in stand.text())


@pytest.mark.parametrize(
    ("wrapped", "texts"),
    [
        (DATA, [json.dumps(DATA)]),
        ({"result": ROWS}, [json.dumps(ROWS)]),
        ({"result": ROWS}, [json.dumps(row) for row in ROWS]),
        ({"result": ["one host-7", "two"]}, ["one host-7", "two"]),
    ],
    ids=["the same", "under a key", "one by one", "texts"],
)
async def test_a_search_finds_what_was_sent_twice_once(
    tmp_path: Path, wrapped: Any, texts: list[str]
) -> None:
    words = "Oslo" if wrapped is DATA else "host-7"
    async with reading(tmp_path, text_result(*texts, structuredContent=wrapped)) as (stand, screen):
        await screen._show("json")
        await search(stand, words)
        await stand.until(lambda: f"1 of 1 for “{words}”" in stand.text())


async def test_a_text_that_says_something_else_than_the_data_stands_in_what_arrived(
    tmp_path: Path,
) -> None:
    other = json.dumps({**DATA, "city": "Rome"})
    async with reading(tmp_path, text_result(other, structuredContent=DATA)) as (stand, _):
        await search(stand, "Rome")
        await stand.until(lambda: '"Rome"' in stand.text())
        assert "1 of 1 for “Rome”" in stand.text()
        assert '"Oslo"' in stand.text()


async def test_all_that_arrived_is_copied_on_its_line_and_a_text_of_it_is_read_whole(
    tmp_path: Path,
) -> None:
    result = text_result(json.dumps(DATA), structuredContent=DATA)
    async with reading(tmp_path, result) as (stand, _):
        await stand.press("end", "c")
        assert json.loads(stand.app.clipboard) == result
        await stand.press(*["right"] * 6, "down", "enter")
        await stand.until(lambda: "╭─ text ─" in stand.text())
        assert '{"city": "Oslo"' in stand.text()
        await stand.press("escape")


@pytest.mark.parametrize(
    "result",
    [text_result(json.dumps(PEOPLE)), text_result("x", structuredContent={"people": PEOPLE})],
    ids=["text", "structured"],
)
async def test_like_objects_are_a_table_at_first_though_a_column_of_many_holds_objects(
    tmp_path: Path, result: dict[str, Any]
) -> None:
    async with reading(tmp_path, result, size=(80, 24)) as (stand, screen):
        assert isinstance(screen.view, ResultTable)
        await stand.until(lambda: "1 of 400 · Table" in stand.text())


async def test_objects_that_are_not_alike_are_no_table_at_first(tmp_path: Path) -> None:
    events = [{f"of_{number}": number, "kind": "x"} for number in range(12)]
    async with reading(tmp_path, text_result(json.dumps(events))) as (_, screen):
        assert isinstance(screen.view, ResultTree)
