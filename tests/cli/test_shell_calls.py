"""A call that a person makes in the shell is found again: by the console, and by `history list`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from elicit_tui.elicitation import Call
from elicit_tui.elicitation.settings import GuardianSettings
from elicit_tui.runtime.opening import LazyGuardian
from elicit_tui.tui.console.calls import CallRecord
from elicit_tui.tui.console.kept_calls import KeptCalls
from elicit_tui.tui.console.written_later import until_written
from tests.cli.running import DEMO, call_demo, run
from tests.cli.terminal import Terminal
from tests.keys import INTERRUPT
from tests.tui.console.reading import text_result
from tests.tui.console.stand import console

CALL = ("--with", DEMO, "call", "demo")


def kept() -> list[CallRecord]:
    return KeptCalls("redacted").read()


def kept_of_the_shell(server: str, **arguments: str) -> None:
    made = CallRecord(server, Call("tools/call", "look", arguments), in_shell=True)
    made.end("answered", result=text_result("Fine."))
    KeptCalls("full").add(made, {}, LazyGuardian(GuardianSettings()))
    until_written(20)


def test_a_call_at_a_terminal_is_kept_with_what_it_asked_and_what_came_back() -> None:
    with Terminal([*CALL, "clear_cache", "--plain"]) as terminal:
        terminal.answer("or /cancel: ", "/send")
        assert terminal.end() == 0
    (call,) = kept()
    assert (call.server, call.call.name, call.state) == ("demo", "clear_cache", "answered")
    assert call.in_shell
    assert call.result is not None
    assert "The cache is empty" in json.dumps(call.result)
    assert [end.action for end in call.answered] == ["accept"]
    assert call.questions == 1


def test_a_call_that_was_interrupted_at_a_terminal_is_kept_as_cancelled() -> None:
    with Terminal([*CALL, "clear_cache", "--plain"]) as terminal:
        terminal.wait_for("or /cancel: ")
        terminal.type(INTERRUPT)
        assert terminal.end() == 130
    assert [call.state for call in kept()] == ["cancelled"]


def test_a_call_of_a_program_is_kept_nowhere() -> None:
    assert call_demo("clear_cache").code == 0
    assert kept() == []


def test_the_history_lists_the_calls_of_shell_and_console_where_they_are_asked_for() -> None:
    kept_of_the_shell("alpha", city="Rome")
    kept_of_the_shell("beta", city="Oslo")
    listed = run("history", "list", "--calls").stdout
    assert [line.split()[2:] for line in listed.splitlines()[1:]] == [
        ["alpha", "look", "shell", "●", "done", "city=Rome"],
        ["beta", "look", "shell", "●", "done", "city=Oslo"],
    ]
    far = f"/srv/{'a-folder/' * 20}hosts.json"
    kept_of_the_shell("alpha", path=far)
    with Terminal(["history", "list", "--calls"], columns=80) as terminal:
        assert terminal.end() == 0
        shown = terminal.shown
    assert max(map(len, shown.splitlines())) <= 80
    assert "hosts.json" in shown
    rows = run("history", "list", "--calls", "--server", "beta", "--output", "json").document
    assert [(row["from"], row["arguments"]) for row in rows] == [("shell", {"city": "Oslo"})]
    (line,) = run("history", "list", "--calls", "--limit", "1", "--output", "jsonl").events
    assert line["arguments"] == {"path": far}


def test_the_history_of_questions_says_where_the_calls_are() -> None:
    assert "--calls" not in run("history", "list").stderr
    kept_of_the_shell("alpha")
    assert "Calls stand apart: --calls lists them." in run("history", "list").stderr


def test_a_filter_of_questions_does_not_silently_pass_over_calls() -> None:
    refused = run("history", "list", "--calls", "--action", "accept")
    assert refused.code == 2
    assert "--action and --decided-by are of questions" in refused.stderr


@pytest.mark.anyio
async def test_a_call_of_the_shell_comes_into_a_console_that_runs(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha"], size=(140, 40)) as stand:
        await stand.press("5")
        await stand.until(lambda: "Nothing has been asked or called yet" in stand.text())
        kept_of_the_shell("alpha", city="Rome")
        kept_of_the_shell("demo", city="Oslo")
        await stand.press("u")
        await stand.until(lambda: "city=Oslo" in stand.text() and "city=Rome" in stand.text())
        await stand.press("enter")
        await stand.until(lambda: "result · 5 bytes  made in the shell" in stand.text())
        assert stand.text().count("city=Rome") == 1, "each of them is there once"
