"""What the screen says to somebody who has read nothing."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest

from elicit_tui.elicitation import Call, cancel, decline, ended_unsent
from elicit_tui.host.offers import Tool
from elicit_tui.ledger.rows import Row
from elicit_tui.tui import question_gate
from elicit_tui.tui.console.outcome_words import ending
from tests.tui.console.stand import CITY, console

pytestmark = pytest.mark.anyio

ERASE = Tool.read(
    {
        "name": "erase",
        "description": "Erases.",
        "inputSchema": {"type": "object", "properties": {"what": {"type": "string"}}},
        "annotations": {"destructiveHint": True},
    }
)
TOOLS = {"alpha": (ERASE,)} if ERASE is not None else {}


async def test_enter_on_a_server_is_said_to_lead_to_its_tools_and_escape_back(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, tools=TOOLS) as stand:
        assert "Enter Tools" in stand.text()
        assert "Esc Servers" not in stand.text()
        await stand.press("enter")
        await stand.until(lambda: "Enter Call" in stand.text() and "Esc Servers" in stand.text())
        await stand.press("escape")
        await stand.until(lambda: "Enter Tools" in stand.text())


async def test_enter_is_not_said_to_lead_to_what_no_search_found(tmp_path: Path) -> None:
    async with console(tmp_path, tools=TOOLS) as stand:
        await stand.press("slash", "e")
        await stand.until(lambda: "Enter To the list" in stand.text())
        await stand.press("x")
        await stand.until(lambda: "no tool, prompt or resource matches" in stand.text())
        assert "Enter" not in stand.text().splitlines()[-1]
        await stand.press("enter", "backspace")
        await stand.until(lambda: "Enter To the list" in stand.text())


async def test_enter_on_a_server_that_still_starts_leads_to_its_tools_once_they_are_there(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, tools=TOOLS) as stand:
        record = stand.app.state.servers["alpha"]
        record.offers_read = False
        stand.app.state.changed()
        await stand.until(lambda: "Reading what it offers" in stand.text())
        await stand.press("enter")
        record.offers_read = True
        stand.app.state.changed()
        await stand.until(lambda: "Enter Call" in stand.text() and "▌⚒ erase" in stand.text())
        record.offers_read = False
        stand.app.state.changed()
        await stand.until(lambda: getattr(stand.app.focused, "id", "") == "server-words")


@pytest.mark.parametrize("size", [(80, 24), (100, 30)])
async def test_the_ways_out_to_help_and_to_every_command_stand_in_the_bar(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with console(tmp_path, tools=TOOLS, size=size) as stand:
        await stand.until(lambda: "/ Search" in stand.text())
        for words in ("^P Commands", "^Q Leave", "F1 Help"):
            assert words in stand.text().splitlines()[-1]


async def test_keys_that_the_bar_has_no_room_for_leave_a_mark(tmp_path: Path) -> None:
    async with console(tmp_path, size=(40, 24)) as stand:
        assert "…" in stand.text().splitlines()[-1]
        assert stand.text().splitlines()[-1].endswith("F1 Help")


async def test_rarer_keys_that_have_no_room_leave_a_mark_too(tmp_path: Path) -> None:
    async with console(tmp_path, servers=(), size=(40, 15)) as stand:
        await stand.until(lambda: "n Add  i Import" in stand.text().splitlines()[-1])
        assert "…" in stand.text().splitlines()[-1]
    async with console(tmp_path, servers=(), size=(80, 24)) as stand:
        await stand.until(lambda: "i Import" in stand.text().splitlines()[-1])
        assert "…" not in stand.text().splitlines()[-1]


@pytest.mark.parametrize("width", [40, 58, 60, 62, 80])
async def test_every_pane_has_its_tab_also_with_counts(tmp_path: Path, width: int) -> None:
    async with console(tmp_path, size=(width, 24)) as stand:
        for number in range(12):
            stand.app.state.calls.start("alpha", Call("tools/call", f"tool{number}", {}))
        stand.app.state.changed()
        await stand.until(lambda: "◐12" in stand.text().splitlines()[0])
        tabs = stand.text().splitlines()[0]
        assert ("5 Hist" if width > 40 else " 5 ") in f"{tabs} "
        assert "…" not in tabs


async def test_no_tab_is_left_out_for_what_runs_waits_and_failed(tmp_path: Path) -> None:
    failures = {"beta": "It was not found."}
    async with console(tmp_path, failures=failures, size=(90, 30)) as stand:
        stand.app.state.calls.start("alpha", Call("tools/call", "look", {}))
        await stand.shown(stand.ask("alpha"))
        await stand.press("ctrl+l")
        await stand.until(lambda: "◆1" in stand.text() and "◐1" in stand.text())
        tabs = stand.text().splitlines()[0]
        assert "✗ 1 failed" in tabs
        assert "5 Hist" in tabs
        assert "…" not in tabs


async def test_the_tabs_stay_where_they_are_when_another_is_shown(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        places = set()
        for key in "12345":
            await stand.press(key)
            places.add(stand.text().splitlines()[0].index("5 History"))
        assert len(places) == 1


@pytest.mark.parametrize("width", [40, 80])
async def test_no_button_of_a_dialog_is_cut(tmp_path: Path, width: int) -> None:
    async with console(tmp_path, tools=TOOLS, size=(width, 24)) as stand:
        await stand.press("enter", "enter")
        await stand.until(lambda: "^S Call" in stand.text())
        await stand.press("ctrl+s")
        for words in ("n Decline", "y Allow once", "^A This session"):
            await stand.until(lambda words=words: words in stand.text())
        await stand.press("escape")


async def test_from_the_last_argument_enter_goes_on_to_the_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(question_gate, "ENTER_SECONDS", 0.0)  # Who reads before the second one.
    async with console(tmp_path, tools=TOOLS) as stand:
        await stand.press("enter", "enter")
        await stand.until(lambda: "^S Call" in stand.text())
        await stand.press("x", "enter", "enter")
        await stand.until(lambda: "Allow once" in stand.text())
        await stand.press("escape")


async def test_a_call_says_how_its_questions_ended(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        call = Call("tools/call", "plan", {})
        stand.app.state.calls.start("alpha", call)
        request = stand.ask("alpha", "Where to?", calls=(call,))
        await stand.shown(request)
        await stand.press("ctrl+n")
        await stand.until(lambda: stand.outcomes)
        await stand.press("3")
        await stand.until(lambda: "✗ declined by you" in stand.text())
        assert "“Where to?”" in stand.text()


async def test_the_list_of_calls_says_what_became_of_a_question_that_was_refused(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, size=(60, 20)) as stand:
        calls = stand.app.state.calls
        for key, told in (("ctrl+n", "✗ declined by you"), ("escape", "○ cancelled by you")):
            call = Call("tools/call", "plan", {})
            record = calls.start("alpha", call)
            request = stand.ask("alpha", "Where to?", calls=(call,))
            await stand.shown(request)
            await stand.press(key)
            await stand.until(lambda request=request: stand.outcome(request))
            record.end("answered", result={"content": []})
            stand.app.state.changed()
            await stand.press("3")
            sign, _, words = told.partition(" ")
            await stand.until(
                lambda words=words: f"   question {words}" in stand.text().replace("▌", " ")
            )
            assert f"{sign} {record.at}  plan" in stand.text()
            assert told in stand.text(), "the call itself says so too"
            assert "● answered" not in stand.text()


async def test_what_an_empty_list_says_is_whole_at_40_columns(tmp_path: Path) -> None:
    async with console(tmp_path, size=(40, 24)) as stand:
        await stand.press("3")
        assert "server (1)." in stand.text()


async def test_no_notice_stands_over_the_buttons_of_leaving(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        await stand.shown(stand.ask())
        stand.app.notify("Something else.")
        await stand.press("ctrl+q")
        await stand.until(lambda: "Stay" in stand.text() and not stand.notices())
        await stand.press("n")


async def test_an_empty_queue_says_how_the_last_question_ended_and_what_to_do(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, size=(80, 24)) as stand:
        await stand.press("2")
        assert "Call a tool under Servers (1)" in stand.text()
        request = stand.ask("alpha", "Shall we?")
        await stand.shown(request)
        await stand.press("ctrl+n")
        await stand.until(lambda: "alpha  ✗ declined by you: “Shall we?”" in stand.text())


async def test_a_waiting_question_shows_its_time_before_it_was_opened(tmp_path: Path) -> None:
    async with console(tmp_path, size=(80, 24)) as stand:
        await stand.press("4", "slash")
        for number in range(2):
            stand.ask("alpha", f"Number {number}?")
        await stand.until(lambda: len(stand.app.state.questions) == 2)
        await stand.press("escape", "2")
        await stand.until(lambda: "Number 1?" in stand.text())
        assert sum(stand.text().count(f" {says} ") for says in ("left", "once opened")) == 2


async def test_the_key_that_mutes_says_unmute_where_it_does(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        assert "m Mute" in stand.text().splitlines()[-1]
        await stand.press("m")
        await stand.until(lambda: "m Unmute" in stand.text().splitlines()[-1])
        await stand.press("m")
        await stand.until(lambda: "m Mute" in stand.text().splitlines()[-1])


@pytest.mark.parametrize("is_removed", [False, True])
async def test_the_key_that_mutes_says_what_it_does_with_the_server_under_the_cursor(
    tmp_path: Path, is_removed: bool
) -> None:
    async with console(tmp_path) as stand:
        await stand.press("m")
        await stand.until(lambda: "m Unmute" in stand.text().splitlines()[-1])
        if is_removed:
            without = {"beta": stand.app.state.settings.servers["beta"]}
            stand.app.take_over("alpha", replace(stand.app.state.settings, servers=without))
            await stand.until(lambda: "alpha" not in stand.app.state.servers)
        else:
            await stand.press("down")
        await stand.until(lambda: "m Mute" in stand.text().splitlines()[-1])
        if not is_removed:
            await stand.press("up")
            await stand.until(lambda: "m Unmute" in stand.text().splitlines()[-1])


async def test_names_of_tools_and_the_way_out_have_room_at_60_columns(tmp_path: Path) -> None:
    tool = Tool.read({"name": "leave_while_asking", "inputSchema": {"type": "object"}})
    assert tool is not None
    async with console(tmp_path, tools={"alpha": (tool,)}, size=(60, 20)) as stand:
        assert "leave_while_asking" in stand.text()
        assert "^Q Leave" in stand.text().splitlines()[-1]


async def test_a_confirmation_is_told_with_its_call_and_counted_as_no_question(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, tools=TOOLS) as stand:
        await stand.press("enter", "enter")
        await stand.until(lambda: "^S Call" in stand.text())
        await stand.press("ctrl+s")
        await stand.until(lambda: "Allow once" in stand.text() and not stand.app.screen.view.deaf)
        await stand.press("y")
        await stand.until(lambda: "this call   accepted by you" in stand.text())
        assert "1 question" not in stand.text()


async def test_a_question_that_two_calls_may_have_asked_says_so_at_both(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        calls = tuple(Call("tools/call", name, {}) for name in ("plan", "clear"))
        for call in calls:
            stand.app.state.calls.start("alpha", call)
        request = stand.ask("alpha", "Where to?", calls=calls)
        await stand.shown(request)
        await stand.press("ctrl+n")
        await stand.until(lambda: stand.outcomes)
        await stand.press("3")
        words = "declined by you · “alpha” does not say"
        for key in ("down", "up"):
            await stand.until(lambda: words in stand.text())
            await stand.press(key)


@pytest.mark.parametrize("width", [40, 100])
async def test_history_shows_what_was_asked_and_how_it_ended(tmp_path: Path, width: int) -> None:
    async with console(tmp_path, size=(width, 24)) as stand:
        request = stand.ask("alpha", "Shall we?")
        await stand.shown(request)
        await stand.press("ctrl+n")
        await stand.until(lambda: stand.outcomes)
        await stand.press("5")
        await stand.until(lambda: "Shall we?" in stand.text())
        await stand.press("enter")
        await stand.until(lambda: "✗ declined by you" in stand.text())
        assert "as it is recorded" in stand.text()


async def test_looking_at_the_questions_clears_what_told_of_them(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        stand.app.toggle_mute("alpha")
        await stand.until(lambda: "lets it ask again" in stand.notices())
        await stand.press("2")
        await stand.until(lambda: not stand.notices())


async def test_without_a_server_the_whole_screen_says_how_to_get_one(tmp_path: Path) -> None:
    async with console(tmp_path, servers=(), size=(80, 24)) as stand:
        assert "/home/you/.config/elicit-tui/config.toml" in stand.text()
        assert "Restart" not in stand.text()


async def test_an_example_in_a_field_does_not_pass_for_a_value(tmp_path: Path) -> None:
    day = {"day": {"type": "string", "format": "date", "title": "The day that is right"}}
    schema = {**CITY, "properties": day, "required": ["day"]}
    async with console(tmp_path, size=(80, 24)) as stand:
        params = {"message": "When?", "requestedSchema": schema}
        request = stand.asks_with("alpha", params)
        await stand.shown(request)
        tomorrow = date.today() + timedelta(days=1)
        assert f"e.g. {tomorrow}" in stand.text()
        assert "The day that is right *" in stand.text()


def test_who_decided_is_said_in_words() -> None:
    assert ending(decline("guardian", "")) == "declined by the guardian"
    assert ending(cancel("deadline", "")) == "cancelled · its time ran out"
    assert ending(Row("1", "demo")) == "not decided"
    # The word "withdrew" is the server's own: what it says of itself decides nothing.
    crashed = 'The server demo ended; it says "withdrew".'
    assert ending(ended_unsent("went away", crashed)) == "no answer sent · the server went away"
    over = cancel("server", "Its call has ended.", server_end="call ended")
    assert ending(over) == "cancelled · its call ended"
