"""Tools are found, called with a form, watched, cancelled, and their results read and saved."""

from __future__ import annotations

import asyncio
import base64
import json
import stat
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.elicitation import Call
from elicit_tui.elicitation.settings import GranularApproval, ServerSettings
from elicit_tui.errors import ProtocolCallError
from elicit_tui.host.events import LogMessage, Progress
from elicit_tui.host.offers import Tool
from elicit_tui.tui.console.panels.calls import CallsPane
from elicit_tui.tui.console.results import results_directory
from elicit_tui.tui.console.screen import ConsoleScreen
from elicit_tui.tui.console.screens.arguments import ArgumentsScreen
from elicit_tui.tui.widgets import FormView
from tests.tui.console.stand import FakeConnection, Stand, console

pytestmark = pytest.mark.anyio


def tool(name: str, schema: dict[str, Any] | None = None, **more: Any) -> Tool:
    raw = {
        "name": name,
        "description": f"What {name} does.",
        "inputSchema": schema or {"type": "object", "properties": {}},
        **more,
    }
    read = Tool.read(raw)
    assert read is not None
    return read


GREET = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "times": {"type": "integer", "default": 1}},
    "required": ["name"],
}
DEEP = {
    "type": "object",
    "properties": {"filter": {"type": "object", "properties": {"x": {"type": "integer"}}}},
    "required": ["filter"],
}

RELATE = {
    "type": "object",
    "properties": {
        "relations": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {name: {"type": "string"} for name in ("from", "to", "kind")},
                "required": ["from", "to", "kind"],
            },
        }
    },
    "required": ["relations"],
}


def calls_of(stand: Stand, server: str = "alpha") -> list[Call]:
    return stand.host.connections[server].calls


async def test_a_tool_without_arguments_is_called_at_once_and_its_result_shown(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, tools={"alpha": [tool("ping")]}) as stand:
        await stand.press("enter", "enter")
        await stand.until(lambda: "done" in stand.text())
        assert [call.name for call in calls_of(stand)] == ["ping"]


async def test_arguments_are_asked_with_a_form_and_sent_as_their_types(tmp_path: Path) -> None:
    async with console(tmp_path, tools={"alpha": [tool("greet", GREET)]}) as stand:
        await stand.press("enter", "enter")
        await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
        await stand.press(*"Ada", "ctrl+s")
        await stand.until(lambda: calls_of(stand))
        assert calls_of(stand)[0].arguments == {"name": "Ada", "times": 1}


async def test_a_missing_argument_keeps_the_form_open_and_nothing_is_called(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, tools={"alpha": [tool("greet", GREET)]}) as stand:
        await stand.press("enter", "enter")
        await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
        await stand.press("ctrl+s")
        assert isinstance(stand.app.screen, ArgumentsScreen)
        assert calls_of(stand) == []


async def test_arguments_beyond_a_form_are_written_as_json_and_judged(tmp_path: Path) -> None:
    async with console(tmp_path, tools={"alpha": [tool("find", DEEP)]}) as stand:
        await stand.press("enter", "enter")
        await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
        screen = stand.app.screen
        assert isinstance(screen, ArgumentsScreen)
        screen._json_area.text = '{"filter": 3}'
        await stand.press("ctrl+s")
        assert calls_of(stand) == []
        screen._json_area.text = '{"filter": {"x": 3}}'
        await stand.press("ctrl+s")
        await stand.until(lambda: calls_of(stand))
        assert calls_of(stand)[0].arguments == {"filter": {"x": 3}}


async def test_json_of_arguments_begins_with_their_keys_and_says_where_one_is_missing(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, tools={"alpha": [tool("relate", RELATE)]}) as stand:
        await stand.press("enter", "enter")
        await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
        screen = stand.app.screen
        assert isinstance(screen, ArgumentsScreen)
        begun = json.loads(screen._json_area.text)
        assert begun == {"relations": [{"from": None, "to": None, "kind": None}]}
        await stand.press("ctrl+s")
        assert calls_of(stand) == []
        begun["relations"][0]["from"] = "Ada"
        del begun["relations"][0]["to"], begun["relations"][0]["kind"]
        screen._json_area.text = json.dumps(begun)
        await stand.press("ctrl+s")
        await stand.until(lambda: "relations[0]: to, kind are missing" in stand.text())
        assert calls_of(stand) == []


async def test_a_schema_that_requires_what_is_no_name_opens_too(tmp_path: Path) -> None:
    odd = {**GREET, "required": ["name", ["times"], {"name": 1}, None]}
    async with console(tmp_path, tools={"alpha": [tool("greet", odd)]}) as stand:
        await stand.press("enter", "enter")
        await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
        assert isinstance(stand.app.screen, ArgumentsScreen)
        assert json.loads(stand.app.screen._json_area.text) == {"name": None}


async def test_a_tool_whose_properties_are_none_is_listed_and_can_be_chosen(tmp_path: Path) -> None:
    odd = {"type": "object", "properties": 5}
    async with console(tmp_path, tools={"alpha": [tool("greet", odd)]}) as stand:
        await stand.press("enter")
        await stand.until(lambda: "0 arguments" in stand.text())
        await stand.press("enter")
        await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))


async def test_what_was_written_as_json_stands_in_the_form_with_its_own_hints(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, tools={"alpha": [tool("greet", GREET)]}) as stand:
        await stand.press("enter", "enter")
        await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
        screen = stand.app.screen
        assert isinstance(screen, ArgumentsScreen)

        async def hint_of_times(number: int, *, is_default: bool) -> None:
            screen.action_turn()
            screen._json_area.text = f'{{"times": {number}}}'
            screen.action_turn()
            row = screen.query_one(FormView)._rows["times"]
            await stand.until(lambda: ("default" in row.hint) is is_default)

        await hint_of_times(3, is_default=False)
        await hint_of_times(1, is_default=True)


async def test_progress_log_and_cancel_of_a_running_call(tmp_path: Path) -> None:
    async def work(connection: FakeConnection, call: Call) -> dict[str, Any]:
        connection.host.tell(Progress("alpha", call.id, 3, 10, "third of ten"))
        connection.host.tell(LogMessage("alpha", "info", None, "a line of its log"))
        await asyncio.Event().wait()
        return {}

    async with console(tmp_path, tools={"alpha": [tool("long")]}, work=work) as stand:
        await stand.press("enter", "enter")
        await stand.until(lambda: "third of ten" in stand.text())
        assert "30%" in stand.text()
        assert "a line of its log" in stand.text()
        await stand.press("x")
        await stand.until(lambda: "You cancelled it" in stand.text())


async def test_an_error_of_the_server_is_told_in_a_sentence(tmp_path: Path) -> None:
    async def work(connection: FakeConnection, call: Call) -> dict[str, Any]:
        raise ProtocolCallError(-32603, "it broke \x1b[31m")

    async with console(tmp_path, tools={"alpha": [tool("broken")]}, work=work) as stand:
        await stand.press("enter", "enter")
        await stand.until(lambda: "error -32603" in stand.text())
        assert "\x1b" not in stand.text()


async def test_a_fault_of_ours_ends_its_call_and_is_told(tmp_path: Path) -> None:
    async def work(connection: FakeConnection, call: Call) -> dict[str, Any]:
        raise ZeroDivisionError("broken on purpose")

    async with console(tmp_path, tools={"alpha": [tool("broken")]}, work=work) as stand:
        await stand.press("enter", "enter")
        await stand.until(lambda: "by a fault of elicit-tui" in stand.text())
        await stand.until(lambda: "ZeroDivisionError: broken on purpose" in stand.notices())


async def test_a_binary_result_is_saved_privately_under_a_name_of_ours(tmp_path: Path) -> None:
    image = base64.b64encode(b"\x89PNG...").decode()

    async def work(connection: FakeConnection, call: Call) -> dict[str, Any]:
        block = {"type": "image", "mimeType": "image/png", "data": image, "name": "../../evil"}
        return {"content": [block]}

    async with console(tmp_path, tools={"alpha": [tool("draw")]}, work=work) as stand:
        await stand.press("enter", "enter")
        await stand.until(lambda: "[image/png" in stand.text())
        await stand.press("s")
        await stand.until(lambda: "result-alpha-draw.png" in stand.text())
        await stand.press("enter")
        await stand.until(lambda: "Saved" in stand.notices())
        saved = list(results_directory().iterdir())
        assert len(saved) == 1
        assert saved[0].read_bytes() == b"\x89PNG..."
        assert saved[0].name.startswith("result-")
        assert stat.S_IMODE(saved[0].stat().st_mode) == 0o600


async def test_a_result_can_be_read_as_json(tmp_path: Path) -> None:
    async with console(tmp_path, tools={"alpha": [tool("ping")]}) as stand:
        await stand.press("enter", "enter")
        await stand.until(lambda: "done" in stand.text())
        await stand.press("t")
        await stand.until(lambda: '"type": "text"' in stand.text())


def asks_to_call(stand: Stand) -> bool:
    """Whether a confirmation is on the screen, and listens."""
    view = getattr(stand.app.screen, "view", None)
    return view is not None and view.question.request.kind == "approval" and not view.deaf


DESTRUCTIVE = {"annotations": {"destructiveHint": True}}


async def test_a_destructive_tool_is_called_only_after_a_deliberate_yes(tmp_path: Path) -> None:
    async with console(tmp_path, tools={"alpha": [tool("drop", **DESTRUCTIVE)]}) as stand:
        await stand.press("enter", "enter")
        await stand.until(lambda: asks_to_call(stand))
        await stand.pilot.pause()
        await stand.press("enter")
        assert asks_to_call(stand)
        await stand.press("n")
        await stand.until(lambda: isinstance(stand.app.screen, ConsoleScreen))
        assert calls_of(stand) == []
        await stand.press("1", "enter", "enter")
        await stand.until(lambda: asks_to_call(stand))
        await stand.pilot.pause()
        await stand.press("y")
        await stand.until(lambda: calls_of(stand))


async def test_an_allowance_holds_for_the_session_is_listed_and_can_be_revoked(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, tools={"alpha": [tool("drop", **DESTRUCTIVE)]}) as stand:
        await stand.press("enter", "enter")
        await stand.until(lambda: asks_to_call(stand))
        await stand.pilot.pause()
        await stand.press("ctrl+a")
        await stand.until(lambda: len(calls_of(stand)) == 1)
        await stand.until(lambda: isinstance(stand.app.screen, ConsoleScreen))
        await stand.press("1", "enter", "enter")
        await stand.until(lambda: len(calls_of(stand)) == 2)
        await stand.until(lambda: "you allowed the tool for this session at" in stand.text())
        await stand.press("f3")
        await stand.until(lambda: "pid 4711" in stand.text())
        await stand.press("r", "escape", "1", "enter", "enter")
        await stand.until(lambda: asks_to_call(stand))
        await stand.pilot.pause()
        await stand.press("escape")


@pytest.mark.parametrize("is_listed", [False, True])
async def test_what_was_allowed_of_a_server_that_ended_is_not_listed_any_more(
    tmp_path: Path, is_listed: bool
) -> None:
    async with console(tmp_path, tools={"alpha": [tool("drop", **DESTRUCTIVE)]}) as stand:
        await stand.press("enter", "enter")
        await stand.until(lambda: asks_to_call(stand))
        await stand.pilot.pause()
        await stand.press("ctrl+a")
        await stand.until(lambda: len(calls_of(stand)) == 1)
        await stand.until(lambda: isinstance(stand.app.screen, ConsoleScreen))
        if is_listed:
            await stand.press("f3")
            await stand.until(lambda: "pid 4711" in stand.text())
            await stand.host.disconnect("alpha")
        else:
            await stand.press("1", "r")
            await stand.settled()
            await stand.press("f3")
        await stand.until(lambda: "You have allowed no tool" in stand.text())


async def test_a_yes_that_was_not_used_as_the_tool_changed_meanwhile_is_not_told_as_allowed(
    tmp_path: Path,
) -> None:
    drop = tool("drop", **DESTRUCTIVE)
    before, now = drop.raw, {**drop.raw, "description": "Drops everything."}
    async with console(tmp_path, tools={"alpha": [drop]}) as stand:
        server, call = stand.host.connections["alpha"].identity, Call("tools/call", "drop")
        approve = stand.runtime.broker.approve
        asking = [asyncio.ensure_future(approve(server, call, before, "pid 1"))]
        await stand.until(lambda: asks_to_call(stand))
        # Asked again before the screen has come to rest, as on a busy machine.
        asking.append(asyncio.ensure_future(approve(server, call, now, "pid 1", before)))
        await stand.until(lambda: len(stand.app.state.questions) == 2)
        await stand.press("y")
        await stand.until(lambda: "Not called: the tool changed while you read." in stand.text())
        assert "Allowed." not in stand.text()
        await stand.until(lambda: asks_to_call(stand))
        await stand.press("escape", "escape")
        await asyncio.wait_for(asyncio.gather(*asking), 30)


async def test_a_tool_that_policy_forbids_is_not_called_and_the_key_is_named(
    tmp_path: Path,
) -> None:
    async with console(
        tmp_path,
        tools={"alpha": [tool("drop", **DESTRUCTIVE)]},
        approval_policy=GranularApproval(tool_calls=False),
    ) as stand:
        await stand.press("enter", "enter")
        await stand.until(lambda: "Not called" in stand.notices())
        assert "approval_policy.granular.tool_calls" in stand.notices()
        assert calls_of(stand) == []


async def test_a_question_of_a_running_call_opens_over_the_calls(tmp_path: Path) -> None:
    asked = []

    async def work(connection: FakeConnection, call: Call) -> dict[str, Any]:
        request = stand.ask("alpha", "Which one?", calls=(call,))
        asked.append(request)
        await stand.asked[-1]
        outcome = stand.outcome(request)
        assert outcome is not None
        return {"content": [{"type": "text", "text": f"you said {outcome.action}"}]}

    async with console(tmp_path, tools={"alpha": [tool("choose")]}, work=work) as stand:
        await stand.press("enter", "enter")
        await stand.until(lambda: asked)
        await stand.shown(asked[0])
        await stand.press("ctrl+n")
        await stand.until(lambda: "you said decline" in stand.text())
        assert isinstance(stand.app.screen, ConsoleScreen)
        assert isinstance(stand.app.screen.pane, CallsPane)


async def test_a_server_that_failed_says_why_and_starts_again_with_one_key(
    tmp_path: Path,
) -> None:
    failures = {"alpha": "The command alpha-server of the server alpha was not found."}
    async with console(tmp_path, failures=failures, tools={"alpha": [tool("ping")]}) as stand:
        assert "did not start" in stand.text()
        assert "was not found" in stand.text()
        stand.host.failures.clear()
        await stand.press("r")
        await stand.until(lambda: "ping" in stand.text())


async def test_a_server_that_may_not_run_is_listed_with_the_reason(tmp_path: Path) -> None:
    settings = {
        "alpha": ServerSettings("alpha", command="a"),
        "other": ServerSettings("other", command="b", refused="Managed servers only."),
    }
    async with console(tmp_path, server_settings=settings) as stand:
        assert stand.host.launched == ["alpha"]
        await stand.press("down")
        await stand.until(lambda: "may not run" in stand.text())
        assert "Managed servers only." in stand.text()


async def test_of_a_copy_no_more_is_said_than_what_was_done(tmp_path: Path) -> None:
    async with console(tmp_path, tools={"alpha": [tool("ping")]}) as stand:
        await stand.press("enter", "enter")
        await stand.until(lambda: "done" in stand.text())
        await stand.press("c")
        await stand.until(lambda: "Handed to the clipboard of your terminal." in stand.notices())
        assert "opied" not in stand.notices(), "a terminal may take nothing from us"
        assert stand.app.clipboard == "done"
