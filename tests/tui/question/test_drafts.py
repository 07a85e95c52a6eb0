"""Nothing typed is lost."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from textual import events

from elicit_tui.elicitation import Draft, question
from elicit_tui.form.field import Typed
from elicit_tui.tui import question_gate
from tests.tui.question.asking import Asking, answer, asked, form_question, schema, until

pytestmark = pytest.mark.anyio

TEXT = {"type": "string", "title": "Name"}
SCHEMA = schema(v=TEXT, w=TEXT)


async def typed_then(draft: Draft, *keys: str) -> None:
    await answer(Asking(form_question(SCHEMA), draft=draft), *keys)


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> None:
    """No form comes back so soon that its person goes on in the middle of a field."""
    monkeypatch.setattr(question, "AT_ONCE_SECONDS", 0.0)


@pytest.mark.parametrize("leaving", [["ctrl+l"], []])
async def test_what_was_typed_is_back_when_the_question_is_shown_again(leaving: list[str]) -> None:
    draft = Draft()
    await typed_then(draft, "a", "b", *leaving)
    app = Asking(form_question(SCHEMA), draft=draft)
    async with asked(app) as pilot:
        assert "Your earlier answers are back" in app.words
        assert app.view.body.typed
        await pilot.press("ctrl+s")
        await pilot.pause()
    assert app.outcome is not None
    assert app.outcome.content == {"v": "ab"}


@pytest.mark.parametrize(
    ("field", "before", "typed"),
    [
        (TEXT, "Rome", "Rome"),
        ({**TEXT, "format": "date"}, "2026-01-02", "2026-01-02"),
        ({**TEXT, "maxLength": 500}, "Rome", "Rome"),
        ({"type": "integer", "title": "Name"}, "2", "3"),
    ],
    ids=["line", "date", "block", "number"],
)
@pytest.mark.usefixtures("later")
async def test_typing_takes_the_place_of_what_is_marked_as_from_before(
    field: dict[str, Any], before: str, typed: str
) -> None:
    draft, requested = Draft(), schema(v=field, w=TEXT)
    await answer(Asking(form_question(requested), draft=draft), *before, "tab", "x", "ctrl+l")
    app = Asking(form_question(requested), draft=draft)
    async with asked(app) as pilot:
        assert app.words.count("from before") == 2
        await pilot.press("tab", "shift+tab", *typed)
        await until(pilot, lambda: app.words.count("from before") == 1, "one is new")
        await pilot.press("tab", "shift+tab", "ctrl+s")
        await until(pilot, lambda: app.outcome is not None, "the answer")
    assert app.outcome is not None
    assert str((app.outcome.content or {})["v"]) == typed


@pytest.mark.usefixtures("later")
async def test_what_typing_replaced_is_brought_back_by_the_key_that_undoes() -> None:
    draft = Draft()
    await typed_then(draft, *"Rome", "ctrl+l")
    app = Asking(form_question(SCHEMA), draft=draft)
    async with asked(app) as pilot:
        assert "typing replaces it" in app.words
        await pilot.press("P", "ctrl+z", "ctrl+s")
        await until(pilot, lambda: app.outcome is not None, "the answer")
    assert app.outcome is not None
    assert app.outcome.content == {"v": "Rome"}


@pytest.mark.parametrize(
    ("field", "before", "typed", "whole"),
    [
        (TEXT, "Ro", "me", "Rome"),
        ({**TEXT, "maxLength": 500}, "Ro", "me", "Rome"),
        ({"type": "integer", "title": "Name"}, "2", "3", "23"),
    ],
    ids=["line", "block", "number"],
)
async def test_the_field_one_was_in_is_gone_on_with_at_its_end(
    field: dict[str, Any], before: str, typed: str, whole: str
) -> None:
    draft, requested = Draft(), schema(u=TEXT, v=field)
    await answer(Asking(form_question(requested), draft=draft), "tab", *before, "ctrl+l")
    app = Asking(form_question(requested), draft=draft)
    async with asked(app) as pilot:
        assert "from before" in app.words
        assert "typing replaces it" not in app.words
        await pilot.press(*typed, "ctrl+s")
        await until(pilot, lambda: app.outcome is not None, "the answer")
    assert app.outcome is not None
    assert str((app.outcome.content or {})["v"]) == whole


async def test_an_answer_that_was_given_back_is_mended_where_it_stands() -> None:
    draft = Draft()
    await typed_then(draft, *"Rom", "ctrl+l")
    given_back = replace(form_question(SCHEMA), attempt=2)
    app = Asking(given_back, draft=draft)
    async with asked(app) as pilot:
        assert "from before" not in app.words
        await pilot.press("e", "ctrl+s")
        await until(pilot, lambda: app.outcome is not None, "the answer")
    assert app.outcome is not None
    assert app.outcome.content == {"v": "Rome"}


async def test_what_the_agent_filled_in_is_called_the_agents_until_the_person_types() -> None:
    draft = Draft()
    number = schema(v=TEXT, w={"type": "integer"})
    question = form_question(number)
    assert question.form is not None
    draft.fill_in(question.form.entries_for({"v": "theirs", "w": 9}), frozenset({"v", "w"}))
    app = Asking(question, draft=draft)
    async with asked(app) as pilot:
        assert "Filled in by the agent, not by you." in app.words
        assert "Your earlier answers" not in app.words
        assert "theirs" in app.words
        await pilot.press("tab", "ctrl+l")
        await pilot.pause()
    assert not draft.typed
    await answer(Asking(form_question(number), draft=draft), "s", "ctrl+l")
    assert draft.by_client == {"w"}
    app = Asking(form_question(number), draft=draft)
    async with asked(app):
        assert "the agent filled in the rest." in app.words


async def test_what_an_agent_filled_in_and_one_changed_is_still_to_be_seen_to_its_end() -> None:
    whole = "It was lost. " * 40 + "Pay it out to somebody else."
    question = form_question(SCHEMA)
    assert question.form is not None
    draft = Draft()
    draft.fill_in(question.form.entries_for({"v": whole}), frozenset({"v"}))
    async with asked(Asking(question, draft=draft)) as pilot:
        await pilot.press("home", "x", "ctrl+l")
        await pilot.pause()
    assert (draft.typed, draft.unread) == (True, {"v"})
    app = Asking(form_question(SCHEMA), draft=draft)
    async with asked(app) as pilot:
        await until(pilot, lambda: "^S Read on" in app.words, "that it goes on")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "somebody else." in app.words, "its end")
        assert app.outcome is None


async def test_what_an_agent_filled_in_and_one_read_and_changed_is_ones_own() -> None:
    question = form_question(SCHEMA)
    assert question.form is not None
    draft = Draft()
    draft.fill_in(question.form.entries_for({"v": "theirs"}), frozenset({"v"}))
    async with asked(Asking(question, draft=draft)) as pilot:
        await pilot.press("end", "x", "ctrl+l")
        await pilot.pause()
    assert (draft.typed, draft.unread) == (True, frozenset())


async def test_a_send_long_after_another_question_vanished_is_heard(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(question_gate, "ANOTHER_SECONDS", 0.0)
    outcome = await answer(Asking(form_question(SCHEMA), startled=True), "a", "ctrl+s")
    assert outcome is not None
    assert outcome.content == {"v": "a"}


async def test_what_became_of_the_question_before_is_said_beside_what_is_back() -> None:
    draft = Draft()
    await typed_then(draft, "a", "b", "ctrl+l")
    async with asked(Asking(form_question(SCHEMA), draft=draft, follows="Sent.")) as pilot:
        app = pilot.app
        assert isinstance(app, Asking)
        said = "Sent. Your earlier answers are back."
        await until(pilot, lambda: said in app.words, "both")


async def test_what_was_sent_in_one_breath_is_in_the_draft_to_the_last_letter() -> None:
    draft = Draft()
    app = Asking(form_question(SCHEMA), draft=draft)
    async with asked(app) as pilot:
        for key in ("a", "b", "ctrl+s"):
            app.post_message(events.Key(key, key if len(key) == 1 else None))
        await until(pilot, lambda: app.outcome is not None, "the answer")
        await pilot.pause()
    assert draft.entries["v"] == Typed("ab")


async def test_an_untouched_form_leaves_no_draft() -> None:
    draft = Draft()
    await typed_then(draft, "tab")
    assert not draft.typed


async def test_a_send_meant_for_a_question_that_vanished_is_not_heard() -> None:
    app = Asking(form_question(SCHEMA), startled=True)
    async with asked(app) as pilot:
        await pilot.press("x", "ctrl+s")
        await pilot.pause()
        assert app.outcome is None
        assert "is gone" in app.words
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.outcome is not None, "the answer")
    assert app.outcome is not None
    assert app.outcome.content == {"v": "x"}


async def test_the_draft_is_what_stands_on_the_screen() -> None:
    app = Asking(form_question(SCHEMA))
    async with asked(app) as pilot:
        await pilot.press("x")
        await pilot.pause()
        assert app.view.question.draft.entries["v"] == Typed("x")
        assert app.view.question.draft.touched == {"v"}


async def test_what_an_agent_filled_into_a_select_is_shown_whatever_it_is_and_not_sent() -> None:
    colours = {"type": "string", "title": "Colour", "enum": ["red", "blue"]}
    requested = schema(v=colours, w={"type": "array", "title": "Colours", "items": colours})
    question = form_question(requested)
    assert question.form is not None
    draft = Draft()
    content = {"v": {"red": [1]}, "w": ["red", {"a": {}}]}
    draft.fill_in(question.form.entries_for(content), frozenset(content))
    app = Asking(question, draft=draft)
    async with asked(app) as pilot:
        assert app.words.count("holds a value that is none of these choices") == 2
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "choose one of" in app.words, "it is judged")
    assert app.outcome is None
