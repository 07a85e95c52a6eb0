"""Nothing typed is lost."""

from __future__ import annotations

import pytest
from textual import events

from elicit_tui.elicitation import ServerIdentity
from elicit_tui.form import DraftStore, Typed
from tests.tui.question.asking import Asking, answer, asked, form_question, schema, until

pytestmark = pytest.mark.anyio

TEXT = {"type": "string", "title": "Name"}
SCHEMA = schema(v=TEXT, w=TEXT)


async def typed_then(drafts: DraftStore, *keys: str) -> None:
    await answer(Asking(form_question(SCHEMA), drafts=drafts), *keys)


@pytest.mark.parametrize("leaving", [["ctrl+l"], ["escape", "escape"], []])
async def test_what_was_typed_is_back_when_the_same_server_asks_the_same_again(
    leaving: list[str],
) -> None:
    drafts = DraftStore()
    await typed_then(drafts, "a", "b", *leaving)
    app = Asking(form_question(SCHEMA), drafts=drafts)
    async with asked(app) as pilot:
        assert "Your earlier answers are back" in app.words
        assert app.view.typed
        await pilot.press("c", "ctrl+s")
        await pilot.pause()
    assert app.outcome is not None
    assert app.outcome.content == {"v": "abc"}


@pytest.mark.parametrize("leaving", ["ctrl+s", "ctrl+n"])
async def test_an_answer_that_went_out_is_not_offered_again(leaving: str) -> None:
    drafts = DraftStore()
    await typed_then(drafts, "a", leaving)
    assert drafts.find(form_question(SCHEMA).request) is None


async def test_an_answer_sent_in_one_breath_is_not_offered_again() -> None:
    drafts = DraftStore()
    app = Asking(form_question(SCHEMA), drafts=drafts)
    async with asked(app) as pilot:
        for key in ("a", "ctrl+s"):
            app.post_message(events.Key(key, key if len(key) == 1 else None))
        await until(pilot, lambda: app.outcome is not None, "the answer")
        await pilot.pause()
    assert drafts.find(form_question(SCHEMA).request) is None


async def test_another_server_or_another_schema_gets_nothing_of_it() -> None:
    drafts = DraftStore()
    await typed_then(drafts, "a")
    other = ServerIdentity("other", "stdio", "other")
    assert drafts.find(form_question(SCHEMA).request) is not None
    assert drafts.find(form_question(SCHEMA, server=other).request) is None
    assert drafts.find(form_question(schema(v=TEXT)).request) is None


async def test_an_untouched_form_leaves_no_draft() -> None:
    drafts = DraftStore()
    await typed_then(drafts, "tab")
    assert drafts.find(form_question(SCHEMA).request) is None


async def test_the_draft_is_what_stands_on_the_screen() -> None:
    app = Asking(form_question(SCHEMA))
    async with asked(app) as pilot:
        await pilot.press("x")
        await pilot.pause()
        assert app.view.draft.entries["v"] == Typed("x")
        assert app.view.draft.touched == {"v"}
