"""Values for a field come from the server that will get them, or from earlier calls."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from elicit_tui.elicitation import Call
from elicit_tui.elicitation.settings import GuardianSettings
from elicit_tui.host.offers import ResourceTemplate
from elicit_tui.runtime.opening import LazyGuardian
from elicit_tui.tui import question_gate
from elicit_tui.tui.console.argument_values import Completion, ValueList
from elicit_tui.tui.console.calls import CallRecord
from elicit_tui.tui.console.json_editor import JsonEditor
from elicit_tui.tui.console.kept_calls import KeptCalls
from elicit_tui.tui.console.screens.about import AboutScreen
from elicit_tui.tui.console.screens.arguments import ArgumentsScreen
from tests.tui.console.stand import Stand, console
from tests.tui.console.test_calls import GREET, calls_of, tool
from tests.tui.console.test_calls_of_earlier_runs import until_written
from tests.tui.console.test_palette import searching

pytestmark = pytest.mark.anyio

MEMO = ResourceTemplate.read(
    {"uriTemplate": "memo://{who}/by-number/{number}{?lang}", "name": "memo", "title": "A memo"}
)
assert MEMO is not None
NAMES = {"who": ["Ada", "Alan", "Grace", "\x1b[31mRed", "a\u202eb"], "number": ["1", "17"]}


async def open_form(stand: Stand, name: str) -> None:
    record = stand.app.state.servers["alpha"]
    offer = next(offer for offer in record.offers if name in offer.name)
    stand.app.call_offer("alpha", offer)
    await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))


@pytest.mark.parametrize("takes", ["enter", "tab"])
async def test_a_template_is_filled_in_with_the_servers_values_and_read(
    tmp_path: Path, takes: str
) -> None:
    async with console(
        tmp_path, servers=["alpha"], templates=(MEMO,), completions=NAMES, size=(100, 40)
    ) as stand:
        await open_form(stand, "memo")
        await stand.until(lambda: "3 known" in stand.text())
        assert "Red" not in stand.text(), "what cannot be seen whole is not offered"
        await stand.press("A", "l")
        await stand.until(lambda: "1 known" in stand.text())
        await stand.press("down", takes)
        if takes == "tab":  # Which completes; Enter goes on to the next field.
            await stand.until(lambda: "known" not in stand.text() and "Alan" in stand.text())
            await stand.press("tab")
        await stand.until(lambda: "17" in stand.text() and "Alan" in stand.text())
        await stand.press("1", "7", "ctrl+s")
        await stand.until(lambda: calls_of(stand))
        (call,) = calls_of(stand)
        assert (call.method, call.name) == ("resources/read", "memo://Alan/by-number/17")
        assert call.arguments == {}
        reference, argument, context = stand.host.completed[-1]
        assert reference == {"type": "ref/resource", "uri": MEMO.uri_template}
        assert argument["name"] == "number"
        assert context == {"arguments": {"who": "Alan"}}
        await stand.until(lambda: "done" in stand.text())
        await stand.press("a")
        await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
        await stand.until(lambda: "Alan" in stand.text() and "17" in stand.text())
        await stand.press("ctrl+s")
        await stand.until(lambda: len(calls_of(stand)) == 2)
        assert calls_of(stand)[1].name == call.name
        # What was used last is at hand, with the values that it had.
        await stand.until(lambda: not stand.app.state.calls.running)
        await searching(stand, "recent", "Recent: alpha: memo://{who}")
        await stand.press("enter")
        await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
        await stand.until(lambda: "17" in stand.text() and "Alan" in stand.text())


async def test_a_small_letter_finds_the_servers_value_that_begins_with_a_capital(
    tmp_path: Path,
) -> None:
    async with console(
        tmp_path, servers=["alpha"], templates=(MEMO,), completions=NAMES, size=(100, 40)
    ) as stand:
        await open_form(stand, "memo")
        await stand.until(lambda: "3 known" in stand.text())
        await stand.press("a", "l")
        await stand.until(lambda: "1 known" in stand.text() and "Alan" in stand.text())


async def test_whoever_comes_to_the_values_by_tab_is_at_the_first_of_them(tmp_path: Path) -> None:
    async with console(
        tmp_path, servers=["alpha"], templates=(MEMO,), completions=NAMES, size=(100, 40)
    ) as stand:
        await open_form(stand, "memo")
        await stand.until(lambda: "3 known" in stand.text())
        stand.app.screen.query_one(ValueList).focus()
        await stand.press("enter")
        await stand.until(lambda: "2 known" in stand.text() and "Ada" in stand.text())


async def test_a_server_that_completes_nothing_is_not_asked(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha"], templates=(MEMO,)) as stand:
        await open_form(stand, "memo")
        await stand.press("A")
        await stand.until(lambda: "A" in stand.text())
        await stand.pilot.pause(0.2)
        assert stand.host.completed == []
        await stand.press("escape", "escape")


async def test_what_was_sent_before_and_examples_are_offered_for_a_tool(tmp_path: Path) -> None:
    schema: dict[str, Any] = {**GREET, "properties": dict(GREET["properties"])}
    schema["properties"]["name"] = {"type": "string", "examples": ["Barbara", 5]}
    tools = {"alpha": [tool("greet", schema)]}
    async with console(tmp_path, servers=["alpha"], tools=tools) as stand:
        done = stand.app.state.calls.start("alpha", Call("tools/call", "greet", {"name": "Bo"}))
        done.end("answered", result={})
        await open_form(stand, "greet")
        await stand.press("B")
        await stand.until(lambda: "2 known" in stand.text())
        await stand.press("down", "down", "enter", "ctrl+s")
        await stand.until(lambda: calls_of(stand))
        assert calls_of(stand)[0].arguments["name"] == "Barbara"


async def test_the_list_of_values_marks_those_used_before_and_letters_move_in_it(
    tmp_path: Path,
) -> None:
    properties = {"name": {"type": "string", "examples": ["Ada", "Bo", "Cy"]}}
    tools = {"alpha": [tool("greet", {"type": "object", "properties": properties})]}
    async with console(tmp_path, servers=["alpha"], tools=tools) as stand:
        done = stand.app.state.calls.start("alpha", Call("tools/call", "greet", {"name": "Bo"}))
        done.end("answered", result={})
        await open_form(stand, "greet")
        await stand.until(lambda: "3 known" in stand.text())
        assert "Bo  used before" in stand.text()
        assert stand.text().count("used before") == 1
        await stand.press("down", "j", "j", "k", "enter", "ctrl+s")
        await stand.until(lambda: calls_of(stand))
        assert calls_of(stand)[0].arguments["name"] == "Ada"


async def test_a_value_with_which_a_call_only_failed_is_offered_last_and_says_so(
    tmp_path: Path,
) -> None:
    properties = {"path": {"type": "string", "examples": ["/srv"]}}
    tools = {"alpha": [tool("read", {"type": "object", "properties": properties})]}
    async with console(tmp_path, servers=["alpha"], tools=tools) as stand:
        for path, fails in (("/etc", False), ("/once", True), ("/once", False), ("/ect", True)):
            call = Call("tools/call", "read", {"path": path})
            stand.app.state.calls.start("alpha", call).end("answered", result={"isError": fails})
        await open_form(stand, "read")
        await stand.until(lambda: "4 known" in stand.text())
        said = ("/once  used before", "/etc  used before", "/srv", "/ect  failed before")
        places = [stand.text().index(each) for each in said]
        assert places == sorted(places)


async def test_what_a_template_was_filled_in_with_before_is_marked_among_the_servers_values(
    tmp_path: Path,
) -> None:
    async with console(
        tmp_path, servers=["alpha"], templates=(MEMO,), completions=NAMES, size=(100, 40)
    ) as stand:
        uri = "memo://Grace/by-number/17"
        stand.app.state.calls.start("alpha", Call("resources/read", uri, {})).end(
            "answered", result={}
        )
        await open_form(stand, "memo")
        await stand.until(lambda: "3 known" in stand.text())
        assert "Grace  used before" in stand.text()
        assert stand.text().count("used before") == 1


async def test_a_letter_typed_in_the_list_of_values_goes_on_in_the_field(tmp_path: Path) -> None:
    properties = {"name": {"type": "string", "examples": ["Ada", "Alan"]}}
    tools = {"alpha": [tool("greet", {"type": "object", "properties": properties})]}
    async with console(tmp_path, servers=["alpha"], tools=tools) as stand:
        await open_form(stand, "greet")
        await stand.press("A")
        await stand.until(lambda: "2 known" in stand.text())
        await stand.press("down", *"l", *"bert")
        await stand.until(lambda: "Albert" in stand.text())
        await stand.press("ctrl+s")
        await stand.until(lambda: calls_of(stand))
        assert calls_of(stand)[0].arguments["name"] == "Albert"


async def test_a_secret_argument_is_masked_under_calls_and_offered_nowhere(tmp_path: Path) -> None:
    text = {"type": "string"}
    fields = {
        "first": {**text, "format": "password"},
        "second": {**text, "writeOnly": True},
        "api_token": text,
        "more": {"type": "object", "properties": {"password": text}},
        "plain": text,
    }
    opens = {"type": "object", "properties": fields}
    takes = {"type": "object", "properties": dict.fromkeys(fields, text)}
    tools = {"alpha": [tool("open", opens), tool("take", takes)]}
    async with console(tmp_path, servers=["alpha"], tools=tools, size=(140, 40)) as stand:
        await stand.until(lambda: stand.app.state.servers["alpha"].offers)
        secrets = {name: f"hunter-{name}" for name in ("first", "second", "api_token")}
        arguments = {**secrets, "more": {"password": "hunter-deep"}, "plain": "seen"}
        offer = stand.app.state.servers["alpha"].offers[0]
        call = Call("tools/call", "open", arguments)
        done = stand.app.state.calls.start("alpha", call, offer.schema)
        done.end("answered", result={})
        await stand.press("3")
        await stand.until(lambda: "plain" in stand.text())
        assert "seen" in stand.text()
        assert "•••" in stand.text()
        assert "hunter" not in stand.text()
        record = stand.app.state.servers["alpha"]
        known = Completion(stand.app.state, record, record.offers[1])
        found = {name: [*known.known(name)] for name in takes["properties"]}
        assert {name: values for name, values in found.items() if values} == {"plain": ["seen"]}


@pytest.mark.parametrize("fields", [1, 2])
async def test_who_takes_a_value_with_enter_goes_on_and_types_nothing_behind_it(
    tmp_path: Path, fields: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(question_gate, "ENTER_SECONDS", 0.0)  # Who reads before the second one.
    names = ("team", "note")[:fields]
    properties: dict[str, Any] = {name: {"type": "string"} for name in names}
    properties["team"]["examples"] = ["Sales"]
    tools = {"alpha": [tool("greet", {"type": "object", "properties": properties})]}
    async with console(tmp_path, servers=["alpha"], tools=tools) as stand:
        await open_form(stand, "greet")
        await stand.until(lambda: "1 known" in stand.text())
        await stand.press("down", "enter")
        if fields == 1:
            await stand.until(lambda: getattr(stand.app.focused, "id", None) == "send")
            await stand.press("enter")
        else:
            await stand.until(lambda: getattr(stand.app.focused, "spec", None) is not None)
            await stand.until(lambda: stand.app.focused.spec.name == "note")  # type: ignore[union-attr]
            await stand.press("A", "ctrl+s")
        await stand.until(lambda: calls_of(stand))
        sent = {"team": "Sales"} if fields == 1 else {"team": "Sales", "note": "A"}
        assert calls_of(stand)[0].arguments == sent


async def test_who_passes_a_field_that_is_filled_takes_no_value_for_it(tmp_path: Path) -> None:
    team = {"type": "string", "default": "Sales", "examples": ["Research"]}
    properties: dict[str, Any] = {"team": team, "note": {"type": "string"}}
    tools = {"alpha": [tool("greet", {"type": "object", "properties": properties})]}
    async with console(tmp_path, servers=["alpha"], tools=tools) as stand:
        await open_form(stand, "greet")
        await stand.until(lambda: "1 known · ^U, then ↓ to take one" in stand.text())
        await stand.press("down", *"A")
        await stand.until(lambda: "known" not in stand.text())
        await stand.press("up", "ctrl+u")
        await stand.until(lambda: "1 known · ↓ to take one" in stand.text())
        await stand.press("down")
        await stand.until(lambda: "1 known · Enter to take one" in stand.text())
        await stand.press("escape")
        await stand.until(lambda: "1 known · ↓ to take one" in stand.text())
        await stand.press("ctrl+s")
        await stand.until(lambda: calls_of(stand))
        assert calls_of(stand)[0].arguments == {"note": "A"}


async def test_what_an_argument_of_the_same_name_had_in_another_tool_is_offered_and_not_filled_in(
    tmp_path: Path,
) -> None:
    schema = {"type": "object", "properties": {"repo_path": {"type": "string"}}}
    tools = {"alpha": [tool("log", schema), tool("status", schema)]}
    for server, path in (("alpha", "/srv/old"), ("alpha", "/srv/new"), ("beta", "/srv/beta")):
        ended = CallRecord(server, Call("tools/call", "log", {"repo_path": path}))
        ended.end("answered", result={})
        KeptCalls("full").add(ended, {}, LazyGuardian(GuardianSettings()))
        until_written()
    async with console(tmp_path, tools=tools) as stand:
        await open_form(stand, "status")
        await stand.until(lambda: "2 known" in stand.text())
        text = stand.text()
        assert text.index("/srv/new") < text.index("/srv/old")
        assert text.count("of log") == 2, "each says to which tool it was sent"
        await stand.press("ctrl+s")
        await stand.until(lambda: calls_of(stand))
        assert calls_of(stand)[0].arguments == {}
        await open_form(stand, "status")
        await stand.until(lambda: "2 known" in stand.text())
        await stand.press("down", "enter", "ctrl+s")
        await stand.until(lambda: len(calls_of(stand)) == 2)
        assert calls_of(stand)[1].arguments == {"repo_path": "/srv/new"}
        await open_form(stand, "status")
        await stand.press(*"new srv")
        await stand.until(lambda: "1 known" in stand.text())
        assert "of log" not in stand.text(), "by now it was sent to this one too"


async def test_known_values_leave_the_buttons_in_sight_on_a_low_screen(tmp_path: Path) -> None:
    known = {"type": "string", "title": "Guest", "examples": ["Ada", "Alan", "Grace"]}
    lists = {"type": "array", "items": {"type": "string"}}
    properties = {"dishes": lists, "wish": {"type": "string", "maxLength": 5_000}, "guest": known}
    tools = {"alpha": [tool("greet", {"type": "object", "properties": properties})]}
    async with console(tmp_path, servers=["alpha"], tools=tools, size=(80, 24)) as stand:
        await open_form(stand, "greet")
        await stand.press("tab", "tab")
        await stand.until(lambda: "3 known" in stand.text())
        await stand.until(lambda: "^S Call   Esc Back" in stand.text())
        assert "▌ Guest" in stand.text(), "the field that is typed in"
        await stand.press("escape")


async def test_a_value_that_the_window_cuts_says_so(tmp_path: Path) -> None:
    long = {**NAMES, "who": ["Ada " + "Lovelace " * 20 + "Byron"]}
    async with console(
        tmp_path, servers=["alpha"], templates=(MEMO,), completions=long, size=(80, 40)
    ) as stand:
        await open_form(stand, "memo")
        await stand.until(lambda: "1 known" in stand.text())
        [line] = [line for line in stand.text().splitlines() if "Ada Lovelace" in line]
        assert "…" in line


async def test_a_template_is_told_of_before_it_is_filled_in(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha"], templates=(MEMO,), size=(100, 60)) as stand:
        await open_form(stand, "memo")
        await stand.press("f2")
        await stand.until(lambda: isinstance(stand.app.screen, AboutScreen))
        await stand.until(lambda: MEMO.uri_template in stand.text())


@pytest.mark.parametrize("turn", [[], ["f5"]])
async def test_a_template_is_not_read_with_what_comes_to_no_uri(
    tmp_path: Path, turn: list[str]
) -> None:
    async with console(tmp_path, servers=["alpha"], templates=(MEMO,), size=(100, 40)) as stand:
        await open_form(stand, "memo")
        await stand.press(*turn)
        if turn:
            form = stand.app.screen.query_one("#arguments-json", JsonEditor)
            form.text = '{"who": "Ada", "number": "1", "colour": "red"}'
        else:
            await stand.press("ctrl+e")
        await stand.press("ctrl+s", "ctrl+s")
        says = "“colour”: nothing" if turn else "at least 1"
        await stand.until(lambda: says in stand.text())
        assert isinstance(stand.app.screen, ArgumentsScreen)
        assert not calls_of(stand)
