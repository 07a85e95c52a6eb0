"""Attacks on the whole program at a terminal: what a person sees there, and what their keys do."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

pytest.importorskip("pty", reason="there is no pseudo-terminal")

from tests.cli.running import COMMAND, environment, run
from tests.faults.console import QUESTION
from tests.faults.terminal import Terminal
from tests.hostile.test_whole_program import RAW, configured
from tests.keys import ABOUT, ANYWAY, CLEAR, COPY, DECLINE, DRAW, INTERRUPT, LEAVE, OPENED, SEND
from tests.servers.scripts import added, form, page

TO_THE_CLIPBOARD: Final = "\x1b]52;"
SECRET: Final = "ghp_" + "x7Kd92LmQ4" * 3 + "aBcDeF"


def test_a_question_in_the_place_of_another_has_none_of_its_words_and_is_not_sent(
    tmp_path: Path,
) -> None:
    once = tmp_path / "once"
    steps = [{"withdraw": form("Your pet?"), "once": str(once)}, {"ask": form("Your password?")}]
    config = tmp_path / "config.toml"
    config.write_text('approvals_reviewer = "user"\n')
    line = ["--config", str(config), *added(tmp_path, {"t": steps}), "call", "s", "t"]
    with Terminal([*COMMAND, *line], environment()) as terminal:
        terminal.shows("Your pet?", QUESTION)
        terminal.press_until("Rex", lambda: "Rex" in terminal.text, "what was typed")
        once.touch()
        terminal.until(lambda: "Your password?" in terminal.text, "the other question")
        terminal.shows("Your password?", QUESTION)
        assert "Rex" not in terminal.text
        terminal.press_until(DECLINE, lambda: terminal.process.poll() is not None, "the end")
        terminal.end()
    assert "Rex" not in run("history", "export").stdout


def test_a_person_who_leaves_a_question_is_asked_no_more_and_the_call_is_given_up(
    tmp_path: Path,
) -> None:
    notes, era = tmp_path / "notes", "2026-07-28"
    arguments = (str(RAW), era, "--tool=asks_for_ever", f"--notes={notes}")
    server = configured(tmp_path, *arguments, protocol=era)
    with Terminal([*COMMAND, *server, "call", "s", "asks_for_ever", "--plain"], environment()) as t:
        t.shows("Field 1 of 1")
        t.press_until(INTERRUPT, lambda: t.process.poll() is not None, "the end")
        assert t.end() == 130
    heard = notes.read_text().split()
    assert heard.count("tools/call") <= 2, heard
    assert len(run("history", "export").stdout.splitlines()) == 1


def test_a_secret_in_a_field_that_is_drawn_as_text_is_told_and_not_recorded(tmp_path: Path) -> None:
    # What looks like a choice and is none: nothing to choose from stands in it.
    note = {"type": "string", "oneOf": [{"minLength": 0}]}
    schema = {"type": "object", "properties": {"note": note}}
    server = added(tmp_path, {"t": [{"ask": form("A note?", schema)}]})
    recorded = tmp_path / "recorded.toml"
    command = [*COMMAND, *server, "call", "s", "t", "--record", str(recorded)]
    with Terminal(command, environment(), lines=60) as terminal:
        terminal.shows(QUESTION)
        # A form is deaf when it opens: the secret is typed whole once it hears.
        terminal.press_until("x", lambda: "note        x" in terminal.text, "a letter")
        terminal.press_until(CLEAR + SECRET, lambda: SECRET[-20:] in terminal.text, "the secret")
        terminal.press_until(SEND, lambda: "One more look" in terminal.text, "a look")
        # In sight without a key, however much else the server made the look list.
        terminal.shows("secret")
        terminal.press_until(ANYWAY, lambda: terminal.process.poll() is not None, "the sending")
        assert terminal.end() == 0, terminal.text
    assert SECRET not in recorded.read_text()


def test_a_list_that_fails_hides_no_tool_in_the_console(tmp_path: Path) -> None:
    offers = ("tools", "prompts", "resources")
    server = added(tmp_path, {"first_tool": [{"text": "done"}]}, offers=offers)
    with Terminal([*COMMAND, *server], environment()) as terminal:
        terminal.shows("1 of 1 ready", "first_tool")
        terminal.type(LEAVE)
        assert terminal.end() == 0


def test_a_page_that_the_server_tells_done_ends_its_question_and_the_call_goes_on(
    tmp_path: Path,
) -> None:
    once = tmp_path / "once"
    steps = [{"visit": page("https://example.com/"), "once": str(once)}, {"text": "let in"}]
    server = added(tmp_path, {"t": steps})
    with Terminal([*COMMAND, *server, "call", "s", "t"], environment()) as terminal:
        terminal.press_until(OPENED, lambda: "^S Finished" in terminal.text, "the waiting")
        once.touch()
        assert terminal.end() == 0
    assert "let in" in terminal.text


@pytest.mark.parametrize("url", ["javascript:alert(1)", "https://a.example/\N{NO-BREAK SPACE}c"])
def test_what_may_not_be_opened_is_neither_copied_nor_drawn(url: str, tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text('approvals_reviewer = "user"\n')
    server = added(tmp_path, {"t": [{"ask": page(url)}]})
    command = [*COMMAND, "--config", str(config), *server, "call", "s", "t"]
    with Terminal(command, environment(), lines=48) as terminal:
        # All three are heard, or none: a key right after the painting is too early.
        keys = COPY + DRAW + ABOUT
        terminal.press_until(keys, lambda: "Back" in terminal.text, "what is known of it")
        terminal.press_until("\x1b", lambda: "Back" not in terminal.text, "the question")
        terminal.press_until(DECLINE, lambda: terminal.process.poll() is not None, "the end")
        terminal.end()
    assert TO_THE_CLIPBOARD not in terminal.everything
    assert "▀" not in terminal.everything


def test_a_raw_request_of_any_size_is_written_in_short_at_a_prompt(tmp_path: Path) -> None:
    choices = {"type": "string", "enum": [f"choicé {number}" for number in range(40_000)]}
    schema = {"type": "object", "properties": {"one": choices}}
    config = tmp_path / "config.toml"
    config.write_text('approvals_reviewer = "user"\n')
    server = added(tmp_path, {"t": [{"ask": form("Choose.", schema)}]})
    command = [*COMMAND, "--config", str(config), *server, "call", "s", "t", "--plain"]
    with Terminal(command, environment()) as terminal:
        terminal.until(lambda: terminal.text.rstrip().endswith("/cancel:"), "the prompt")
        before = len(terminal.everything)
        terminal.type("/raw\n")
        terminal.until(
            lambda: (
                terminal.text.rstrip().endswith("/cancel:")
                and "quested" in terminal.everything[before:]
            ),
            "the prompt again",
        )
        terminal.type("/cancel\n")
        assert terminal.end() == 0
    assert "35,009 more" in terminal.everything
