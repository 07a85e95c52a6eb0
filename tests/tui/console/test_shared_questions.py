"""Questions of other processes in the one queue: whose, held by whom, answered by whom first."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest
from textual import events

from elicit_tui.broker import answerer
from elicit_tui.elicitation import Call, Question
from elicit_tui.elicitation.finding import MASK
from elicit_tui.elicitation.settings import HistorySettings, StoreSettings
from elicit_tui.form.field import Typed
from elicit_tui.form.schema_reading import read_form
from elicit_tui.store.store import Grant
from elicit_tui.tui.console.screen import ConsoleScreen
from elicit_tui.tui.console.screens.about import HelpScreen
from elicit_tui.tui.console.screens.confirmations import UnsentScreen
from elicit_tui.tui.console.shared_questions import typed_in
from elicit_tui.tui.console.spans import text_of
from elicit_tui.tui.question import QuestionScreen
from tests.broker.conftest import form_request
from tests.broker.elsewhere import ASKER, World, bounded, sent
from tests.tui.console.stand import Stand, console

pytestmark = pytest.mark.anyio

WAIT = 20.0


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


def words_of(stand: Stand) -> str:
    """What stands on the screen, without its frame and its line breaks."""
    return " ".join(stand.text().replace("│", " ").split())


async def test_it_opens_with_its_origin_and_its_answer_goes_to_who_asked(
    tmp_path: Path, world: World
) -> None:
    (tmp_path / "own").mkdir()
    broker = await world.asks()
    async with reader(tmp_path) as stand:
        asked = asyncio.ensure_future(broker.resolve(form_request()))
        await opened(stand)
        assert "for claude-code 2.1.319 in /home/me/code" in stand.text()
        await stand.press(*"red")
        await stand.press("ctrl+s")
        outcome = await bounded(asked)
        assert (outcome.action, outcome.content) == ("accept", {"colour": "red"})
        assert outcome.via == "console"
        await stand.until(lambda: any("Sent: “" in line.text for line in stand.app.state.activity))
        assert "Sent." in stand.notices()


async def test_who_opens_an_inbox_is_there_before_any_key_and_while_its_window_has_the_focus(
    tmp_path: Path, world: World
) -> None:
    (tmp_path / "own").mkdir()
    await world.asks()
    assert not await world.asking_store.somebody_is_there()
    async with reader(tmp_path) as stand:
        end = time.monotonic() + WAIT
        while not await world.asking_store.somebody_is_there():
            assert time.monotonic() < end
            await asyncio.sleep(0.01)
        presence = stand.app.shared.presence
        opened_at = presence.last_sign
        assert opened_at is not None
        assert presence.last_sign == opened_at
        stand.app.post_message(events.AppFocus())
        await stand.until(lambda: presence.has_focus)
        assert presence.last_sign > opened_at
        stand.app.post_message(events.AppBlur())
        await stand.until(lambda: not presence.has_focus)
        lost_at = presence.last_sign
        assert presence.last_sign == lost_at


async def test_an_agent_that_waits_no_longer_is_named_at_the_question_and_after_its_answer(
    tmp_path: Path, world: World
) -> None:
    (tmp_path / "own").mkdir()
    broker = await world.asks()
    async with reader(tmp_path) as stand:
        request = form_request(calls=(Call("tools/call", "mix"),))
        asked = asyncio.ensure_future(broker.resolve(request))
        screen = await opened(stand)
        assert "told to come back" not in stand.text()
        await world.responder.mark_agent(request.id, "paused")
        resume = screen.question.request.calls[0].id[:8]
        await stand.until(lambda: f"told to come back with {resume}" in words_of(stand))
        await stand.press("ctrl+l", "2")
        await stand.until(lambda: f"told to come back with {resume}" in words_of(stand))
        await stand.press("enter")
        await opened(stand)
        assert f"told to come back with {resume}" in words_of(stand)
        await stand.press("ctrl+n")
        assert (await bounded(asked)).action == "decline"
        words = "Declined. The agent was told to come back"
        await stand.until(lambda: any(words in line.text for line in stand.app.state.activity))


async def test_what_was_declined_for_an_agent_is_the_last_question_and_has_no_tick(
    tmp_path: Path, world: World
) -> None:
    (tmp_path / "own").mkdir()
    broker = await world.asks()
    async with reader(tmp_path) as stand:
        asked = asyncio.ensure_future(broker.resolve(form_request()))
        await opened(stand)
        await stand.press("ctrl+n")
        assert (await bounded(asked)).action == "decline"
        await stand.until(
            lambda: any("✗ Declined: " in line.text for line in stand.app.state.activity)
        )
        await stand.press("2")
        await stand.until(lambda: "✗ declined by you: “" in words_of(stand))
        assert "Nothing waits. The last one was" in words_of(stand)


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
        await stand.until(lambda: not stand.app.typed_ahead.waits)
        await stand.press("c")
        await stand.until(lambda: "What you typed" in stand.notices())
        assert stand.app.clipboard == "Colour: blu"
        assert (await bounded(asked)).content == {"colour": "red"}
        await stand.press("escape")


def test_a_secret_that_was_not_sent_is_masked() -> None:
    text, secret = {"type": "string"}, {"type": "string", "format": "password"}
    form = read_form({"type": "object", "properties": {"colour": text, "pin": secret}})
    typed = typed_in(form, {"colour": Typed("blu"), "pin": Typed("hunter2")})
    assert typed == (("colour", "blu"), ("pin", MASK))


async def test_what_another_terminal_typed_is_not_called_typed_here(
    tmp_path: Path, world: World
) -> None:
    (tmp_path / "own").mkdir()
    broker, other = await world.asks(), await world.person("pts/7")
    request = form_request()
    asked = asyncio.ensure_future(broker.resolve(request))
    theirs = await other.sees()
    theirs.draft.write({"colour": Typed("blu")}, frozenset({"colour"}))
    await other.inbox.claim(request.id)
    async with reader(tmp_path) as stand:
        await other.inbox.release(request.id)
        await opened(stand)
        assert "blu" in stand.text()
        await other.inbox.answer(request.id, sent(colour="red"))
        assert (await bounded(asked)).content == {"colour": "red"}
        await stand.until(lambda: "Answered on pts/7 by me." in stand.notices())
        assert not isinstance(stand.app.screen, UnsentScreen)


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
        assert "[1 Questions] 2 Activity" in " ".join(stand.text().split())
        assert "Servers" not in stand.text()
        assert "History" not in stand.text()
        await stand.press("f1")
        await stand.until(lambda: isinstance(stand.app.screen, HelpScreen))
        screen = stand.app.screen
        assert isinstance(screen, HelpScreen)
        listed = "\n".join(text_of(row) for row in screen.lines(96))
        assert "dialogs" in listed
        assert "pane.history" not in listed
        assert "calls.cancel" not in listed
        await stand.press("escape")
        asked = asyncio.ensure_future(broker.resolve(form_request()))
        await stand.until(lambda: "Which colour?" in stand.text())
        await stand.press("tab")
        assert isinstance(stand.app.screen, ConsoleScreen), "the inbox opens on its list"
        await stand.press("enter")
        screen = await opened(stand)
        # As an older version of the program would: what does not satisfy the schema is sent.
        screen.view.decide(sent(colour=5))
        await stand.until(lambda: getattr(stand.app.screen, "question", screen.question).note)
        await opened(stand)
        await stand.press("ctrl+n")
        outcome = await bounded(asked)
        assert (outcome.action, outcome.via) == ("decline", "inbox")


async def test_what_is_allowed_for_an_agent_is_listed_and_taken_back(
    tmp_path: Path, world: World
) -> None:
    (tmp_path / "own").mkdir()
    await world.asks()
    store = world.asking_store
    await store.grant(Grant(ASKER.session, "prod", "drop", "pid 1", "digest"))
    async with reader(tmp_path, inbox=True) as stand:
        await stand.until(lambda: stand.app.shared._inbox is not None)
        await stand.press("f3")
        await stand.until(lambda: "prod · drop" in stand.text())
        assert "for claude-code" in stand.text()
        await stand.press("r")
        await stand.until(lambda: "You have allowed no tool." in stand.text())
        assert await store.grants() == ()


async def test_when_the_asker_dies_its_question_goes_and_what_was_typed_stays(
    tmp_path: Path, world: World
) -> None:
    (tmp_path / "own").mkdir()
    store = await world.store("asker")
    await store.begin(ASKER)
    async with reader(tmp_path) as stand:
        await store.put(Question(form_request()), ASKER)
        await opened(stand)
        await stand.press(*"blu")
        await store.close()
        await stand.until(lambda: isinstance(stand.app.screen, UnsentScreen))
        assert "The session that asked has ended." in stand.text()
        assert "blu" in stand.text()
        await stand.press("escape")


async def test_an_answer_that_is_given_back_is_on_the_screen_again_with_the_reason(
    tmp_path: Path, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own").mkdir()
    broker = await world.asks()
    async with reader(tmp_path) as stand:
        asked = asyncio.ensure_future(broker.resolve(form_request()))
        screen = await opened(stand)
        await stand.press(*"red")
        # As an older version of the program would: what does not satisfy the schema is sent.
        screen.view.decide(sent(colour=5))
        await stand.until(lambda: getattr(stand.app.screen, "question", screen.question).note)
        again = await opened(stand)
        assert again.question.attempt == 2
        assert "red" in stand.text()
        await stand.press("ctrl+s")
        assert (await bounded(asked)).content == {"colour": "red"}


async def test_a_store_that_cannot_be_read_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "store.sqlite3").write_bytes(b"no database at all, but long enough " * 200)
    async with reader(tmp_path) as stand:
        await stand.until(lambda: "store" in stand.notices())
        told = [line.text for line in stand.app.state.activity]
        assert len([text for text in told if text.startswith("▲")]) == 1


async def test_a_question_that_is_sealed_with_another_secret_is_told(
    tmp_path: Path, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own").mkdir()
    broker = await world.asks()
    asked = asyncio.ensure_future(broker.resolve(form_request()))
    await (await world.person()).sees()
    monkeypatch.setenv("ELICIT_TUI_STORE_SECRET", "x" * 44)
    async with reader(tmp_path) as stand:
        await stand.until(lambda: "A question waits that cannot be shown" in stand.notices())
        assert "another secret" in stand.notices()
    assert not asked.done()
    asked.cancel()


async def test_leaving_asks_nothing_where_everything_goes_on_waiting(
    tmp_path: Path, world: World
) -> None:
    (tmp_path / "own").mkdir()
    broker = await world.asks()
    async with reader(tmp_path, servers=(), inbox=True) as stand:
        asked = asyncio.ensure_future(broker.resolve(form_request()))
        await stand.until(lambda: len(stand.app.state.questions) == 1)
        await stand.press("ctrl+q")
        await stand.until(lambda: stand.app._exit)
    assert not asked.done()
