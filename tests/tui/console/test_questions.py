"""Questions come on the screen one at a time and never cost a word or a key."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest
from textual.events import Key

from elicit_tui.elicitation import ElicitationRequest
from elicit_tui.elicitation.settings import ConsoleSettings, ElicitationSettings
from elicit_tui.host.events import UrlCompleted
from elicit_tui.tui.console.screen import ConsoleScreen
from elicit_tui.tui.key_gate import KeyRun
from elicit_tui.tui.question import QuestionScreen
from tests.tui.console.stand import Stand, console

pytestmark = pytest.mark.anyio


async def test_a_question_opens_by_itself_and_its_answer_reaches_the_server(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        request = stand.ask()
        await stand.shown(request)
        await stand.press(*"Rome", "ctrl+s")
        await stand.until(lambda: stand.outcomes)
        outcome = stand.outcome(request)
        assert outcome is not None
        assert (outcome.action, outcome.decided_by) == ("accept", "user")
        assert outcome.content == {"city": "Rome"}
        await stand.until(lambda: isinstance(stand.app.screen, ConsoleScreen))


async def test_the_pane_of_questions_is_asked_for_again_while_it_is_made(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        await stand.shown(stand.ask())
        screen = stand.app.screen_stack[0]
        assert isinstance(screen, ConsoleScreen)
        await asyncio.gather(*(screen.show_pane("questions") for _ in range(3)))
        await stand.press("ctrl+l")
        await stand.lists_what_waits()
        assert len(screen.query("#questions-pane")) == 1


async def test_a_second_question_waits_until_the_first_is_answered(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        first = stand.ask("alpha")
        await stand.shown(first)
        second = stand.ask("beta", "And when?")
        await stand.until(lambda: len(stand.app.state.questions) == 2)
        assert stand.app.state.questions.open is not None
        assert stand.app.state.questions.open.question.id == first.id
        await stand.press("ctrl+n")
        await stand.shown(second)
        outcome = stand.outcome(first)
        assert outcome is not None
        assert outcome.action == "decline"


async def test_a_question_does_not_open_over_a_field_that_is_edited(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        await stand.press("4", "slash")
        stand.ask()
        await stand.until(lambda: len(stand.app.state.questions) == 1)
        await stand.press(*"abc")
        assert isinstance(stand.app.screen, ConsoleScreen)
        await stand.until(lambda: "1 question waits for you" in stand.text())


async def test_a_question_does_not_open_under_keys_that_are_pressed_one_behind_another(
    tmp_path: Path,
) -> None:
    async with console(tmp_path) as stand:
        await stand.press("3", "j", "j")
        request = stand.ask(schema={"type": "object", "properties": {"ok": {"type": "boolean"}}})
        for key in "jyjny":
            await stand.press(key)
            assert isinstance(stand.app.screen, ConsoleScreen)
        await stand.until(lambda: "1 question waits for you" in stand.text())
        await stand.shown(request)  # by itself, once no key follows
        assert not stand.outcomes


def pressed(*seconds_ago: float, key: Key | None = None) -> KeyRun:
    """The run of keys that were pressed so long ago."""
    run = KeyRun()
    for seconds in seconds_ago:
        event = Key("j", "j") if key is None else Key(key.key, key.character)
        event.time -= seconds
        run.heard(event)
    return run


def test_a_run_of_keys_ends_with_a_pause_and_one_key_is_none() -> None:
    assert 0 < pressed(0.9, 0.5).lasts() <= 0.5
    assert pressed(2.0, 1.1).lasts() == 0
    assert pressed(5.0, 0.1).lasts() == 0
    assert pressed().lasts() == 0


def test_keys_that_move_are_no_run_and_letters_without_end_keep_no_question_back() -> None:
    assert pressed(0.9, 0.5, key=Key("down", None)).lasts() == 0
    endless = [seconds / 2 for seconds in range(24, 0, -1)]
    assert pressed(*endless[8:]).lasts() > 0
    assert pressed(*endless).lasts() == 0


def test_what_the_last_key_asked_for_waits_for_no_pause() -> None:
    assert pressed(0.9, 0.5).lasts(since=time.monotonic() - 0.4) == 0
    assert pressed(0.9, 0.5).lasts(since=time.monotonic() - 0.7) > 0


async def test_a_waiting_question_is_opened_with_one_key(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        await stand.press("4", "slash")
        request = stand.ask()
        await stand.until(lambda: len(stand.app.state.questions) == 1)
        await stand.press("ctrl+o")
        await stand.shown(request)


async def test_later_keeps_what_was_typed_and_puts_the_question_back(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        request = stand.ask()
        await stand.shown(request)
        await stand.press(*"Par", "ctrl+l")
        await stand.until(lambda: isinstance(stand.app.screen, ConsoleScreen))
        await stand.until(lambda: "later" in stand.text())
        await stand.press("enter")
        await stand.shown(request)
        await stand.press("end", *"is", "ctrl+s")
        await stand.until(lambda: stand.outcomes)
        outcome = stand.outcome(request)
        assert outcome is not None
        assert outcome.content == {"city": "Paris"}


async def opened_and_put_off(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> ElicitationRequest:
    request = stand.ask_page()
    await stand.shown(request)
    screen = stand.app.screen
    assert isinstance(screen, QuestionScreen)
    monkeypatch.setattr(screen.view, "opener", lambda url: True)
    await stand.press("ctrl+s")
    await stand.until(lambda: screen.view.body.opened and not screen.view.deaf)
    await stand.press("ctrl+l")
    await stand.until(lambda: isinstance(stand.app.screen, ConsoleScreen))
    return request


async def test_a_page_that_was_opened_and_put_off_still_waits_for_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with console(tmp_path) as stand:
        request = await opened_and_put_off(stand, monkeypatch)
        await stand.press("ctrl+o")
        await stand.shown(request)
        await stand.until(lambda: "^S Finished" in stand.text())
        await stand.press("ctrl+s")
        await stand.until(lambda: stand.outcomes)
        outcome = stand.outcome(request)
        assert outcome is not None
        assert outcome.action == "accept"


async def test_a_notice_about_a_page_that_was_put_off_answers_its_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with console(tmp_path) as stand:
        request = await opened_and_put_off(stand, monkeypatch)
        stand.host.tell(UrlCompleted("beta", "page"))
        stand.host.tell(UrlCompleted("alpha", "page"))
        for number in range(1_000):  # A flood of another server hides nobody's notice.
            stand.host.tell(UrlCompleted("beta", f"page {number}"))
        await stand.until(lambda: stand.outcomes)
        outcome = stand.outcome(request)
        assert outcome is not None
        assert (outcome.action, outcome.decided_by) == ("accept", "user")


async def test_a_notice_about_a_page_that_nobody_agreed_to_answers_nothing(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        request = stand.ask_page()
        await stand.shown(request)
        await stand.press("ctrl+l")
        await stand.until(lambda: isinstance(stand.app.screen, ConsoleScreen))
        stand.host.tell(UrlCompleted("alpha", "page"))
        await stand.until(lambda: not stand.app.state.completed_urls)
        await stand.pilot.pause()
        assert stand.outcome(request) is None


async def test_switching_between_questions_of_one_form_mixes_no_drafts(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        first, second = stand.ask("alpha", "First?"), stand.ask("alpha", "Second?")
        await stand.shown(first)
        await stand.press(*"one", "ctrl+o")
        await stand.shown(second)
        await stand.press("ctrl+u", *"two", "ctrl+o")
        await stand.shown(first)
        await stand.press("ctrl+s")
        await stand.shown(second)
        await stand.press("ctrl+s")
        await stand.until(lambda: len(stand.outcomes) == 2)
        contents = [stand.outcome(request) for request in (first, second)]
        assert [outcome and outcome.content for outcome in contents] == [
            {"city": "one"},
            {"city": "two"},
        ]


async def test_a_withdrawn_question_goes_with_a_word_and_its_draft_stays(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        request = stand.ask()
        await stand.shown(request)
        await stand.press(*"Lisbon")
        stand.runtime.broker.withdraw(request.id, "The server withdrew its question.")
        await stand.until(lambda: isinstance(stand.app.screen, ConsoleScreen))
        await stand.until(lambda: "withdrew its question" in stand.notices())
        again = stand.ask()
        await stand.shown(again)
        await stand.press("ctrl+s")
        await stand.until(lambda: stand.outcome(again))
        outcome = stand.outcome(again)
        assert outcome is not None
        assert outcome.content == {"city": "Lisbon"}


async def test_a_deadline_takes_the_question_away_and_says_so(tmp_path: Path) -> None:
    soon = ElicitationSettings(timeout_sec=0.2)
    async with console(tmp_path, elicitation=soon) as stand:
        request = stand.ask()
        await stand.until(lambda: stand.outcome(request))
        outcome = stand.outcome(request)
        assert outcome is not None
        assert (outcome.action, outcome.decided_by) == ("cancel", "deadline")
        await stand.until(lambda: isinstance(stand.app.screen, ConsoleScreen))


async def test_letters_typed_on_blindly_reach_neither_the_next_question_nor_the_console(
    tmp_path: Path,
) -> None:
    async with console(tmp_path) as stand:
        first = stand.ask("alpha", "First?")
        second = stand.ask("beta", "Second?")
        await stand.shown(first)
        # All of this is in the terminal's buffer before the second question is painted.
        from textual import events

        for key in (*"Rome", "ctrl+s", *"mD", "ctrl+s", "enter", "ctrl+n"):
            character = key if len(key) == 1 else None
            stand.app.post_message(events.Key(key, character))
        await stand.shown(second)
        assert [request for request, _ in stand.outcomes] == [first.id]
        outcome = stand.outcome(first)
        assert outcome is not None
        assert outcome.content == {"city": "Rome"}
        assert stand.app.muted == frozenset()
        screen = stand.app.screen
        assert isinstance(screen, QuestionScreen)
        assert not screen.view.body.typed


async def test_text_for_another_question_answers_none_that_has_no_field(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        first = stand.ask("alpha", "First?")
        second = stand.ask("beta", "Shall we go?", {"type": "object", "properties": {}})
        await stand.shown(first)
        await stand.press(*"Oslo", "ctrl+s")
        await stand.shown(second)
        await stand.until(lambda: "Sent. Another question is in front now." in stand.text())
        await stand.press(*"Rome", "ctrl+s")
        said = "What you typed has no place here. y again says yes."
        await stand.until(lambda: said in stand.text())
        assert stand.outcome(second) is None
        await stand.press("x", "n")
        await stand.until(lambda: "has no place here. n again says no." in stand.text())
        assert stand.outcome(second) is None
        await stand.press("ctrl+s")
        await stand.until(lambda: stand.outcome(second))
        outcome = stand.outcome(second)
        assert outcome is not None
        assert outcome.action == "accept"


async def test_all_questions_of_one_server_are_declined_once_that_is_sure(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        await stand.press("4", "slash")
        requests = [stand.ask("alpha", f"Number {number}?") for number in range(3)]
        other = stand.ask("beta")
        await stand.until(lambda: len(stand.app.state.questions) == 4)
        await stand.press("escape", "2")
        await stand.until(lambda: "Number 0?" in stand.text())
        await stand.press("D")
        await stand.until(lambda: "Decline 3 questions of “alpha”?" in stand.text())
        assert "what you typed" not in stand.text()
        assert "“alpha” is told that you declined each of them." in stand.text()
        assert not stand.outcomes
        later = stand.ask("alpha", "And now?")
        await stand.until(lambda: len(stand.app.state.questions) == 5)
        await stand.press("y")
        await stand.until(lambda: len(stand.outcomes) == 3)
        assert stand.outcome(later) is None
        outcomes = [stand.outcome(request) for request in requests]
        assert {(outcome.action, outcome.decided_by) for outcome in outcomes if outcome} == {
            ("decline", "user")
        }
        assert stand.outcome(other) is None


async def test_a_key_pressed_by_mistake_declines_nothing(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        request = stand.ask("alpha")
        await stand.shown(request)
        await stand.press("ctrl+l", "2", "D")
        await stand.until(lambda: "Decline 1 question of “alpha”?" in stand.text())
        await stand.press("D", "n")
        await stand.until(lambda: "Decline 1 question" not in stand.text())
        await stand.settled()
        assert stand.outcome(request) is None


async def test_what_the_guardian_stopped_is_kept_to_be_looked_at(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"password": {"type": "string"}}}
    async with console(tmp_path) as stand:
        request = stand.ask("alpha", "Please enter your password", schema)
        await stand.until(lambda: stand.outcome(request))
        outcome = stand.outcome(request)
        assert outcome is not None
        assert outcome.decided_by == "guardian"
        await stand.until(lambda: "2 Questions ✗1" in stand.text().splitlines()[0])
        await stand.press("2", "enter")
        await stand.until(lambda: "Do not type it here" in stand.text())
        assert "credentials." in stand.text()
        card = stand.app.screen.query_one(".dialog").styles.border_top[1].hex.casefold()
        assert card == stand.app.get_css_variables()["error"].casefold()
        rows = [row.strip("│ ") for row in stand.text().splitlines()]
        assert " ".join(rows[1:3]) == (
            "“alpha” asked this; it was declined for you by the guardian, the rules that weigh "
            "every question before you see it."
        )
        assert rows[3:5] == ["", "it wrote    “Please enter your password”"]
        assert rows[5:7] == ["seen        password", ""]
        assert rows[7].startswith("■ Do not type it here.")
        await stand.press("escape")
        await stand.until(lambda: "by the guardian" in stand.text())
        assert stand.text().count("Please enter your password") == 1
        await stand.press("1")
        await stand.until(lambda: "[1 Servers]" in stand.text())
        assert "✗" not in stand.text().splitlines()[0]


async def test_of_a_page_stopped_for_its_missing_encryption_just_that_is_told(
    tmp_path: Path,
) -> None:
    params = {
        "mode": "url",
        "message": "Please sign in to go on.",
        "url": "http://192.168.1.7/login",
        "elicitationId": "page",
    }
    async with console(tmp_path) as stand:
        request = stand.asks_with("alpha", params, era="modern")
        await stand.until(lambda: stand.outcome(request))
        outcome = stand.outcome(request)
        assert outcome is not None
        assert outcome.decided_by == "guardian"
        await stand.until(lambda: "Do not sign in or pay on a page without" in stand.notices())
        await stand.press("2", "enter")
        await stand.until(lambda: "Do not sign in or pay on a page without" in stand.text())
        assert "does not lead where" not in stand.text()


async def test_a_question_rings_the_bell_as_the_owner_wants(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for notify, expected in (("bell", 1), ("off", 0)):
        async with console(
            tmp_path,
            console=ConsoleSettings(notify=notify),  # type: ignore[arg-type]
        ) as stand:
            rung = []
            monkeypatch.setattr(stand.app, "bell", lambda rung=rung: rung.append(1))
            request = stand.ask()
            await stand.shown(request)
            assert len(rung) == expected


async def test_the_palette_switches_and_mutes_while_a_question_is_open(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        request = stand.ask()
        await stand.shown(request)
        commands = stand.app.get_system_commands(stand.app.screen)
        titles = {command.title for command in commands}
        assert {"Open the next question", "Mute alpha", "Send", "Decline"} <= titles


NOTHING = {"type": "object", "properties": {}}


@pytest.mark.parametrize("waits", [True, False], ids=["it waited", "it came behind"])
async def test_a_yes_for_a_withdrawn_question_does_not_answer_the_one_in_its_place(
    tmp_path: Path, waits: bool
) -> None:
    async with console(tmp_path) as stand:
        first = stand.ask("alpha", "Show the help page?", NOTHING)
        await stand.shown(first)
        if waits:
            second = stand.ask("beta", "Use the second plan?", NOTHING)
            await stand.until(lambda: len(stand.app.state.questions) == 2)
        stand.runtime.broker.withdraw(first.id, "The server withdrew its question.")
        if not waits:
            await stand.until(lambda: isinstance(stand.app.screen, ConsoleScreen))
            second = stand.ask("beta", "Use the second plan?", NOTHING)
        await stand.shown(second)
        await stand.press("y")
        await stand.until(lambda: "This is another question than the one before" in stand.text())
        assert stand.outcome(second) is None
