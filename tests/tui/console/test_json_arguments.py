"""Arguments written as JSON: what is expected is shown, and keys lead from value to value."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual import events

from elicit_tui.elicitation import Call
from elicit_tui.form.field import Problem
from elicit_tui.tui.console.calls import CallRecord
from elicit_tui.tui.console.json_editor import JsonEditor
from elicit_tui.tui.console.json_places import place_of
from elicit_tui.tui.console.screens.arguments import ArgumentsScreen
from elicit_tui.tui.console.screens.long_text import LongTextArea
from elicit_tui.tui.widgets.buttons import KeyButton
from tests.form.test_shape import ENTITIES
from tests.tui.console.stand import Stand, console
from tests.tui.console.test_calls import calls_of, tool
from tests.tui.question.test_pasted_lines import obeyed_again

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def writing(path: Path, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Stand]:
    tools = {"alpha": [tool("create", ENTITIES)]}
    async with console(path, servers=["alpha"], tools=tools, size=size) as stand:
        stand.app.call_offer("alpha", stand.app.state.servers["alpha"].offers[0])
        await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
        await stand.until(lambda: isinstance(stand.app.focused, JsonEditor))
        yield stand


@asynccontextmanager
async def calling_again(path: Path, entity: dict[str, Any]) -> AsyncIterator[JsonEditor]:
    """The editor of a call that is made again, with this entity in it."""
    async with console(
        path, servers=["alpha"], tools={"alpha": [tool("create", ENTITIES)]}, size=(100, 30)
    ) as stand:
        await stand.until(lambda: stand.app.state.servers["alpha"].offers)
        call = Call("tools/call", "create", {"entities": [entity]})
        stand.app.call_again(CallRecord("alpha", call))
        await stand.until(lambda: isinstance(stand.app.focused, JsonEditor))
        yield stand.app.screen.query_one(JsonEditor)


async def test_what_json_is_expected_stands_above_it_and_beside_the_tool(tmp_path: Path) -> None:
    async with writing(tmp_path, (120, 40)) as stand:
        assert '{"entities": [{"name": "…", "rank"?: whole number,' in stand.text()
        await stand.press("escape")
        await stand.until(lambda: 'JSON: [{"name": "…"' in stand.text())


@pytest.mark.parametrize("quote", ["", '"'])
async def test_tab_goes_from_value_to_value_and_a_text_gets_its_quotes(
    tmp_path: Path, quote: str
) -> None:
    async with writing(tmp_path) as stand:
        await stand.press(quote or "A", *("Ada" if quote else "da"), *quote, "tab", *"tall", "tab")
        assert isinstance(stand.app.focused, KeyButton)
        await stand.press("ctrl+s")
        await stand.until(lambda: calls_of(stand))
        entity = {"name": "Ada", "observations": ["tall"]}
        assert calls_of(stand)[0].arguments == {"entities": [entity]}


async def test_shift_tab_goes_back_from_value_to_value_and_from_the_first_one_upward(
    tmp_path: Path,
) -> None:
    async with writing(tmp_path) as stand:
        await stand.press(*"Ada", "tab", *"tall", "shift+tab")
        editor = stand.app.focused
        assert isinstance(editor, JsonEditor)
        assert editor.selected_text == "Ada", "what was written can be written over"
        await stand.press(*"Eve")
        assert '"name": "Eve"' in editor.text
        await stand.press("shift+tab")
        assert isinstance(stand.app.focused, KeyButton), "around, to the last button"
        await stand.press("tab")
        assert stand.app.focused is editor


async def test_tab_goes_round_the_values_of_arguments_that_were_there_from_the_beginning(
    tmp_path: Path,
) -> None:
    tools = {"alpha": [tool("create", ENTITIES)]}
    async with console(tmp_path, servers=["alpha"], tools=tools, size=(100, 30)) as stand:
        await stand.until(lambda: stand.app.state.servers["alpha"].offers)
        entity = {"name": "Ada", "rank": 7, "observations": ["tall"]}
        call = Call("tools/call", "create", {"entities": [entity]})
        stand.app.call_again(CallRecord("alpha", call))
        await stand.until(lambda: isinstance(stand.app.focused, JsonEditor))
        editor = stand.app.screen.query_one(JsonEditor)
        selected = []
        for _ in range(4):
            selected.append(editor.selected_text)
            await stand.press("tab")
        assert selected == ["Ada", "7", "tall", "Ada"]
        await stand.press("tab", *"small", "tab", *"Eve")
        editor.move_cursor((0, 0))
        await stand.press("tab", "tab", *"9", "ctrl+s")
        await stand.until(lambda: calls_of(stand))
        entity = {"name": "Eve", "rank": 9, "observations": ["small"]}
        assert calls_of(stand)[0].arguments == {"entities": [entity]}


async def test_tab_goes_on_from_a_list_that_stays_empty(tmp_path: Path) -> None:
    async with writing(tmp_path) as stand:
        editor = stand.app.screen.query_one(JsonEditor)
        editor.begin('{\n  "tags": [],\n  "name": null\n}')
        await stand.press("tab")
        assert editor.selected_text == "null"


async def test_what_is_undone_or_begun_anew_is_no_mistake_any_more(tmp_path: Path) -> None:
    async with writing(tmp_path) as stand:
        editor = stand.app.screen.query_one(JsonEditor)
        begun = editor.text
        editor.move_cursor(editor.document.end)
        for key in ("ctrl+z", "f7"):
            stand.app.post_message(events.Paste("oops: ]"))
            await stand.until(lambda: "This is not JSON" in stand.text())
            await obeyed_again(stand.pilot)
            await stand.press(key)
            await stand.until(lambda: editor.text == begun)
            await stand.until(lambda: "This is not JSON" not in stand.text())


async def test_what_is_still_to_be_written_is_no_mistake_until_it_is_sent(tmp_path: Path) -> None:
    async with writing(tmp_path) as stand:
        await stand.press("ctrl+u", *"[")
        await stand.until(lambda: "This is not JSON" in stand.text())
        await stand.press("f7", *"Ada")
        await stand.until(lambda: '"name": "Ada"' in stand.text())
        await stand.until(lambda: "This is not JSON" not in stand.text())
        screen = stand.app.screen
        assert isinstance(screen, ArgumentsScreen)
        screen._judge_json()
        assert not screen.query_one("#trouble").display
        await stand.press("ctrl+s")
        await stand.until(lambda: "entities[0].observations[0]: a text" in stand.text())


async def test_a_letter_outside_of_quotes_is_told_what_is_missing(tmp_path: Path) -> None:
    async with writing(tmp_path) as stand:
        await stand.press("ctrl+u", *"{", '"', *"entities", '"', *": Ada}", "ctrl+s")
        await stand.until(lambda: "A text stands in" in stand.text())


async def test_a_key_begins_anew_and_what_was_written_comes_back(tmp_path: Path) -> None:
    async with writing(tmp_path) as stand:
        await stand.press("ctrl+u", *"mine")
        await stand.press("f7")
        await stand.until(lambda: '"name": null' in stand.text())
        await stand.press("ctrl+z")
        await stand.until(lambda: "mine" in stand.text())


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        (("a", '"', "b"), 'a"b'),
        (("a", "b", "left", '"', "end"), 'a"b'),
        (("a", "\\", '"', "b"), 'a"b'),
        (("a", '"', "tab"), "a"),
        ((*"say ", '"', *"hi", '"'), 'say "hi"'),
        ((*"say ", '"', *"hi", '"', '"'), 'say "hi"'),
        (('"', '"', "b"), "b"),
    ],
)
async def test_a_quotation_mark_within_a_text_stands_in_it(
    tmp_path: Path, keys: tuple[str, ...], said: str
) -> None:
    async with writing(tmp_path) as stand:
        await stand.press(*keys)
        if "tab" not in keys:
            await stand.press("tab")
        await stand.press(*"tall", "ctrl+s")
        await stand.until(lambda: calls_of(stand))
        entity = {"name": said, "observations": ["tall"]}
        assert calls_of(stand)[0].arguments == {"entities": [entity]}


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ((*'"Bob"',), "Bob"),
        (('"', "tab"), ""),
        (("right", "shift+left", '"'), 'An"'),
        (("right", "left", "shift+right", '"'), 'An"'),
    ],
)
async def test_a_quote_typed_over_all_of_a_text_begins_it_anew_over_a_part_it_is_in_it(
    tmp_path: Path, keys: tuple[str, ...], said: str
) -> None:
    async with calling_again(tmp_path, {"name": "Ana", "observations": ["tall"]}) as editor:
        assert editor.selected_text == "Ana"
        await editor.app._press_keys([*keys])
        assert json.loads(editor.text)["entities"][0]["name"] == said


async def test_behind_a_text_that_ended_it_is_told_how_a_quotation_mark_is_written(
    tmp_path: Path,
) -> None:
    async with writing(tmp_path) as stand:
        await stand.press("ctrl+u", *"{", '"', *"entities", '"', *': "a" b}', "ctrl+s")
        await stand.until(lambda: 'mark is written \\".' in stand.text())
        assert "A text stands in" not in stand.text()


async def test_back_from_the_whole_screen_the_cursor_is_at_the_mistake(tmp_path: Path) -> None:
    async with writing(tmp_path) as stand:
        await stand.press("f4")
        await stand.until(lambda: isinstance(stand.app.focused, LongTextArea))
        area = stand.app.screen.query_one(LongTextArea)
        area.text = '{\n  "entities": oops\n}'
        await stand.press("escape")
        await stand.until(lambda: isinstance(stand.app.focused, JsonEditor))
        await stand.until(lambda: "line 2, column 15" in stand.text())
        editor = stand.app.screen.query_one(JsonEditor)
        assert editor.cursor_location == (1, 14)


async def test_a_line_break_within_a_text_is_one_of_the_text(tmp_path: Path) -> None:
    async with writing(tmp_path) as stand:
        await stand.press(*"one", "enter", *"two", "tab", *"tall", "ctrl+s")
        await stand.until(lambda: calls_of(stand))
        entity = {"name": "one\ntwo", "observations": ["tall"]}
        assert calls_of(stand)[0].arguments == {"entities": [entity]}


async def test_a_comma_behind_the_last_value_of_a_list_adds_one_and_this_is_said(
    tmp_path: Path,
) -> None:
    async with writing(tmp_path) as stand:
        said = " ".join(stand.text().replace("│", " ").split())
        assert "Type over the selected value" in said
        assert "To add an entry to a list: End, then a comma, after its last one." in said
        await stand.press(*"Ada", "tab", *"tall, slim", '"', ",", *"old", '"', ",", *"wise")
        await stand.press("ctrl+s")
        await stand.until(lambda: calls_of(stand))
        entity = {"name": "Ada", "observations": ["tall, slim", "old", "wise"]}
        assert calls_of(stand)[0].arguments == {"entities": [entity]}


async def test_a_comma_behind_the_last_object_of_a_list_adds_one_to_be_written(
    tmp_path: Path,
) -> None:
    async with writing(tmp_path) as stand:
        await stand.press(*"Ada", "tab", *"tall", '"', ",", *"old")
        editor = stand.app.focused
        assert isinstance(editor, JsonEditor)
        end = next(row for row, line in enumerate(editor.text.split("\n")) if line == "    }")
        editor.move_cursor((end, 0))
        await stand.press("end", ",", *"Bob", "tab", *"slim", "ctrl+s")
        await stand.until(lambda: calls_of(stand))
        ada = {"name": "Ada", "observations": ["tall", "old"]}
        bob = {"name": "Bob", "observations": ["slim"]}
        assert calls_of(stand)[0].arguments == {"entities": [ada, bob]}


@pytest.mark.parametrize(
    "typed",
    [
        '"uses a shell", "types fast", "no wizard"',
        '"uses a shell","types fast","no wizard"',
        '["uses a shell", "types fast", "no wizard"]',
    ],
)
async def test_a_list_that_is_typed_as_json_comes_out_as_that_list(
    tmp_path: Path, typed: str
) -> None:
    async with writing(tmp_path) as stand:
        await stand.press(*"Ada", "tab", *typed, "ctrl+s")
        await stand.until(lambda: calls_of(stand))
        entity = {"name": "Ada", "observations": ["uses a shell", "types fast", "no wizard"]}
        assert calls_of(stand)[0].arguments == {"entities": [entity]}


async def test_end_then_a_comma_adds_one_to_a_list_as_it_is_said(tmp_path: Path) -> None:
    async with writing(tmp_path) as stand:
        await stand.press(*"Ada", "tab", *"tall, slim", "end", ",", *"[old]", "ctrl+s")
        await stand.until(lambda: calls_of(stand))
        entity = {"name": "Ada", "observations": ["tall, slim", "[old]"]}
        assert calls_of(stand)[0].arguments == {"entities": [entity]}


async def test_a_comma_elsewhere_is_a_comma(tmp_path: Path) -> None:
    async with writing(tmp_path) as stand:
        await stand.press(*"Ada", '"', ",")
        editor = stand.app.focused
        assert isinstance(editor, JsonEditor)
        assert '"Ada",,' in editor.text


PATHS = {
    "type": "object",
    "properties": {
        "note": {"type": "string", "title": "Note"},
        "path": {"type": "string", "title": "Path"},
        "count": {"type": "integer", "title": "Count"},
    },
    "required": ["path", "count"],
}


@asynccontextmanager
async def form_of_paths(path: Path) -> AsyncIterator[Stand]:
    tools = {"alpha": [tool("open", PATHS)]}
    async with console(path, servers=["alpha"], tools=tools, size=(80, 24)) as stand:
        stand.app.call_offer("alpha", stand.app.state.servers["alpha"].offers[0])
        await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
        yield stand


async def test_the_json_of_a_form_has_what_is_required_and_not_filled_in_yet(
    tmp_path: Path,
) -> None:
    async with form_of_paths(tmp_path) as stand:
        await stand.press(*"hm", "f5")
        await stand.until(lambda: '"note": "hm"' in stand.text())
        assert '"path": null' in stand.text()
        assert '"count": null' in stand.text()
        await stand.press(*"a/b", "f5")
        await stand.until(lambda: "Path *" in stand.text())
        assert "a/b" in stand.text()
        assert "Also sent" not in stand.text()
        assert "✗" not in stand.text()


async def test_what_a_backslash_is_in_json_is_said_while_one_types(tmp_path: Path) -> None:
    async with form_of_paths(tmp_path) as stand:
        await stand.press("f5")
        await stand.until(lambda: isinstance(stand.app.focused, JsonEditor))
        await stand.press(*"C:\\new", "tab", "3")
        said = "In JSON \\n is a line break. A backslash is written \\\\."
        await stand.until(lambda: said in stand.text())
        await stand.press("shift+tab", *"C:\\Users")
        await stand.until(lambda: "A backslash is written \\\\." in stand.text())


async def test_what_is_pasted_into_a_text_of_json_is_that_text(tmp_path: Path) -> None:
    async with form_of_paths(tmp_path) as stand:
        await stand.press("f5")
        await stand.until(lambda: isinstance(stand.app.focused, JsonEditor))
        stand.app.post_message(events.Paste('C:\\new "one"\nD:\\two\n'))
        shown = '"path": "C:\\\\new \\"one\\"\\nD:\\\\two"'
        await stand.until(lambda: shown in stand.text())
        stand.app.post_message(events.Paste("\\"))
        await stand.until(lambda: shown[:-1] + '\\\\"' in stand.text())
        await obeyed_again(stand.pilot)
        await stand.press("tab", "3", "ctrl+s")
        await stand.until(lambda: calls_of(stand))
        sent = {"path": 'C:\\new "one"\nD:\\two\\', "count": 3}
        assert calls_of(stand)[0].arguments == sent


async def test_the_bar_of_json_hides_no_key_on_an_ordinary_screen(tmp_path: Path) -> None:
    async with writing(tmp_path) as stand:
        await stand.until(lambda: "Tab Next value" in stand.text())
        bar = stand.text().splitlines()[-1]
        assert "F7 Begin anew" in bar
        assert "F4 Whole screen" in bar
        assert "…" not in bar


async def test_a_list_or_an_object_over_all_of_a_text_takes_its_place_where_none_is_wanted(
    tmp_path: Path,
) -> None:
    async with writing(tmp_path) as stand:
        editor = stand.app.screen.query_one(JsonEditor)
        editor.begin('{\n  "rank": "high"\n}')
        assert editor.selected_text == "high"
        stand.app.post_message(events.Paste('[{"of": "two"}]\n'))
        await stand.until(lambda: editor.text == '{\n  "rank": [{"of": "two"}]\n}')
        editor.begin('{\n  "rank": "high"\n}')
        await stand.press("[", "1", "]")
        assert editor.text == '{\n  "rank": [1]\n}'
        editor.begin('{\n  "name": "Ada"\n}')
        stand.app.post_message(events.Paste("[1, 2]"))
        await stand.until(lambda: editor.text == '{\n  "name": "[1, 2]"\n}')


@pytest.mark.parametrize("item", ["null", '"old"'])
async def test_a_list_pasted_over_the_only_value_of_a_list_has_its_values_there(
    tmp_path: Path, item: str
) -> None:
    async with writing(tmp_path) as stand:
        editor = stand.app.screen.query_one(JsonEditor)
        editor.begin(f'{{\n  "observations": [\n    {item}\n  ]\n}}')
        assert editor.selected_text == item.strip('"')
        stand.app.post_message(events.Paste('["one", "two"]'))
        await stand.until(lambda: "two" in editor.text)
        assert json.loads(editor.text) == {"observations": ["one", "two"]}


async def test_a_value_that_is_refused_is_selected_so_that_what_is_typed_takes_its_place(
    tmp_path: Path,
) -> None:
    entity = {"name": '}, "a": [', "observations": ["tall", 75]}
    async with calling_again(tmp_path, entity) as editor:
        screen = editor.screen
        assert isinstance(screen, ArgumentsScreen)
        screen.action_send()
        assert editor.selected_text == "75"
        editor.replace('"thin"', *editor.selection)
        editor.move_cursor((0, 0))
        editor.text = editor.text.replace('"tall"', "[]")
        screen.action_send()
        row, column = editor.cursor_location
        assert editor.text.split("\n")[row][column:] == "[],"


@pytest.mark.parametrize(
    ("problem", "found"),
    [
        (Problem("a", "", "[1].b"), "x"),
        (Problem("a", "", ""), ""),
        (Problem("c", ""), "null"),
        (Problem('q"', ""), "1.5"),
        (Problem("none", ""), None),
        (Problem(None, ""), None),
    ],
)
def test_the_place_of_a_value_is_found_among_its_like(problem: Problem, found: str | None) -> None:
    text = '{"a": [{"b": "y"}, {"d": [], "b": "x"}], "c": null, "q\\"": 1.5}'
    place = place_of(problem, text)
    assert (None if place is None else text[slice(*place)]) == found
    assert problem.field != "a" or problem.inside or place == (6, 6)
