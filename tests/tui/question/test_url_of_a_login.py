"""The page of a login: the address that it ended at is pasted, and is taken for nothing else."""

from __future__ import annotations

import pytest
from textual import events
from textual.message import Message

from elicit_tui.elicitation import (
    Finding,
    LoginPage,
    Question,
    Review,
    authorization_request,
)
from tests.tui.question.asking import LOOKALIKE, SERVER, URL, Asking, Browser, asked, typing, until

pytestmark = pytest.mark.anyio

BACK_AT = "http://127.0.0.1:9/callback?code=c-1&state=s_2"


def login_question(*findings: Finding) -> Question:
    page = LoginPage(URL, "https://login.accounts.example.co.uk", ("read",))
    return Question(authorization_request(SERVER, page), Review(findings))


@pytest.mark.parametrize("way", ["pasted", "as keys"])
async def test_the_address_that_a_login_ended_at_is_taken_however_a_terminal_pastes_it(
    way: str,
) -> None:
    app = Asking(login_question(), opener=Browser())
    async with asked(app) as pilot:
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.view.body.opened and not app.view.deaf, "the wait")
        assert "paste that address here" in app.words
        if way == "pasted":
            app.post_message(events.Paste(BACK_AT))
        else:
            await pilot.press(*typing(f"{BACK_AT}x"), "backspace")
            told = f"http://127.0.0.1:9/c… {len(BACK_AT)} characters · Enter hands it over"
            await until(pilot, lambda: told in app.words, "what was typed")
            assert app.outcome is None
            await pilot.press("enter")
        await until(pilot, lambda: app.outcome is not None, "the answer")
    assert app.outcome is not None
    assert app.outcome.content == {"redirect": BACK_AT}


async def test_esc_takes_back_what_was_typed_of_an_address_before_it_cancels() -> None:
    app = Asking(login_question(), opener=Browser())
    async with asked(app) as pilot:
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.view.body.opened and not app.view.deaf, "the wait")
        await pilot.press(*typing("http"))
        await until(pilot, lambda: "4 characters" in app.words, "what was typed")
        await pilot.press("escape")
        await until(pilot, lambda: "can be pasted" in app.words, "nothing typed")
        assert app.outcome is None


@pytest.mark.parametrize("way", ["pasted", "as keys"])
@pytest.mark.parametrize("findings", [(), (LOOKALIKE,)])
async def test_who_has_the_address_that_the_page_ended_at_agrees_to_the_page_by_it(
    way: str, findings: tuple[Finding, ...]
) -> None:
    browser = Browser()
    app = Asking(login_question(*findings), opener=browser)
    async with asked(app) as pilot:
        if way == "pasted":
            app.post_message(events.Paste(BACK_AT))
        else:
            await pilot.press(*typing(BACK_AT))
            await until(pilot, lambda: "Enter hands it over" in app.words, "what was typed")
            await pilot.press("enter")
        if findings:
            await until(pilot, lambda: app.view.page == "step" and not app.view.deaf, "the step")
            assert app.outcome is None
            # A key that comes right behind a paste is not obeyed.
            await until(pilot, lambda: Message().time > app._burst._until, "the end of the paste")
            await pilot.press("ctrl+y")
        await until(pilot, lambda: app.outcome is not None, "the answer")
    assert app.outcome is not None
    assert app.outcome.content == {"redirect": BACK_AT}
    assert app.outcome.acknowledged >= {finding.id for finding in findings}
    assert browser.opened == []


async def test_what_is_no_address_is_not_taken_for_one() -> None:
    app = Asking(login_question(), opener=Browser())
    async with asked(app) as pilot:
        app.post_message(events.Paste("my code is 4711"))
        await until(pilot, lambda: "the address that the page ended at" in app.words, "the why")
        assert app.outcome is None


@pytest.mark.parametrize("before", ["x", "h", "htt", "a line of chat: "])
async def test_an_address_that_is_pasted_as_keys_is_taken_behind_any_letter(before: str) -> None:
    app = Asking(login_question(), opener=Browser())
    async with asked(app) as pilot:
        await pilot.press(*typing(before), *typing(BACK_AT))
        told = f"{len(BACK_AT)} characters · Enter hands it over"
        await until(pilot, lambda: told in app.words, "the address, and no help")
        await pilot.press("enter")
        await until(pilot, lambda: app.outcome is not None, "the answer")
    assert app.outcome is not None
    assert app.outcome.content == {"redirect": BACK_AT}


async def test_nothing_that_was_typed_unseen_stands_before_the_address_of_an_opened_page() -> None:
    app = Asking(login_question(), opener=Browser())
    async with asked(app) as pilot:
        await pilot.press("h", "t", "ctrl+s")
        await until(pilot, lambda: "What you typed has no place here" in app.words, "the word")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.view.body.opened and not app.view.deaf, "the wait")
        assert "waiting for the page" in app.words


async def test_an_address_that_was_pasted_and_not_agreed_to_goes_out_from_no_other_page() -> None:
    browser = Browser()
    app = Asking(login_question(LOOKALIKE), opener=browser)
    async with asked(app) as pilot:
        app.post_message(events.Paste(BACK_AT))
        for keys, page in (((), "step"), (("escape",), "answer"), (("ctrl+s",), "step")):
            await until(pilot, lambda: Message().time > app._burst._until, "the end of the paste")
            await pilot.press(*keys)
            await until(pilot, lambda page=page: app.view.page == page and not app.view.deaf, page)  # type: ignore[misc]
        await pilot.press("ctrl+y")
        await until(pilot, lambda: app.view.body.opened, "the page is opened")
        assert app.outcome is None
    assert browser.opened == [URL]


async def test_the_help_of_a_login_names_no_letters_that_may_be_an_address() -> None:
    app = Asking(login_question(), opener=Browser())
    async with asked(app) as pilot:
        await pilot.press("f1")
        await until(pilot, lambda: "This question" in app.words, "the help")
        assert "^S  " in app.words
        assert "^S y" not in app.words
        assert "F5 c" not in app.words
