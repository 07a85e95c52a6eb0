"""A question that comes while a form is open: it is told there, and opens over it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from elicit_tui.tui.console.screens.arguments import ArgumentsScreen
from elicit_tui.tui.question import QuestionScreen
from elicit_tui.tui.widgets import FormView
from tests.tui.console.reading import reading, text_result
from tests.tui.console.stand import Stand, console
from tests.tui.console.test_calls import GREET, tool

pytestmark = pytest.mark.anyio

TOOLS = {"alpha": [tool("greet", GREET)]}


async def half_typed(stand: Stand) -> None:
    """Open a call's form and write a part of it."""
    await stand.press("right", "enter")
    await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
    await stand.press(*"Ad")


async def test_a_question_opens_over_a_form_half_typed_which_goes_on_behind_it(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, tools=TOOLS) as stand:
        await half_typed(stand)
        request = stand.ask("beta")
        await stand.until(lambda: "^O opens" in stand.notices())
        await stand.press("ctrl+o")
        await stand.shown(request)
        await stand.press(*"Rome", "ctrl+s")
        await stand.until(lambda: stand.outcome(request))
        await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
        await stand.press("a")
        entries = stand.app.screen.query_one(FormView).conversion.content
        assert entries["name"] == "Ada"
        await stand.press("ctrl+s")
        await stand.until(lambda: len(stand.app.state.calls) == 1)


@pytest.mark.parametrize("width", [80, 46])
async def test_what_waits_stands_in_the_frame_of_a_form_with_the_time_that_is_left(
    tmp_path: Path, width: int
) -> None:
    async with console(tmp_path, tools=TOOLS, size=(width, 24)) as stand:
        await half_typed(stand)
        assert "waits" not in stand.text()
        request = stand.ask("beta")
        await stand.until(lambda: "1 question waits, " in stand.text())
        assert "left · ^O opens" in stand.text()
        stand.runtime.broker.withdraw(request.id, "The server withdrew its question.")
        await stand.until(lambda: "question waits" not in stand.text())


@pytest.mark.parametrize(
    ("size", "told"),
    [
        ((80, 24), r"◆ 1 question waits for you, \d:\d\d left · \^O opens"),
        ((40, 15), r"◆ 1 question waits for you · \^O opens"),
    ],
)
async def test_of_a_question_put_off_every_pane_tells_its_key_and_the_time_that_has_room(
    tmp_path: Path, size: tuple[int, int], told: str
) -> None:
    async with console(tmp_path, tools=TOOLS, size=size) as stand:
        request = stand.ask("beta")
        await stand.shown(request)
        await stand.press("ctrl+l", "3")
        await stand.until(lambda: re.search(told, stand.text()))


async def test_over_a_last_doubt_no_question_opens_and_its_notice_says_so(tmp_path: Path) -> None:
    async with console(tmp_path, tools=TOOLS) as stand:
        await stand.settled()
        stand.app.action_ask_to_leave()
        await stand.until(lambda: "Leave elicit-tui?" in stand.text())
        stand.ask("beta")
        await stand.until(lambda: "^O opens once this is closed" in stand.notices())
        await stand.press("ctrl+o")
        assert "Close this first" in stand.notices()
        assert not isinstance(stand.app.screen, QuestionScreen)
        await stand.press("escape")


async def test_a_question_put_off_is_told_of_in_the_frame_of_a_result_and_opened_from_there(
    tmp_path: Path,
) -> None:
    async with reading(tmp_path, text_result("Words."), size=(80, 24)) as (stand, screen):
        question = stand.ask()
        await stand.shown(question)
        await stand.press("ctrl+l")
        await stand.until(lambda: stand.app.screen is screen)
        await stand.until(lambda: re.search(r"1 question waits, \d:\d\d left", stand.text()))
        assert "^O opens" in stand.text()
        await stand.press("ctrl+o")
        await stand.shown(question)
        stand.runtime.broker.withdraw(question.id, "The server withdrew its question.")
        await stand.until(lambda: "question waits" not in stand.text())
