"""A server in a loop is named and muted with one key; memory and keys stay as they were."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from elicit_tui.elicitation import Call, ElicitationRequest, Pending, ServerIdentity
from elicit_tui.host.events import ServerLog
from elicit_tui.tui.console.activity import KEPT_LINES
from elicit_tui.tui.console.screens.records import StoppedScreen, stopped_words
from elicit_tui.tui.console.state import KEPT_MUTED, KEPT_STOPPED
from elicit_tui.tui.question import QuestionScreen, QuestionView
from tests.tui.console.stand import CITY, console

pytestmark = pytest.mark.anyio


async def test_a_server_in_a_loop_is_named_and_muted_with_one_key(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        await stand.press("4", "slash")
        alpha = ServerIdentity("alpha", "stdio", "alpha-server")
        refused = 0
        for number in range(2_000):
            params = {"message": f"Number {number}", "requestedSchema": CITY}
            request = ElicitationRequest(alpha, params)
            outcome = stand.runtime.broker.admit(request)
            refused += outcome is not None and outcome.decided_by == "flood"
        assert refused > 1_900
        await stand.until(lambda: "alpha asks in a loop" in stand.text())
        other = stand.ask("beta")
        await stand.until(lambda: len(stand.app.state.questions) == 1)
        await stand.press("f9")
        assert stand.app.muted == {"alpha"}
        await stand.press("ctrl+o")
        await stand.shown(other)


async def test_what_a_muted_server_asked_stands_at_its_call_and_is_no_loop(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        stand.app.toggle_mute("alpha")
        call = Call("tools/call", "plan", {})
        record = stand.app.state.calls.start("alpha", call)
        stand.ask(calls=(call,))
        await stand.until(lambda: record.answered)
        assert record.answered[0].summary == "not asked: You muted “alpha” for this run."
        stand.app.toggle_mute("alpha")
        assert not stand.app.state.looping


async def test_what_a_muted_server_asked_is_kept_among_what_was_stopped(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        stand.app.toggle_mute("alpha")
        request = stand.ask("alpha", "Which way then?")
        await stand.until(lambda: stand.outcome(request))
        await stand.press("2")
        row = r"Which way then\?.*you muted its server"
        await stand.until(lambda: re.search(row, stand.text()))
        await stand.press("enter")
        await stand.until(lambda: isinstance(stand.app.screen, StoppedScreen))
        said = str(stopped_words(stand.app.state.stopped[0], 400, stand.app.muted))
        assert "cancelled for you: you muted its server." in said
        assert "It would come to you once “alpha” is unmuted." in said
        await stand.press("escape")
        stand.app.toggle_mute("alpha")
        await stand.press("enter")
        await stand.until(lambda: "“alpha” was muted then: what it asks now" in stand.text())
        assert "is unmuted" not in stand.text()


async def test_of_a_page_that_was_stopped_it_says_what_its_server_was_told(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        stand.app.toggle_mute("alpha")
        request = stand.ask_page("alpha")
        await stand.until(lambda: stand.outcome(request))
        said = str(stopped_words(stand.app.state.stopped[0], 400, stand.app.muted))
        assert "it was cancelled for you: you muted its server." in said
        outcome = stand.outcome(request)
        assert outcome is not None
        (sent,) = outcome.public_meta.values()
        learned = f"“alpha” was told that it was cancelled, and “{sent['reason']}”"
        assert f"{learned} It learned nothing else. Its page was not opened." in said


async def test_a_muted_server_that_asks_on_pushes_out_nothing_else_that_was_stopped(
    tmp_path: Path,
) -> None:
    async with console(tmp_path) as stand:
        state = stand.app.state
        refused = stand.ask("beta", "Enter your password.")
        await stand.until(lambda: stand.outcome(refused))
        stand.app.toggle_mute("alpha")
        asked = [stand.ask("alpha") for _ in range(2 * KEPT_STOPPED)]
        await stand.until(lambda: all(map(stand.outcome, asked)))
        kept = [stopped.request.id for stopped in state.stopped]
        assert kept == [refused.id, *(request.id for request in asked[-KEPT_MUTED:])]


async def test_a_hundred_thousand_log_lines_take_constant_memory(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        for number in range(100_000):
            stand.host.tell(ServerLog("alpha", f"line {number}"))
        assert len(stand.app.state.activity) == KEPT_LINES
        await stand.press("4")
        await stand.until(lambda: "line 99999" in stand.text())


async def test_a_burst_is_counted_on_the_open_question_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with console(tmp_path) as stand:
        await stand.shown(stand.ask())
        screen = stand.app.screen
        assert isinstance(screen, QuestionScreen)
        told: list[tuple[int, int]] = []
        heard: list[Pending] = []

        def tell(place: int, of: int) -> None:
            told.append((place, of))
            QuestionView.place_in_queue(screen.view, place, of)

        def hear(pending: Pending, *, shown: bool) -> None:
            heard.append(pending)

        monkeypatch.setattr(screen.view, "place_in_queue", tell)
        monkeypatch.setattr(stand.app, "announce", hear)
        with monkeypatch.context() as between_two_moments:
            between_two_moments.setattr(stand.app.presenter, "tick", lambda: None)
            for number in range(15):
                stand.ask("beta", f"Number {number}?")
            await stand.until(lambda: len(heard) == 15)
        await stand.until(lambda: "1 of 16" in stand.text())
        assert told == [(1, 16)]
