"""What is saved or kept goes where the person says: a path stands there, and is completed."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.elicitation import Call
from elicit_tui.tui.console.result_csv import csv_of
from elicit_tui.tui.console.results import saved_parts
from elicit_tui.tui.console.screens.saving import SaveScreen, paths_like
from tests.tui.console.reading import reading, search, text_result
from tests.tui.console.stand import Stand, console
from tests.tui.console.test_calls import tool

pytestmark = pytest.mark.anyio


async def saving(stand: Stand) -> None:
    """Call, and ask to save what came of it."""
    await stand.press("right", "enter")
    await stand.until(lambda: "done" in stand.text())
    await stand.press("s")
    await stand.until(lambda: isinstance(stand.app.screen, SaveScreen))


async def test_a_result_is_saved_where_the_person_says_and_over_a_file_only_once_that_is_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("taken.txt", "old.txt"):
        (tmp_path / name).write_text("mine")
        (tmp_path / name).chmod(0o644)
    (tmp_path / "link.txt").symlink_to("taken.txt")
    async with console(tmp_path, tools={"alpha": [tool("ping", {})]}, size=(80, 24)) as stand:
        await saving(stand)
        assert "result-alpha-ping.txt" in stand.text()
        await stand.press("ctrl+u", *"taken.txt", "enter")
        await stand.until(lambda: "Write over “taken.txt”?" in stand.text())
        await stand.until(lambda: "what stands in it now is lost." in stand.text())
        await stand.press("enter")
        await stand.until(lambda: isinstance(stand.app.screen, SaveScreen))
        assert (tmp_path / "taken.txt").read_text() == "mine"
        await stand.press("ctrl+u", *"link.txt", "enter")
        await stand.until(lambda: "link.txt: File exists." in stand.text())
        await stand.press("ctrl+u", *"nowhere/a.txt", "enter")
        await stand.until(lambda: "There is no folder nowhere." in stand.text())
        await stand.press("ctrl+u", *"~nobody-here/a.txt", "enter")
        await stand.until(lambda: "There is no folder ~nobody-here." in stand.text())
        await stand.press("ctrl+u", *"new.txt", "ctrl+s")
        await stand.until(lambda: (tmp_path / "new.txt").exists())
        await stand.until(lambda: not isinstance(stand.app.screen, SaveScreen))
        await stand.press("s")
        await stand.until(lambda: isinstance(stand.app.screen, SaveScreen))
        await stand.press("ctrl+u", *"old.txt", "ctrl+s")
        await stand.until(lambda: "Write over “old.txt”?" in stand.text())
        await stand.press("y")
        await stand.until(lambda: (tmp_path / "old.txt").read_text() == "done")
        assert (tmp_path / "old.txt").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "new.txt").read_text() == "done"
    assert (tmp_path / "taken.txt").read_text() == "mine"


@pytest.mark.parametrize(
    ("folder", "words"),
    [(".", "written in your home folder."), ("work", "written in “~/work”.")],
)
async def test_where_a_name_alone_is_written_is_said_without_a_dot_that_is_no_part_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str, words: str
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / folder).mkdir(exist_ok=True)
    monkeypatch.chdir(tmp_path / folder)
    async with console(tmp_path, tools={"alpha": [tool("ping", {})]}, size=(120, 30)) as stand:
        await saving(stand)
        assert str(stand.app.screen.query_one("#about").render()).endswith(words)


async def test_a_path_that_is_left_shows_its_beginning_and_that_it_is_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with console(tmp_path, tools={"alpha": [tool("ping", {})]}, size=(80, 24)) as stand:
        await saving(stand)
        await stand.press("ctrl+u", *"begun/", *("long" * 30), *"/end")
        await stand.until(lambda: "long/end" in stand.text() and "begun" not in stand.text())
        await stand.press("tab")
        await stand.until(lambda: "begun/long" in stand.text() and "long/end" not in stand.text())
        assert any("begun/long" in line and "…" in line for line in stand.text().splitlines())
        await stand.press("shift+tab")
        await stand.until(lambda: "long/end" in stand.text())


async def test_a_note_that_is_left_shows_its_beginning_and_that_it_is_cut(tmp_path: Path) -> None:
    async with console(tmp_path, tools={"alpha": [tool("ping", {})]}, size=(80, 24)) as stand:
        await stand.press("right", "enter")
        await stand.until(lambda: "done" in stand.text())
        await stand.press("n")
        await stand.until(lambda: "A note at this call" in stand.text())
        await stand.press(*"begun", *("long" * 20), *"end")
        await stand.until(lambda: "longend" in stand.text() and "begun" not in stand.text())
        await stand.press("tab")
        await stand.until(lambda: "begunlong" in stand.text() and "… │" in stand.text())


async def test_the_path_that_stands_there_gives_way_to_what_is_typed_and_an_arrow_keeps_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with console(tmp_path, tools={"alpha": [tool("ping", {})]}, size=(80, 24)) as stand:
        await saving(stand)
        await stand.press("right", *".old")
        await stand.until(lambda: "result-alpha-ping.txt.old" in stand.text())
        await stand.press("tab", *"er")  # Letters on a button go on with what was written.
        await stand.until(lambda: "result-alpha-ping.txt.older" in stand.text())
        await stand.press("escape", "s")
        await stand.until(lambda: isinstance(stand.app.screen, SaveScreen))
        await stand.press(*"my.txt")
        await stand.until(lambda: "my.txt" in stand.text())
        assert "result-alpha" not in stand.text()
        await stand.press("enter")
        await stand.until(lambda: (tmp_path / "my.txt").exists())
        await stand.until(lambda: f"Saved {tmp_path}/my.txt" in stand.notices())


async def test_where_something_was_saved_is_told_with_its_folder_from_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    async with console(tmp_path, tools={"alpha": [tool("ping", {})]}) as stand:
        await saving(stand)
        await stand.press(*"my.txt", "enter")
        await stand.until(lambda: "Saved ~/my.txt" in stand.notices())
        await stand.press("w")
        await stand.until(lambda: "Keep this call" in stand.text())
        await stand.press("enter")
        await stand.until(lambda: "Kept ~/alpha-ping.call.json: elicit-tui" in stand.notices())


async def test_a_part_that_is_broken_keeps_no_other_from_being_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    data = ("Zmlyc3Q=", "abcde", "bGFzdA==")
    parts = [{"type": "image", "mimeType": "image/png", "data": each} for each in data]

    async def work(connection: Any, call: Call) -> dict[str, Any]:
        return {"content": parts}

    async with console(tmp_path, tools={"alpha": [tool("ping", {})]}, work=work) as stand:
        await saving(stand)
        await stand.press(*"a.png", "enter")
        await stand.until(lambda: "Part 2 is left out. It is not valid base64." in stand.notices())
        assert (tmp_path / "a.png").read_bytes() == b"first"
        assert (tmp_path / "a-3.png").read_bytes() == b"last"
        assert not (tmp_path / "a-2.png").exists()


async def test_several_parts_are_saved_all_or_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    taken = tmp_path / "a-2.png"
    taken.mkdir()
    parts = [{"type": "image", "mimeType": "image/png", "data": "AAAA"}] * 2

    async def work(connection: Any, call: Call) -> dict[str, Any]:
        return {"content": parts}

    async with console(tmp_path, tools={"alpha": [tool("ping", {})]}, work=work) as stand:
        await saving(stand)
        for no_name in (".", "/"):
            await stand.press("ctrl+u", {".": "full_stop", "/": "slash"}[no_name], "enter")
            await stand.until(lambda: "It needs a name." in stand.text())
        await stand.press("ctrl+u", *"a.png", "enter")
        await stand.until(lambda: "a-2.png: File exists." in stand.text())
        assert not (tmp_path / "a.png").exists()
        taken.rmdir()
        await stand.press("enter")
        await stand.until(lambda: taken.exists() and (tmp_path / "a.png").exists())


async def test_the_name_that_stands_there_for_a_call_to_keep_gives_way_to_what_is_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with console(tmp_path, tools={"alpha": [tool("ping", {})]}, size=(80, 24)) as stand:
        await stand.press("right", "enter")
        await stand.until(lambda: "done" in stand.text())
        await stand.press("w")
        await stand.until(lambda: "alpha-ping" in stand.text())
        await stand.press(*"mine")
        await stand.until(lambda: "mine" in stand.text() and "alpha-ping" not in stand.text())


async def test_a_path_is_completed_from_what_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    async with console(tmp_path, tools={"alpha": [tool("ping", {})]}, size=(80, 24)) as stand:
        await saving(stand)
        await stand.press("ctrl+u", *"fol")
        await stand.until(lambda: "1 known" in stand.text())
        await stand.press("down", "enter", *"a.txt", "enter")
        await stand.until(lambda: (tmp_path / "folder" / "a.txt").exists())


def test_hidden_files_and_names_that_cannot_be_seen_whole_are_not_offered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("ab", ".ab", "a\u202eb"):
        (tmp_path / name).write_text("")
    assert paths_like("./") == ["./ab"]
    assert paths_like("./.") == ["./.ab"]
    assert paths_like("") == []


ROWS = [{"id": number, "kind": ("rain", "sun")[number % 2]} for number in range(30)]


@pytest.mark.parametrize(
    ("result", "whole"),
    [
        (text_result(json.dumps(ROWS)), "all 30 rows, as JSON"),
        (text_result("30 days", structuredContent={"days": ROWS}), "the text of the result"),
    ],
)
async def test_a_table_that_is_narrowed_says_what_of_it_is_taken_along(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, result: dict[str, Any], whole: str
) -> None:
    monkeypatch.chdir(tmp_path)
    async with reading(tmp_path, result) as (stand, _):
        if "structuredContent" in result:
            await stand.until(lambda: "1 of 30" in stand.text())
        await search(stand, "rain")
        await stand.press("f", "y")
        await stand.until(lambda: "15 rows of 30, as JSON" in stand.notices())
        await stand.press("s")
        told = f"Written: {whole}; with a name in .csv: the 15 rows shown, as CSV."
        await stand.until(lambda: told in words_of(stand))
        await stand.press("ctrl+u", *"days.csv")
        await stand.until(lambda: "Written: the 15 rows shown, as CSV." in words_of(stand))
        await stand.press("enter")
        await stand.until(lambda: not isinstance(stand.app.screen, SaveScreen))
    head, *lines = (tmp_path / "days.csv").read_text().splitlines()
    assert head == "id,kind"
    assert lines == [f"{number},rain" for number in range(0, 30, 2)]


async def test_the_blocks_of_prose_are_offered_as_no_table(tmp_path: Path) -> None:
    async with reading(tmp_path, text_result("It rains.", "It stops.")) as (stand, _):
        await stand.press("s")
        await stand.until(lambda: "For your eyes only" in words_of(stand))
        assert "CSV" not in words_of(stand)
        await stand.press("escape")
        await stand.until(lambda: not isinstance(stand.app.screen, SaveScreen))


async def test_a_table_is_saved_as_csv_from_the_list_of_calls_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with reading(tmp_path, text_result(json.dumps(ROWS))) as (stand, _):
        await stand.press("escape")
        await stand.until(lambda: "[3 Calls]" in stand.text())
        await stand.press("s")
        told = "Written: all 30 rows, as JSON; with a name in .csv: all 30 rows, as CSV."
        await stand.until(lambda: told in words_of(stand))
        await stand.press("ctrl+u", *"days.csv", "enter")
        await stand.until(lambda: not isinstance(stand.app.screen, SaveScreen))
    assert (tmp_path / "days.csv").read_text().splitlines()[:2] == ["id,kind", "0,rain"]


@pytest.mark.parametrize(
    ("kind", "suffix"),
    [
        ("text/plain", ".txt"),
        ("TEXT/Plain; charset=utf-8", ".txt"),
        ("text/x-log", ".txt"),
        ("text/csv", ".csv"),
        ("application/gzip", ".gz"),
        ("application/x-unknown", ".bin"),
    ],
)
def test_a_part_is_saved_under_a_name_that_says_what_it_is(kind: str, suffix: str) -> None:
    blob = {"uri": "demo://it", "mimeType": kind, "blob": "aGVsbG8="}
    ((named, _),) = saved_parts({"contents": [blob]})
    assert named == suffix


def words_of(stand: Stand) -> str:
    return " ".join(stand.text().replace("│", " ").split())


def test_no_cell_of_a_csv_is_a_formula_that_a_server_wrote() -> None:
    rows = [
        {"=a": "=HYPERLINK(1)", "b": -1, "c": None},
        {"b": "@x", "c": [1, "two"], "d": True, "=a": 'say "no",\nplease'},
        {"=a": "\n =1+1", "b": "\uff1d1+1", "c": "\tx", "d": " "},
    ]
    assert [*csv.reader(io.StringIO(csv_of(rows).decode()))] == [
        ["'=a", "b", "c", "d"],
        ["'=HYPERLINK(1)", "-1", "", ""],
        ['say "no",\nplease', "'@x", '[1, "two"]', "true"],
        ["'\n =1+1", "'\uff1d1+1", "'\tx", " "],
    ]


def test_a_cell_of_a_csv_is_one_also_where_other_signs_part_cells() -> None:
    row = {"a": "ok;=cmd!A0;y", "b": "tab\t=1", "c": "two\n=1+1", "d": "- a list\n- of two; -1"}
    written = csv_of([row]).decode()
    assert "- a list\n- of two; -1" in written
    for sign in ";\t":
        cells = [cell for row in csv.reader(io.StringIO(written), delimiter=sign) for cell in row]
        assert not any(cell.startswith("=") for cell in cells)
