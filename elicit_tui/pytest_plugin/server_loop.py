"""Runs scenarios for pytest: the owner's settings, and the event loop that their servers live on.

The loop has a thread of its own, so that a test may be a plain function or a coroutine.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Sequence
from typing import Any, Final, TypeVar

import pytest

from elicit_tui.config import CommandLine, load
from elicit_tui.elicitation.settings import Settings
from elicit_tui.errors import UsageError
from elicit_tui.host.sdk import load_whole
from elicit_tui.pytest_plugin import LOOP
from elicit_tui.scenarios import OneByOne, Run, Scenario

Result = TypeVar("Result")
SECONDS: Final = 30.0
"""For each call, unless told."""


class ScenarioFailed(AssertionError):
    """A way, or a call of the fixture, was not as it must be; `str()` tells what was not."""


def summary_of(runs: Sequence[Run]) -> str:
    """The failed ways as `elicit-tui test` writes them."""
    first = runs[0].scenario
    lines = [f"{first.name} ({first.call} of {first.server})"]
    for run in runs:
        if not run.passed:
            lines += [f"  ✗ {run.branch}", *(f"      {failure}" for failure in run.failures)]
            lines += [f"      {note}" for note in run.notes]
    return "\n".join(lines)


def settings_for(
    config: pytest.Config,
    scenarios: Sequence[Scenario],
    more: Sequence[str] = (),
) -> Settings:
    """The owner's settings with the servers of the options; scenarios' tools need no leave."""
    added = (*config.getini("elicit_with"), *config.getoption("elicit_with"), *more)
    allowed = tuple({(scenario.server, scenario.call): None for scenario in scenarios})
    settings = load(CommandLine(with_servers=added, allowed_tools=allowed))
    for scenario in scenarios:
        if (server := scenario.server) not in settings.servers:
            raise UsageError(
                f"There is no server {server!r}: --elicit-with {server}=… adds it, or elicit_with "
                "in the ini file."
            )
    return settings


class ServerLoop:
    """An event loop in a thread of its own, which servers and their connections live on."""

    def __init__(self) -> None:
        # The test's own modules use the SDK too, and have it whole.
        load_whole()
        self._loop = asyncio.new_event_loop()
        self.at_the_end: list[OneByOne] = []
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Do this there, and wait for it."""
        doing = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return doing.result()
        except BaseException:
            doing.cancel()
            raise

    def close(self) -> None:
        """End every process that is left, then the loop."""
        for ways in self.at_the_end:
            self.run(ways.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


def loop_of(config: pytest.Config) -> ServerLoop:
    """The loop of this run, which the first use makes."""
    if LOOP not in config.stash:
        config.stash[LOOP] = ServerLoop()
    return config.stash[LOOP]
