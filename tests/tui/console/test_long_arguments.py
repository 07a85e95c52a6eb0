"""A long argument is written on the whole screen, or in the person's own editor; none is lost."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import TextArea

from elicit_tui.elicitation import Call
from elicit_tui.tui.console import calls
from elicit_tui.tui.console.argument_values import ValueList
from elicit_tui.tui.console.call_words import briefly
from elicit_tui.tui.console.screens import long_text
from elicit_tui.tui.console.screens.arguments import ArgumentsScreen
from elicit_tui.tui.console.screens.long_text import LongTextArea, LongTextScreen
from elicit_tui.tui.widgets.lines import TextLine
from elicit_tui.tui.widgets.own_editor import EditorTrouble
from elicit_tui.tui.widgets.text_block import TextBlock
from tests.tui.console.stand import Stand, console
from tests.tui.console.test_calls import calls_of, tool

pytestmark = pytest.mark.anyio

LETTER = {
    "type": "object",
    "properties": {"to": {"type": "string"}, "text": {"type": "string"}},
    "required": ["text"],
}
BEYOND = {
    "type": "object",
    "properties": {"options": {"type": "object", "properties": {"a": {"type": "object"}}}},
    "required": ["options"],
}


@asynccontextmanager
async def writing(path: Path, schema: dict[str, Any]) -> AsyncIterator[Stand]:
    async with console(path, servers=["alpha"], tools={"alpha": [tool("send", schema)]}) as stand:
        stand.app.call_offer("alpha", stand.app.state.servers["alpha"].offers[0])
        await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
        await stand.until(lambda: "F4 Whole screen" in stand.text())
        yield stand


async def at_length(stand: Stand) -> None:
    await stand.press("f4")
    await stand.until(lambda: isinstance(stand.app.screen, LongTextScreen))
    await stand.until(lambda: isinstance(stand.app.focused, LongTextArea))


async def test_what_a_tool_does_is_cut_with_an_ellipsis_and_an_empty_default_is_nobodys_purpose(
    tmp_path: Path,
) -> None:
    does = " ".join(f"word{number}" for number in range(90))
    schema = {
        "type": "object",
        "properties": {"skip": {"type": "array", "items": {"type": "string"}, "default": []}},
    }
    offered = tool("send", schema, description=does)
    async with console(tmp_path, servers=["alpha"], tools={"alpha": [offered]}) as stand:
        stand.app.call_offer("alpha", stand.app.state.servers["alpha"].offers[0])
        await stand.until(lambda: "skip" in stand.text())
        assert re.search(r"\w…", stand.text())
        assert "(empty)" in stand.text()
        assert "on purpose" not in stand.text()


async def test_an_argument_is_written_on_the_whole_screen_with_all_that_stood_there(
    tmp_path: Path,
) -> None:
    async with writing(tmp_path, LETTER) as stand:
        await stand.press(*"Ada", "tab", *"Dear")
        await at_length(stand)
        await stand.press(*" Ada,", "enter", *"bye", "escape")
        await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
        await stand.until(lambda: "bye" in stand.text())
        await stand.until(lambda: isinstance(stand.app.focused, TextBlock))
        await stand.press("!", "ctrl+s")
        await stand.until(lambda: calls_of(stand))
        assert calls_of(stand)[0].arguments == {"to": "Ada", "text": "Dear Ada,\nbye!"}


async def test_a_field_of_several_lines_is_written_on_the_whole_screen_too(
    tmp_path: Path,
) -> None:
    async with writing(tmp_path, LETTER) as stand:
        await stand.press("tab", *"Dear")
        await at_length(stand)
        await stand.press("enter", *"Ada", "escape")
        await stand.until(lambda: isinstance(stand.app.focused, TextBlock))
        await stand.until(lambda: "F4 Whole screen" in stand.text())
        assert "F4 your editor" not in stand.text(), "one name for one key"
        await at_length(stand)
        await stand.press("!", "escape")
        await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
        await stand.until(lambda: "Ada!" in stand.text())
        await stand.press("?", "ctrl+s")
        await stand.until(lambda: calls_of(stand))
        assert calls_of(stand)[0].arguments == {"text": "Dear\nAda!?"}


async def test_the_json_of_arguments_is_written_on_the_whole_screen_too(tmp_path: Path) -> None:
    async with writing(tmp_path, BEYOND) as stand:
        await at_length(stand)
        area = stand.app.screen.query_one(LongTextArea)
        assert json.loads(area.text) == {"options": None}
        area.text = '{"options": {"a": {"b": 1}}}'
        await stand.press("ctrl+s")
        await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
        await stand.press("ctrl+s")
        await stand.until(lambda: calls_of(stand))
        assert calls_of(stand)[0].arguments == {"options": {"a": {"b": 1}}}


async def test_an_editor_takes_the_text_and_one_that_fails_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with writing(tmp_path, LETTER) as stand:
        await stand.press("tab", *"one")
        await at_length(stand)

        async def fails(app: Any, text: str) -> str:
            raise EditorTrouble("The editor fell over.")

        monkeypatch.setattr(long_text, "edit_in_editor", fails)
        await stand.press("enter", *"two", "f4")
        await stand.until(lambda: "The editor fell over." in stand.notices())

        async def goes_on(app: Any, text: str) -> str:
            return f"{text} three"

        monkeypatch.setattr(long_text, "edit_in_editor", goes_on)
        await stand.press("f4")
        await stand.until(lambda: "two three" in stand.text())
        await stand.press("escape")
        await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
        await stand.until(lambda: "two three" in stand.text())
        await stand.press("ctrl+s")
        await stand.until(lambda: calls_of(stand))
        assert calls_of(stand)[0].arguments == {"text": "one\ntwo three"}


LIST = {
    "type": "object",
    "properties": {
        "relations": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"to": {"type": "string"}, "kind": {"type": "string"}},
                "required": ["to", "kind"],
            },
        }
    },
    "required": ["relations"],
}


async def test_a_list_begins_with_the_keys_of_an_item_and_what_is_wrong_is_said_while_one_writes(
    tmp_path: Path,
) -> None:
    async with writing(tmp_path, LIST) as stand:
        area = stand.app.screen.query_one(TextArea)
        assert json.loads(area.text) == {"relations": [{"to": None, "kind": None}]}
        area.text = json.dumps({"relations": [{"to": "a", "kind": "b"}, {"to": "c"}]})
        await stand.until(lambda: "relations[1]: kind is missing" in stand.text())
        assert area.cursor_location == (0, 0)
        area.text = area.text.replace('"c"', '"c", "kind": "d"')
        await stand.until(lambda: "is missing" not in stand.text())
        area.text = "{"
        await stand.until(lambda: "This is not JSON" in stand.text())
        assert area.cursor_location == (0, 0)


async def test_json_begins_with_the_value_to_be_written_and_one_key_empties_it_until_undone(
    tmp_path: Path,
) -> None:
    async with writing(tmp_path, BEYOND) as stand:
        area = stand.app.screen.query_one(TextArea)
        await stand.until(lambda: "F7 Begin anew" in stand.text())
        await stand.press("4", "2")
        assert json.loads(area.text) == {"options": 42}
        await at_length(stand)
        await stand.until(lambda: "^U Clear" in stand.text())
        whole = stand.app.screen.query_one(LongTextArea)
        for editor in (whole, area):
            await stand.press("ctrl+u")
            assert editor.text == ""
            await stand.press("ctrl+z")
            assert json.loads(editor.text) == {"options": 42}
            await stand.press("escape")


async def test_what_is_wrong_in_a_form_stands_in_its_json_as_it_was_typed_and_comes_back(
    tmp_path: Path,
) -> None:
    number = {"type": "number"}
    schema = {"type": "object", "properties": {"a": number, "b": number}}
    tools = {"alpha": [tool("sum", schema)]}
    async with console(tmp_path, servers=["alpha"], tools=tools) as stand:
        stand.app.call_offer("alpha", stand.app.state.servers["alpha"].offers[0])
        await stand.until(lambda: isinstance(stand.app.focused, TextLine))
        await stand.press(*"1,5", "tab", *"7", "f5")
        area = stand.app.screen.query_one("#arguments-json", TextArea)
        await stand.until(lambda: stand.app.focused is area)
        assert json.loads(area.text) == {"a": "1,5", "b": 7}
        await stand.press("f5")
        await stand.until(lambda: isinstance(stand.app.focused, TextLine))
        assert [line.value for line in stand.app.screen.query(TextLine)] == ["1,5", "7"]


async def test_json_that_was_emptied_is_no_mistake_but_an_empty_object(tmp_path: Path) -> None:
    async with writing(tmp_path, LETTER) as stand:
        await stand.press("f5")
        await stand.until(lambda: isinstance(stand.app.focused, TextArea))
        await stand.press("ctrl+u", "ctrl+s")
        await stand.until(lambda: "text: needs an answer" in stand.text())
        await stand.press("f5")
        await stand.until(lambda: isinstance(stand.app.focused, TextLine))


async def test_the_values_that_are_known_leave_the_fields_most_of_a_low_window(
    tmp_path: Path,
) -> None:
    tools = {"alpha": [tool("send", LETTER)]}
    async with console(tmp_path, servers=["alpha"], tools=tools, size=(80, 24)) as stand:
        for number in range(9):
            call = Call("tools/call", "send", {"to": f"number {number}"})
            stand.app.state.calls.start("alpha", call).end("answered", result={})
        stand.app.call_offer("alpha", stand.app.state.servers["alpha"].offers[0])
        await stand.until(lambda: "9 known" in stand.text())
        await stand.pilot.pause()
        assert stand.app.screen.query_one(ValueList).outer_size.height == 5


async def test_json_with_a_mistake_says_where_and_the_cursor_goes_there(tmp_path: Path) -> None:
    async with writing(tmp_path, BEYOND) as stand:
        area = stand.app.screen.query_one(TextArea)
        area.text = '{\n  "options": {"a" 1}\n}'
        await stand.press("ctrl+s")
        await stand.until(lambda: "line 2, column 19" in stand.text())
        assert area.cursor_location == (1, 18)
        area.text = '{"options": {"a": 1e999}}'
        await stand.press("ctrl+s")
        await stand.until(lambda: "1e999 is too large a number" in stand.text())
        area.text = '{"options": {}, "options": {"a": {}}}'
        await stand.press("ctrl+s")
        await stand.until(lambda: "a key stands twice in one object" in stand.text())
        assert not calls_of(stand)


@pytest.mark.parametrize("schema", [BEYOND, LETTER])
async def test_arguments_written_as_json_are_there_again_after_esc(
    tmp_path: Path, schema: dict[str, Any]
) -> None:
    async with writing(tmp_path, schema) as stand:
        if schema is LETTER:
            await stand.press("f5")
        await stand.until(lambda: isinstance(stand.app.focused, TextArea))
        await stand.press(*"unfinished", "escape")
        await stand.until(lambda: not isinstance(stand.app.screen, ArgumentsScreen))
        stand.app.call_offer("alpha", stand.app.state.servers["alpha"].offers[0])
        await stand.until(lambda: "unfinished" in stand.text())
        area = stand.app.screen.query_one(TextArea)
        area.text = json.dumps({"text": "x", "options": {}})
        await stand.press("ctrl+s")
        await stand.until(lambda: calls_of(stand))
        assert not stand.app.state.half_written


async def test_what_came_back_as_json_is_marked_in_the_form_and_what_was_changed_is_not(
    tmp_path: Path,
) -> None:
    async with writing(tmp_path, LETTER) as stand:
        await stand.press("f5")
        await stand.until(lambda: isinstance(stand.app.focused, TextArea))
        stand.app.screen.query_one(TextArea).text = json.dumps({"to": "Ada", "text": "Dear"})
        await stand.press("escape")
        await stand.until(lambda: not isinstance(stand.app.screen, ArgumentsScreen))
        stand.app.call_offer("alpha", stand.app.state.servers["alpha"].offers[0])
        await stand.until(lambda: isinstance(stand.app.focused, TextArea))
        await stand.press("f5")
        await stand.until(lambda: stand.text().count("from before") == 2)
        await stand.press("f5")
        await stand.until(lambda: isinstance(stand.app.focused, TextArea))
        stand.app.screen.query_one(TextArea).text = json.dumps({"to": "Eve", "text": "Dear"})
        await stand.press("f5")
        await stand.until(lambda: "Eve" in stand.text())
        assert stand.text().count("from before") == 1


async def test_long_arguments_of_a_call_hide_no_result_and_stand_whole_at_its_end(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, servers=["alpha"], size=(100, 30)) as stand:
        text = "\n".join(f"line {number}" for number in range(15))
        call = Call("tools/call", "write", {"path": "a.txt", "content": text})
        done = stand.app.state.calls.start("alpha", call)
        done.end("answered", result={"content": [{"type": "text", "text": "Written."}]})
        await stand.press("3")
        await stand.until(lambda: "Written." in stand.text())
        assert '"content": 15 lines' in stand.text()
        assert "│ line 3" in stand.text()
        shown = stand.text().index("more lines of arguments at the end")
        assert shown < stand.text().index("Written.")
        await stand.press("enter", "G")
        await stand.until(lambda: "│ line 14" in stand.text())


def test_calls_are_told_apart_without_spelling_their_arguments_each_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spelled: list[object] = []

    def counted(value: object, **more: Any) -> str:
        spelled.append(value)
        return json.dumps(value)

    monkeypatch.setattr(calls, "readable_json", counted)
    edits = [{"old": "x" * 50, "new": "y"}] * 100
    made = [
        calls.CallRecord("alpha", Call("tools/call", "edit", {"edits": edits, "path": f"/{n}"}))
        for n in range(20)
    ]
    for _ in range(3):
        rows = [
            briefly(one.argument_texts, 30, [each.argument_texts for each in made]) for one in made
        ]
    assert rows[7].startswith("path=/7")
    assert len(spelled) == len(made)


async def test_what_a_server_has_for_a_field_below_is_shown_before_it_goes_out(
    tmp_path: Path,
) -> None:
    below = {f"x{number}": {"type": "string", "default": "y"} for number in range(20)}
    schema = {
        "type": "object",
        "properties": {"name": {"type": "string"}, **below},
        "required": ["name"],
    }
    tools = {"alpha": [tool("greet", schema)]}
    async with console(tmp_path, servers=["alpha"], tools=tools, size=(80, 24)) as stand:
        stand.app.call_offer("alpha", stand.app.state.servers["alpha"].offers[0])
        await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
        await stand.until(lambda: "x1" in stand.text())
        await stand.press(*"Ada", "ctrl+s")
        await stand.until(
            lambda: "more were not on the screen yet. ^S again reads on." in stand.text()
        )
        assert not calls_of(stand)
        while not calls_of(stand):
            await stand.press("ctrl+s")
        assert calls_of(stand)[0].arguments["x19"] == "y"
        again = next(iter(stand.app.state.calls))
        await stand.until(lambda: again.state == "answered")
        stand.app.call_again(again)
        await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
        await stand.until(lambda: "Ada" in stand.text())
        await stand.press("ctrl+s")  # It was the person's own then.
        await stand.until(lambda: len(calls_of(stand)) == 2)
