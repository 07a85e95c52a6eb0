"""Leaving asks once while something is open, and every question ends truthfully."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Static

from elicit_tui.cli.console import _open_runtime
from elicit_tui.elicitation import (
    Call,
    Deadline,
    ElicitationRequest,
    Outcome,
    Question,
    ServerIdentity,
)
from elicit_tui.elicitation.settings import HistorySettings, Settings
from elicit_tui.form.field import Typed
from elicit_tui.runtime import open_runtime
from elicit_tui.tui.console.application import TICK_SECONDS, ConsoleApp
from elicit_tui.tui.console.screens.confirmations import LeaveScreen
from tests.tui.console.stand import CITY, console

pytestmark = pytest.mark.anyio


async def test_leaving_with_nothing_open_asks_nothing(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        await stand.press("ctrl+q")
        await stand.until(lambda: stand.app._exit)


async def test_leaving_asks_once_and_cancels_waiting_questions_by_shutdown(
    tmp_path: Path,
) -> None:
    async with console(tmp_path) as stand:
        request = stand.ask()
        await stand.shown(request)
        await stand.press("ctrl+q")
        assert isinstance(stand.app.screen, LeaveScreen)
        await stand.until(lambda: "Leave elicit-tui?" in stand.text())
        assert "╰" in stand.text()
        assert "“alpha” asks" not in stand.text(), "no frame runs into the dialog's"
        await stand.press("n")
        assert stand.outcome(request) is None
        await stand.press("ctrl+q", "ctrl+q")
        await stand.until(lambda: stand.outcome(request))
        outcome = stand.outcome(request)
        assert outcome is not None
        assert (outcome.action, outcome.decided_by) == ("cancel", "shutdown")


@pytest.mark.parametrize(
    ("saved", "content"), [(False, "redacted"), (True, "full"), (False, "none")]
)
async def test_leaving_asks_once_where_a_result_is_too_large_for_the_next_run(
    tmp_path: Path, saved: bool, content: Any
) -> None:
    history = HistorySettings(content=content)
    async with console(tmp_path, servers=["alpha"], history=history) as stand:
        for text in ("short", "x" * 1_100_000):
            made = stand.app.state.calls.start("alpha", Call("tools/call", "look", {}))
            made.end("answered", result={"content": [{"type": "text", "text": text}]})
        made.is_saved = saved
        await stand.press("3")
        await stand.until(lambda: "result · 1.1 MB" in stand.text())
        told = "goes with this run: s saves it." in " ".join(stand.text().replace("│", " ").split())
        assert told == (not saved and content != "none")
        await stand.press("ctrl+q")
        if saved or content == "none":
            await stand.until(lambda: stand.app._exit)
            return
        await stand.until(lambda: "1 result is too large to be kept" in stand.text())
        await stand.press("y")
        await stand.until(lambda: stand.app._exit)


class TypesAndWaits:
    """Somebody who types into a question and does not send it."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()

    async def respond(self, question: Question, deadline: Deadline) -> Outcome:
        self.found = question.draft.entries
        self.asked.set()
        question.draft.write({"city": Typed("Rome")}, frozenset({"city"}))
        return await asyncio.Future()


@pytest.mark.parametrize(("content", "kept"), [("redacted", True), ("none", False)])
async def test_what_was_typed_is_there_again_after_leaving(content: Any, kept: bool) -> None:
    settings = Settings(history=HistorySettings(content=content))
    responder = TypesAndWaits()
    for _ in range(2):
        factory = _open_runtime(settings, None, responder=lambda queue: responder)
        async with factory as runtime:
            request = ElicitationRequest(
                ServerIdentity("alpha", "stdio", "alpha-server"),
                {"message": "Where to?", "requestedSchema": CITY},
            )
            asked = asyncio.create_task(runtime.broker.resolve(request))
            await asyncio.wait_for(responder.asked.wait(), 30)
            responder.asked.clear()
        assert (await asked).decided_by == "shutdown"
    assert bool(responder.found) == kept


async def test_a_signal_leaves_without_asking(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        request = stand.ask()
        await stand.shown(request)
        await stand.app.leave(130)
        await stand.until(lambda: stand.outcome(request))
        outcome = stand.outcome(request)
        assert outcome is not None
        assert outcome.decided_by == "shutdown"
        await stand.until(lambda: stand.app._exit)
        assert stand.app.return_value == 130


class LeavesSlowly(Static):
    """Goes only when the application's clocks have ticked twice more, and meanwhile changed."""

    async def on_unmount(self) -> None:
        app = self.app
        assert isinstance(app, ConsoleApp)
        ticked: asyncio.Queue[None] = asyncio.Queue()
        clock = app.set_interval(2 * TICK_SECONDS, lambda: ticked.put_nowait(None))
        app.state.version += 1
        for _ in range(2):
            await asyncio.wait_for(ticked.get(), 30)
        clock.stop()


async def test_what_changes_while_the_screens_are_taken_down_is_not_drawn() -> None:
    app = ConsoleApp(Settings(), partial(open_runtime, Settings()), config_path="config.toml")
    async with app.run_test() as pilot:
        await pilot.press("3")
        await app.mount(LeavesSlowly())
    assert not app.is_running
