"""A page that a question leads to, under the prompt: its end, its notice, and Later."""

from __future__ import annotations

import asyncio

import pytest

from elicit_tui.elicitation import Question
from tests.tui.question.asking import (
    form_question,
    schema,
    screen_text,
    url_question,
)
from tests.tui.question.test_inline import TEXT, ask, opened, responder, shown

pytestmark = pytest.mark.anyio


def page() -> Question:
    return url_question("https://example.com/sign-in", era="modern")


async def test_a_notice_about_the_page_on_the_screen_answers_its_question() -> None:
    who = responder(opener=lambda url: True)
    task = ask(who, page())
    await opened(who, "Sign in.")
    who.completed("another", "e1")
    who.completed("deploy", "another page")
    assert not task.done()
    who.completed("deploy", "e1")
    outcome = await asyncio.wait_for(task, 30)
    assert (outcome.action, outcome.decided_by) == ("accept", "user")
    assert not who.open


async def test_a_notice_about_a_page_that_was_put_off_answers_its_question() -> None:
    who = responder(opener=lambda url: True)
    first = ask(who, page())
    second = ask(who, form_question(schema(v=TEXT), message="two"))
    await (await opened(who, "Sign in.")).press("ctrl+l")
    pilot = await shown(who, "two")
    who.completed("deploy", "e1")
    outcome = await asyncio.wait_for(first, 30)
    assert (outcome.action, outcome.decided_by) == ("accept", "user")
    assert not second.done()
    await pilot.press("ctrl+n")
    assert (await asyncio.wait_for(second, 30)).action == "decline"


async def test_a_page_that_was_opened_and_put_off_still_waits_when_it_comes_back() -> None:
    who = responder(opener=lambda url: True)
    first = ask(who, page())
    second = ask(who, form_question(schema(v=TEXT), message="two"))
    await (await opened(who, "Sign in.")).press("ctrl+l")
    await (await shown(who, "two")).press("ctrl+n")
    await asyncio.wait_for(second, 30)
    pilot = await shown(who, "Sign in.")
    assert who.app is not None
    assert "^S Finished" in screen_text(who.app)
    await pilot.press("ctrl+s")
    assert (await asyncio.wait_for(first, 30)).action == "accept"


async def test_a_notice_about_a_page_that_nobody_agreed_to_answers_nothing() -> None:
    who = responder()
    first = ask(who, page())
    second = ask(who, form_question(schema(v=TEXT), message="two"))
    await (await shown(who, "Sign in.")).press("ctrl+l")
    await (await shown(who, "two")).press("ctrl+n")
    await asyncio.wait_for(second, 30)
    pilot = await shown(who, "Sign in.")
    who.completed("deploy", "e1")
    await pilot.pause()
    assert not first.done()
    await pilot.press("ctrl+n")
    assert (await asyncio.wait_for(first, 30)).action == "decline"
