"""The real console, kept running beside the tests, on a real server process."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any, Final

from textual import events
from textual.pilot import Pilot

from elicit_tui.elicitation.settings import (
    ElicitationLimits,
    ElicitationSettings,
    HistorySettings,
    ServerSettings,
    Settings,
)
from elicit_tui.runtime import RunOptions, open_runtime
from elicit_tui.tui.console.application import ConsoleApp
from elicit_tui.tui.console.screen import ConsoleScreen
from elicit_tui.tui.question import QuestionScreen

SERVER: Final = Path(__file__).parents[2] / "servers" / "forms.py"
SECONDS: Final = 30


class RealConsole:
    """Answers with keys; the application has a thread and a loop of its own."""

    def __init__(self, directory: Path, forms: dict[str, Any]) -> None:
        self._forms = directory / "forms.json"
        self._forms.write_text(json.dumps(forms))
        server = ServerSettings(
            "forms", command=sys.executable, args=(str(SERVER), str(self._forms))
        )
        settings = Settings(
            servers={"forms": server},
            elicitation=ElicitationSettings(limits=ElicitationLimits(per_minute=10_000)),
            history=HistorySettings(path=str(directory / "ledger.sqlite3")),
        )
        opened = partial(open_runtime, settings, options=RunOptions(log_file=directory / "log"))
        self._app = ConsoleApp(settings, opened)
        self._jobs: asyncio.Queue[tuple[str, Sequence[str], Future[Any]] | None]
        self._ready: Future[None] = Future()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()), daemon=True)
        self._thread.start()
        self._ready.result(SECONDS)

    def close(self) -> None:
        """Leave, as a person would."""
        self._loop.call_soon_threadsafe(self._jobs.put_nowait, None)
        self._thread.join(SECONDS)
        assert not self._thread.is_alive()

    def receives(self, form: str, keys: Sequence[str]) -> dict[str, Any]:
        """Call the tool, press these keys and Send; what the server received.

        A form that Send does not let through is declined.
        """
        done: Future[Any] = Future()
        self._loop.call_soon_threadsafe(self._jobs.put_nowait, (form, keys, done))
        received: dict[str, Any] = done.result(SECONDS)
        return received

    async def _run(self) -> None:
        self._loop, self._jobs = asyncio.get_running_loop(), asyncio.Queue()
        app = self._app
        try:
            async with app.run_test(size=(100, 40)) as pilot:
                record = app.state.servers["forms"]
                await self._until(pilot, lambda: record.offers_read)
                self._ready.set_result(None)
                while (job := await self._jobs.get()) is not None:
                    form, keys, done = job
                    try:
                        done.set_result(await self._answer(pilot, form, keys))
                    except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - its test sees it
                        done.set_exception(error)
                await app.leave()
                assert app._work is not None
                await asyncio.wait_for(asyncio.shield(app._work), SECONDS)
        except BaseException as error:
            # Whoever waits for the console has to see why it never came.
            if not self._ready.done():
                self._ready.set_exception(error)
            raise

    async def _answer(self, pilot: Pilot[int], form: str, keys: Sequence[str]) -> Any:
        app, [record] = self._app, self._app.state.servers.values()
        offer = next(offer for offer in record.offers if offer.name == form)
        app.call_offer("forms", offer)
        await self._until(pilot, lambda: self._listens(form))
        call = next(iter(app.state.calls))
        self._press(*keys, "ctrl+s")
        await self._until(pilot, lambda: not app._order._waiting)
        await pilot.pause()
        screen = app.screen
        if isinstance(screen, QuestionScreen) and not screen.view.decided:
            await self._until(pilot, lambda: not screen.view.deaf)
            self._press("ctrl+n", "ctrl+n")  # Of what was typed it is asked once more.
        await self._until(pilot, lambda: call.state != "running")
        await self._until(pilot, lambda: isinstance(app.screen, ConsoleScreen))
        assert call.result is not None, call.failure
        return json.loads(call.result["content"][0]["text"])

    def _press(self, *keys: str) -> None:
        """All at once, as a terminal hands over what was typed fast."""
        driver = self._app._driver
        assert driver is not None
        for key in keys:
            character = key if len(key) == 1 else {"space": " "}.get(key)
            driver.send_message(events.Key(key, character))

    def _listens(self, form: str) -> bool:
        screen = self._app.screen
        if not isinstance(screen, QuestionScreen) or screen.view.deaf:
            return False
        call = screen.view.question.request.call
        return call is not None and call.name == form

    async def _until(self, pilot: Pilot[int], condition: Any) -> None:
        end = self._loop.time() + SECONDS / 3
        while not condition():
            assert self._loop.time() < end, f"it never came; on the screen:\n{self._text()}"
            await pilot.pause(0.005)

    def _text(self) -> str:
        strips = self._app.screen._compositor.render_strips(self._app.screen.size)
        return "\n".join(strip.text.rstrip() for strip in strips)
