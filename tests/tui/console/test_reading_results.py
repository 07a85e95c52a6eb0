"""A result is read on the whole screen: folded, drawn, and taken along."""

from __future__ import annotations

import base64
import json
import resource
from pathlib import Path
from typing import Any

import pytest
from textual.color import Color

from elicit_tui import paths
from elicit_tui.elicitation import Call
from elicit_tui.tui.console.diffs import diff_lines
from elicit_tui.tui.console.found_lines import FoundLines
from elicit_tui.tui.console.markdown_page import MarkdownPage, markdown_of
from elicit_tui.tui.console.result_table import ResultTable
from elicit_tui.tui.console.result_tree import ResultTree
from elicit_tui.tui.console.results import Binary, as_command
from elicit_tui.tui.console.screen import ConsoleScreen
from elicit_tui.tui.console.screens import result_reader
from elicit_tui.tui.console.screens.result_reader import ResultScreen
from elicit_tui.tui.console.spans import Line
from tests.bounds import bounded
from tests.tui.console.reading import ROWS, reading, search, text_result
from tests.tui.console.stand import Stand, console

pytestmark = pytest.mark.anyio


async def test_the_json_of_a_result_folds_and_a_search_unfolds_the_way(tmp_path: Path) -> None:
    deep = {"a": [{"b": {"needle": "here"}}], "filler": list(range(500))}
    async with reading(tmp_path, text_result("ok", structuredContent=deep)) as (stand, screen):
        await stand.until(lambda: "filler" in stand.text())
        tree = screen.view
        assert isinstance(tree, ResultTree)
        tree.root.collapse_all()
        tree.root.expand()
        await stand.until(lambda: "needle" not in stand.text())
        await search(stand, "needle")
        await stand.until(lambda: '"here"' in stand.text())
        assert "1 of 1 for “needle”" in stand.text()
        await stand.press("escape")
        await search(stand, "499")
        await stand.until(lambda: "499  499" in stand.text())


async def test_json_within_a_text_is_a_tree_too(tmp_path: Path) -> None:
    wrapped = text_result(json.dumps({"city": "Oslo", "days": [1, 2]}))
    async with reading(tmp_path, wrapped) as (stand, screen):
        await stand.until(lambda: "Oslo" in stand.text())
        assert isinstance(screen.view, ResultTree)
        assert 'city  "Oslo"' in stand.text()


async def test_json_within_one_of_several_texts_is_a_tree_in_that_of_the_result(
    tmp_path: Path,
) -> None:
    several = text_result("so it is:", json.dumps({"city": "Oslo", "days": [1, 2]}))
    async with reading(tmp_path, several) as (stand, screen):
        await screen._show("json")
        await stand.until(lambda: "Oslo" in stand.text())
        assert "JSON in a text" in stand.text()


async def test_markdown_is_drawn_and_shows_where_links_lead(tmp_path: Path) -> None:
    page = "# Heading\n\nSee [your bank](https://evil.example/x) now.\n\n- one\n- two\n\n<b>raw</b>"
    async with reading(tmp_path, text_result(page)) as (stand, _):
        await stand.until(lambda: "https://evil.example/x" in stand.text())
        assert "# Heading" not in stand.text()
        assert "Heading" in stand.text()
        assert "<b>raw</b>" in stand.text(), "nothing that a server wrote is hidden"
        await stand.press("t")
        await stand.until(lambda: "# Heading" in stand.text())


async def test_a_long_text_is_laid_out_once_with_its_scrollbar(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    widths: list[int] = []

    def counted(text: str, width: int) -> list[Line]:
        widths.append(width)
        return diff_lines(text, width)

    monkeypatch.setattr(result_reader, "diff_lines", counted)
    async with reading(tmp_path, text_result("a line\n" * 1_000 + "the last")) as (stand, _):
        await stand.until(lambda: "a line" in stand.text())
        await stand.press("end")
        await stand.until(lambda: "the last" in stand.text())
        assert len(widths) == 1, widths


async def test_scrollbars_are_no_signs_in_the_text_of_the_screen(tmp_path: Path) -> None:
    wide = [{f"column_{c}": f"value {row} {c}" for c in range(12)} for row in range(30)]
    result = text_result("30 rows", structuredContent={"rows": wide})
    async with reading(tmp_path, result, size=(80, 24)) as (stand, screen):
        await stand.until(lambda: "value 3 0" in stand.text())
        assert screen.view.show_horizontal_scrollbar
        assert not set("▁▂▃▄▅▆▇▉▊▋▌▍▎") & set(stand.text())


async def test_a_list_of_like_objects_is_a_table(tmp_path: Path) -> None:
    result = text_result("30 hosts", structuredContent={"hosts": ROWS})
    async with reading(tmp_path, result) as (stand, _):
        await stand.until(lambda: "host-7" in stand.text())
        assert "load" in stand.text()
        assert "0.7" in stand.text()
        await search(stand, "host-29")
        await stand.until(lambda: "host-29" in stand.text())
        await stand.press("enter")
        await stand.until(lambda: "row 30" in stand.text())
        await stand.press("escape")


async def test_what_stands_between_tabs_stands_in_columns_wherever_it_is_read(
    tmp_path: Path,
) -> None:
    results = [text_result(f"name\tqty\tprice\nbananas\t{n}\t3.20\n日本\t7\t4") for n in (11, 12)]

    def in_columns(stand: Stand) -> bool:
        lines = [line for line in stand.text().splitlines() if "price" in line or "3.20" in line]
        cells = {line.index(word) for line in lines for word in ("price", "3.20") if word in line}
        return len(lines) > 1 and len(cells) == 1 and "日本    7       4" in stand.text()

    async with reading(tmp_path, *results, size=(140, 30)) as (stand, _):
        await stand.until(lambda: "bananas 12" in stand.text())
        assert in_columns(stand), stand.text()
        assert "\t" not in stand.text()
        await stand.press("d")
        await stand.until(lambda: "+bananas 12" in stand.text())
        assert in_columns(stand), stand.text()
        assert "\t" not in stand.text()
        await stand.press("escape")
        await stand.until(lambda: isinstance(stand.app.screen, ConsoleScreen))
        await stand.until(lambda: "bananas 12" in stand.text())
        assert in_columns(stand), stand.text()
        assert "\t" not in stand.text()
        await stand.press("c")
        await stand.until(lambda: stand.app.clipboard)
        assert stand.app.clipboard == results[1]["content"][0]["text"]


async def test_a_text_that_stands_under_a_key_as_well_is_read_once(tmp_path: Path) -> None:
    before, now = ("\n".join(("alpha", word, "omega")) for word in ("beta", "gamma"))
    results = [text_result(text, structuredContent={"content": text}) for text in (before, now)]
    async with reading(tmp_path, *results) as (stand, _):
        await stand.until(lambda: "gamma" in stand.text())
        assert "structuredContent" not in stand.text()
        await search(stand, "gamma")
        await stand.until(lambda: "1 of 1 for “gamma”" in stand.text())
        await stand.press("escape", "d")
        await stand.until(lambda: "+gamma" in stand.text())
        assert "-beta" in stand.text()


async def test_a_list_in_a_text_under_a_key_is_a_table(tmp_path: Path) -> None:
    text = json.dumps(ROWS)
    result = text_result(text, structuredContent={"content": text})
    async with reading(tmp_path, result) as (stand, _):
        await stand.until(lambda: "host-7" in stand.text())
        assert isinstance(stand.app.screen, ResultScreen)
        assert isinstance(stand.app.screen.view, ResultTable)


async def test_a_value_the_result_and_the_call_are_copied(tmp_path: Path) -> None:
    data = {"city": "Oslo"}
    async with reading(tmp_path, text_result("x", structuredContent=data)) as (stand, _):
        await search(stand, "Oslo")
        await stand.until(lambda: "1 of 1" in stand.text())
        await stand.press("c")
        assert stand.app.clipboard == "Oslo"
        await stand.press("y")
        assert json.loads(stand.app.clipboard) == data
        await stand.press("e")
        assert stand.app.clipboard == "elicit-tui call alpha look"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("Oslo", "The value of “city”"),
        ("rain", "The JSON of [0]"),
        ("days", "The JSON of “days”"),
        ("", "The value of “city”"),
    ],
)
async def test_of_what_was_copied_its_place_is_said(tmp_path: Path, words: str, said: str) -> None:
    data = {"city": "Oslo", "days": [{"rain": 1}]}
    async with reading(tmp_path, text_result("x", structuredContent=data)) as (stand, screen):
        await screen._show("json")
        if words:
            await search(stand, words)
            await stand.until(lambda: "1 of 1" in stand.text())
        if words == "rain":
            await stand.press("up")
        await stand.press("c")
        titles = [told.title for told in stand.app._notifications]
        assert titles == [said]


async def test_nothing_in_a_result_acts_on_the_screen_or_is_markup(tmp_path: Path) -> None:
    hostile = {"[bold]key[/]": "\x1b[31mred\x1b[0m", "rtl": "a\u202eb", "[red]": ["[/]"]}
    rows = {"rows": [{"[b]": "\x1b]0;t\x07"}, {"[b]": "[/nope]"}]}
    results = [text_result("x", structuredContent=each) for each in (hostile, rows)]
    async with reading(tmp_path, *results) as (stand, _):
        for _ in range(4):
            shown = stand.text()
            assert "\x1b" not in shown
            assert "\u202e" not in shown
            await stand.press("t")
        await stand.until(lambda: "[/nope]" in stand.text())


async def test_a_line_of_code_in_markdown_is_wrapped_and_read_to_its_end(tmp_path: Path) -> None:
    code = "# Title\n\n```sh\nelicit-tui call deploy deploy_branch branch=main THE_END\n```\n"
    async with reading(tmp_path, text_result(code), size=(40, 24)) as (stand, screen):
        assert isinstance(screen.view, MarkdownPage)
        await stand.until(lambda: "THE_END" in stand.text())


async def test_what_markdown_writes_in_other_signs_is_seen_too(tmp_path: Path) -> None:
    page = (
        "**Pay** to a&#x202E;b, c&ZeroWidthSpace;d, e&shy;f\n\n"
        "<https://a.example/%E2%80%AEx> [go](https://b.example/&#x2066;y)"
    )
    async with reading(tmp_path, text_result(page)) as (stand, screen):
        assert isinstance(screen.view, MarkdownPage)
        await stand.until(lambda: "a⟨U+202E⟩b" in stand.text())
        shown = stand.text()
        assert "c⟨U+200B⟩d" in shown
        assert "e⟨U+00AD⟩f" in shown
        assert "https://a.example/%E2%80%AEx" in shown
        assert not set(shown) & set("\u202e\u200b\xad\u2066")


async def test_five_megabytes_of_json_open_in_a_moment(tmp_path: Path) -> None:
    rows = [{"id": number, "text": "x" * 60, "tags": ["a", "b"]} for number in range(45_000)]
    result = text_result("x", structuredContent={"more": {}, "rows": rows, "others": [{}, {}]})
    async with reading(tmp_path, result) as (stand, screen):
        await stand.press("escape")
        with bounded(2.0):
            again = ResultScreen(screen._record)
            await stand.app.push_screen(again)
            await stand.until(lambda: "44,999" in stand.text() or "rows" in stand.text())
        await stand.press("escape")
        await stand.press("z")


@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        ({}, "elicit-tui call alpha look"),
        ({"a": "b c", "n": 3}, "elicit-tui call alpha look 'a=b c' n:=3"),
        ({"q": "it's"}, """elicit-tui call alpha look 'q=it'"'"'s'"""),
        ({"a=b": 1}, """elicit-tui call alpha look --arguments '{"a=b": 1}'"""),
        ({"a": "x\ny"}, r"""elicit-tui call alpha look --arguments '{"a": "x\ny"}'"""),
    ],
)
def test_a_call_is_written_as_a_command_that_makes_it_again(
    arguments: dict[str, Any], command: str
) -> None:
    assert as_command("alpha", Call("tools/call", "look", arguments)) == command


@pytest.mark.parametrize("name", ["--help", "@file", "a\nb", "a\u202eb", ""])
def test_a_name_that_a_shell_or_reader_would_misread_is_no_command(name: str) -> None:
    assert as_command("alpha", Call("tools/call", name, {})) is None


@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, "*" * 100_000, "**a" * 30_000, "\n" * 99_000, "|" * 99_999, " " * 99_999],
    ids=lambda text: text[:3],
)
def test_a_text_made_to_be_slow_is_told_from_markdown_at_once(text: str) -> None:
    with bounded(1.0):
        markdown_of(text_result(text))


@pytest.mark.parametrize("pane", ["1", "3", "z"])
async def test_at_80_columns_few_keys_stand_apart_beside_the_palette_and_the_help(
    tmp_path: Path, pane: str
) -> None:
    size = (80, 24)
    async with reading(tmp_path, text_result("x", structuredContent={}), size=size) as (stand, _):
        if pane != "z":
            await stand.press("escape", pane)
        bar = {"1": "r Restart", "3": "c Copy", "z": "c Copy"}[pane]
        await stand.until(lambda: bar in stand.text().splitlines()[-1])
        keys = stand.text().splitlines()[-1]
        assert keys.endswith("F1 Help")
        assert ("…" in keys) is (pane != "z")
        if pane != "z":
            assert "^P Commands" in keys
            parts = keys.replace("…", "").strip().split("  ")
            assert all(len(part.split()) in (2, 3) for part in parts if part.strip())
        else:
            assert "  y Copy JSON" in stand.text()


@pytest.mark.parametrize(("part", "drawn"), [("[", False), ("![", False), ("[a](b) ", True)])
def test_markdown_whose_links_would_be_looked_for_too_long_is_read_as_text(
    part: str, drawn: bool
) -> None:
    text = part * (4_000 if drawn else 6_000)
    page = {"uri": "page:1", "mimeType": "text/markdown", "text": text}
    block = {"type": "resource", "resource": page}
    assert bool(markdown_of({"content": [block]})) is drawn


def test_a_result_that_does_not_fit_on_the_disk_leaves_no_half_file(tmp_path: Path) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    data = base64.b64encode(bytes(100_000)).decode()
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, limits[1]))
    try:
        with pytest.raises(OSError, match="too large"):
            paths.write_private(tmp_path / "drawn.png", Binary("image/png", data).content)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert list(tmp_path.iterdir()) == []


async def test_the_key_that_turns_a_result_into_json_turns_that_one_only(tmp_path: Path) -> None:
    results = (text_result("one"), text_result("two"))
    async with reading(tmp_path, *results, size=(140, 40)) as (stand, _):
        await stand.press("escape")
        await stand.until(lambda: "t JSON" in stand.text())
        await stand.press("t")
        await stand.until(lambda: "as JSON" in stand.text())
        assert "t Text" in stand.text()
        await stand.press("down")
        await stand.until(lambda: "t JSON" in stand.text())
        assert "as JSON" not in stand.text()
        assert "one" in stand.text()


async def test_an_address_of_mail_has_nothing_put_behind_it(tmp_path: Path) -> None:
    page = "# Sent\n\nto ann@example.com and [Bo](mailto:bo@example.com)"
    async with reading(tmp_path, text_result(page)) as (stand, _):
        await stand.until(lambda: "to ann@example.com and Bo" in stand.text())
        assert "mailto:ann" not in stand.text()
        assert "(mailto:bo@example.com)" in stand.text(), "its words do not say where it leads"


async def test_a_table_names_what_it_leaves_out(tmp_path: Path) -> None:
    paged = {"hosts": ROWS, "next": None, "total": 90}
    async with reading(tmp_path, text_result("x", structuredContent=paged)) as (stand, _):
        await stand.until(lambda: "Table without next · total" in stand.text())


async def test_a_text_that_is_sent_as_data_is_read_as_text(tmp_path: Path) -> None:
    data = base64.b64encode(b"plain words").decode()
    blob = {"type": "resource", "resource": {"uri": "x:y", "mimeType": "text/plain", "blob": data}}
    async with reading(tmp_path, {"content": [blob]}) as (stand, _):
        await stand.until(lambda: "plain words" in stand.text())
        await stand.press("escape")
        await stand.until(lambda: "● done" in stand.text())
        assert "plain words" in stand.text()
        assert "what is not text" not in stand.text()


async def test_folded_objects_are_told_apart_and_nested_rows_are_json_at_first(
    tmp_path: Path,
) -> None:
    rows = [{"name": f"n{number}", "within": {"deep": number}} for number in range(60)]
    async with reading(tmp_path, text_result("x", structuredContent={"rows": rows})) as (stand, s):
        assert isinstance(s.view, ResultTree)
        await stand.until(lambda: "▸ within  {1}  deep 3" in stand.text())


async def test_what_only_may_be_markdown_is_read_as_text_until_a_person_turns_it(
    tmp_path: Path,
) -> None:
    plain = text_result("# a comment\n- one\n- two\n> quoted, a**2 and b**3")
    async with reading(tmp_path, plain, plain) as (stand, screen):
        assert isinstance(screen.view, FoundLines)
        await stand.press("t")
        await stand.until(lambda: isinstance(screen.view, MarkdownPage))
        await stand.press("escape", "down", "z")
        await stand.until(lambda: isinstance(stand.app.screen, ResultScreen))
        again = stand.app.screen
        assert isinstance(again, ResultScreen)
        assert again is not screen
        await stand.until(lambda: isinstance(again.view, MarkdownPage))


async def test_a_running_call_leaves_room_for_what_it_was_made_with(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha"], size=(80, 24)) as stand:
        call = Call("tools/call", "look", {"city": "Oslo"})
        record = stand.app.state.calls.start("alpha", call)
        record.progress, record.total = 1, 2
        await stand.press("3")
        await stand.until(lambda: "50% · city=Oslo" in stand.text())
        record.end("answered", result={})


@pytest.mark.parametrize("size", [(140, 40), (80, 24), (40, 15)])
async def test_the_reader_says_that_a_call_failed_as_the_list_of_calls_does(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    failed = text_result("No such branch.", isError=True)
    async with reading(tmp_path, failed, size=size) as (stand, screen):
        await stand.until(lambda: "✗ failed · look" in stand.text())
        frame = screen.query_one(".dialog")
        error = Color.parse(stand.app.theme_variables["error"])
        assert frame.styles.border_top == ("round", error)
    async with reading(tmp_path / "other", text_result("Done."), size=size) as (stand, _):
        assert "failed" not in stand.text()
        assert "done" not in stand.text().splitlines()[0]
