"""In a window of 40 columns and 15 rows nothing that one needs is out of sight."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from elicit_tui.elicitation import Call
from elicit_tui.elicitation.settings import Settings
from elicit_tui.tui.console.bars import KeyBar, Part
from elicit_tui.tui.console.screens.about import HelpScreen
from elicit_tui.tui.console.screens.arguments import ArgumentsScreen
from elicit_tui.tui.console.screens.confirmations import Leaves, LeaveScreen, UnsentScreen
from elicit_tui.tui.console.screens.server_dialogs import OtherServersScreen, ServerScreen
from elicit_tui.tui.console.servers import OwnFile
from elicit_tui.tui.console.shared_questions import Unsent
from tests.tui.console.stand import Stand, console
from tests.tui.console.test_calls import GREET, RELATE, tool

pytestmark = pytest.mark.anyio

LOW = (40, 15)
SERVERS = ("alpha", "beta", "gamma", "delta")


def last_line(stand: Stand) -> str:
    return stand.text().rpartition("\n")[2]


async def test_the_half_that_has_the_keys_has_the_rows(tmp_path: Path) -> None:
    tools = {"alpha": [tool(f"tool{number}") for number in range(5)]}
    async with console(tmp_path, servers=SERVERS, tools=tools, size=LOW) as stand:
        await stand.until(lambda: "● gamma" in stand.text())
        assert "tool3" not in stand.text()
        await stand.press("enter")
        await stand.until(lambda: "tool4" in stand.text())
        assert "● alpha" in stand.text()
        await stand.press("escape")
        await stand.until(lambda: "● gamma" in stand.text())


async def test_of_a_server_that_did_not_start_the_way_on_is_shown(tmp_path: Path) -> None:
    failures = {"alpha": "alpha-server was not found in PATH. Install it, or change its command."}
    async with console(tmp_path, servers=SERVERS, failures=failures, size=LOW) as stand:
        await stand.press("enter")
        await stand.until(lambda: "r starts it again." in stand.text())


async def test_a_result_has_the_rows_once_one_reads_it(tmp_path: Path) -> None:
    async def work(connection: Any, call: Any) -> dict[str, Any]:
        return {"content": [{"type": "text", "text": "one\ntwo\nthree"}]}

    tools = {"alpha": [tool("ping")]}
    async with console(tmp_path, servers=["alpha"], tools=tools, work=work, size=LOW) as stand:
        offer = stand.app.state.servers["alpha"].offers[0]
        for _ in range(3):
            stand.app.call_offer("alpha", offer)
        calls = stand.app.state.calls
        await stand.until(lambda: sum(call.state == "answered" for call in calls) >= 3)
        await stand.press("3")
        await stand.until(lambda: stand.text().count("● ") >= 3)
        assert "three" not in stand.text()
        assert (
            "│ one" in stand.text()
        )  # How it stands takes one row, and what came back the others.
        assert "result" not in stand.text()
        await stand.press("enter")
        await stand.until(lambda: "three" in stand.text() and "result" in stand.text())


async def test_the_key_that_ends_a_running_call_is_named_first(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha"], size=LOW) as stand:
        record = stand.app.state.calls.start("alpha", Call("tools/call", "wait", {}))
        await stand.press("3")
        await stand.until(lambda: last_line(stand).strip().startswith("x Cancel call"))
        record.end("answered", result={"content": []})
        stand.app.state.changed()
        await stand.until(lambda: last_line(stand).strip().startswith("Enter Read"))


async def test_what_stands_on_a_button_leaves_its_room_to_the_other_keys(tmp_path: Path) -> None:
    async with console(tmp_path, tools={"alpha": [tool("greet", GREET)]}, size=LOW) as stand:
        await stand.press("enter", "enter")
        await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
        await stand.until(lambda: "^S Call   Esc Back" in stand.text())
        await stand.until(lambda: "Enter next  F5 Form/JSON  …" in last_line(stand))
        assert "Esc" not in last_line(stand)


async def test_the_buttons_of_the_dialogs_for_servers_are_in_sight(tmp_path: Path) -> None:
    other = dict.fromkeys(("notes", "time"), ("Codex", 'command = "x"\nargs = ["y"]\n'))
    async with console(tmp_path, size=LOW) as stand:
        stand.app.own_file = OwnFile(Settings, lambda: other, lambda names: None)
        await stand.press("n")
        await stand.until(lambda: isinstance(stand.app.screen, ServerScreen))
        await stand.until(lambda: "^S Write it   Esc Back    2 missing │" in stand.text())
        await stand.press("escape", "i")
        await stand.until(lambda: isinstance(stand.app.screen, OtherServersScreen))
        await stand.until(lambda: "^S Import   Esc Back" in stand.text())
        await stand.until(lambda: "Space Choose" in last_line(stand))


async def test_the_start_shows_both_keys_that_help_to_a_server(tmp_path: Path) -> None:
    async with console(tmp_path, servers=(), size=LOW) as stand:
        lines = [line.strip("│ ") for line in stand.text().splitlines()]
        assert "n" in lines
        assert any(line.startswith("i  or  ") for line in lines)


async def test_the_copy_of_an_answer_that_was_not_sent_has_its_key(tmp_path: Path) -> None:
    async with console(tmp_path, size=LOW) as stand:
        request = stand.ask("alpha")
        await stand.shown(request)
        question = stand.app.state.questions.open
        assert question is not None
        await stand.press("ctrl+l")
        unsent = Unsent(question.question, "Somebody else was first.", (("City", "Oslo"),))
        stand.app.push_screen(UnsentScreen(unsent))
        await stand.until(lambda: "c Copy it" in last_line(stand))
        await stand.press("escape")


async def test_the_signs_of_the_help_are_whole(tmp_path: Path) -> None:
    async with console(tmp_path, size=LOW) as stand:
        await stand.press("f1")
        await stand.until(lambda: isinstance(stand.app.screen, HelpScreen))
        await stand.press("slash", *"ended or")
        await stand.until(lambda: "○ ended or cancelled" in stand.text())


async def test_that_no_tool_is_allowed_is_said_to_the_end(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha"], size=LOW) as stand:
        await stand.press("f3")
        await stand.until(lambda: "Allowed tools" in stand.text())
        await stand.until(lambda: "here." in stand.text())


async def test_what_a_list_without_rows_says_is_marked_where_it_is_cut(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha"], size=LOW) as stand:
        request = stand.ask("alpha", "Which branch is deployed, and who signs it off?")
        await stand.shown(request)
        await stand.press("ctrl+n")
        await stand.until(lambda: stand.outcome(request))
        await stand.press("2")
        await stand.until(lambda: "Nothing waits. The last one was" in stand.text())
        shown = stand.text().split("Stopped before")[0].split("\n")
        assert shown[-3].strip("│ ").endswith("…"), shown


async def test_a_bar_of_keys_without_room_for_all_names_where_they_are(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha"], size=(80, 24)) as stand:
        for _ in range(2):
            call = stand.app.state.calls.start("alpha", Call("tools/call", "look", {}))
            call.end("answered", result={"content": [{"type": "text", "text": "x"}]})
        await stand.press("3")
        await stand.until(lambda: "d Compare" in last_line(stand))
        assert last_line(stand).endswith("^P Commands  ^Q Leave  F1 Help")
        assert "d Compare  …" in last_line(stand)


async def test_of_a_server_that_did_not_start_no_key_leads_to_its_tools(tmp_path: Path) -> None:
    servers, failures = ["alpha", "beta"], {"alpha": "alpha-server was not found in PATH."}
    tools = {"beta": [tool("ping")]}
    async with console(
        tmp_path, servers=servers, tools=tools, failures=failures, size=(200, 60)
    ) as stand:
        await stand.until(lambda: "Enter Read" in last_line(stand))
        await stand.press("down")
        await stand.until(lambda: "Enter Tools" in last_line(stand))
        assert "→" not in last_line(stand)


@pytest.mark.parametrize("inbox", [False, True])
async def test_empty_lists_say_all_that_they_have_to_say(tmp_path: Path, inbox: bool) -> None:
    async with console(tmp_path, size=LOW, inbox=inbox) as stand:
        await stand.press("2" if not inbox else "1")
        await stand.until(lambda: "Nothing was stopped" in stand.text())
        assert "…" not in stand.text()


async def test_panes_whose_names_have_no_room_are_their_keys(tmp_path: Path) -> None:
    async with console(tmp_path, size=LOW) as stand:
        await stand.press("3")
        await stand.until(lambda: " 1  2 [3 Calls] 4  5" in stand.text().splitlines()[0])
        record = stand.app.state.calls.start("alpha", Call("tools/call", "look", {}))
        stand.app.state.changed()
        await stand.until(lambda: "[3 Calls ◐1]" in stand.text().splitlines()[0])
        record.end("cancelled")


async def test_how_often_a_server_asked_stands_once_beside_its_name(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha", "beta"], size=LOW) as stand:
        request = stand.ask("alpha", "Shall we?")
        await stand.shown(request)
        await stand.press("ctrl+n")
        await stand.until(lambda: "─ alpha · asked 1, last " in stand.text())
        assert stand.text().count(", last ") == 1


async def test_a_search_that_has_no_room_for_its_first_key_names_the_way_out(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, tools={"alpha": [tool("greet", GREET)]}, size=LOW) as stand:
        await stand.press("slash")
        await stand.until(lambda: last_line(stand).startswith(" Esc End search  …"))


async def test_a_search_that_finds_nothing_is_signed_by_no_server(tmp_path: Path) -> None:
    tools = {"alpha": [tool("greet", GREET)]}
    async with console(tmp_path, servers=["alpha", "beta"], tools=tools, size=LOW) as stand:
        await stand.press("slash", *"zzz")
        await stand.until(lambda: "no tool, prompt or resource matches" in stand.text())
        await stand.until(lambda: "stdio: " not in stand.text())


async def test_how_json_arguments_look_is_shown_to_its_end(tmp_path: Path) -> None:
    async with console(tmp_path, tools={"alpha": [tool("relate", RELATE)]}, size=LOW) as stand:
        await stand.press("enter", "enter")
        await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
        await stand.until(lambda: "“relations” is a list of objects:" in stand.text())
        words = " ".join(line.strip("│ ") for line in stand.text().splitlines())
        assert '"to": "…", "kind": "…"}, …]}' in words


async def test_the_help_of_a_small_window_names_no_action_as_the_configuration_does(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, size=LOW) as stand:
        await stand.press("f1")
        await stand.until(lambda: isinstance(stand.app.screen, HelpScreen))
        await stand.until(lambda: "All about this server" in stand.text())
        assert "servers.about" not in stand.text()


async def test_the_form_of_a_server_has_the_rows_that_are_free(tmp_path: Path) -> None:
    async with console(tmp_path, size=(80, 24)) as stand:
        stand.app.push_screen(ServerScreen(str(Path.home() / "config.toml"), lambda _: ""))
        await stand.until(lambda: isinstance(stand.app.screen, ServerScreen))
        await stand.until(lambda: "─ ~/config.toml ─" in stand.text())
        form_view = stand.app.screen.query_one("#server-form")
        await stand.until(lambda: form_view.size.height > 15)


async def test_how_a_question_ended_is_said_with_its_verb(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha"], size=LOW) as stand:
        await stand.shown(stand.ask("alpha", "Shall we?"))
        await stand.press("ctrl+n")
        await stand.until(lambda: stand.outcomes)
        await stand.press("5")
        await stand.until(lambda: "alpha" in stand.text() and "declined by you" in stand.text())
        assert "“Shall we?”" in stand.text()


async def test_in_the_palette_a_long_name_is_cut_and_its_key_stays(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha"], size=LOW) as stand:
        await stand.press("ctrl+p")
        await stand.until(lambda: "Mute this" in stand.text())
        lines = [line.strip("│ ") for line in stand.text().split("\n")]
        for name, key in (("All about this server", "F2"), ("Mute this server", "m")):
            row = next(line for line in lines if line.startswith(name))
            assert row.endswith(f"…  {key}")
        await stand.press("escape")


async def test_a_confirmation_names_the_key_that_shows_what_it_hides(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha"], size=LOW) as stand:
        leaves = Leaves(ending=2, staying=1, running=3, lost=1, drafts_kept=False)
        stand.app.push_screen(LeaveScreen(leaves))
        await stand.until(lambda: "… PgDn ─╯" in stand.text())
        await stand.press("pagedown", "pagedown")
        await stand.until(lambda: "PgDn" not in stand.text())
        await stand.press("escape")


@pytest.mark.parametrize("width", [30, 40, 60, 80, 100])
async def test_what_a_bar_leaves_out_has_one_mark_and_the_palette_stays_on_a_usual_screen(
    tmp_path: Path, width: int
) -> None:
    async with console(tmp_path, size=(width, 24)) as stand:
        bar = stand.app.screen.query_one(KeyBar)
        for count in range(1, 8):
            keys = [Part(((f" {number} Start server ", "plain"),)) for number in range(count)]
            always = [
                Part(((words, "plain"),)) for words in (" ^P Commands ", " ^Q Leave ", " F1 ")
            ]
            bar.show(keys, always)
            line = bar.render_line(0).text
            assert line.count("…") <= 1
            assert "^Q" in line
            assert "^P" in line or width < 80
