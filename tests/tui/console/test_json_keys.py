"""Keys and pastes in arguments that are written as JSON, also while the JSON is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from textual import events

from elicit_tui.tui.console import json_editor
from elicit_tui.tui.console.json_editor import PASTED_AS_JSON, JsonEditor
from elicit_tui.tui.console.json_places import written_in
from elicit_tui.tui.console.screens.long_text import LongTextArea
from tests.tui.console.stand import Stand
from tests.tui.console.test_json_arguments import writing
from tests.tui.question.test_pasted_lines import obeyed_again

pytestmark = pytest.mark.anyio


def editor_of(stand: Stand) -> JsonEditor:
    return stand.app.screen.query_one(JsonEditor)


async def test_shift_tab_goes_back_to_a_value_that_is_no_json(tmp_path: Path) -> None:
    async with writing(tmp_path) as stand:
        editor = editor_of(stand)
        editor.begin('{\n  "rank": null,\n  "depth": null,\n  "name": null\n}')
        await stand.press(*"[1, 2", "tab")
        assert editor.selection.start[0] == 2
        await stand.press(*"very deep", "tab")
        assert editor.selection.start[0] == 3
        went_to = []
        for _ in range(3):
            await stand.press("shift+tab")
            went_to.append(editor.selected_text)
        assert went_to == ["very deep", "2", "1"]


async def test_nulls_are_counted_without_a_walk_through_all_the_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = '{"a": null, "null": "null", "b": [null, very null,\n\t{"c": "x\\"null\n, "d":null}'
    async with writing(tmp_path) as stand:
        editor = editor_of(stand)
        editor.begin(text)
        nulls = sum(value.sign == "null" for value in written_in(text))
        monkeypatch.setattr(json_editor, "written_in", lambda text: pytest.fail("a walk"))
        assert (nulls, editor.lacks, editor.is_begun) == (3, "3 still null", True)


async def test_tab_goes_through_values_that_stand_in_one_line(tmp_path: Path) -> None:
    async with writing(tmp_path) as stand:
        editor = editor_of(stand)
        editor.begin('{"name": "Ada", "rank": 7, "more": {"tags": [], "of": "two"}}')
        assert editor.selection.is_empty, "the list is still to be written"
        await stand.press(*'"x"', "tab")
        assert editor.selected_text == "two"
        went_to = []
        for _ in range(3):
            await stand.press("shift+tab")
            went_to.append(editor.selected_text)
        assert went_to == ["x", "7", "Ada"]


async def test_a_key_selects_all_of_the_json_which_a_paste_takes_the_place_of(
    tmp_path: Path,
) -> None:
    whole = '{"entities": [{"name": "Ada", "observations": []}]}'
    async with writing(tmp_path) as stand:
        editor = editor_of(stand)
        await stand.press("ctrl+a")
        assert editor.selected_text == editor.text
        stand.app.post_message(events.Paste(whole))
        await stand.until(lambda: editor.text == whole)
        assert not stand.notices()


@pytest.mark.parametrize("pasted", ['{"of": "two"}', "[1]", "42", "-1.5", "true", "null"])
async def test_json_pasted_over_all_of_a_text_takes_its_place_and_this_is_said(
    tmp_path: Path, pasted: str
) -> None:
    async with writing(tmp_path) as stand:
        editor = editor_of(stand)
        editor.begin('{\n  "rank": "high"\n}')
        stand.app.post_message(events.Paste(f"{pasted}\n"))
        await stand.until(lambda: editor.text == f'{{\n  "rank": {pasted}\n}}')
        await stand.until(lambda: PASTED_AS_JSON in stand.notices())
        await obeyed_again(stand.pilot)
        await stand.press("ctrl+z")
        assert '"high"' in editor.text


@pytest.mark.parametrize("stands", ['"Ada"', "null"])
async def test_json_pasted_where_a_text_is_wanted_is_one_text_and_this_is_said(
    tmp_path: Path, stands: str
) -> None:
    async with writing(tmp_path) as stand:
        editor = editor_of(stand)
        editor.begin(f'{{\n  "name": {stands}\n}}')
        stand.app.post_message(events.Paste('{"a": 1}'))
        await stand.until(lambda: json.loads(editor.text) == {"name": '{"a": 1}'})
        said = "Pasted as one text, which “name” takes. ^A selects all of the JSON."
        await stand.until(lambda: said in stand.notices())


async def test_a_line_that_is_begun_has_as_many_blanks_as_the_one_before(tmp_path: Path) -> None:
    async with writing(tmp_path) as stand:
        editor = editor_of(stand)
        await stand.press("ctrl+a", "{", "enter", *'"a": [', "enter", "1", ",", "enter", "2")
        assert editor.text == '{\n  "a": [\n    1,\n    2'
        editor.begin('{\n  "rank": 7\n}')
        editor.move_cursor((1, 11))
        await stand.press(",", "enter", *'"more": 8')
        assert editor.text == '{\n  "rank": 7,\n  "more": 8\n}'


async def test_on_the_whole_screen_json_is_gone_on_with_and_tab_goes_round_its_values(
    tmp_path: Path,
) -> None:
    async with writing(tmp_path) as stand:
        editor_of(stand).begin('{\n  "name": null,\n  "rank": null,\n  "note": "x"\n}')
        await stand.press(*"Ada", "tab")
        await stand.press("f4")
        await stand.until(lambda: isinstance(stand.app.focused, LongTextArea))
        area = stand.app.screen.query_one(LongTextArea)
        assert (area.selected_text, area.selection.start[0]) == ("null", 2), "as it was left"
        await stand.press("7")
        went_to = []
        for key in ("shift+tab", "tab", "tab", "tab"):
            await stand.press(key)
            went_to.append(area.selected_text)
        assert went_to == ["Ada", "7", "x", "Ada"]
        await stand.press("escape")
        await stand.until(lambda: isinstance(stand.app.focused, JsonEditor))
        assert json.loads(editor_of(stand).text) == {"name": "Ada", "rank": 7, "note": "x"}


async def test_on_the_whole_screen_these_keys_of_json_do_the_same(tmp_path: Path) -> None:
    async with writing(tmp_path) as stand:
        await stand.press("f4")
        await stand.until(lambda: isinstance(stand.app.focused, LongTextArea))
        await stand.press("ctrl+a", "{", "enter", *'"a": 1,', "enter", *'"b": 2')
        area = stand.app.screen.query_one(LongTextArea)
        assert area.text == '{\n  "a": 1,\n  "b": 2'
