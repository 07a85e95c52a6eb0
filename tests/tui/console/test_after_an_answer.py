"""What one sees once a question was answered, passed over or put off."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from elicit_tui.elicitation import Call
from elicit_tui.elicitation.settings import HistorySettings
from elicit_tui.tui.console.call_words import shown_standing
from elicit_tui.tui.console.screens.records import StoppedScreen
from elicit_tui.tui.console.views import RowList
from elicit_tui.tui.question import QuestionScreen, QuestionView
from elicit_tui.tui.question.actions import Later
from tests.tui.console.stand import CITY, Stand, console

pytestmark = pytest.mark.anyio

TWO = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "street": {"type": "string"}},
}


def started(stand: Stand, name: str) -> Call:
    call = Call("tools/call", name, {})
    stand.app.state.calls.start("alpha", call)
    return call


async def put_off(stand: Stand) -> None:
    await stand.press("ctrl+l")
    await stand.until(lambda: stand.app.state.questions.open is None)


async def test_calls_points_at_the_call_whose_question_was_answered(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        older, newer = started(stand, "plan"), started(stand, "clear")
        await stand.press("3")
        calls = stand.app.screen.query_one("#call-list", RowList)
        assert calls.key == newer.id
        request = stand.ask("alpha", "Where to?", calls=(older,))
        await stand.shown(request)
        await stand.press("ctrl+n")
        await stand.until(lambda: calls.key == older.id and "declined by you" in stand.text())


async def test_calls_points_at_that_call_also_when_it_is_looked_at_later(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        older, newer = started(stand, "plan"), started(stand, "clear")
        request = stand.ask("alpha", "Where to?", calls=(older,))
        await stand.shown(request)
        await stand.press("ctrl+n")
        await stand.until(lambda: stand.outcome(request))
        await stand.press("3")
        await stand.until(lambda: "declined by you" in stand.text())
        assert stand.app.screen.query_one("#call-list", RowList).key == older.id
        assert newer.id != older.id


@pytest.mark.parametrize(("key", "became"), [("ctrl+n", "declined"), ("escape", "cancelled")])
async def test_a_call_that_may_own_a_refused_question_does_not_look_as_if_all_was_accepted(
    tmp_path: Path, key: str, became: str
) -> None:
    async with console(tmp_path) as stand:
        calls = started(stand, "plan"), started(stand, "clear")
        request = stand.ask("alpha", "Where to?", calls=calls)
        await stand.shown(request)
        await stand.press(key)
        await stand.until(lambda: stand.outcome(request))
        for call in calls:
            record = stand.app.state.calls.get(call.id)
            assert record is not None
            record.end("answered", result={"content": []})
            assert record.standing == f"a question {became}"
            assert shown_standing(record)[2] == "warn"
        await stand.press("3")
        await stand.until(lambda: stand.text().count(f"a question {became}") >= 2)


async def test_a_call_whose_question_waits_says_that_it_waits_for_the_person(
    tmp_path: Path,
) -> None:
    async with console(tmp_path) as stand:
        plan, clear = started(stand, "plan"), started(stand, "clear")
        await stand.shown(stand.ask("alpha", "Where to?", calls=(plan,)))
        await put_off(stand)
        await stand.press("3")
        await stand.until(lambda: "waits for you · alpha" in stand.text())
        assert stand.text().count("running · alpha") == 1
        await stand.shown(stand.ask("alpha", "How long?", calls=(plan, clear)))
        await put_off(stand)
        await stand.press("3")
        await stand.until(lambda: "may wait for you · alpha" in stand.text())


async def test_two_calls_of_one_tool_that_may_have_asked_name_it_once(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        calls = started(stand, "plan"), started(stand, "plan")
        await stand.shown(stand.ask("alpha", "Where to?", calls=calls))
        assert "plan" in stand.text()
        assert " or plan" not in stand.text()
        await put_off(stand)
        await stand.press("2")
        await stand.until(lambda: "alpha · plan" in stand.text())
        assert " or plan" not in stand.text()


@pytest.mark.parametrize(("content", "told"), [("redacted", True), ("none", False)])
async def test_a_call_shows_what_was_sent(tmp_path: Path, content: Any, told: bool) -> None:
    settings = HistorySettings(content=content)
    async with console(tmp_path, history=settings) as stand:
        request = stand.ask("alpha", "Where to?", CITY, calls=(started(stand, "plan"),))
        await stand.shown(request)
        await stand.press(*"Rome", "ctrl+s")
        await stand.until(lambda: stand.outcomes)
        await stand.press("3")
        await stand.until(lambda: "accepted by you" in stand.text())
        assert ('sent {"city": "Rome"}' in stand.text()) is told


@pytest.mark.parametrize("state", ["answered", "failed"])
async def test_what_became_of_a_refused_question_has_one_wording(
    tmp_path: Path, state: Any
) -> None:
    async with console(tmp_path) as stand:
        call = started(stand, "plan")
        request = stand.ask("alpha", "Where to?", calls=(call,))
        await stand.shown(request)
        await stand.press("ctrl+n")
        await stand.until(lambda: stand.outcomes)
        record = stand.app.state.calls.get(call.id)
        assert record is not None
        record.end(state, result={"content": [], "isError": True})
        assert record.standing == "question declined by you"
        for pane in "35":
            await stand.press(pane)
            await stand.until(lambda: "declined by you" in stand.text())
        await stand.press("3")
        await stand.until(lambda: "The tool says that it failed." in stand.text())


async def test_a_call_without_a_refused_question_is_done_or_failed(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        records = [stand.app.state.calls.start("alpha", Call("tools/call", "a", {})) for _ in "ab"]
        records[0].end("answered", result={"content": []})
        records[1].end("answered", result={"content": [], "isError": True})
        assert [record.standing for record in records] == ["done", "failed"]


async def test_a_question_that_was_put_off_once_is_put_off_when_it_is_passed_over(
    tmp_path: Path,
) -> None:
    async with console(tmp_path) as stand:
        first = stand.ask(message="The first?")
        await stand.shown(first)
        await put_off(stand)
        second = stand.ask(message="The second?")
        await stand.shown(second)
        await stand.press("ctrl+o")
        await stand.shown(first)
        await stand.press("ctrl+o")
        await stand.shown(second)
        await stand.press("ctrl+n")
        await stand.until(lambda: stand.outcome(second))
        await stand.settled()
        assert stand.app.state.questions.open is None
        await stand.press("ctrl+o")
        await stand.shown(first)


async def test_one_comes_back_to_the_field_that_one_left(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        request = stand.ask(schema=TWO)
        await stand.shown(request)
        await stand.press(*"Rome", "tab", *"Via")
        await put_off(stand)
        await stand.press("ctrl+o")
        await stand.shown(request)
        await stand.press("end", "space", *"Appia", "ctrl+s")
        await stand.until(lambda: stand.outcome(request))
        outcome = stand.outcome(request)
        assert outcome is not None
        assert outcome.content == {"city": "Rome", "street": "Via Appia"}


@pytest.mark.parametrize("size", [(80, 24), (40, 15)])
async def test_a_clock_that_stands_still_is_said_to_run_once_its_question_is_open(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with console(tmp_path, size=size) as stand:
        await stand.press("4", "slash")
        for number in range(2):
            stand.ask("alpha", f"Number {number}?")
        await stand.until(lambda: len(stand.app.state.questions) == 2)
        await stand.press("escape", "2")
        await stand.until(lambda: "5:00 once opened" in stand.text())
        assert stand.text().count("once opened") == 1, "the first one can be answered"
        assert not isinstance(stand.app.screen, QuestionScreen)


async def test_a_later_that_comes_late_hides_no_other_question(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        first, second = stand.ask("alpha", "Where to?"), stand.ask("alpha", "From where?")
        await stand.shown(first)
        view = stand.app.screen.query_one(QuestionView)
        await stand.press("ctrl+n")
        await stand.shown(second)
        stand.app.on_question_view_later(Later(view.question))
        await stand.pilot.pause()
        await stand.shown(second)
        assert isinstance(stand.app.screen, QuestionScreen)


async def test_where_nothing_waits_any_more_enter_shows_the_call_that_asked_last(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, size=(120, 40)) as stand:
        call = started(stand, "plan")
        request = stand.ask("alpha", "Where to?", calls=(call,))
        await stand.shown(request)
        await put_off(stand)
        await stand.until(lambda: "[2 Questions" in stand.text())
        await stand.press("enter")
        await stand.shown(request)
        await stand.press("ctrl+n")
        await stand.until(
            lambda: "Enter shows the call that asked it: plan, running." in stand.text()
        )
        await stand.until(lambda: "Enter Its call" in stand.text().splitlines()[-1])
        started(stand, "newer")
        await stand.press("enter")
        await stand.until(lambda: "[3 Calls" in stand.text())
        await stand.until(lambda: stand.app.screen.query_one("#call-list", RowList).key == call.id)


async def test_where_the_call_of_the_last_question_is_not_known_enter_shows_the_history(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, size=(120, 40)) as stand:
        await stand.press("2", "enter")
        assert "[2 Questions" in stand.text(), "nothing was asked yet"
        request = stand.ask("alpha", "Where to?")
        await stand.shown(request)
        await stand.press("ctrl+n")
        await stand.until(lambda: "Enter History" in stand.text().splitlines()[-1])
        await stand.press("enter")
        await stand.until(lambda: "[5 History" in stand.text())


async def test_beside_what_was_stopped_a_key_that_is_named_leads_to_the_call_that_asked_last(
    tmp_path: Path,
) -> None:
    secret = {"type": "object", "properties": {"password": {"type": "string"}}}
    async with console(tmp_path, size=(120, 40)) as stand:
        plan, login = started(stand, "plan"), started(stand, "login")
        stopped = stand.ask("alpha", "Your password?", secret, calls=(login,))
        await stand.until(lambda: stand.outcome(stopped))
        request = stand.ask("alpha", "Where to?", calls=(plan,))
        await stand.shown(request)
        await stand.press("ctrl+n")
        await stand.until(lambda: stand.outcome(request))
        await stand.press("1", "2")
        await stand.until(lambda: "Stopped before you saw it" in stand.text())
        if isinstance(stand.app.screen, StoppedScreen):
            await stand.press("escape")
        await stand.until(lambda: "Enter Look" in stand.text().splitlines()[-1])
        await stand.until(lambda: "Tab, then Enter shows the call that asked it" in stand.text())
        await stand.press("tab")
        await stand.until(lambda: "Enter Its call" in stand.text().splitlines()[-1])
        await stand.until(lambda: " Enter shows the call that asked it: plan" in stand.text())
        stand.app.state.changed()
        await stand.settled()
        await stand.press("enter")
        calls = stand.app.screen.query_one("#call-list", RowList)
        await stand.until(lambda: "[3 Calls" in stand.text() and calls.key == plan.id)


async def test_from_a_stopped_question_a_key_leads_to_the_call_that_asked_it(
    tmp_path: Path,
) -> None:
    secret = {"type": "object", "properties": {"password": {"type": "string"}}}
    async with console(tmp_path, size=(120, 40)) as stand:
        login = started(stand, "login")
        started(stand, "newer")
        stopped = stand.ask("alpha", "Your password?", secret, calls=(login,))
        await stand.until(lambda: stand.outcome(stopped))
        await stand.press("2", "enter")
        await stand.until(lambda: isinstance(stand.app.screen, StoppedScreen))
        await stand.until(lambda: "z Its call" in stand.text().splitlines()[-1])
        await stand.press("z")
        await stand.until(lambda: "[3 Calls" in stand.text())
        await stand.until(lambda: stand.app.query_one("#call-list", RowList).key == login.id)
