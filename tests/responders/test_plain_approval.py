"""A tool call that is confirmed at the prompt."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from elicit_tui.elicitation import Call, Outcome, Question
from elicit_tui.elicitation.own_questions import approval_request
from tests.responders.typing import SERVER, answered, ask, form_question, person

CALL = Call("tools/call", "deploy", {"branch": "中文"})
QUESTION = Question(approval_request(SERVER, CALL, None, "It is destructive."))


@pytest.mark.parametrize("typed", ["y", "Yes", "/once"])
def test_yes_calls_the_tool_this_time(typed: str) -> None:
    outcome, _ = ask(typed, question=QUESTION)
    assert (outcome.action, outcome.scope) == ("accept", "once")


@pytest.mark.parametrize("typed", ["n", "no", "/decline"])
def test_no_declines(typed: str) -> None:
    outcome, _ = ask(typed, question=QUESTION)
    assert (outcome.action, outcome.decided_by, outcome.note) == ("decline", "user", None)


def test_anything_else_calls_nothing() -> None:
    outcome, shown = ask("", "session", "once", "n", question=QUESTION)
    assert outcome.action == "decline"
    assert shown.count("Nothing was called.") == 3


@pytest.mark.parametrize(
    ("line", "note"),
    [("use staging", "use staging"), (" wait \t", "wait"), ("", None), ("  ", None)],
)
def test_a_no_carries_a_line_to_the_agent_that_waits_for_it(line: str, note: str | None) -> None:
    outcome, shown = ask("n", line, question=replace(QUESTION, takes_note=True))
    assert (outcome.action, outcome.note) == ("decline", note)
    assert "to the agent" in shown


def test_an_input_that_ends_at_the_line_to_the_agent_leaves_the_no_a_no() -> None:
    async def declined() -> Outcome:
        with person("/decline") as typist:
            asked = replace(QUESTION, takes_note=True)
            answering = asyncio.ensure_future(answered(typist, asked))
            await asyncio.wait_for(typist.silent.wait(), 20)
            typist.hang_up()
            return await answering

    outcome = asyncio.run(declined())
    assert (outcome.action, outcome.decided_by, outcome.note) == ("decline", "user", None)


def test_a_command_at_the_line_to_the_agent_is_none_of_its_words() -> None:
    outcome, _ = ask("n", "/cancel", question=replace(QUESTION, takes_note=True))
    assert (outcome.action, outcome.note) == ("cancel", None)
    outcome, _ = ask("n", "//tmp is full", question=replace(QUESTION, takes_note=True))
    assert (outcome.action, outcome.note) == ("decline", "/tmp is full")


def test_other_scripts_are_shown_as_they_are() -> None:
    _, shown = ask("n", question=QUESTION)
    assert '"branch": "中文"' in shown
    _, shown = ask("東京", "/cancel", question=form_question({"city": {"type": "string"}}))
    assert '"city": "東京"' in shown
