"""What a field shows and does while it is filled in; what is received: tests/tui/received."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import pytest
from textual import events

from elicit_tui.elicitation import Draft
from elicit_tui.form.field import Typed
from elicit_tui.tui import question_gate
from elicit_tui.tui.widgets.lines import DateLine
from tests.tui.question.asking import (
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
MULTI = {"type": "array", "items": {"enum": ["x", "y", "z"]}, "minItems": 1, "maxItems": 2}


async def content_of(prop: dict[str, Any], *keys: str) -> Any:
    asking = Asking(form_question(schema(v=prop)))
    outcome = await answer(asking, *keys, "ctrl+s")
    assert outcome is not None, "nothing was sent"
    assert outcome.action == "accept"
    assert outcome.decided_by == "user"
    return dict(outcome.content or {})


async def test_a_long_list_is_searched_by_typing_and_nothing_is_chosen_before_enter() -> None:
    cities = {"type": "string", "enum": [f"city-{number:04}" for number in range(5000)]}
    assert await content_of(cities, *typing("4321"), "ctrl+s") == {}
    assert await content_of(cities, *typing("4321"), "enter") == {"v": "city-4321"}


async def test_several_of_a_long_list_are_sent_in_the_order_of_the_schema() -> None:
    prop = {"type": "array", "items": {"enum": [f"tag{number}" for number in range(20)]}}
    keys = ["end", "space", "home", "space"]
    assert await content_of(prop, *keys) == {"v": ["tag0", "tag19"]}


async def test_a_long_text_takes_several_lines() -> None:
    prop = {"type": "string", "maxLength": 4000}
    assert await content_of(prop, "a", "enter", "b") == {"v": "a\nb"}


async def test_a_digit_typed_behind_a_step_begins_another_number() -> None:
    assert await content_of({"type": "integer"}, "up", "3") == {"v": 3}
    assert await content_of({"type": "integer"}, "up", "up", "up") == {"v": 2}


async def test_today_and_a_day_more_or_less_are_keys_of_a_date(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    moment = datetime(2026, 2, 28, 12, 30, tzinfo=timezone.utc)
    monkeypatch.setattr(DateLine, "clock", staticmethod(lambda: moment))
    day = {"type": "string", "format": "date"}
    time = {"type": "string", "format": "date-time"}
    assert await content_of(day, "ctrl+t") == {"v": "2026-02-28"}
    assert await content_of(day, "ctrl+t", "up") == {"v": "2026-03-01"}
    assert await content_of(day, "ctrl+t", "down") == {"v": "2026-02-27"}
    assert await content_of(time, "ctrl+t", "up") == {"v": "2026-03-01T12:30:00+00:00"}


@pytest.mark.parametrize("width", [40, 80, 140])
async def test_length_is_counted_once_as_it_is_typed_and_is_an_error_when_one_goes_on(
    width: int,
) -> None:
    app = Asking(form_question(schema(v={"type": "string", "minLength": 3}, w=TEXT)))
    async with asked(app, (width, 24)) as pilot:
        await pilot.press("a", "b")
        await until(pilot, lambda: app.words.count("now 2") == 1, "the count")
        assert "✗" not in app.words
        await pilot.press("tab")
        await until(pilot, lambda: "✗ at least 3 characters, now 2" in app.words, "the error")
        await pilot.press("shift+tab", "end", "c")
        await until(pilot, lambda: "now 3" in app.words, "the next count")
        assert "✗" not in app.words


async def test_no_field_moves_at_the_first_letter_where_the_hint_says_what_lacks() -> None:
    app = Asking(form_question(schema(v={"type": "string", "minLength": 3}, w=TEXT)))
    async with asked(app, (140, 40)) as pilot:
        row = app.view.body.panel._rows["v"]
        lines = row.height
        await pilot.press("a")
        await until(pilot, lambda: "at least 3 characters · now 1" in app.words, "the count")
        assert row.height == lines


async def test_how_many_are_chosen_is_counted() -> None:
    app = Asking(form_question(schema(v=MULTI)))
    async with asked(app) as pilot:
        assert "choose 1 to 2 · now 0" in app.words
        await pilot.press("space")
        await pilot.pause()
        assert "choose 1 to 2 · now 1" in app.words


async def test_a_property_without_a_legal_answer_is_said_and_left_out() -> None:
    prop = {"type": "object", "properties": {"a": {"type": "string"}}}
    app = Asking(form_question(schema(v=prop, name=TEXT)))
    async with asked(app) as pilot:
        assert "cannot be answered here; it is left out" in app.words
        await pilot.press("A", "ctrl+s")
        await pilot.pause()
    assert app.outcome is not None
    assert app.outcome.content == {"name": "A"}


async def test_a_required_property_without_a_legal_answer_leaves_decline_and_cancel() -> None:
    prop = {"type": "object", "properties": {"a": {"type": "string"}}}
    app = Asking(form_question(schema(("v",), v=prop, name=TEXT)))
    async with asked(app) as pilot:
        assert "the server requires it" in app.words
        assert "^S Send" not in app.words
        await pilot.press("ctrl+s")
        await pilot.pause()
        assert app.outcome is None
        await pilot.press("ctrl+n")
        await pilot.pause()
    assert app.outcome is not None
    assert app.outcome.action == "decline"


async def test_a_letter_right_behind_tab_belongs_to_the_next_field() -> None:
    app = Asking(form_question(schema(a=TEXT, b=TEXT)))
    outcome = await answer(app, "1", "tab", "2", "ctrl+s")
    assert outcome is not None
    assert outcome.content == {"a": "1", "b": "2"}


async def test_enter_goes_on_and_never_sends(monkeypatch: pytest.MonkeyPatch) -> None:
    # Pressed at once, however slowly these keys arrive here.
    monkeypatch.setattr(question_gate, "ENTER_SECONDS", 60.0)
    monkeypatch.setattr(question_gate, "BOUNCE_SECONDS", 60.0)
    app = Asking(form_question(schema(a=TEXT, b=TEXT)))
    outcome = await answer(app, "1", "enter", "2", "enter", "enter")
    assert outcome is None


@pytest.mark.parametrize(
    ("keys", "sent"),
    [(typing("new"), "new"), (["end", *typing("er")], "older"), ([], "old")],
)
async def test_a_text_that_is_the_servers_own_gives_way_to_what_is_typed(
    keys: list[str], sent: str
) -> None:
    prop = {**TEXT, "default": "old"}
    assert await content_of(prop, *keys) == {"v": sent}
    async with asked(Asking(form_question(schema(v=prop)))) as pilot:
        app = pilot.app
        assert isinstance(app, Asking)
        await until(pilot, lambda: "typing replaces it" in app.words, "what typing does")
        await pilot.press("end", "x")
        await until(pilot, lambda: "typing replaces it" not in app.words, "it is one's own")


@pytest.mark.parametrize("key", ["home", "ctrl+a", "left"])
@pytest.mark.parametrize("most", [20, 500], ids=["line", "block"])
async def test_that_typing_replaces_a_text_is_told_while_it_does(key: str, most: int) -> None:
    prop = {**TEXT, "default": "old", "maxLength": most}
    draft = Draft({"v": Typed("older")}, frozenset({"v"}))
    app = Asking(form_question(schema(v=prop)), draft=draft)
    async with asked(app) as pilot:
        await until(pilot, lambda: "typing replaces it" in app.words, "what typing does")
        await pilot.press(key)
        await until(pilot, lambda: "typing replaces it" not in app.words, "that it inserts")
        assert "from before" in app.words


async def test_invisible_characters_of_a_default_are_said() -> None:
    app = Asking(form_question(schema(v={**TEXT, "default": "a\u202eb\u200b"})))
    async with asked(app):
        assert "holds 2 characters that cannot be seen: U+202E, U+200B" in app.words


@pytest.mark.parametrize(
    ("kind", "example"), [("date", "2031-01-01"), ("date-time", "2031-01-01T")]
)
async def test_the_example_of_a_date_is_never_past(
    kind: str, example: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    moment = datetime(2030, 12, 31, 9, 30, tzinfo=timezone.utc)
    monkeypatch.setattr(DateLine, "clock", staticmethod(lambda: moment))
    app = Asking(form_question(schema(v={"type": "string", "format": kind})))
    async with asked(app):
        assert f"e.g. {example}" in app.words


@pytest.mark.parametrize(("names", "said"), [(("Guests",), 1), (("Guests", "City"), 2)])
async def test_a_heading_that_says_what_its_only_field_says_is_left_out(
    names: tuple[str, ...], said: int
) -> None:
    fields = {name: {"type": "string", "title": name} for name in names}
    app = Asking(form_question({**schema(**fields), "title": "guests"}))
    async with asked(app):
        assert app.words.casefold().count("guests") == said


PATTERN = {"type": "string", "title": "Code", "pattern": "^[A-Z]{3}-[0-9]{4}$"}
SHORT = {"type": "string", "title": "Name", "minLength": 3, "maxLength": 5}
EMAIL = {"type": "string", "title": "Mail", "format": "email"}
DAY = {"type": "string", "title": "Day", "format": "date"}
NUMBER = {"type": "number", "title": "How many", "minimum": 10, "maximum": 20}


@pytest.mark.parametrize(
    ("field", "typed", "wanted"),
    [
        (PATTERN, "A", "it must match the pattern"),
        (SHORT, "A", "at least 3 characters"),
        (EMAIL, "ada@", "an email address"),
        (DAY, "2026-1", "a date"),
        (NUMBER, "1", "between 10 and 20"),
        ({"type": "number", "title": "How many"}, "-", "a number"),
    ],
)
async def test_what_may_become_right_is_no_error_before_the_field_is_left(
    field: dict[str, Any], typed: str, wanted: str
) -> None:
    app = Asking(form_question(schema(v=field, w=TEXT)))
    async with asked(app) as pilot:
        await pilot.press(*typed)
        await until(pilot, lambda: f"· {wanted}" in app.words, "what is wanted")
        assert "✗" not in app.words
        assert "1 to correct" in app.words, "it cannot be sent"
        await pilot.press("tab")
        await until(pilot, lambda: f"✗ {wanted}" in app.words, "the error")
        await pilot.press("shift+tab", "end")
        await pilot.pause()
        assert f"✗ {wanted}" in app.words, "it was told"


async def test_what_may_become_right_is_an_error_on_send() -> None:
    app = Asking(form_question(schema(v=PATTERN, w=TEXT)))
    async with asked(app) as pilot:
        await pilot.press("A", "ctrl+s")
        await until(pilot, lambda: "✗ it must match the pattern" in app.words, "the error")
        assert app.outcome is None


@pytest.mark.parametrize(
    ("field", "typed"), [(SHORT, "Adalov"), (NUMBER, "21"), (NUMBER, "1x"), (NUMBER, "-1")]
)
async def test_what_no_further_letter_mends_is_an_error_at_once(
    field: dict[str, Any], typed: str
) -> None:
    app = Asking(form_question(schema(v=field, w=TEXT)))
    async with asked(app) as pilot:
        await pilot.press(*typed)
        await until(pilot, lambda: "✗" in app.words, "the error")


async def test_a_password_is_not_shown_as_it_is_typed_but_a_default_of_the_server_is() -> None:
    password = {"type": "string", "title": "Line", "format": "password"}
    given = {**password, "title": "Given", "default": "from afar"}
    app = Asking(form_question(schema(line=password, given=given)))
    async with asked(app, (160, 40)) as pilot:
        await pilot.press(*"opensesame")
        await until(pilot, lambda: '"line": "•••"' in app.words, "what would be sent is masked")
        assert "••••••••••" in app.words
        assert "opensesame" not in app.words
        assert "from afar" in app.words
        assert app.view.body.content == {"line": "opensesame", "given": "from afar"}


@pytest.mark.parametrize("lines", [1, 3])
@pytest.mark.parametrize("longest", [None, 64, 256])
async def test_a_secret_is_not_shown_however_long_it_may_be_and_whatever_lines_are_pasted(
    lines: int, longest: int | None
) -> None:
    word = {"type": "string", "title": "Key", "format": "password"}
    limited = {**word, "maxLength": longest} if longest else word
    app = Asking(form_question(schema(v=limited, w=TEXT)))
    pasted = "\n".join(["opensesame"] * lines)
    async with asked(app, (160, 40)) as pilot:
        if lines == 1:
            await pilot.press(*pasted)
        else:
            app.post_message(events.Paste(pasted))
        await until(pilot, lambda: app.view.body.content == {"v": pasted}, "what was typed")
        await until(pilot, lambda: '"v": "•••"' in app.words, "what would be sent is masked")
        assert app.words.count("••••••••••") == lines
        assert "opensesame" not in app.words
        await pilot.press("f6")
        await until(pilot, lambda: app.words.count("opensesame") == 2 * lines, "shown twice")
        await pilot.press("tab")
        await until(pilot, lambda: "opensesame" not in app.words, "nobody reads it any more")
    assert app.view.body.content == {"v": pasted}
