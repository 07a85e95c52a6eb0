"""A text of millions of characters is read as far as laying it out keeps nobody waiting."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from elicit_tui.text import neutral
from elicit_tui.tui.console import found_lines, spans
from elicit_tui.tui.console.spans import WHOLE_CHARACTERS, readable, text_lines
from tests.tui.console.reading import reading, text_result

LOG = ("2026-11-29 12:00:00 host-17 answered GET /health with 200 in 3 ms\n") * 90_000
CUT = "characters in all⟩"


def test_a_long_log_is_read_to_its_end() -> None:
    assert len(LOG) > 5_000_000
    assert readable(LOG) == LOG
    letters = "Größe und Maß, naïve Café\n" * 30_000
    assert readable(letters) == letters
    coloured = "\x1b[32m2026-11-29 12:00:00 ok\x1b[0m of host-17 in three milliseconds\n" * 15_000
    assert readable(coloured) == neutral(coloured)


def test_a_long_plain_text_is_measured_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    def cost_of(line: str, plain: bool) -> int:
        raise AssertionError("it is measured line by line")

    monkeypatch.setattr(spans, "_cost_of", cost_of)
    assert readable(LOG) == LOG


@pytest.mark.anyio
async def test_the_rows_of_a_long_text_are_not_laid_out_once_more_to_count_its_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[str] = []

    def wrapped(text: str, width: int) -> Iterator[str]:
        counted.append(text)
        return spans.wrapped(text, width)

    monkeypatch.setattr(found_lines, "wrapped", wrapped)
    wide = ("word " * 40 + "\n") * 6_000
    async with reading(tmp_path, text_result(wide[:3_000]), text_result(wide)) as (stand, _):
        await stand.until(lambda: "line 1 of 18,0" in stand.text())
        assert not counted
        await stand.press("escape", "down", "z")
        await stand.until(lambda: "line 1 of 15 " in stand.text())
        assert len(counted) == 15


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("\n" * 7_000_000, 400_000),
        ("--- a/x\n+++ b/x\n@@ -1,9000000 +1,9000000 @@\n" + "+\n-\n" * 1_500_000, 800_000),
        ("\ta" * 4_000_000, 1_000_000),
        ("漢" * 7_000_000, 1_000_000),
        ("x" * 9_000_000, 1_000_000),
        ("a" + "\u0301" * 7_000_000, 250_000),
        ("a\u200d" * 3_500_000, 250_000),
        ("👩‍👩‍👧‍👦" * 1_000_000, 250_000),
        ("\u202e" * 7_000_000, 250_000),
    ],
    ids=["lines", "diff", "tabs", "letters", "word", "marks", "joiners", "families", "bidi"],
)
def test_a_costly_text_is_cut_sooner_and_says_so(text: str, most: int) -> None:
    shown = readable(text)
    assert len(shown) <= most
    assert shown.endswith(f"{len(text):,} {CUT}")


def test_what_is_marked_in_a_text_counts_as_long_as_it_is_shown() -> None:
    shown = readable("\u202e" * 200_000)
    assert len(shown) <= WHOLE_CHARACTERS // 32
    assert shown.endswith(f"200,000 {CUT}")


@pytest.mark.anyio
async def test_the_reader_shows_as_much_of_a_costly_text_and_tells_its_length(
    tmp_path: Path,
) -> None:
    result = text_result("a" + "\u0301" * 300_000)
    async with reading(tmp_path, result) as (stand, _):
        await stand.until(lambda: "⟨U+0301⟩" in stand.text())
        assert "only the beginning, s saves all" in stand.text()
        await stand.press("c")
        await stand.until(lambda: "The beginning of the text" in stand.notices())
        await stand.press("slash", *"300", "enter")
        await stand.until(lambda: "for “300” · only the beginning" in stand.text())
        await stand.press("escape", "end")
        await stand.until(lambda: CUT in stand.text())
        assert len(text_lines(readable(result["content"][0]["text"]), 76)) < 5_000


@pytest.mark.anyio
async def test_beside_the_list_the_beginning_is_shown_and_all_of_it_is_copied(
    tmp_path: Path,
) -> None:
    result = text_result("a line\n" * 40_000 + "the end")
    async with reading(tmp_path, result) as (stand, _):
        await stand.press("escape")
        await stand.until(lambda: "Enter Read" in stand.text())
        await stand.press("c")
        await stand.until(lambda: stand.app.clipboard)
        assert stand.app.clipboard == result["content"][0]["text"]
