"""What a person does and what fails is told with its place; the console goes on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual import on
from textual.app import ComposeResult

from elicit_tui.errors import ElicitTuiError, UsageError
from elicit_tui.tui.console.dialog import Dialog, SureDialog
from elicit_tui.tui.console.kept_calls import KeptCalls
from elicit_tui.tui.console.panels.activity import ActivityPane
from elicit_tui.tui.console.panels.calls import CallsPane
from elicit_tui.tui.console.screen import ConsoleScreen
from elicit_tui.tui.console.screens.allowances import AllowancesScreen
from elicit_tui.tui.widgets.buttons import KeyButton
from tests.tui.console.stand import Stand, console
from tests.tui.console.test_calls import tool

pytestmark = pytest.mark.anyio

FORESEEN = [OSError("no such place"), ValueError("no such place"), UsageError("no such place")]


def raising(error: Exception) -> Callable[..., Any]:
    def fails(self: Any, *values: Any) -> Any:
        raise error

    return fails


async def told(stand: Stand) -> None:
    """The error is told with its place, and the console hears what is pressed."""
    await stand.until(lambda: "no such place (test_failed_actions.py:" in stand.notices())
    await stand.until(lambda: isinstance(stand.app.screen, ConsoleScreen))
    await stand.press("4")
    await stand.until(lambda: "no such place (test_failed_actions.py:" in stand.text())
    request = stand.ask("beta")
    await stand.press("ctrl+o")
    await stand.shown(request)
    await stand.press(*"Rome", "ctrl+s")
    await stand.until(lambda: stand.outcome(request))
    assert stand.app.failure is None


class Failing(SureDialog):
    """Fails in one of the ways that a dialog can."""

    def __init__(self, how: str) -> None:
        super().__init__("Sure?")
        self.how = how

    def fail(self) -> None:
        raise OSError("no such place")

    def body(self) -> ComposeResult:
        if self.how == "compose":
            self.fail()
        yield from self.asking(["Sure?"], "leave", "Stay", "Do it")

    def on_mount(self) -> None:
        if self.how == "mount":
            self.fail()
        elif self.how == "worker":
            self.run_worker(self._work())
        elif self.how == "timer":
            self.set_timer(0.01, self.fail)
        elif self.how == "later":
            self.call_later(self.fail)
        elif self.how == "refreshed":
            self.call_after_refresh(self.fail)
        else:
            super().on_mount()

    async def _work(self) -> None:
        self.fail()

    @on(KeyButton.Pressed)
    def _pressed(self) -> None:
        self.fail()


@pytest.mark.parametrize(
    "how", ["compose", "mount", "worker", "timer", "later", "refreshed", "button"]
)
async def test_a_dialog_that_fails_is_left(tmp_path: Path, how: str) -> None:
    async with console(tmp_path) as stand:
        stand.app.push_screen(Failing(how))
        if how == "button":
            await stand.until(lambda: isinstance(stand.app.screen, Failing))
            await stand.press("enter")
        await told(stand)


async def test_what_comes_of_a_dialog_may_fail(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        stand.app.push_screen(Failing("sound"), raising(OSError("no such place")))
        await stand.until(lambda: isinstance(stand.app.screen, Failing))
        stand.app.screen.dismiss(True)
        await told(stand)


@pytest.mark.parametrize("error", FORESEEN)
async def test_an_action_of_a_pane_may_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: ElicitTuiError
) -> None:
    monkeypatch.setattr(CallsPane, "action_kept", raising(error))
    async with console(tmp_path) as stand:
        await stand.press("3", "W")
        await told(stand)


async def test_an_action_of_a_dialog_that_fails_leaves_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Dialog, "action_help", raising(OSError("no such place")))
    async with console(tmp_path) as stand:
        await stand.press("f3")
        await stand.until(lambda: isinstance(stand.app.screen, AllowancesScreen))
        await stand.until(lambda: not stand.app.typed_ahead.waits)
        await stand.press("f1")
        await told(stand)


async def test_a_pane_hears_on_after_what_failed_in_its_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with console(tmp_path) as stand:
        await stand.press("4")
        screen = stand.app.screen
        assert isinstance(screen, ConsoleScreen)
        with monkeypatch.context() as patch:
            patch.setattr(ActivityPane, "on_resize", raising(ValueError("no such place")))
            screen.pane.styles.width = "50%"
            await stand.until(lambda: "no such place" in stand.notices())
        heard: list[int] = []
        screen.pane.call_later(heard.append, 1)
        await stand.until(lambda: heard)
        screen.pane.styles.width = "100%"
        await told(stand)


async def test_what_nobody_foresaw_ends_the_console(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CallsPane, "action_kept", raising(KeyError("a fault of ours")))
    with pytest.raises(KeyError, match="a fault of ours"):
        await pressed(tmp_path, "3", "W")


async def test_a_write_in_its_thread_may_fail_unforeseen_and_the_console_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(KeptCalls, "_add", raising(KeyError("no such place")))
    async with console(tmp_path, tools={"alpha": [tool("ping")]}) as stand:
        await stand.press("enter", "enter")
        await stand.until(lambda: "● done" in stand.text())
        await stand.until(lambda: "KeyError: 'no such place' (" in stand.notices())
        await stand.press("4")
        await stand.until(lambda: "KeyError: 'no such place' (" in stand.text())
        assert stand.app.failure is None


async def pressed(path: Path, *keys: str) -> None:
    """Press these keys in a console, and see it end."""
    async with console(path) as stand:
        await stand.press(*keys)
        await stand.until(lambda: stand.app.failure is not None)
