"""A question in the place of one that vanished does not get the yes that was meant for that."""

from __future__ import annotations

import pytest

from elicit_tui.elicitation import Call, Question
from elicit_tui.elicitation.own_questions import approval_request
from elicit_tui.tui import question_gate
from tests.tui.question.asking import SERVER, Asking, answer, asked, form_question, schema, until

pytestmark = pytest.mark.anyio

VANISHED = ""
"""What a person did with the question before: nothing, it went by itself."""
CALL = Question(approval_request(SERVER, Call("tools/call", "deploy", {}), {}, ""))
YES_OR_NO = form_question(schema())


@pytest.mark.parametrize(
    ("question", "key", "again"),
    [
        (YES_OR_NO, "y", "y"),
        (YES_OR_NO, "ctrl+s", "y"),
        (form_question(schema(v={"type": "string", "default": "x"})), "ctrl+s", "^S"),
        (CALL, "y", "y"),
        (CALL, "ctrl+a", "^A"),
    ],
)
async def test_the_first_yes_tells_that_it_is_another_question(
    question: Question, key: str, again: str
) -> None:
    app = Asking(question, follows=VANISHED)
    async with asked(app) as pilot:
        await pilot.press(key)
        said = f"This is another question than the one before: {again} again answers it."
        await until(pilot, lambda: said in app.words, "the sentence")
        assert app.outcome is None
        await until(pilot, lambda: not app.view.deaf, "it hears again")
        await pilot.press(key)
        await until(pilot, lambda: app.outcome is not None, "the answer")
    assert app.outcome is not None
    assert app.outcome.action == "accept"


@pytest.mark.parametrize("before", [None, "Sent.", "Declined."])
async def test_a_question_that_was_chosen_or_follows_an_answer_is_accepted_at_once(
    before: str | None,
) -> None:
    outcome = await answer(Asking(YES_OR_NO, follows=before), "y")
    assert outcome is not None
    assert outcome.action == "accept"


@pytest.mark.parametrize(("key", "action"), [("n", "decline"), ("escape", "cancel")])
async def test_a_no_is_heard_at_once(key: str, action: str) -> None:
    outcome = await answer(Asking(YES_OR_NO, follows=VANISHED), key)
    assert outcome is not None
    assert outcome.action == action


async def test_whoever_moved_or_typed_in_it_knows_which_question_it_is() -> None:
    fields = schema(v={"type": "string"}, w={"type": "string"})
    outcome = await answer(Asking(form_question(fields), follows=VANISHED), "tab", "a", "ctrl+s")
    assert outcome is not None
    assert outcome.content == {"w": "a"}


async def test_after_some_seconds_it_is_known_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(question_gate, "ANOTHER_SECONDS", 0.0)
    assert await answer(Asking(YES_OR_NO, follows=VANISHED), "y") is not None
