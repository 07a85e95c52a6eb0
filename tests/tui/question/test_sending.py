"""Sending, reviewing, the second step, declining, cancelling, putting back."""

from __future__ import annotations

from typing import Any

import pytest

from elicit_tui.elicitation import Finding, Severity
from tests.tui.question.asking import (
    WARNING,
    Asking,
    answer,
    asked,
    form_question,
    schema,
    typing,
    until,
)

pytestmark = pytest.mark.anyio

TEXT = {"type": "string", "title": "Name"}
SECRET = Finding("outgoing.secret", Severity.WARN, "content.v", "sk-…", "This looks like a key.")


async def test_sending_an_incomplete_form_goes_to_the_first_field_at_fault_and_says_why() -> None:
    app = Asking(form_question(schema(("b",), a=TEXT, b=TEXT)))
    async with asked(app) as pilot:
        assert "1 answer missing" in app.words
        await pilot.press("x", "ctrl+s")
        await until(pilot, lambda: "needs an answer" in app.words, "the error")
        assert app.outcome is None
        focused = app.view.body.fields.focused_field  # type: ignore[attr-defined]
        assert focused is not None
        assert focused.spec.name == "b"
        await pilot.press("y", "ctrl+s")
        await pilot.pause()
    assert app.outcome is not None
    assert app.outcome.content == {"a": "x", "b": "y"}


async def test_an_untouched_required_field_shows_no_error_before_send() -> None:
    app = Asking(form_question(schema(("v",), v=TEXT)))
    async with asked(app):
        assert "needs an answer" not in app.words


async def test_a_form_without_fields_is_a_yes_or_no_question() -> None:
    outcome = await answer(Asking(form_question(schema())), "ctrl+s")
    assert outcome is not None
    assert (outcome.action, outcome.content) == ("accept", {})


async def test_enter_and_space_answer_no_yes_or_no_question() -> None:
    assert await answer(Asking(form_question(schema())), "enter", "space") is None


async def test_decline_is_a_key_and_a_button() -> None:
    for decline in ("key", "click"):
        app = Asking(form_question(schema(v=TEXT)))
        async with asked(app) as pilot:
            if decline == "key":
                await pilot.press("ctrl+n")
            else:
                await pilot.click("#do-decline")
            await pilot.pause()
        assert app.outcome is not None
        assert (app.outcome.action, app.outcome.decided_by) == ("decline", "user")
        assert app.outcome.content is None


async def test_escape_cancels_at_once_when_nothing_was_typed() -> None:
    outcome = await answer(Asking(form_question(schema(v=TEXT))), "escape")
    assert outcome is not None
    assert outcome.action == "cancel"


async def test_escape_asks_once_more_when_something_was_typed() -> None:
    app = Asking(form_question(schema(v=TEXT)))
    async with asked(app) as pilot:
        await pilot.press("a", "escape")
        await pilot.pause()
        assert app.outcome is None
        assert "Esc again" in app.words
        await pilot.press("escape")
        await pilot.pause()
    assert app.outcome is not None
    assert app.outcome.action == "cancel"


async def test_typing_after_the_first_escape_takes_it_back() -> None:
    outcome = await answer(Asking(form_question(schema(v=TEXT))), "a", "escape", "b", "escape")
    assert outcome is None


@pytest.mark.parametrize("page", [(), ("ctrl+r",), ("ctrl+s",)])
async def test_declining_asks_once_more_when_something_was_typed_on_each_page(
    page: tuple[str, ...],
) -> None:
    app = Asking(form_question(schema(v=TEXT), WARNING))
    async with asked(app) as pilot:
        await pilot.press("a")
        for key in page:
            await pilot.press(key)
            await until(pilot, lambda: app.view.page != "answer" and not app.view.deaf, "the page")
        await pilot.press("ctrl+n")
        said = "^N again declines. What you typed is gone then."
        await until(pilot, lambda: said in app.words, "the sentence")
        assert app.outcome is None
        await pilot.press("ctrl+n")
        await until(pilot, lambda: app.outcome is not None, "the answer")
    assert app.outcome is not None
    assert app.outcome.action == "decline"


async def test_each_way_to_end_a_question_asks_for_itself_until_something_comes_between() -> None:
    for keys in (
        ("escape", "ctrl+n"),
        ("ctrl+n", "escape"),
        ("ctrl+n", "b", "ctrl+n"),
        ("ctrl+n", "ctrl+r", "escape", "ctrl+n"),
        ("escape", "ctrl+r", "escape", "escape"),
    ):
        assert await answer(Asking(form_question(schema(v=TEXT))), "a", *keys) is None


async def test_later_hands_the_entries_back_and_decides_nothing() -> None:
    app = Asking(form_question(schema(v=TEXT)))
    async with asked(app) as pilot:
        await pilot.press("a", "ctrl+l")
        await pilot.pause()
    assert app.outcome is None
    assert app.later[0].touched == {"v"}


async def test_a_warned_question_needs_a_second_step_that_says_what_will_happen() -> None:
    app = Asking(form_question(schema(v=TEXT), WARNING))
    async with asked(app) as pilot:
        assert "This acts on production." in app.words
        await pilot.press("x", "ctrl+s")
        await until(pilot, lambda: app.view.page == "step", "the second step")
        await until(pilot, lambda: not app.view.deaf, "the step is painted")
        assert "rule destructive.production, in message: production" in app.words
        assert "This hands the answer below to “deploy”." in app.words
        assert '"v": "x"' in app.words
        await pilot.press("ctrl+s", "enter", "space")
        await pilot.pause()
        assert app.outcome is None
        await pilot.press("ctrl+y")
        await pilot.pause()
    assert app.outcome is not None
    assert app.outcome.content == {"v": "x"}


async def test_the_second_step_of_a_yes_or_no_question_names_its_key_and_y_is_not_it() -> None:
    app = Asking(form_question(schema(), WARNING))
    async with asked(app) as pilot:
        await pilot.press("y")
        await until(pilot, lambda: app.view.page == "step", "the second step")
        await until(pilot, lambda: not app.view.deaf, "the step is painted")
        assert "yes or no?" not in app.words
        assert "{}" not in app.words, "there is no content to read"
        assert "^L Later" in app.words
        await pilot.press("y")
        said = "y does not send here: ^Y does."
        await until(pilot, lambda: said in app.words, "its key")
        assert app.outcome is None


async def test_y_on_the_second_step_of_a_form_names_the_key_that_sends() -> None:
    app = Asking(form_question(schema(v=TEXT), WARNING))
    async with asked(app) as pilot:
        await pilot.press("x", "ctrl+s")
        await until(pilot, lambda: app.view.page == "step", "the second step")
        await until(pilot, lambda: not app.view.deaf, "the step is painted")
        await pilot.press("y")
        said = "y does not send here: ^Y does."
        await until(pilot, lambda: said in app.words, "its key")
        assert app.outcome is None


async def test_the_second_step_stays_when_review_is_never() -> None:
    app = Asking(form_question(schema(v=TEXT), WARNING), review="never")
    assert await answer(app, "x", "ctrl+s") is None


async def test_a_note_needs_no_second_step() -> None:
    note = Finding("schema.size", Severity.NOTE, "schema", "", "A large form.")
    assert await answer(Asking(form_question(schema(v=TEXT), note)), "x", "ctrl+s") is not None


async def test_an_answer_that_looks_like_a_secret_is_asked_about_once_more() -> None:
    def examine(content: Any) -> tuple[Finding, ...]:
        return (SECRET,) if "v" in content else ()

    app = Asking(form_question(schema(v=TEXT)), examine=examine)
    async with asked(app) as pilot:
        await pilot.press(*typing("sk-1"), "ctrl+s")
        await until(pilot, lambda: app.view.page == "step", "the second step")
        assert "This looks like a key." in app.words
        await pilot.press("escape")
        await until(pilot, lambda: app.view.page == "answer" and not app.view.deaf, "the form")
        await pilot.press("ctrl+u", "ctrl+s")
        await pilot.pause()
    assert app.outcome is not None
    assert app.outcome.content == {}


async def test_review_always_shows_the_exact_json_before_every_send() -> None:
    app = Asking(form_question(schema(v=TEXT, w=TEXT)), review="always")
    async with asked(app) as pilot:
        await pilot.press("é", "ctrl+s")
        await until(pilot, lambda: app.view.page == "review" and not app.view.deaf, "the review")
        assert app.outcome is None
        assert '"v": "é"' in app.words
        assert "Left out, because unset: Name" in app.words
        await pilot.press("ctrl+s")
        await pilot.pause()
    assert app.outcome is not None
    assert app.outcome.content == {"v": "é"}


async def test_the_review_shows_the_title_of_a_choice_and_the_value_that_is_sent_for_it() -> None:
    seat = {"title": "Seat", "oneOf": [{"const": "bar", "title": "At the bar"}, {"const": "any"}]}
    walls = {
        "title": "Walls",
        "type": "array",
        "items": {"enum": ["#c0392b", "#fff"], "enumNames": ["Brick red", "White"]},
    }
    plain = {"title": "Diet", "enum": ["vegan", "none"]}
    app = Asking(form_question(schema(seat=seat, walls=walls, plain=plain)))
    async with asked(app) as pilot:
        await pilot.press("1", "tab", "1", "2", "tab", "1", "ctrl+r")
        await until(pilot, lambda: app.view.page == "review" and not app.view.deaf, "the review")
        assert 'Seat: At the bar ("bar")' in app.words
        assert 'Walls: Brick red ("#c0392b"), White ("#fff")' in app.words
        assert "Diet" not in app.words
        assert '"plain": "vegan"' in app.words


async def test_what_review_shows_can_be_changed_before_it_is_sent() -> None:
    keys = ("a", "ctrl+r", "escape", "b", "ctrl+r", "ctrl+s")
    outcome = await answer(Asking(form_question(schema(v=TEXT))), *keys)
    assert outcome is not None
    assert outcome.content == {"v": "ab"}


async def test_nothing_typed_on_the_review_page_reaches_the_content() -> None:
    app = Asking(form_question(schema(v=TEXT)))
    outcome = await answer(app, "a", "ctrl+r", "b", "c", "ctrl+s")
    assert outcome is not None
    assert outcome.content == {"v": "a"}


async def test_the_review_of_an_incomplete_form_cannot_be_sent_and_says_what_is_missing() -> None:
    app = Asking(form_question(schema(("v",), v=TEXT)))
    async with asked(app) as pilot:
        await pilot.press("ctrl+r")
        await until(pilot, lambda: app.view.page == "review" and not app.view.deaf, "the review")
        assert "Not ready to be sent" in app.words
        assert "Name: needs an answer" in app.words
        assert app.words.count("Name") == 1
        assert "Left out" not in app.words
        await pilot.press("ctrl+s")
        await pilot.pause()
    assert app.outcome is None


async def test_the_raw_request_is_on_a_key_with_every_invisible_character_escaped() -> None:
    app = Asking(form_question(schema(v=TEXT), message="a\u202eb"))
    async with asked(app) as pilot:
        await pilot.press("f2")
        await until(pilot, lambda: app.view.page == "raw" and not app.view.deaf, "the request")
        await pilot.press("end")
        await until(pilot, lambda: '"message": "a\\u202eb"' in app.words, "the raw request")
        await pilot.press("f2")
        await until(pilot, lambda: app.view.page == "answer", "the form again")


async def test_help_says_what_each_key_does() -> None:
    app = Asking(form_question(schema(v=TEXT)))
    async with asked(app) as pilot:
        await pilot.press("f1")
        await until(pilot, lambda: app.view.page == "help", "help")
        assert "neither yes nor no" in app.words


async def test_a_decision_is_posted_once() -> None:
    app = Asking(form_question(schema()))
    async with asked(app) as pilot:
        await pilot.press("ctrl+s", "ctrl+s", "ctrl+n")
        await pilot.pause()
    assert len(app.outcomes) == 1


async def test_the_review_shows_all_that_goes_out_beside_the_answer_too() -> None:
    app = Asking(form_question(schema(v=TEXT)))
    async with asked(app, (100, 40)) as pilot:
        await pilot.press("a", "ctrl+r")
        sent = '"dev.elicit-tui/outcome": {"decidedBy": "user", "reason": "The user decided."}'
        await until(pilot, lambda: sent in " ".join(app.words.replace("│", " ").split()), "all")


@pytest.mark.parametrize("warned", [(), (WARNING,)], ids=["reviewed", "after a second step"])
async def test_no_page_sends_what_an_earlier_one_showed(warned: tuple[Finding, ...]) -> None:
    app = Asking(form_question(schema(("v",), v=TEXT), *warned))
    async with asked(app) as pilot:
        for keys in ([*typing("prod"), "ctrl+s" if warned else "ctrl+r"], ["escape"]):
            await pilot.press(*keys)
            page = "answer" if keys == ["escape"] else "step" if warned else "review"
            await until(pilot, lambda page=page: app.view.page == page and not app.view.deaf, page)  # type: ignore[misc]
        await pilot.press(*["backspace"] * 4, "ctrl+r")
        await until(pilot, lambda: "Not ready to be sent" in app.words, "the review")
        await until(pilot, lambda: not app.view.deaf, "it is heard")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "Esc goes back." in app.words, "what the key says there")
    assert app.outcome is None
