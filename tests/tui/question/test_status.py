"""What the line above the buttons says: what is missing, and what keys do where the focus is."""

from __future__ import annotations

import pytest

from elicit_tui.tui.question import live_json
from elicit_tui.tui.question.actions import ActionButton
from tests.tui.question.asking import (
    WARNING,
    Asking,
    answer,
    asked,
    form_question,
    schema,
    until,
    url_question,
)

pytestmark = pytest.mark.anyio

CITY = schema(("city",), city={"type": "string", "title": "City"}, nights={"type": "integer"})


def status(app: Asking) -> str:
    return str(app.view.query_one("#status").render())


async def test_the_keys_of_a_field_go_when_a_button_has_the_focus() -> None:
    app = Asking(form_question(CITY))
    async with asked(app) as pilot:
        assert "^U clear" in status(app)
        await pilot.press("tab", "tab", "tab")
        await until(pilot, lambda: "^U" not in status(app), "the field's keys are gone")
        assert "an explicit no" in status(app) or "hand over" in status(app)
        await pilot.press("shift+tab", "shift+tab")
        await until(pilot, lambda: "↑↓ step" in status(app), "the number's keys are there")


async def test_the_way_to_the_next_field_is_named_in_every_kind_of_field() -> None:
    text = {"type": "string"}
    app = Asking(form_question(schema(a=text, b={"enum": ["x", "y"]}, c=text)))
    async with asked(app) as pilot:
        assert "Enter next" in status(app)
        await pilot.press("tab")
        await until(pilot, lambda: "1-2 ←→ choose" in status(app), "the keys of the choice")
        assert "Enter next" in status(app)
        await pilot.press("tab")
        await until(pilot, lambda: "Enter → Send button" in status(app), "the way on from the last")


async def test_each_button_says_what_it_does_while_it_has_the_focus() -> None:
    app = Asking(form_question(CITY))
    async with asked(app) as pilot:
        for name, does in (
            ("decline", "Enter Decline: an explicit no"),
            ("cancel", "Enter Cancel: neither yes nor no"),
        ):
            app.view.query_one(f"#do-{name}").focus()
            await until(pilot, lambda does=does: does in status(app), does)


async def test_defaults_that_nobody_may_have_looked_at_are_counted() -> None:
    place = {"type": "string", "default": "Lisbon"}
    app = Asking(form_question(schema(a=place, b={"type": "integer", "default": 3}, c=place)))
    async with asked(app) as pilot:
        await until(pilot, lambda: "ready to send 3, 3 by default" in status(app), "all")
        await pilot.press("s")
        await until(pilot, lambda: "ready to send 3, 2 by default" in status(app), "one")


async def test_the_bar_stands_at_the_field_that_has_the_focus_after_a_page_over_it() -> None:
    app = Asking(form_question(CITY))
    async with asked(app) as pilot:
        await pilot.press("L", "tab", "tab")  # To a button, which goes when the page comes.
        await pilot.press("ctrl+r")
        await until(pilot, lambda: app.view.page == "review" and not app.view.deaf, "the review")
        await pilot.press("escape")
        await until(pilot, lambda: app.view.page == "answer" and not app.view.deaf, "the fields")
        assert app.view.body.has_focus
        await until(pilot, lambda: "▌ nights" in app.words, "the bar of the last field")


async def test_the_sign_of_a_required_field_is_explained() -> None:
    app = Asking(form_question(CITY))
    async with asked(app):
        assert "1 answer missing (*)" in status(app)


async def test_enter_in_the_last_field_sends_nothing_and_says_what_does() -> None:
    app = Asking(form_question(CITY))
    async with asked(app) as pilot:
        await pilot.press("L", "enter", "3", "enter")
        await until(pilot, lambda: "^S sends" in status(app), "the way to send is said")
        assert app.outcome is None


async def test_send_on_a_page_that_sends_nothing_says_the_way_back() -> None:
    app = Asking(form_question(CITY))
    async with asked(app) as pilot:
        await pilot.press("f2")
        await until(pilot, lambda: app.view.page == "raw" and not app.view.deaf, "the page")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "Esc goes back first" in status(app), "the way back is said")


async def test_a_question_can_be_put_off_from_a_page_over_it() -> None:
    app = Asking(form_question(CITY))
    await answer(app, "f1", "ctrl+l")
    assert app.later


async def test_a_finding_wraps_in_its_own_column() -> None:
    app = Asking(form_question(CITY, WARNING))
    async with asked(app, (60, 24)):
        lines = app.words.splitlines()
        first = next(line for line in lines if "▲ This acts" in line)
        column = first.index("This acts")
        following = lines[lines.index(first) + 1]
        assert following[4:column].strip() == ""
        assert following[column] != " "


@pytest.mark.parametrize("width", [40, 80])
@pytest.mark.parametrize("mode", ["form", "url"])
async def test_the_help_of_a_question_names_every_button(width: int, mode: str) -> None:
    question = form_question(CITY) if mode == "form" else url_question("https://example.com/")
    app = Asking(question)
    async with asked(app, (width, 40)) as pilot:
        await pilot.press("f1")
        await until(pilot, lambda: app.view.page == "help" and not app.view.deaf, "the page")
        own = ("Send:", "Review:") if mode == "form" else ("Open:", "Copy:", "I opened it:")
        for words in (*own, "Decline:", "Cancel:", "Later:", "About:"):
            assert words in app.words


@pytest.mark.parametrize(
    ("width", "sign"),
    [
        (40, "F1 more"),
        (60, "… ^R Review  F1 Help  F2 About"),
        (78, "… F2 About"),
        (80, ""),
        (140, ""),
    ],
)
async def test_buttons_without_room_are_named_or_counted_in_the_border_and_a_click_leads_to_them(
    width: int, sign: str
) -> None:
    app = Asking(form_question(CITY))
    async with asked(app, (width, 24)) as pilot:
        await until(pilot, lambda: sign in app.words, "the border")
        if sign:
            assert sign in app.words.splitlines()[-1]
            await pilot.click(offset=(width - 8, 23))
            await until(pilot, lambda: app.view.page == "help", "the help page")
        else:
            assert "F1 more" not in app.words


async def test_the_border_names_no_key_that_does_not_lead_there() -> None:
    app = Asking(form_question(CITY, WARNING))
    async with asked(app, (40, 24)) as pilot:
        await until(pilot, lambda: "F1 more" in app.words, "the border")
        await pilot.press("f1")
        await until(pilot, lambda: app.view.page == "help" and not app.view.deaf, "the help page")
        await until(pilot, lambda: "F1 more" not in app.words, "help has them all")
        await pilot.press("escape")
        await until(pilot, lambda: "F1 more" in app.words, "the border again")
        await pilot.press("x", "ctrl+s")
        await until(pilot, lambda: app.view.page == "step", "the second step")
        await until(pilot, lambda: "… ^L Later" in app.words, "what has no button there")


@pytest.mark.parametrize("size", [(80, 24), (140, 40), (40, 24)])
async def test_every_button_shows_its_words_and_key_with_a_blank_at_each_side(
    size: tuple[int, int],
) -> None:
    app = Asking(url_question("https://example.com/"))
    async with asked(app, size) as pilot:
        await pilot.pause()
        for button in app.view.query(ActionButton):
            if not button.can_focus:
                continue  # There is no room for it: help has it.
            shown = button.render().plain
            assert shown in app.words
            assert shown == (f"[{button.words}]" if button.has_focus else f" {button.words} ")
            assert button.region.width == len(shown)


async def test_without_colours_focus_choice_fault_and_verdict_are_still_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    fields = {
        "name": {"type": "string", "title": "Name"},
        "where": {"type": "string", "title": "Where", "enum": ["here", "there"]},
    }
    app = Asking(form_question(schema(("name",), **fields), WARNING))
    async with asked(app) as pilot:
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "✗ needs an answer" in app.words, "the fault has a sign")
        assert "▲ This acts on production." in app.words
        assert "▌ Name" in app.words
        await pilot.press("tab", "right", "right", "space")
        await until(pilot, lambda: "○ here   ● there" in app.words, "the choice has a sign")
        await pilot.press("tab")
        send = app.view.query_one("#do-send")
        await until(pilot, lambda: send.has_focus, "the button")
        assert send.rich_style.underline


async def test_the_keys_of_a_question_stand_beside_what_they_do_at_40_columns() -> None:
    app = Asking(form_question(schema(v={"type": "string"})))
    async with asked(app, (40, 24)) as pilot:
        await pilot.press("f1")
        await until(pilot, lambda: "^N   Decline: an explicit no" in app.words, "the page")


@pytest.mark.parametrize(("most", "offered"), [(40, False), (4_000, True)])
async def test_help_offers_the_editor_where_a_field_has_one(most: int, offered: bool) -> None:
    app = Asking(form_question(schema(v={"type": "string", "maxLength": most})))
    async with asked(app) as pilot:
        await pilot.press("f1")
        await until(pilot, lambda: app.view.page == "help" and not app.view.deaf, "help")
        assert ("$EDITOR" in app.view.aside._text.render().plain) == offered  # type: ignore[union-attr]


async def test_an_empty_field_says_whether_it_needs_an_answer() -> None:
    text = {"type": "string"}
    app = Asking(form_question(schema(("v",), v=text, w=text)))
    async with asked(app):
        lines = {line.strip("│▌ ")[:1]: line for line in app.words.splitlines()}
        assert "not filled in" in lines["v"]
        assert "unset" in lines["w"]


@pytest.mark.parametrize("key", ["f1", "f2"])
async def test_a_small_window_names_what_scrolls_the_page_that_lies_over_a_question(
    key: str,
) -> None:
    app = Asking(form_question(CITY))
    async with asked(app, (40, 15)) as pilot:
        await pilot.press(key)
        await until(pilot, lambda: "↑↓ scroll" in app.words, "the keys")


async def test_what_stands_above_the_page_about_a_question_is_not_said_in_it_again() -> None:
    app = Asking(url_question("https://example.com/"))
    async with asked(app, (80, 24)) as pilot:
        await pilot.press("f2")
        await until(pilot, lambda: "As it arrived" in app.words, "the page")
        assert app.words.count("not tied to a tool call") == 1


@pytest.mark.parametrize("required", [(), ("flavour",)], ids=["two rows are said", "one"])
async def test_in_a_small_window_the_keys_of_what_has_the_focus_stand_in_the_border(
    required: tuple[str, ...],
) -> None:
    flavours = {"type": "string", "enum": ["mint", "lemon", "plum"]}
    number = {"type": "integer"}
    app = Asking(form_question(schema(required, nights=number, flavour=flavours, beds=number)))

    def border() -> str:
        return app.words.splitlines()[-1]

    async with asked(app, (40, 15)) as pilot:
        await until(pilot, lambda: "↑↓ step  Enter next  F1 more" in border(), "the number's keys")
        await pilot.press("tab")
        await until(pilot, lambda: "1-3 ←→ choose  F1 more" in border(), "the choice's")
        await pilot.resize_terminal(140, 24)
        await until(pilot, lambda: "1-3 ←→ choose" not in border(), "their own row")
        assert "1-3 ←→ choose" in app.words


@pytest.mark.parametrize("height", range(22, 26))
async def test_a_blank_row_parts_the_fields_from_what_is_missing(height: int) -> None:
    many = {f"v{number}": {"type": "string", "title": f"V{number}"} for number in range(20)}
    app = Asking(form_question(schema(("v0",), **many)))
    async with asked(app, (80, height)) as pilot:
        await until(pilot, lambda: "missing (*)" in app.words, "what is missing")
        rows = app.words.split("\n")
        at = next(number for number, row in enumerate(rows) if "missing (*)" in row)
        assert not rows[at - 1].strip(" │█")


async def test_what_would_be_sent_stands_there_as_soon_as_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(live_json, "LIVE_SECONDS", 60.0)
    app = Asking(form_question(schema(("v",), v={"type": "string"})))
    async with asked(app, (140, 40)) as pilot:
        await until(pilot, lambda: "missing (*)" in app.words, "what is missing")
        await until(pilot, lambda: "{}" in app.words, "what would be sent")
