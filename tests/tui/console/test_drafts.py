"""However a question ends, what was typed is there when its server asks the same again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.elicitation import ElicitationRequest, cancel, question
from elicit_tui.elicitation.settings import ElicitationSettings
from elicit_tui.errors import LedgerError
from elicit_tui.form.field import Typed
from elicit_tui.tui.console import presenter
from elicit_tui.tui.console.screen import ConsoleScreen
from elicit_tui.tui.question_gate import ANOTHER_SECONDS, LastVanished
from elicit_tui.tui.widgets.buttons import KeyButton
from elicit_tui.tui.widgets.lines import NumberLine, TextLine
from tests.tui.console.stand import Stand, console
from tests.tui.console.test_calls import GREET, tool

pytestmark = pytest.mark.anyio

KEPT = "What you typed is kept."


async def withdrawn(stand: Stand, request: ElicitationRequest) -> None:
    stand.runtime.broker.withdraw(request.id, "The server withdrew its question.")


async def restarted(stand: Stand, request: ElicitationRequest) -> None:
    stand.app.restart("alpha")
    await stand.until(lambda: "What you typed is kept, and comes back" in stand.text())
    await stand.press("y")


async def call_cancelled(stand: Stand, request: ElicitationRequest) -> None:
    [pending] = stand.runtime.broker.pending
    pending.settle(cancel("user", "The person cancelled the call."))


async def connection_closed(stand: Stand, request: ElicitationRequest) -> None:
    [pending] = stand.runtime.broker.pending
    pending.settle(cancel("shutdown", "The connection to alpha was closed."))


async def declined_with_all(stand: Stand, request: ElicitationRequest) -> None:
    stand.app.decline_all("alpha")
    await stand.until(lambda: "1 of 1 holds what you typed." in stand.text())
    await stand.press("y")


async def muted(stand: Stand, request: ElicitationRequest) -> None:
    stand.app.toggle_mute("alpha")
    await stand.until(lambda: "1 of 1 holds what you typed." in stand.text())
    await stand.press("y")
    await stand.until(lambda: stand.app.muted)
    stand.app.toggle_mute("alpha")


async def put_off_and_withdrawn(stand: Stand, request: ElicitationRequest) -> None:
    await stand.press("ctrl+l")
    await stand.until(lambda: isinstance(stand.app.screen, ConsoleScreen))
    await withdrawn(stand, request)


async def switched_away_and_withdrawn(stand: Stand, request: ElicitationRequest) -> None:
    other = stand.ask("beta", "And when?")
    await stand.until(lambda: len(stand.app.state.questions) == 2)
    await stand.press("ctrl+o")
    await stand.shown(other)
    await withdrawn(stand, request)
    await stand.press("ctrl+n")


async def is_offered_again(stand: Stand) -> None:
    again = stand.ask()
    await stand.shown(again)
    await stand.until(lambda: "Your earlier answers are back." in stand.text())
    await stand.press("ctrl+s")
    await stand.until(lambda: stand.outcome(again))
    outcome = stand.outcome(again)
    assert outcome is not None
    assert outcome.content == {"city": "Lisbon"}


@pytest.mark.parametrize(
    "ends",
    [
        withdrawn,
        restarted,
        call_cancelled,
        connection_closed,
        declined_with_all,
        muted,
        put_off_and_withdrawn,
        switched_away_and_withdrawn,
    ],
)
async def test_a_draft_outlives_every_end_that_is_not_its_own_and_this_is_told(
    tmp_path: Path, ends: Callable[[Stand, ElicitationRequest], Awaitable[None]]
) -> None:
    async with console(tmp_path) as stand:
        request = stand.ask()
        await stand.shown(request)
        await stand.press(*"Lisbon")
        await ends(stand, request)
        await stand.until(lambda: stand.outcome(request))
        await stand.until(lambda: isinstance(stand.app.screen, ConsoleScreen))
        await stand.until(lambda: KEPT in stand.notices())
        await stand.settled()
        await is_offered_again(stand)


async def test_a_question_in_the_place_of_a_withdrawn_one_is_empty_and_hears_no_send_meant_for_it(
    tmp_path: Path,
) -> None:
    async with console(tmp_path) as stand:
        first = stand.ask()
        await stand.shown(first)
        await stand.press(*"Lisbon")
        second = stand.ask(message="And from where?")
        await withdrawn(stand, first)
        await stand.shown(second)
        assert "Lisbon" not in stand.text()
        await stand.press(*"Rome", "ctrl+s")
        await stand.until(lambda: "is gone" in stand.text())
        assert stand.outcome(second) is None
        await stand.press("ctrl+s")
        await stand.until(lambda: stand.outcome(second))
        outcome = stand.outcome(second)
        assert outcome is not None
        assert outcome.content == {"city": "Rome"}


async def test_what_comes_long_after_a_withdrawn_question_hears_the_first_send(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    aged = partial(LastVanished, clock=lambda: now[0])
    monkeypatch.setattr(presenter, "LastVanished", aged)
    async with console(tmp_path) as stand:
        first = stand.ask()
        await stand.shown(first)
        await stand.press(*"Lisbon")
        await withdrawn(stand, first)
        await stand.until(lambda: isinstance(stand.app.screen, ConsoleScreen))
        now[0] += ANOTHER_SECONDS
        second = stand.ask(message="And from where?")
        await stand.shown(second)
        await stand.press(*"Rome", "ctrl+s")
        await stand.until(lambda: stand.outcome(second) or "is gone" in stand.text())
        assert stand.outcome(second) is not None


async def test_a_draft_outlives_its_deadline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(question, "KEY_GRACE_SECONDS", 0.0)
    async with console(tmp_path, elicitation=ElicitationSettings(timeout_sec=3)) as stand:
        request = stand.ask()
        await stand.shown(request)
        await stand.press(*"Lisbon")
        await stand.until(lambda: stand.outcome(request))
        await stand.until(lambda: KEPT in stand.notices())
        await is_offered_again(stand)


async def test_a_draft_outlives_a_newer_question_that_replaces_its_own(tmp_path: Path) -> None:
    newest_only = ElicitationSettings(concurrent="replace")
    async with console(tmp_path, elicitation=newest_only) as stand:
        request = stand.ask()
        await stand.shown(request)
        await stand.press(*"Lisbon")
        await is_offered_again(stand)
        await stand.until(lambda: stand.outcome(request))
        assert KEPT in stand.notices()


async def test_an_answer_that_could_not_be_recorded_is_still_a_draft(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*values: Any, **more: Any) -> Any:
        raise LedgerError("The disk is full.")

    async with console(tmp_path) as stand:
        request = stand.ask()
        await stand.shown(request)
        with monkeypatch.context() as patch:
            patch.setattr(stand.runtime.ledger, "decided", fails)
            await stand.press(*"Lisbon", "ctrl+s")
            await stand.until(lambda: stand.outcome(request))
        outcome = stand.outcome(request)
        assert outcome is not None
        assert (outcome.action, outcome.decided_by) == ("cancel", "ledger")
        await stand.until(lambda: KEPT in stand.notices())
        await is_offered_again(stand)


async def test_letters_that_were_not_judged_yet_are_in_the_draft(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with console(tmp_path) as stand:
        request = stand.ask()
        await stand.shown(request)
        view = stand.app.screen.view  # type: ignore[attr-defined]
        with monkeypatch.context() as patch:
            patch.setattr(view.body.fields, "_judge_soon", lambda: None)
            await stand.press(*"Lisbon")
            await withdrawn(stand, request)
            await stand.until(lambda: isinstance(stand.app.screen, ConsoleScreen))
        await is_offered_again(stand)


async def test_an_end_that_cost_no_word_does_not_speak_of_one(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        request = stand.ask()
        await stand.shown(request)
        await withdrawn(stand, request)
        await stand.until(lambda: "withdrew its question" in stand.notices())
        assert KEPT not in stand.notices()


async def test_what_the_person_decides_in_the_form_is_not_told_to_them(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        for keys in (("ctrl+s",), ("escape", "escape")):
            request = stand.ask()
            await stand.shown(request)
            await stand.press(*"Lisbon", *keys)
            await stand.until(lambda request=request: stand.outcome(request))
        await stand.until(lambda: isinstance(stand.app.screen, ConsoleScreen))
        await stand.pilot.pause(0.3)
        assert stand.notices() == ""


TWO = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "text": {"type": "string", "maxLength": 500}},
}


async def comes_back(stand: Stand) -> ElicitationRequest:
    first = stand.ask("alpha", "Write", TWO)
    await stand.shown(first)
    await stand.press(*"Oslo", "tab", *"hal")
    await withdrawn(stand, first)
    await stand.until(lambda: isinstance(stand.app.screen, ConsoleScreen))
    again = stand.ask("alpha", "Write", TWO)
    await stand.shown(again)
    await stand.until(lambda: "Your earlier answers are back." in stand.text())
    return again


async def test_the_field_one_was_in_is_gone_on_with_when_its_question_comes_back_at_once(
    tmp_path: Path,
) -> None:
    async with console(tmp_path) as stand:
        again = await comes_back(stand)
        await stand.until(lambda: stand.text().count("from before") == 2)
        assert "typing replaces it" not in stand.text()
        await stand.press(*"f done", "ctrl+s")
        await stand.until(lambda: stand.outcome(again))
        outcome = stand.outcome(again)
        assert outcome is not None
        assert outcome.content == {"city": "Oslo", "text": "half done"}


async def test_later_what_came_back_is_selected_so_that_typing_replaces_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(question, "AT_ONCE_SECONDS", 0.0)
    async with console(tmp_path) as stand:
        again = await comes_back(stand)
        await stand.until(lambda: "typing replaces it" in stand.text())
        await stand.press(*"Rome", "ctrl+s")
        await stand.until(lambda: stand.outcome(again))
        outcome = stand.outcome(again)
        assert outcome is not None
        assert outcome.content == {"city": "Rome", "text": "hal"}


async def test_letters_typed_on_the_button_of_a_call_go_to_the_field_that_one_came_from(
    tmp_path: Path,
) -> None:
    tools = {"alpha": [tool("greet", GREET)]}
    async with console(tmp_path, servers=["alpha"], tools=tools) as stand:
        stand.app.call_offer("alpha", stand.app.state.servers["alpha"].offers[0])
        await stand.until(lambda: isinstance(stand.app.focused, TextLine))
        await stand.press("A")
        for following in (NumberLine, KeyButton):
            await stand.press("enter")
            await stand.until(lambda kind=following: isinstance(stand.app.focused, kind))
        await stand.press("7")
        await stand.until(lambda: isinstance(stand.app.focused, NumberLine))
        await stand.until(lambda: "7" in stand.text())
        await stand.press("escape")


async def test_a_server_whose_question_waits_is_restarted_only_by_whoever_is_sure(
    tmp_path: Path,
) -> None:
    async with console(tmp_path) as stand:
        request = stand.ask()
        await stand.shown(request)
        await stand.press("ctrl+l")
        await stand.until(lambda: isinstance(stand.app.screen, ConsoleScreen))
        stand.app.restart("alpha")
        asks = "1 question of “alpha” waits for you and is cancelled."
        await stand.until(lambda: asks in stand.text())
        await stand.press("n")
        await stand.until(lambda: isinstance(stand.app.screen, ConsoleScreen))
        assert stand.outcome(request) is None
        stand.app.restart("alpha")
        await stand.until(lambda: asks in stand.text())
        await stand.press("y")
        await stand.until(lambda: stand.outcome(request))
        outcome = stand.outcome(request)
        assert outcome is not None
        assert (outcome.decided_by, outcome.reason) == ("user", "You restarted “alpha”.")


async def put_off_with(stand: Stand, text: str) -> ElicitationRequest:
    request = stand.ask()
    await stand.shown(request)
    await stand.press(*text, "ctrl+l")
    await stand.until(lambda: isinstance(stand.app.screen, ConsoleScreen))
    return request


async def test_two_questions_in_the_same_words_hold_each_what_was_typed_in_it(
    tmp_path: Path,
) -> None:
    async with console(tmp_path) as stand:
        first = await put_off_with(stand, "FIRST")
        second = stand.ask()
        await stand.shown(second)
        assert "FIRST" not in stand.text()
        assert "from before" not in stand.text()
        await stand.press(*"SECOND", "ctrl+l")
        await stand.until(lambda: isinstance(stand.app.screen, ConsoleScreen))
        for request, text in ((first, "FIRST"), (second, "SECOND")):
            [pending] = [p for p in stand.app.state.questions if p.question.id == request.id]
            stand.app.open_question(pending)
            await stand.shown(request)
            await stand.press("ctrl+s")
            await stand.until(lambda request=request: stand.outcome(request))
            outcome = stand.outcome(request)
            assert outcome is not None
            assert outcome.content == {"city": text}


async def test_what_was_typed_in_a_question_that_ended_never_comes_into_one_that_is_open(
    tmp_path: Path,
) -> None:
    async with console(tmp_path) as stand:
        first = await put_off_with(stand, "FIRST")
        second = await put_off_with(stand, "SECOND")
        await withdrawn(stand, second)
        await stand.until(lambda: KEPT in stand.notices())
        third = stand.ask()
        await stand.shown(third)
        assert "SECOND" in stand.text()
        await stand.press("ctrl+s")
        await stand.until(lambda: stand.outcome(third))
        [pending] = stand.app.state.questions
        assert pending.question.id == first.id
        assert pending.question.draft.entries["city"] == Typed("FIRST")
