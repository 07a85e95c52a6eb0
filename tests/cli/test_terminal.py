"""A person at a terminal: plain prompts, the inline form, and confirming a call."""

from __future__ import annotations

import json
import select
from pathlib import Path

import pytest

from tests.cli.running import DEMO
from tests.cli.terminal import Terminal
from tests.keys import INTERRUPT, SEND

CALL = ("--with", DEMO, "call", "demo")


def test_plain_prompts_ask_a_form_of_every_kind_field_by_field(tmp_path: Path) -> None:
    file = tmp_path / "out.json"
    arguments = [*CALL, "book_table", "--plain", "--output", "json"]
    with file.open("wb") as out, Terminal(arguments, stdout=out) as terminal:
        terminal.wait_for("Field 1 of 13: Your name (required)")
        for line in [
            "Ada Lovelace",
            "ada@example.com",
            "2026-12-24",
            "",
            "https://example.com/ada",
            "",
            "42.5",
            "no",
            "",
            "3",
            "2",
            "1,3",
            "AB-1234",
        ]:
            terminal.answer("\n> ", line)
        shown = terminal.answer("or /cancel: ", "/send")
        assert '"outdoors": false' in shown
        assert terminal.end() == 0, terminal.shown
    content = json.loads(file.read_text())["result"]["structuredContent"]["answers"]
    assert content == {
        "name": "Ada Lovelace",
        "email": "ada@example.com",
        "date": "2026-12-24",
        "website": "https://example.com/ada",
        "guests": 2,
        "budget": 42.5,
        "outdoors": False,
        "newsletter": False,
        "seat": "quiet",
        "occasion": "birthday",
        "diets": ["vegetarian", "gluten-free"],
        "code": "AB-1234",
    }


@pytest.mark.parametrize(("line", "how"), [("/decline\n", "declined"), ("/cancel\n", "cancelled")])
def test_decline_and_cancel_are_commands_of_every_prompt(line: str, how: str) -> None:
    with Terminal([*CALL, "plan_trip", "--plain"]) as terminal:
        for _ in range(2):
            terminal.wait_for("\n> ")
            terminal.type(line)
        assert terminal.end() == 0
        assert terminal.shown.count(f"{how} by user") == 2


def test_the_end_of_input_is_a_cancel_by_the_person() -> None:
    with Terminal([*CALL, "choose_colours", "--plain"]) as terminal:
        terminal.wait_for("\n> ")
        terminal.type("\x04")
        assert terminal.end() == 0
        assert "cancelled by user" in terminal.shown


def test_a_withdrawn_question_leaves_the_prompt_and_says_so() -> None:
    with Terminal([*CALL, "change_mind", "seconds=1", "--plain"]) as terminal:
        terminal.wait_for("\n> ")
        terminal.type("half an answer")
        terminal.wait_for("This question is over; nothing that you typed was sent.")
        assert terminal.end() == 0
        assert "I took the question back." in terminal.shown


def test_a_server_that_dies_takes_its_question_with_it() -> None:
    with Terminal([*CALL, "leave_while_asking", "seconds=1", "--plain"]) as terminal:
        terminal.wait_for("\n> ")
        assert terminal.end() == 4
        assert "This question is over" in terminal.shown


def test_a_page_is_agreed_to_by_a_command_and_nothing_else() -> None:
    with Terminal([*CALL, "sign_in", "--plain"]) as terminal:
        terminal.wait_for("https://example.com/sign-in?session=")
        terminal.answer("or /cancel: ", "yes")
        terminal.answer("or /cancel: ", "/agree")
        assert terminal.end() == 0
        assert "Signed in" in terminal.shown


def test_a_url_with_a_warning_needs_the_second_step(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text('[guardian]\non_block = "ask"\n')
    with Terminal(["--config", str(config), *CALL, "open_odd_page", "--plain"]) as terminal:
        terminal.answer("or /cancel: ", "/agree")
        terminal.answer("the same: ", "no")
        terminal.answer("or /cancel: ", "/decline")
        assert terminal.end() == 0
        assert "nobody was fooled" in terminal.shown


def test_a_dumb_terminal_gets_plain_prompts() -> None:
    with Terminal([*CALL, "clear_cache"], TERM="dumb") as terminal:
        terminal.answer("or /cancel: ", "/send")
        assert terminal.end() == 0
        assert "The cache is empty" in terminal.shown


def test_a_destructive_tool_is_called_only_after_a_yes() -> None:
    with Terminal([*CALL, "deploy", "branch=main", "--plain"]) as terminal:
        terminal.answer("or /cancel: ", "maybe")
        terminal.answer("or /cancel: ", "n")
        assert terminal.end() == 2
        assert "deploy was not called" in terminal.shown
        assert '"demo" asks' not in terminal.shown
    with Terminal([*CALL, "deploy", "branch=main", "--plain"]) as terminal:
        terminal.answer("or /cancel: ", "y")
        terminal.wait_for('"demo" asks')


def type_until(terminal: Terminal, keys: str, appears: str, seconds: float = 0.5) -> None:
    """Type keys again and again until they have their effect, which may take so many seconds."""
    for _ in range(50):
        terminal.type(keys)
        try:
            terminal.wait_for(appears, seconds)
        except AssertionError:
            continue
        return
    raise AssertionError(f"{keys!r} had no effect in:\n{terminal.shown[-3000:]}")


def test_the_form_appears_under_the_prompt_while_data_goes_to_a_file(tmp_path: Path) -> None:
    file = tmp_path / "out.json"
    arguments = [*CALL, "change_mind", "seconds=60", "--output", "json"]
    with file.open("wb") as out, Terminal(arguments, stdout=out, columns=100) as terminal:
        terminal.wait_for("not filled in")
        type_until(terminal, "Rome", "ready to send")
        type_until(terminal, SEND, "✓ change_mind · city=Rome")
        assert terminal.end() == 0, terminal.shown
    document = json.loads(file.read_text())
    assert "\x1b" not in file.read_text()
    assert document["result"]["structuredContent"] == {"withdrawn": False, "action": "accept"}
    (elicitation,) = document["elicitations"]
    assert elicitation["decidedBy"] == "user"
    assert elicitation["content"]["city"].startswith("Rome")


def test_control_c_in_the_inline_form_interrupts_the_call(tmp_path: Path) -> None:
    file = tmp_path / "out.json"
    arguments = [*CALL, "change_mind", "seconds=60", "--output", "json"]
    with file.open("wb") as out, Terminal(arguments, stdout=out) as terminal:
        terminal.wait_for("not filled in")
        type_until(terminal, INTERRUPT, "Interrupted")
        assert terminal.end() == 130, terminal.shown
    document = json.loads(file.read_text())
    assert document["exitCode"] == 130
    assert [entry["decidedBy"] for entry in document["elicitations"]] == ["shutdown"]


def test_ctrl_s_before_a_form_stops_nothing_and_the_terminal_is_put_back() -> None:
    stop = SEND  # what a terminal itself takes for "stop the output"
    with Terminal([*CALL, "plan_trip", "--plain"]) as terminal:
        assert terminal.flow_control
        terminal.type(stop)
        terminal.wait_for("City")
        assert not terminal.flow_control
        terminal.type(stop)
        terminal.answer("> ", "/cancel")
        terminal.answer("> ", "/cancel")
        assert terminal.end() == 0, terminal.shown
        assert terminal.flow_control


def test_a_run_that_is_ended_at_a_stopped_terminal_ends_and_puts_it_back() -> None:
    with Terminal([*CALL, "plan_trip"]) as terminal:
        terminal.type(SEND)
        terminal.wait_for("City")
        terminal.process.terminate()
        assert terminal.end() == 130, terminal.shown
        assert terminal.flow_control


@pytest.mark.parametrize("pause", [None, 0.02])
def test_one_paste_never_passes_the_review_and_the_second_step(
    pause: float | None, tmp_path: Path
) -> None:
    config = tmp_path / "config.toml"
    config.write_text('[guardian]\non_block = "ask"\n')
    with Terminal(["--config", str(config), *CALL, "verify_account", "--plain"]) as terminal:
        terminal.wait_for("\n> ")
        lines = ["hunter", "hunter", "/review", "/send", "yes", ""]
        if pause is None:
            terminal.type("\n".join(lines))
        else:
            for line in lines:
                terminal.type(line + "\n")
                select.select([], [], [], pause)
        terminal.wait_for("or /cancel: ")
        terminal.answer("", "/send")
        terminal.type("yes\n")
        terminal.wait_for("all the same: ")
        terminal.type("no\n")
        terminal.answer("or /cancel: ", "/decline")
        assert terminal.end() == 0, terminal.shown
    assert "You sent the form" not in terminal.shown
    assert "declined by user" in terminal.shown


def test_a_page_is_not_agreed_to_by_what_was_typed_ahead(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text('[guardian]\non_block = "ask"\n')
    with Terminal(["--config", str(config), *CALL, "open_odd_page", "--plain"]) as terminal:
        terminal.wait_for("asks")
        terminal.type("/agree\nyes\n/finished\n")
        terminal.wait_for("/decline or /cancel: ")
        terminal.type("/cancel\n")
        assert terminal.end() == 0, terminal.shown
    assert "cancelled by user" in terminal.shown


def test_pasted_line_ends_end_nothing_and_marks_and_control_characters_are_no_text(
    tmp_path: Path,
) -> None:
    file = tmp_path / "out.json"
    arguments = [*CALL, "plan_trip", "--plain", "--output", "json"]
    with file.open("wb") as out, Terminal(arguments, stdout=out) as terminal:
        terminal.answer("\n> ", "\x1b[200~New\nYo\x07r\x1bk\x1b[201~")
        shown = terminal.answer("or /cancel: ", "/send")
        assert "2 control characters were left out of what you entered." in shown
        assert "New\\nYork" in shown
        terminal.answer("\n> ", "3")
        terminal.answer("or /cancel: ", "/send")
        assert terminal.end() == 0, terminal.shown
    assert json.loads(file.read_text())["result"]["structuredContent"]["city"] == "New\nYork"
