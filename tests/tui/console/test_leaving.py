"""Leaving asks once while something is open, and every question ends truthfully."""

from __future__ import annotations

from pathlib import Path

import pytest

from elicit_tui.tui.console.screens.leave import LeaveScreen
from tests.tui.console.stand import console

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
        assert "alpha asks" not in stand.text(), "no frame runs into the dialog's"
        await stand.press("n")
        assert stand.outcome(request) is None
        await stand.press("ctrl+q", "ctrl+q")
        await stand.until(lambda: stand.outcome(request))
        outcome = stand.outcome(request)
        assert outcome is not None
        assert (outcome.action, outcome.decided_by) == ("cancel", "shutdown")


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
