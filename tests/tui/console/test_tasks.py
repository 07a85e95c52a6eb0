"""A tool of a real server that answers with a task: the console shows it as any call."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import pytest

from elicit_tui.elicitation.settings import ServerSettings, Settings
from elicit_tui.runtime import open_runtime
from elicit_tui.tui.console.application import ConsoleApp
from tests.host.world import http_server
from tests.tui.console.stand import Stand

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def on_tasks() -> AsyncIterator[Stand]:
    """A console on that server."""
    with http_server("tasking.py") as url:
        server = ServerSettings("tasking", url=url, protocol="2026-07-28")
        settings = Settings(servers={"tasking": server})
        app = ConsoleApp(settings, partial(open_runtime, settings), config_path="config.toml")
        async with app.run_test(size=(100, 30)) as pilot:
            stand = Stand(app, pilot)
            await stand.settled()
            yield stand
            await app.leave()


async def test_a_task_is_followed_asks_and_is_cancelled_as_any_call() -> None:
    async with on_tasks() as stand:
        await stand.press("slash", *"asks", "enter", "enter")
        await stand.until(lambda: stand.app.state.questions.open is not None)
        waiting = stand.app.state.questions.open
        assert waiting is not None
        await stand.shown(waiting.question.request)
        await stand.press(*"typed", "ctrl+s")
        await stand.until(lambda: '"action": "accept"' in stand.text())
        await stand.press("1", "slash", *"for_ever", "enter", "enter")
        await stand.until(lambda: "tasking · for_ever" in stand.text())
        await stand.press("x")
        await stand.until(lambda: "You cancelled it" in stand.text())
