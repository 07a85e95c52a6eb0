"""Nothing that a server sends, however much, has the console work on it without end."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest
from rich.cells import cell_len

from elicit_tui.text import data
from elicit_tui.tui.console import palette_entries, result_table, spans
from elicit_tui.tui.console.palette_entries import TOOL, Traits, entry, found
from elicit_tui.tui.console.result_table import beside_the_table
from elicit_tui.tui.console.spans import fitting


def test_of_thousands_of_parts_only_those_are_measured_that_may_fit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    measured: list[str] = []

    def measure(text: str) -> int:
        measured.append(text)
        return cell_len(text)

    monkeypatch.setattr(spans, "cell_len", measure)
    parts = [f"key-{number}" for number in range(3_000)]
    assert fitting(parts, 40) == "key-0 · key-1 · key-2 · key-3 · …"
    assert sum(map(len, measured)) < 1_000


@pytest.mark.parametrize(
    ("width", "fits"),
    [
        (17, "one · two · three"),
        (16, "one · two · …"),
        (12, "one · …"),
        (7, "one · …"),
        (6, "one ·…"),
    ],
)
def test_the_longest_beginning_that_fits_stands_whole(width: int, fits: str) -> None:
    assert fitting(["one", "two", "three"], width) == fits


def test_of_what_stands_beside_a_table_no_more_is_named_than_a_frame_can_hold() -> None:
    rows = [{"a": 1, "b": 2}] * 3
    data = {"rows": rows, **{f"key-{number}": 1 for number in range(3_000)}}
    assert len(beside_the_table(data, rows)) < 100


def test_a_cell_of_a_table_is_written_as_far_as_it_is_seen() -> None:
    value = {"a": "\u202e" * 1_000_000, "b": [1] * 100_000}
    written = SimpleNamespace(characters=0)

    def dumps(*given: Any, **how: Any) -> str:
        text = json.dumps(*given, **how)
        written.characters += len(text)
        return text

    with mock.patch.object(data, "json", SimpleNamespace(dumps=dumps)):
        cell = result_table._cell(value, 40)
    assert cell.plain.startswith('{"a": "\\u202e\\u202e')
    assert written.characters < 1_000


def test_a_long_name_of_like_words_is_looked_through_once_for_each_way_to_read_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    walks: list[object] = []
    shortens = palette_entries._shortens

    def walk(*given: object) -> bool:
        walks.append(given)
        return shortens(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(palette_entries, "_shortens", walk)
    name = "_".join(letter for letter in "resta" for _ in range(5)) + "_r" * 5
    tool = entry(f"alpha: {name}", "", lambda: None, Traits((name,), TOOL))
    assert not found([tool], "restars")
    assert found([tool], "restar") == [tool]
    assert len(walks) <= 4
