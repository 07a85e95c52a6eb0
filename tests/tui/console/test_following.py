"""Lists follow what is new unless one has moved away; the keys that only seem to leave say so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from elicit_tui.tui.console.application import ConsoleApp
from elicit_tui.tui.console.bars import KeyBar
from elicit_tui.tui.console.screen import ConsoleScreen
from elicit_tui.tui.console.views import RowList
from tests.tui.console.stand import console
from tests.tui.console.test_calls import GREET, tool

pytestmark = pytest.mark.anyio


async def test_the_newest_call_is_in_view_and_under_the_cursor(tmp_path: Path) -> None:
    tools = [tool(f"tool{number}") for number in range(12)]
    async with console(tmp_path, tools={"alpha": tools}, size=(80, 24)) as stand:
        for number, offer in enumerate(stand.app.state.servers["alpha"].offers):
            await stand.press("1")
            stand.app.call_offer("alpha", offer)
            await stand.until(
                lambda number=number: (
                    len(stand.app.state.calls) == number + 1 and not stand.app.state.calls.running
                )
            )
            newest = next(iter(stand.app.state.calls))
            row = f"▌● {newest.at}  tool{number} "
            await stand.until(lambda row=row: row in stand.text())


async def test_ctrl_c_says_what_leaves_in_our_own_words(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        await stand.press("ctrl+c")
        await stand.until(lambda: "^Q leaves" in stand.notices())


async def test_a_run_is_told_in_one_line_when_it_is_over(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        for key in ("ctrl+s", "ctrl+n"):
            request = stand.ask()
            await stand.shown(request)
            await stand.press(*("a", key) if key == "ctrl+s" else (key,))
            await stand.until(lambda request=request: stand.outcome(request) is not None)
        assert stand.app.state.summary() == "2 questions: 1 accepted, 1 declined"


async def test_history_follows_what_ends_while_it_is_looked_at(tmp_path: Path) -> None:
    async with console(tmp_path, size=(100, 12)) as stand:
        await stand.press("5")
        for number in range(12):
            stand.ask(message=f"Question number {number}")
        await stand.until(lambda: len(stand.app.state.questions) == 12)
        stand.runtime.broker.decline_all("alpha", stand.runtime.broker.pending)
        await stand.until(lambda: stand.app.state.ended == 12)
        await stand.until(lambda: "Question number 11" in stand.text())
        rows = stand.app.screen.query_one("#history-rows", RowList)
        assert rows.cursor == 0
        assert rows.scroll_y == 0
        moved = rows.keys[3]
        rows.cursor = 3
        stand.ask(message="The newest")
        await stand.until(lambda: len(stand.app.state.questions) == 1)
        stand.runtime.broker.decline_all("alpha", stand.runtime.broker.pending)
        await stand.until(lambda: len(rows.keys) == 13)
        assert rows.key == moved, "whoever moved away stays there"


async def test_history_has_seconds_where_the_same_was_asked_twice_in_a_minute(
    tmp_path: Path,
) -> None:
    async with console(tmp_path) as stand:
        await stand.press("5")
        for count, message in enumerate(("Once?", "Again?", "Again?", "Again?"), 1):
            stand.ask(message=message)
            await stand.until(lambda: len(stand.app.state.questions) == 1)
            stand.runtime.broker.decline_all("alpha", stand.runtime.broker.pending)
            await stand.until(lambda count=count: stand.app.state.ended == count)
            if count == 1:
                await stand.until(lambda: "Once?" in stand.text())
                assert not re.search(r"\d:\d\d:\d\d +✗", stand.text())
        # Of three at least two began in one minute.
        await stand.until(lambda: re.search(r"\d:\d\d:\d\d +✗ alpha +“Again", stand.text()))
        await stand.until(lambda: re.search(r"\d:\d\d:\d\d +✗ alpha +“Once", stand.text()))


async def test_what_was_stopped_has_the_focus_where_nothing_waits(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        secret = {"type": "object", "properties": {"password": {"type": "string"}}}
        request = stand.ask(message="Your password?", schema=secret)
        await stand.until(lambda: stand.outcome(request))
        await stand.until(lambda: "Under Questions (2)" in stand.notices())
        await stand.press("2", "escape", "1", "2")
        assert stand.app.focused is not None
        assert stand.app.focused.id == "stopped"
        await stand.press("enter")
        await stand.until(lambda: "Stopped before you saw it" in stand.text())
        await stand.until(lambda: "set guardian.on_block" in stand.text())


async def test_the_key_that_a_notice_names_shows_the_question_at_once(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        secret = {"type": "object", "properties": {"password": {"type": "string"}}}
        for number in range(2):
            stopped = stand.ask(message=f"Your password number {number}?", schema=secret)
            await stand.until(lambda stopped=stopped: stand.outcome(stopped))
        await stand.until(lambda: "Under Questions (2): the question, and why." in stand.notices())
        await stand.until(lambda: stand.app.state._shown_stopped[0] == stopped.id)
        await stand.press("2")
        await stand.until(lambda: "“Your password number 1?”" in stand.text())
        await stand.press("escape")
        assert getattr(stand.app.focused, "id", "") == "stopped"


async def test_whoever_puts_a_question_off_comes_to_the_queue(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        request = stand.ask()
        await stand.shown(request)
        secret = {"type": "object", "properties": {"password": {"type": "string"}}}
        stopped = stand.ask(message="Your password?", schema=secret)
        await stand.until(lambda: stand.outcome(stopped))
        await stand.press("ctrl+l")
        await stand.until(lambda: getattr(stand.app.focused, "id", "") == "waiting")


async def test_a_server_that_went_away_is_not_said_to_have_withdrawn_its_question(
    tmp_path: Path,
) -> None:
    async with console(tmp_path) as stand:
        await stand.shown(stand.ask())
        stand.runtime.broker.server_gone("alpha", "The connection to alpha was closed.")
        await stand.until(lambda: "the server went away" in stand.notices())
        assert "withdrew" not in stand.notices()
        request = stand.ask("beta")
        await stand.shown(request)
        stand.runtime.broker.withdraw(request.id, "The server withdrew the question.")
        await stand.until(lambda: "the server withdrew it" in stand.notices())


async def test_a_cancel_that_is_sent_as_its_call_ended_is_said_so_also_in_the_history(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, size=(140, 40)) as stand:
        request = stand.ask()
        await stand.shown(request)
        stand.runtime.broker.call_ended(request.id)
        await stand.until(lambda: "cancelled · its call ended" in stand.notices())
        assert "went away" not in stand.notices()
        await stand.press("5")
        await stand.until(lambda: "cancelled · its call ended" in stand.text())
        assert "no answer sent" not in stand.text()
        assert "went away" not in stand.text()


async def test_questions_that_end_with_their_server_are_told_in_one_notice(
    tmp_path: Path,
) -> None:
    async with console(tmp_path) as stand:
        await stand.shown(stand.ask(message="Where to?"))
        for number in range(4):
            stand.ask(message=f"For how long? {number}")
        await stand.until(lambda: len(stand.app.state.questions) == 5)
        stand.runtime.broker.server_gone("alpha", "The connection to alpha was closed.")
        await stand.until(lambda: "the server went away" in stand.notices())
        assert "“Where to?”\n“For how long? 0”" in stand.notices()
        assert "and 2 more\nThe connection to alpha was closed." in stand.notices()
        assert stand.notices().count("went away") == 1


async def test_the_key_that_suspends_does_so_wherever_no_text_is_edited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suspended: list[str] = []

    def suspend(app: ConsoleApp) -> None:
        suspended.append(type(app.screen).__name__)

    monkeypatch.setattr(ConsoleApp, "action_suspend_process", suspend)
    async with console(tmp_path) as stand:
        await stand.press("ctrl+z")
        await stand.shown(stand.ask(schema={"type": "object", "properties": {}}))
        await stand.press("ctrl+z")
        await stand.press("n")
        await stand.shown(stand.ask())
        await stand.press("a", "ctrl+z")
        assert suspended == ["ConsoleScreen", "QuestionScreen"]


async def test_the_key_that_suspends_brings_back_a_choice_that_was_cleared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suspended: list[str] = []
    monkeypatch.setattr(ConsoleApp, "action_suspend_process", lambda app: suspended.append("it"))
    fields = {"meal": {"type": "string", "enum": ["Soup", "Fish"]}, "name": {"type": "string"}}
    async with console(tmp_path) as stand:
        await stand.shown(stand.ask(schema={"type": "object", "properties": fields}))
        await stand.press("space")
        await stand.until(lambda: "● Soup" in stand.text())
        await stand.press("ctrl+u")
        await stand.until(lambda: "● Soup" not in stand.text())
        await stand.press("ctrl+z")
        await stand.until(lambda: "● Soup" in stand.text())
        assert suspended == []
        await stand.press("ctrl+z")
        await stand.until(lambda: suspended == ["it"])


async def test_the_cursor_is_on_what_was_stopped_last_until_one_moves_away(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        secret = {"type": "object", "properties": {"password": {"type": "string"}}}

        async def stop(message: str) -> None:
            request = stand.ask(message=message, schema=secret)
            await stand.until(lambda: stand.outcome(request))

        await stop("The first?")
        await stand.press("2", "escape")
        stopped = stand.app.screen.query_one("#stopped", RowList)
        await stand.until(lambda: len(stopped.keys) == 1)
        await stop("The second?")
        await stand.until(lambda: len(stopped.keys) == 2)
        assert stopped.cursor == 0
        await stand.press("down")
        moved = stopped.key
        await stop("The third?")
        await stand.until(lambda: len(stopped.keys) == 3)
        assert stopped.key == moved


async def test_the_cursor_is_on_the_question_that_was_put_off(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        first = stand.ask(message="The first?")
        await stand.shown(first)
        second = stand.ask(message="The second?")
        await stand.press("ctrl+o")
        await stand.shown(second)
        await stand.press("ctrl+l")
        await stand.until(lambda: stand.app.screen.query("#waiting"))
        waiting = stand.app.screen.query_one("#waiting", RowList)
        await stand.until(lambda: waiting.cursor == 1 and waiting.has_focus)


async def test_what_was_put_off_comes_back_only_when_it_is_chosen(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        first, second = stand.ask(message="The first?"), stand.ask(message="The second?")
        await stand.shown(first)
        await stand.press("ctrl+l", "down", "enter")
        await stand.shown(second)
        await stand.press("ctrl+l")
        await stand.until(lambda: stand.app.state.questions.open is None)
        third = stand.ask(message="The third?")
        await stand.shown(third)
        await stand.press("ctrl+o")
        await stand.shown(first)
        await stand.press("ctrl+n")
        await stand.until(lambda: sum(map(bool, map(stand.outcome, (first, second, third)))) == 1)
        await stand.shown(third)
        await stand.press("ctrl+n")
        await stand.until(lambda: len(stand.app.state.questions) == 1)
        await stand.settled()
        assert stand.app.state.questions.open is None, "the second one was put off"


async def test_no_key_leads_to_an_empty_list_beside_one_that_is_not(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        secret = {"type": "object", "properties": {"password": {"type": "string"}}}
        stopped = stand.ask(message="Your password?", schema=secret)
        await stand.until(lambda: stand.outcome(stopped))
        await stand.press("2")
        if stand.app.screen is not stand.app.screen_stack[0]:
            await stand.press("escape")
        for key in ("tab", "shift+tab"):
            await stand.until(lambda: getattr(stand.app.focused, "id", "") == "stopped")
            await stand.press(key)
        await stand.until(lambda: "Enter Look" in stand.text())


async def test_when_nothing_waits_any_more_the_keys_go_to_what_was_stopped(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        secret = {"type": "object", "properties": {"password": {"type": "string"}}}
        stopped = stand.ask(message="Your password?", schema=secret)
        await stand.until(lambda: stand.outcome(stopped))
        request = stand.ask(message="Shall we?")
        await stand.shown(request)
        await stand.press("ctrl+l")
        await stand.until(lambda: getattr(stand.app.focused, "id", "") == "waiting")
        await stand.press("enter")
        await stand.shown(request)
        await stand.press("ctrl+n")
        await stand.until(lambda: getattr(stand.app.focused, "id", "") == "stopped")
        assert "Enter Look" in stand.text()


async def test_what_was_stopped_is_told_once_in_plain_words_and_its_rules_come_last(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, size=(140, 60)) as stand:
        names = ("password", "api_key")
        secret = {"type": "object", "properties": {name: {"type": "string"} for name in names}}
        request = stand.ask(message="Enter the password of your bank account", schema=secret)
        await stand.until(lambda: stand.outcome(request))
        await stand.press("2", "enter")
        await stand.until(lambda: "as it arrived" in stand.text())
        told = stand.text().partition("as it arrived")[0]
        assert told.count("Enter the password of your bank account") == 1
        assert told.count("Do not type it here.") == 1
        assert told.index("It asks for a secret") < told.index("credentials.secret")
        assert "■ api_key" in told
        assert "■ credentials.secret" not in told
        await stand.press("escape", "5", "enter")
        await stand.until(lambda: "as it is recorded" in stand.text())
        told = stand.text().partition("as it is recorded")[0]
        assert told.count("Enter the password of your bank account") == 1
        assert told.index("It asks for a secret") < told.index("credentials.secret")


async def test_another_pane_has_the_keys_and_its_bar_at_once(tmp_path: Path) -> None:
    """Else a search line of the pane that was left has them, and no question opens by itself."""
    tools = {"alpha": [tool("greet", GREET)]}
    async with console(tmp_path, servers=["alpha"], tools=tools) as stand:
        await stand.press("right")
        await stand.until(lambda: "Call" in stand.text().split("\n")[-1])
        screen = stand.app.screen
        assert isinstance(screen, ConsoleScreen)
        focused: list[object] = []
        screen.watch(screen, "focused", lambda widget: focused.append(widget), init=False)
        await screen.show_pane("calls")
        assert screen.focused is screen.query_one("#call-list")
        had_them = [widget for widget in focused if widget is not None]
        assert had_them == [screen.focused], "nothing else had them in between"
        bar = screen.query_one(KeyBar)
        assert "Call" not in [text.strip() for part in bar._parts for text, _ in part.spans]
