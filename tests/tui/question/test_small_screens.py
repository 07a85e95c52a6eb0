"""However small the screen: the line that is edited is in view, and so are the ways out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from textual import events
from textual.content import Content

from elicit_tui.demo import forms
from elicit_tui.tui.inline_app import rows_of
from elicit_tui.tui.question.frame_words import hanging
from tests.tui.question.asking import (
    SERVER,
    URL,
    WARNING,
    Asking,
    asked,
    form_question,
    schema,
    until,
    url_question,
)

pytestmark = pytest.mark.anyio

SIZES = ((40, 10), (40, 12), (40, 20), (60, 15), (80, 10))
MESSAGE = "Where to? " * 40
WAYS_OUT = ("^S Send", "^N Decline", "Esc Cancel")
TITLE = "A name that is long enough to need more than one line of so small a screen"
LETTERS = {"type": "string", "title": "Letters", "enum": [f"{a} choice" for a in "abcdefgh"]}
MANY = {"type": "string", "title": "Numbers", "enum": [f"number {n}" for n in range(90)]}


def question(spec: dict[str, Any], **more: Any) -> Asking:
    requested = schema(("v",), v=spec, w={"type": "string"})
    return Asking(form_question(requested, WARNING, message=MESSAGE, **more))


async def test_a_sentence_that_says_why_nothing_was_sent_is_not_cut() -> None:
    text = {"type": "string", "default": "a value"}
    fields = {name: {**text, "title": f"{name} of all guests"} for name in "abcdefgh"}
    app = Asking(form_question(schema(("name",), name={"type": "string"}, **fields)))
    async with asked(app, (40, 15)) as pilot:
        await pilot.press("ctrl+s")

        def words() -> str:
            return " ".join(app.words.replace("│", " ").replace("▌", " ").split())

        said = "more were not on the screen yet. ^S again reads on."
        await until(pilot, lambda: said in words(), "all of it")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("title", ["Name", TITLE])
async def test_what_is_typed_is_in_view(size: tuple[int, int], title: str) -> None:
    app = question({"type": "string", "title": title, "description": "As in the passport. " * 5})
    async with asked(app, size) as pilot:
        await pilot.press(*"Ada")
        await pilot.pause()
        assert " Ada " in app.words
        assert all(way in app.words for way in WAYS_OUT)
        await pilot.press("tab", *"Bob")
        await pilot.pause()
        assert " Bob " in app.words
        await pilot.press("shift+tab")
        await pilot.pause()
        assert " Ada " in app.words


async def test_typing_into_a_field_that_was_scrolled_away_brings_it_back() -> None:
    fields = {f"v{n}": {"type": "string", "title": f"Field {n}"} for n in range(30)}
    app = Asking(form_question(schema(**fields)))
    async with asked(app) as pilot:
        form = app.view.body.panel
        await pilot.press("pagedown", "pagedown")
        await until(pilot, lambda: "Field 0 " not in app.words and form.scroll_y > 0, "a page on")
        await pilot.press(*"Ada")
        await until(pilot, lambda: " Ada " in app.words and "Field 0 " in app.words, "the field")


@pytest.mark.parametrize("size", [(80, 24), (40, 10)], ids=str)
@pytest.mark.parametrize("longest", [40, 4_000], ids=["one line", "a block"])
async def test_pasted_lines_keep_the_caret_in_view(size: tuple[int, int], longest: int) -> None:
    app = question({"type": "string", "title": "Text", "maxLength": longest})
    async with asked(app, size) as pilot:
        pasted = "\n".join(f"line {n}" for n in range(60))
        app.post_message(events.Paste(pasted))
        await until(pilot, lambda: "line 59" in app.words, "the last line")
        await pilot.press(*"END")
        await until(pilot, lambda: "line 59END" in app.words, "what is typed behind it")


@pytest.mark.parametrize("size", SIZES)
async def test_the_bar_of_a_list_is_in_view_wherever_it_goes(size: tuple[int, int]) -> None:
    app = question(LETTERS)
    async with asked(app, size) as pilot:
        for letter in "bcdefgh":
            await pilot.press("down")
            await pilot.pause()
            assert f"{letter} choice" in app.words
        await pilot.press("c")
        await pilot.pause()
        assert "c choice" in app.words


@pytest.mark.parametrize("size", SIZES)
async def test_the_bar_of_a_long_list_is_in_view(size: tuple[int, int]) -> None:
    app = question(MANY)
    async with asked(app, size) as pilot:
        for number in range(1, 12):
            await pilot.press("down")
            await pilot.pause()
            assert f"number {number} " in app.words
        await pilot.press(*"77")
        await pilot.pause()
        assert "number 77" in app.words


@pytest.mark.parametrize("size", SIZES)
async def test_the_line_with_the_cursor_is_in_view_in_a_long_text(size: tuple[int, int]) -> None:
    app = question({"type": "string", "title": "Story", "maxLength": 5000})
    async with asked(app, size) as pilot:
        for line in ("one", "two", "three", "four", "five", "six"):
            await pilot.press(*line)
            await pilot.pause()
            assert f" {line} " in app.words
            await pilot.press("enter")
        for _ in range(6):
            await pilot.press("up")
        await pilot.pause()
        assert " one " in app.words


@pytest.mark.parametrize("size", SIZES)
async def test_the_line_stays_in_view_when_the_window_shrinks(size: tuple[int, int]) -> None:
    app = question({"type": "string", "title": "Name"})
    async with asked(app, (100, 40)) as pilot:
        await pilot.press(*"Ada")
        await pilot.resize_terminal(*size)
        await pilot.pause()
        await pilot.pause()
        assert " Ada " in app.words
        assert all(way in app.words for way in WAYS_OUT)


@pytest.mark.parametrize("size", SIZES)
async def test_a_url_question_shows_its_address_and_its_ways_out(size: tuple[int, int]) -> None:
    app = Asking(url_question("https://example.com/sign-in", WARNING))
    async with asked(app, size) as pilot:
        await pilot.pause()
        assert "https://example.com/sign-in" in app.words
        assert all(way in app.words for way in ("^S Open", *WAYS_OUT[1:]))


@pytest.mark.parametrize("size", SIZES)
async def test_the_second_step_can_be_read_and_taken(size: tuple[int, int]) -> None:
    app = question({"type": "string", "title": "Name"})
    async with asked(app, size) as pilot:
        await pilot.press(*"Ada", "ctrl+s")
        await pilot.pause()
        await pilot.pause()
        assert app.view.page == "step"
        await pilot.press(*["space"] * 30)
        await until(pilot, lambda: "^Y Send it" in app.words, "its end")
        assert app.view.aside.size.height > 0
        await pilot.press("ctrl+y")
        await until(pilot, lambda: "The message " in app.words, "what was not seen of the message")
        assert app.outcome is None
        await until(pilot, lambda: not app.view.deaf, "it hears again")
        while app.view.message.unseen:
            await pilot.press("ctrl+y")
            await until(pilot, lambda: not app.view.deaf, "it hears again")
            assert app.outcome is None
        await pilot.press("ctrl+y")
        await pilot.pause()
    assert app.outcome is not None
    assert app.outcome.content == {"v": "Ada"}


async def test_the_rows_that_a_form_takes_under_the_prompt_hide_nothing() -> None:
    app = Asking(form_question(schema(v=LETTERS, w={"type": "string"}, x={"type": "boolean"})))
    async with asked(app, (78, 12)):
        form = app.view.body.panel
        assert form.max_scroll_y > 0
        assert rows_of(app.view) == app.size.height + form.max_scroll_y


async def test_what_a_server_calls_itself_stands_there_whole_or_not_at_all() -> None:
    server = replace(SERVER, name="pay", calls_itself="Totally Different Name", version="1.0")
    app = Asking(form_question(schema(v={"type": "string"}), server=server))
    async with asked(app, size=(40, 10)):
        words = " ".join(app.words.replace("│", " ").split())
        assert "calls itself" not in words or "calls itself “Totally Different Name”" in words


@pytest.mark.parametrize("columns", [40, 60])
async def test_what_is_said_of_a_second_escape_is_not_cut(columns: int) -> None:
    app = Asking(form_question(schema(v={"type": "string"})))
    async with asked(app, (columns, 24)) as pilot:
        await pilot.press("A", "escape")
        await until(pilot, lambda: "Esc again cancels." in app.words, "the sentence")
        words = " ".join(app.words.replace("│", " ").split())
        assert "What you typed is gone then." in words


async def test_two_warnings_of_a_yes_or_no_are_read_at_sixty_columns_without_scrolling() -> None:
    said = "Check what exactly goes, and whether there is any way back from it."
    other = replace(WARNING, evidence="all", advice=said)
    empty = {"type": "object", "properties": {}}
    app = Asking(form_question(empty, WARNING, other))
    async with asked(app, (60, 24)):
        words = " ".join(app.words.replace("│", " ").replace("▌", " ").split())
        assert "Make sure that this is what you want." in words
        assert said in words


@pytest.mark.parametrize(("columns", "above"), [(60, True), (64, True), (80, False)])
async def test_a_label_that_would_be_broken_stands_above_its_line_where_it_is_narrow(
    columns: int, above: bool
) -> None:
    field = {"type": "string", "title": "Budget for each guest"}
    app = Asking(form_question(schema(v=field)))
    async with asked(app, (columns, 24)):
        line = next(line for line in app.words.splitlines() if "Budget for each guest" in line)
        assert ("unset" not in line) == above


async def test_what_is_said_is_not_cut_in_forty_columns() -> None:
    app = Asking(form_question(schema(v={"type": "string"})))
    async with asked(app, (40, 15)) as pilot:
        await pilot.press("a", "escape")
        await until(pilot, lambda: "Esc again cancels." in app.words, "the word")
        await until(pilot, lambda: "is gone then." in app.words, "all of it")
        await pilot.press("b")
        await until(pilot, lambda: "is gone then." not in app.words, "its row is given back")


async def test_a_warning_is_read_whole_in_forty_columns() -> None:
    app = Asking(form_question(schema(v={"type": "string"}), WARNING))
    async with asked(app, (40, 15)):
        words = " ".join(app.words.replace("│", " ").replace("▌", " ").split())
        assert "This acts on production. Make sure that this is what you want." in words


def test_where_it_is_narrow_a_text_is_set_in_below_its_label() -> None:
    head, text = Content("server".ljust(12)), Content("one two three")
    assert hanging(head, text, 12).plain == "server\n  one two\n  three"
    assert hanging(head, text, 80).plain == "server      one two three"


async def test_a_long_question_has_the_rows_that_its_fields_leave_free() -> None:
    app = Asking(form_question(schema(v={"type": "string"}), message="Which of them? " * 60))
    async with asked(app, (80, 24)) as pilot:
        assert app.view.message.max_scroll_y == 0
        assert "PgDn" not in app.words
        await pilot.resize_terminal(80, 20)
        await until(pilot, lambda: app.view.message.max_scroll_y > 0, "fewer rows")
        assert "v  " in app.words


@pytest.mark.parametrize("size", [(80, 24), (80, 15), (40, 15)])
async def test_a_question_that_is_cut_names_the_key_that_shows_more_until_its_end(
    size: tuple[int, int],
) -> None:
    fields = {f"f{number}": {"type": "string"} for number in range(12)}
    app = Asking(form_question(schema(("f1",), **fields), message="Which of them? " * 60))
    async with asked(app, size) as pilot:
        await until(pilot, lambda: "… PgDn" in app.words, "the key")
        while app.view.message.scroll_y < app.view.message.max_scroll_y:
            await pilot.press("pagedown")
            await pilot.pause()
        await until(pilot, lambda: "PgDn" not in app.words, "its end")


async def test_an_open_list_in_a_small_window_shows_as_many_choices_as_have_room() -> None:
    app = Asking(form_question(forms.COLOURS))
    async with asked(app, (40, 15)) as pilot:
        await pilot.press("tab", "tab", *"bl")
        await until(pilot, lambda: "23 of 141" in app.words, "the search")
        await until(pilot, lambda: app.words.count("○") >= 5, "the choices")
        assert "The door" in app.words


@pytest.mark.parametrize("size", [(40, 15), (60, 20), (80, 24), (140, 40)])
async def test_all_that_is_said_of_a_page_has_room(size: tuple[int, int]) -> None:
    app = Asking(url_question(URL))
    async with asked(app, size) as pilot:
        await pilot.pause()
        said = " ".join(app.words.replace("│", " ").split())
        assert "before you choose it." in said
        assert ("asks you to open this page" in said) == (size != (40, 15))
        assert not app.view.body.panel.max_scroll_y


async def test_what_is_asked_stands_apart_from_a_short_form_that_leaves_rows_free() -> None:
    for fields, apart in ((1, True), (4, False)):
        spec = {f"v{n}": {"type": "string", "title": "City"} for n in range(fields)}
        app = Asking(form_question(schema(**spec), message="Where to?"))
        async with asked(app, (40, 15)):
            rows = [row.strip("│▌ ") for row in app.words.split("\n")]
            assert (rows[rows.index("Where to?") + 1] == "") is apart


async def test_where_no_code_has_room_the_key_that_copies_is_named() -> None:
    app = Asking(url_question(URL))
    async with asked(app, (40, 15)) as pilot:
        await pilot.press("f6")
        said = "F5 copies the address."
        await until(pilot, lambda: said in " ".join(app.words.replace("│", " ").split()), "the key")


async def test_what_a_server_calls_itself_stands_there_whole_in_a_small_window() -> None:
    server = replace(SERVER, calls_itself="Some server")
    question = form_question(schema(v={"type": "string"}))
    question = replace(question, request=replace(question.request, server=server, calls=()))
    app = Asking(question)
    async with asked(app, (40, 15)):
        assert "itself “Some server”" in app.words


async def test_a_page_of_a_card_scrolls_only_where_the_window_has_no_more_rows() -> None:
    app = Asking(form_question(schema(), message="Clear the cache?"))
    async with asked(app, (140, 40)) as pilot:
        await pilot.press("f2")
        await until(pilot, lambda: app.view.page == "raw" and not app.view.deaf, "the request")
        assert '"required": []' in app.words
        assert not app.view.aside.max_scroll_y


async def test_what_cannot_be_sent_yet_is_told_without_colours() -> None:
    app = Asking(form_question(schema(("v",), v={"type": "string"})), theme="high-contrast")
    async with asked(app) as pilot:
        send, decline = (app.view.query_one(f"#do-{name}") for name in ("send", "decline"))
        await until(pilot, lambda: bool(send.rich_style.italic), "that it waits")
        assert not decline.rich_style.italic
        await pilot.press("x")
        await until(pilot, lambda: not send.rich_style.italic, "that it can be sent")
