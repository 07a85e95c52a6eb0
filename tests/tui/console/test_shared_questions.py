"""Questions of other processes in the one queue: whose, held by whom, answered by whom first."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.broker import answerer
from elicit_tui.elicitation.settings import HistorySettings, StoreSettings
from elicit_tui.tui.console.screens.unsent import UnsentScreen
from elicit_tui.tui.question import QuestionScreen
from tests.broker.conftest import form_request
from tests.broker.test_waiting import World, bounded, sent
from tests.tui.console.stand import Stand, console

pytestmark = pytest.mark.anyio


@pytest.fixture
async def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[World]:
    # The process that asks is this one too, which may not answer itself.
    monkeypatch.setattr(answerer, "refusal", lambda *asking, **more: None)
    world = World(tmp_path)
    yield world
    await world.close()


def reader(tmp_path: Path, **more: Any) -> AbstractAsyncContextManager[Stand]:
    """A console that looks into the world's store."""
    return console(
        tmp_path / "own",
        history=HistorySettings(path=str(tmp_path / "ledger.sqlite3")),
        store=StoreSettings(answer_without_terminal=True),
        **more,
    )


async def opened(stand: Stand) -> QuestionScreen:
    await stand.until(
        lambda: isinstance(stand.app.screen, QuestionScreen) and not stand.app.screen.view.deaf
    )
    screen = stand.app.screen
    assert isinstance(screen, QuestionScreen)
    return screen


async def test_it_opens_with_its_origin_and_its_answer_goes_to_who_asked(
    tmp_path: Path, world: World
) -> None:
    (tmp_path / "own").mkdir()
    broker = await world.asks()
    async with reader(tmp_path) as stand:
        asked = asyncio.ensure_future(broker.resolve(form_request()))
        await opened(stand)
        assert "for claude-code 2.1.319 in /home/me/work" in stand.text()
        await stand.press(*"red")
        await stand.press("ctrl+s")
        outcome = await bounded(asked)
        assert (outcome.action, outcome.content) == ("accept", {"colour": "red"})
        assert outcome.via == "console"
        await stand.until(lambda: any("Sent." in line.text for line in stand.app.session.activity))


async def test_when_somebody_else_was_first_what_was_typed_stays_with_who_it_was(
    tmp_path: Path, world: World
) -> None:
    (tmp_path / "own").mkdir()
    broker, other = await world.asks(), await world.person("pts/7")
    async with reader(tmp_path) as stand:
        asked = asyncio.ensure_future(broker.resolve(form_request()))
        screen = await opened(stand)
        await stand.press(*"blu")
        await other.inbox.answer(screen.question.id, sent(colour="red"))
        await stand.until(lambda: isinstance(stand.app.screen, UnsentScreen))
        assert "Answered on pts/7 by me." in stand.text()
        assert "blu" in stand.text()
        assert (await bounded(asked)).content == {"colour": "red"}
        await stand.press("escape")


async def test_what_somebody_else_is_answering_does_not_open_by_itself(
    tmp_path: Path, world: World
) -> None:
    (tmp_path / "own").mkdir()
    broker, other = await world.asks(), await world.person("pts/7")
    request = form_request()
    asked = asyncio.ensure_future(broker.resolve(request))
    await other.sees()
    await other.inbox.claim(request.id)
    async with reader(tmp_path) as stand:
        await stand.press("2")
        await stand.until(lambda: "being answered on pts/7" in stand.text())
        await other.inbox.release(request.id)
        await opened(stand)
        await stand.press("ctrl+n")
        assert (await bounded(asked)).action == "decline"


async def test_the_inbox_is_the_console_with_nothing_but_them(tmp_path: Path, world: World) -> None:
    (tmp_path / "own").mkdir()
    broker = await world.asks()
    async with reader(tmp_path, inbox=True) as stand:
        assert "Servers" not in stand.text()
        assert "History" not in stand.text()
        asked = asyncio.ensure_future(broker.resolve(form_request()))
        await opened(stand)
        await stand.press("ctrl+n")
        outcome = await bounded(asked)
        assert (outcome.action, outcome.via) == ("decline", "inbox")
