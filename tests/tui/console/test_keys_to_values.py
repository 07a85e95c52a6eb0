"""The keys that lead from a field to what is known for it, also before that is there."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.elicitation import Call
from elicit_tui.tui.console import argument_values
from elicit_tui.tui.console.argument_values import Completion, ValueList
from elicit_tui.tui.widgets.lines import TextLine
from elicit_tui.tui.widgets.text_block import TextBlock
from tests.tui.console.stand import FakeConnection, Stand, console
from tests.tui.console.test_calls import calls_of, tool
from tests.tui.console.test_completion import MEMO, NAMES, open_form

pytestmark = pytest.mark.anyio


def field_of(stand: Stand) -> str:
    """The field that has the keys; empty where none has."""
    focused = stand.app.focused
    return focused.spec.name if isinstance(focused, TextLine) else ""


@pytest.fixture
def may_complete(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Until this is set, no server completes anything."""
    may, complete = asyncio.Event(), FakeConnection.complete

    async def late(*given: Any) -> dict[str, Any]:
        await may.wait()
        return await complete(*given)

    monkeypatch.setattr(FakeConnection, "complete", late)
    return may


async def test_down_waits_for_values_that_are_still_to_come(
    tmp_path: Path, may_complete: asyncio.Event
) -> None:
    async with console(
        tmp_path, servers=["alpha"], templates=(MEMO,), completions=NAMES, size=(100, 40)
    ) as stand:
        await open_form(stand, "memo")
        await stand.press(*"A", "down")
        assert field_of(stand) == "who"
        may_complete.set()
        await stand.until(lambda: isinstance(stand.app.focused, ValueList))
        assert "2 known · Enter to take one" in stand.text()


async def test_down_goes_on_once_it_is_known_that_there_are_no_values(
    tmp_path: Path, may_complete: asyncio.Event
) -> None:
    async with console(
        tmp_path, servers=["alpha"], templates=(MEMO,), completions=NAMES, size=(100, 40)
    ) as stand:
        await open_form(stand, "memo")
        await stand.press(*"Z", "down")
        assert field_of(stand) == "who"
        may_complete.set()
        await stand.until(lambda: field_of(stand) == "number")


async def test_a_letter_typed_after_down_goes_on_in_the_field(
    tmp_path: Path, may_complete: asyncio.Event
) -> None:
    async with console(
        tmp_path, servers=["alpha"], templates=(MEMO,), completions=NAMES, size=(100, 40)
    ) as stand:
        await open_form(stand, "memo")
        await stand.press(*"A", "down", *"l")
        may_complete.set()
        await stand.until(lambda: "1 known" in stand.text())
        assert field_of(stand) == "who"


async def test_down_goes_on_at_once_where_nothing_can_be_known(tmp_path: Path) -> None:
    properties = {name: {"type": "string"} for name in ("team", "note")}
    tools = {"alpha": [tool("greet", {"type": "object", "properties": properties})]}
    async with console(tmp_path, servers=["alpha"], tools=tools) as stand:
        await open_form(stand, "greet")
        await stand.press("A", "down")
        assert field_of(stand) == "note"


async def test_tab_takes_the_only_value_of_its_server_and_then_goes_on(tmp_path: Path) -> None:
    async with console(
        tmp_path, servers=["alpha"], templates=(MEMO,), completions=NAMES, size=(100, 40)
    ) as stand:
        await open_form(stand, "memo")
        await stand.until(lambda: "3 known" in stand.text())
        await stand.press(*"al")
        await stand.until(lambda: "1 known · Tab or ↓ to take one" in stand.text())
        await stand.press("tab")
        line = stand.app.focused
        assert isinstance(line, TextLine)
        assert (line.spec.name, line.value) == ("who", "Alan")
        await stand.press("tab")
        assert field_of(stand) == "number"
        await stand.until(lambda: "2 known · ↓ to take one" in stand.text())
        await stand.press(*"1")
        await stand.until(lambda: "2 known" in stand.text())
        await stand.press("tab")
        assert field_of(stand) != "number"


@pytest.mark.parametrize("typed", ["", "S"])
async def test_tab_takes_nothing_that_was_only_sent_before(tmp_path: Path, typed: str) -> None:
    properties: dict[str, Any] = {name: {"type": "string"} for name in ("team", "note")}
    properties["team"]["examples"] = ["Sales"]
    tools = {"alpha": [tool("greet", {"type": "object", "properties": properties})]}
    async with console(tmp_path, servers=["alpha"], tools=tools) as stand:
        await open_form(stand, "greet")
        await stand.press(*typed)
        await stand.until(lambda: "1 known · ↓ to take one" in stand.text())
        await stand.press("tab")
        assert field_of(stand) == "note"
        await stand.press("ctrl+s")
        await stand.until(lambda: calls_of(stand))
        assert calls_of(stand)[0].arguments == ({"team": typed} if typed else {})


async def test_what_another_tool_was_sent_is_offered_behind_all_that_is_of_this_one(
    tmp_path: Path,
) -> None:
    path = {"type": "string", "examples": ["/example"]}
    schema = {"type": "object", "properties": {"path": path}}
    tools = {"alpha": [tool("read", schema), tool("write", schema)]}
    async with console(tmp_path, servers=["alpha"], tools=tools) as stand:
        for name, sent in (("read", "/own"), ("write", "/other")):
            call = Call("tools/call", name, {"path": sent})
            stand.app.state.calls.start("alpha", call).end("answered", result={})
        await open_form(stand, "read")
        await stand.until(lambda: "3 known" in stand.text())
        places = [stand.text().index(each) for each in ("/own", "/example", "/other  of write")]
        assert places == sorted(places)


async def test_a_list_of_texts_is_offered_what_was_in_such_a_list_before_text_by_text(
    tmp_path: Path,
) -> None:
    items = {"type": "string", "examples": ["blue"]}
    properties = {"tags": {"type": "array", "items": items}, "note": {"type": "string"}}
    tools = {"alpha": [tool("mark", {"type": "object", "properties": properties})]}
    async with console(tmp_path, servers=["alpha"], tools=tools, size=(100, 40)) as stand:
        call = Call("tools/call", "mark", {"tags": ["red", "green", 5, "two\nlines"]})
        stand.app.state.calls.start("alpha", call).end("answered", result={})
        await open_form(stand, "mark")
        await stand.until(lambda: "3 known · ↓ to take one" in stand.text())
        assert "green  used before" in stand.text()
        await stand.press(*"own", "enter", *"gr")
        await stand.until(lambda: "1 known" in stand.text())
        await stand.press("down", "enter")
        await stand.until(lambda: "2 known" in stand.text())
        assert isinstance(stand.app.focused, TextBlock)
        assert stand.app.focused.text == "own\ngreen\n"
        await stand.press("down", "down", "tab")
        await stand.until(lambda: stand.app.screen.query_one(TextBlock).text == "own\ngreen\nblue")
        await stand.press("up", "down", "ctrl+s")
        await stand.until(lambda: calls_of(stand))
        assert calls_of(stand)[0].arguments == {"tags": ["own", "green", "blue"]}


async def test_what_stands_beside_values_of_lists_does_not_judge_every_text_of_all_calls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    properties = {"tags": {"type": "array", "items": {"type": "string"}}}
    tools = {"alpha": [tool("mark", {"type": "object", "properties": properties})]}
    async with console(tmp_path, servers=["alpha"], tools=tools) as stand:
        await stand.until(lambda: stand.app.state.servers["alpha"].offers)
        for texts in (["red", "green"], ["green", "blue"]):
            call = Call("tools/call", "mark", {"tags": texts})
            stand.app.state.calls.start("alpha", call).end("answered", result={})
        record = stand.app.state.servers["alpha"]
        known = Completion(stand.app.state, record, record.offers[0])
        values = [*known.known("tags")]
        monkeypatch.setattr(argument_values, "_fitting", lambda values: pytest.fail("judged"))
        used = {value: known.used("tags", value) for value in (*values, "white")}
        assert used == {**dict.fromkeys(("red", "green", "blue"), "used before"), "white": ""}
