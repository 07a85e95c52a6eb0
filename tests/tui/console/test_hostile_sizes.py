"""Nothing that a server sends, however much, has the console work on it without end."""

from __future__ import annotations

import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest
from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from rich.cells import cell_len

from elicit_tui.elicitation import Call
from elicit_tui.text import data
from elicit_tui.tui.console import palette_entries, result_table, spans
from elicit_tui.tui.console.calls import CallRecord
from elicit_tui.tui.console.markdown_page import markdown_of
from elicit_tui.tui.console.palette_entries import TOOL, Traits, entry, found
from elicit_tui.tui.console.result_links import links_of, why_no_link
from elicit_tui.tui.console.result_table import beside_the_table
from elicit_tui.tui.console.spans import fitting
from tests.tui.console.reading import text_result


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


@pytest.mark.parametrize("query", ["a" * 20 + "q", "a" * 19 + "q", "zz"])
def test_a_long_name_without_the_letters_of_what_was_written_costs_no_walk(
    query: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    walks: list[object] = []
    monkeypatch.setattr(palette_entries, "_shortens", lambda *given: walks.append(given))
    tools = [
        entry("alpha: it", "", lambda: None, Traits((name,), TOOL))
        for name in ("a " * 100, "_".join(["a" * 39] * 100))
    ]
    assert not found(tools, query)
    assert not walks


def test_words_that_begin_with_no_letter_of_what_was_written_are_passed_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []
    lengths = palette_entries._lengths

    def counted(word: str, rest: str) -> Iterator[int]:
        asked.append(word)
        return lengths(word, rest)

    monkeypatch.setattr(palette_entries, "_lengths", counted)
    name = "_".join(["read", *["xfast"] * 20, "file"])
    tool = entry("alpha: it", "", lambda: None, Traits((name,), TOOL))
    assert found([tool], "rdfile") == [tool]
    assert "xfast" not in asked


def table(columns: int, rows: int, row: str = "") -> str:
    """A table of so many cells; of a row only what is written of it, or its first cell."""
    lines = ["|a" * columns + "|", "|-" * columns + "|", *[row or "|a"] * rows]
    return "## Title\n\n" + "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    "text",
    [
        table(30, 90),
        table(5_000, 900),
        "\n".join([table(500, 8)] * 20),
        table(1_000, 60, "|-"),
        "> quoted\n>\n" + table(30, 90).replace("\n", "\n> "),
        "## Title\n\n" + "- - - - - - a\n" * 30,
        "```\na\n```\n" * 200,
        "## Title\n\n" + f"{'>' * 18} a\n\n" * 20,
        "```a`b\n" + "- a\n" * 600 + "**a**",
    ],
    ids=[
        "short",
        "long",
        "tables",
        "rows of dashes",
        "quoted",
        "lists",
        "fences",
        "quotes",
        "no fence",
    ],
)
def test_few_characters_that_would_be_many_widgets_are_read_as_text(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[object] = []
    push = StateBlock.push

    def count(*given: Any) -> object:
        begun.append(given[1])
        return push(*given)

    monkeypatch.setattr(StateBlock, "push", count)
    assert markdown_of(text_result(text)) == ""
    assert len(begun) < 12_000, "what is counted costs no more than what may be drawn"


@pytest.mark.parametrize(
    "text",
    [
        table(10, 35, "|b" * 10),
        "## Title\n\n" + "- an item\n" * 95,
        "\n".join(f"## Title\n\nText.\n\n```\n{'- ' * 20}\n```\n" for _ in range(99)),
        "## Title\n\n```\n" + "- - - - a\n" * 600 + "```\n",
    ],
    ids=["table", "list", "chapters", "code"],
)
def test_what_people_write_is_drawn_as_markdown(text: str) -> None:
    assert markdown_of(text_result(text)) == text


def linked(text: str) -> CallRecord:
    record = CallRecord("alpha", Call("tools/call", "look", {}))
    record.end("answered", result=text_result(text))
    return record


@pytest.mark.parametrize("text", ["http://a.b/(" * 4_000, "http://a.b " + "![" * 20_000])
def test_addresses_whose_end_is_looked_for_without_end_are_no_links(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: list[str] = []
    parse = MarkdownIt.parse

    def count(*given: Any) -> object:
        parsed.append(given[1])
        return parse(*given)

    monkeypatch.setattr(MarkdownIt, "parse", count)
    assert not links_of(linked(text))
    assert markdown_of(text_result(f"## Title\n\n{text}")) == ""
    assert not parsed
    assert "too many brackets or addresses" in why_no_link(text_result(text))


def test_the_links_of_long_json_on_one_line_are_found() -> None:
    rows = [
        {"id": number, "url": f"https://example.org/{number}/{'x' * 40}"} for number in range(400)
    ]
    assert len(links_of(linked(json.dumps(rows)))) == 400
