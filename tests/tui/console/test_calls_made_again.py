"""A call made again begins as it was made, or goes on with what was typed for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from elicit_tui.elicitation import Call
from elicit_tui.tui.console.calls import CallRecord
from elicit_tui.tui.console.kept_calls import KeptCalls
from elicit_tui.tui.console.screens.arguments import ArgumentsScreen
from tests.tui.console.stand import Stand, console
from tests.tui.console.test_calls import GREET, calls_of, tool
from tests.tui.console.test_calls_of_earlier_runs import until_written
from tests.tui.console.test_kept_calls import entry

pytestmark = pytest.mark.anyio

TOOLS = {"alpha": [tool("greet", GREET)]}


async def opened(stand: Stand) -> None:
    """Wait for the form of the arguments, and until it takes keys."""
    await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
    await stand.until(lambda: not stand.app.typed_ahead.waits and stand.app.focused is not None)


async def left(stand: Stand) -> None:
    await stand.press("escape")
    await stand.until(lambda: not isinstance(stand.app.screen, ArgumentsScreen))


@pytest.mark.parametrize("as_json", [False, True])
async def test_what_was_typed_for_a_call_made_again_is_there_when_the_same_is_made_again(
    tmp_path: Path, as_json: bool
) -> None:
    async with console(tmp_path, servers=["alpha"], tools=TOOLS) as stand:
        call = CallRecord("alpha", Call("tools/call", "greet", {"name": "Ada"}))
        stand.app.call_again(call)
        await opened(stand)
        if as_json:
            await stand.press("f5")
        await stand.press("end", *"XYZ")
        await stand.until(lambda: "XYZ" in stand.text())
        await left(stand)
        stand.app.call_again(CallRecord("alpha", Call("tools/call", "greet", {"name": "Eve"})))
        await opened(stand)
        assert "XYZ" not in stand.text()
        await left(stand)
        stand.app.call_again(call)
        await opened(stand)
        assert "XYZ" in stand.text()
        assert ("from before" in stand.text()) is not as_json
        await stand.press("ctrl+s")
        await stand.until(lambda: calls_of(stand) or "not JSON" in stand.text())
        assert as_json or calls_of(stand)[0].arguments["name"] == "AdaXYZ"


@pytest.mark.parametrize("as_json", [False, True])
async def test_a_key_brings_the_arguments_of_a_call_made_again_and_another_what_was_typed(
    tmp_path: Path, as_json: bool
) -> None:
    async with console(tmp_path, servers=["alpha"], tools=TOOLS) as stand:
        call = CallRecord("alpha", Call("tools/call", "greet", {"name": "Ada"}))
        for _ in range(2):
            stand.app.call_again(call)
            await opened(stand)
            if as_json and not stand.app.state.half_written:
                await stand.press("f5")
            await stand.press("end", *"XYZ")
            await stand.until(lambda: "XYZ" in stand.text())
            await left(stand)
        stand.app.call_again(call)
        await opened(stand)
        await stand.until(lambda: "F7 Begin anew" in stand.text())
        await stand.press("f7")
        await stand.until(lambda: "XYZ" not in stand.text() and "Ada" in stand.text())
        await stand.press("ctrl+z")
        await stand.until(lambda: "XYZ" in stand.text())
        await stand.press("f7", *"Eve", "ctrl+s")
        await stand.until(lambda: calls_of(stand))
        assert calls_of(stand)[0].arguments["name"] == "Eve"
        assert not stand.app.state.half_typed
        assert not stand.app.state.half_written


async def test_json_of_a_call_made_again_is_begun_anew_with_its_arguments_then_with_none(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, servers=["alpha"], tools=TOOLS) as stand:
        stand.app.call_again(CallRecord("alpha", Call("tools/call", "greet", {"name": "Ada"})))
        await opened(stand)
        await stand.press("f5", *"Eve")
        await stand.until(lambda: '"name": "Eve"' in stand.text())
        await stand.press("f7")
        await stand.until(lambda: '"name": "Ada"' in stand.text())
        await stand.press("f7")
        await stand.until(lambda: '"name": "Ada"' not in stand.text())


async def test_a_form_of_a_call_made_again_is_emptied_by_a_key_which_brings_its_arguments_back(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, servers=["alpha"], tools=TOOLS) as stand:
        stand.app.call_again(CallRecord("alpha", Call("tools/call", "greet", {"name": "Ada"})))
        await opened(stand)
        await stand.until(lambda: "Ada" in stand.text())
        await stand.press("f7")
        await stand.until(lambda: "Ada" not in stand.text())
        await stand.press("f7")
        await stand.until(lambda: "Ada" in stand.text())
        await stand.press("ctrl+s")
        await stand.until(lambda: calls_of(stand))
        assert calls_of(stand)[0].arguments["name"] == "Ada"


async def test_what_was_typed_for_a_new_call_is_not_in_one_that_had_no_arguments_and_stays(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, servers=["alpha"], tools=TOOLS) as stand:
        offer = stand.app.state.servers["alpha"].offers[0]
        stand.app.call_offer("alpha", offer)
        await opened(stand)
        await stand.press(*"half")
        await left(stand)
        stand.app.call_again(CallRecord("alpha", Call("tools/call", "greet", {})))
        await opened(stand)
        assert "half" not in stand.text()
        await left(stand)
        stand.app.call_offer("alpha", offer)
        await opened(stand)
        assert "half" in stand.text()


async def test_a_call_whose_server_is_not_here_is_not_offered_again_and_the_key_says_why(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, servers=["alpha"], tools=TOOLS, size=(140, 40)) as stand:
        for server in ("gone", "alpha"):
            record = stand.app.state.calls.start(server, Call("tools/call", "greet", {}))
            record.end("answered", result={"content": [{"type": "text", "text": server}]})
        await stand.press("3")
        await stand.until(lambda: "a Again" in stand.text())
        await stand.press("down")
        await stand.until(lambda: "a Again" not in stand.text())
        await stand.press("a")
        await stand.until(lambda: "No server here is called “gone”." in stand.notices())


async def test_what_was_called_last_in_an_earlier_run_is_filled_in_the_first_time(
    tmp_path: Path,
) -> None:
    earlier = CallRecord("alpha", Call("tools/call", "greet", {"name": "Ada"}))
    earlier.end("answered", result={})
    async with console(tmp_path, servers=["alpha"], tools=TOOLS) as stand:
        KeptCalls("full").add(earlier, GREET, stand.runtime.guardian)
        until_written()
        stand.app.remembered.used("alpha", "tool:greet")
        entry(stand, "Recent: alpha: greet")()
        await opened(stand)
        await stand.press("ctrl+s")
        await stand.until(lambda: calls_of(stand))
        assert calls_of(stand)[0].arguments["name"] == "Ada"
