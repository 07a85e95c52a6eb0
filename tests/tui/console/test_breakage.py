"""Whatever breaks in a question costs that question only, and is told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.elicitation import ElicitationRequest
from elicit_tui.elicitation.settings import Settings
from elicit_tui.tui.console.application import ConsoleApp
from elicit_tui.tui.console.screen import ConsoleScreen
from elicit_tui.tui.question.actions import ActionBar
from elicit_tui.tui.question.frame import QuestionFrame
from elicit_tui.tui.question.screen import QuestionScreen
from elicit_tui.tui.question.seen_texts import TextRegion
from elicit_tui.tui.question.view import QuestionView
from elicit_tui.tui.widgets.form_view import FormView
from elicit_tui.tui.widgets.lines import NumberLine, TextLine
from elicit_tui.tui.widgets.row import FieldRow
from elicit_tui.tui.widgets.row_stack import RowStack
from tests.tui.console.stand import Stand, console

pytestmark = pytest.mark.anyio

NUMBER = {"type": "object", "properties": {"many": {"type": "number"}}}


def breaking(patch: pytest.MonkeyPatch, owner: type, method: str) -> None:
    def breaks(self: Any, *values: Any, **more: Any) -> Any:
        raise ZeroDivisionError("broken \x1b[31mon purpose")

    patch.setattr(owner, method, breaks)


async def until(condition: Callable[[], Any]) -> None:
    """Leave the console alone meanwhile: a pilot draws by itself, and waits for what broke."""

    async def wait() -> None:
        while not condition():  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(0.01)

    await asyncio.wait_for(wait(), 30)


async def press(stand: Stand, *keys: str) -> None:
    await until(lambda: not stand.app.typed_ahead.waits)
    await stand.app._press_keys(keys)


async def shown(stand: Stand, request: ElicitationRequest) -> None:
    def listens() -> bool:
        view = getattr(stand.app.screen, "view", None)
        return view is not None and view.question.id == request.id and not view.deaf

    await until(listens)


async def answered(stand: Stand, request: ElicitationRequest, *keys: str) -> None:
    """Type the rest of Rome, send it, and see it arrive."""
    await press(stand, *keys, "ctrl+s")
    await until(lambda: stand.outcome(request))
    outcome = stand.outcome(request)
    assert outcome is not None
    assert outcome.content == {"city": "Rome"}


async def ended_by_nobody(stand: Stand, request: ElicitationRequest) -> None:
    """The question ends, it is told why, and the console is as it was."""
    await until(lambda: stand.outcome(request))
    outcome = stand.outcome(request)
    assert outcome is not None
    assert (outcome.action, outcome.decided_by) == ("cancel", "nobody")
    assert "ZeroDivisionError: broken ␛[31mon purpose (test_breakage.py:" in outcome.reason
    await until(lambda: isinstance(stand.app.screen, ConsoleScreen))
    await until(lambda: outcome.reason in stand.notices())


@pytest.mark.parametrize(
    ("owner", "method", "keys"),
    [
        (QuestionView, "__init__", ()),
        (QuestionScreen, "compose", ()),
        (QuestionFrame, "compose", ()),
        (QuestionFrame, "on_mount", ()),
        (QuestionFrame, "painted", ()),
        (TextRegion, "compose", ()),
        (ActionBar, "compose", ()),
        (ActionBar, "show", ("f1",)),
        (FieldRow, "__init__", ()),
        (FieldRow, "_drawn", ()),
        (RowStack, "strip", ()),
        (TextLine, "render_line", ()),
        (FormView, "on_field_changed", ("a",)),
        (QuestionView, "action_send", ("ctrl+s",)),
        (QuestionFrame, "turn_to", ("f1",)),
    ],
)
async def test_a_question_that_breaks_ends_by_nobody_and_the_console_goes_on(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    owner: type,
    method: str,
    keys: tuple[str, ...],
) -> None:
    async with console(tmp_path) as stand:
        with monkeypatch.context() as patch:
            request = stand.ask()
            if keys:
                await shown(stand, request)
            breaking(patch, owner, method)
            await press(stand, *keys)
            await ended_by_nobody(stand, request)
        sound = stand.ask("beta")
        await shown(stand, sound)
        await answered(stand, sound, *"Rome")


async def test_the_draft_of_another_question_outlives_one_that_breaks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    breaking(monkeypatch, NumberLine, "put")
    async with console(tmp_path) as stand:
        kept = stand.ask("alpha")
        await shown(stand, kept)
        await press(stand, *"Ro", "ctrl+l")
        await until(lambda: isinstance(stand.app.screen, ConsoleScreen))
        await ended_by_nobody(stand, stand.ask("beta", "How many?", NUMBER))
        await press(stand, "ctrl+o")
        await shown(stand, kept)
        await answered(stand, kept, "end", *"me")


async def test_a_run_that_cannot_be_opened_ends_the_console_with_its_reason() -> None:
    def factory(**more: Any) -> Any:
        raise ZeroDivisionError("broken on purpose")

    app = ConsoleApp(Settings(), factory)
    with pytest.raises(ZeroDivisionError):
        async with app.run_test():
            await until(lambda: app.failure is not None)


async def test_the_key_that_mutes_pressed_twice_at_once_mutes(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        await stand.shown(stand.ask("alpha"))
        for _ in range(2):
            stand.app.action_mute_loop()
        await stand.until(lambda: isinstance(stand.app.screen, ConsoleScreen))
        await stand.until(lambda: stand.app.muted == {"alpha"})
        await stand.press("4")
        assert stand.app.failure is None
