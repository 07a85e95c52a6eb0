"""Each kind of field, driven by the keyboard, and the content that comes of it."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import pytest

from elicit_tui.tui.widgets.date_line import DateLine
from tests.tui.question.asking import Asking, answer, asked, form_question, schema, typing

pytestmark = pytest.mark.anyio

TEXT = {"type": "string", "title": "Name"}
BOOLEAN = {"type": "boolean", "title": "Sure"}
ENUM = {"type": "string", "enum": ["a", "b", "c"], "enumNames": ["Alpha", "Beta", "Gamma"]}
MULTI = {"type": "array", "items": {"enum": ["x", "y", "z"]}, "minItems": 1, "maxItems": 2}


async def content_of(prop: dict[str, Any], *keys: str, required: bool = False) -> Any:
    asking = Asking(form_question(schema(("v",) if required else (), v=prop)))
    outcome = await answer(asking, *keys, "ctrl+s")
    assert outcome is not None, "nothing was sent"
    assert outcome.action == "accept"
    assert outcome.decided_by == "user"
    return dict(outcome.content or {})


@pytest.mark.parametrize(
    ("prop", "keys", "content"),
    [
        pytest.param(TEXT, typing("Ada"), {"v": "Ada"}, id="a typed text is sent"),
        pytest.param(TEXT, [], {}, id="an untouched text is left out"),
        pytest.param(TEXT, ["ctrl+e"], {"v": ""}, id="empty on purpose is the empty string"),
        pytest.param(TEXT, ["ctrl+e", "ctrl+u"], {}, id="cleared after empty is unset"),
        pytest.param(TEXT, ["a", "backspace"], {}, id="typed and erased is unset"),
        pytest.param({**TEXT, "default": "x"}, [], {"v": "x"}, id="an untouched default is sent"),
        pytest.param({**TEXT, "default": ""}, [], {"v": ""}, id="an empty default is sent"),
        pytest.param({**TEXT, "default": "x"}, ["ctrl+u"], {}, id="a cleared default is left out"),
        pytest.param(
            {**TEXT, "default": "x"}, ["ctrl+u", "ctrl+d"], {"v": "x"}, id="ctrl+d: default back"
        ),
        pytest.param(
            {**TEXT, "default": "x"}, ["ctrl+u", "ctrl+z"], {"v": "x"}, id="ctrl+z takes it back"
        ),
        pytest.param({**TEXT, "format": "email"}, typing("a@b.co"), {"v": "a@b.co"}, id="an email"),
        pytest.param(
            {**TEXT, "format": "uri"}, typing("https://a.b"), {"v": "https://a.b"}, id="a uri"
        ),
        pytest.param(
            {**TEXT, "format": "date"}, typing("2026-01-02"), {"v": "2026-01-02"}, id="a date"
        ),
        pytest.param({"type": "integer"}, typing("5.0"), {"v": 5}, id="5.0 is an integer"),
        pytest.param({"type": "integer", "default": 0}, [], {"v": 0}, id="a default of 0 is sent"),
        pytest.param(
            {"type": "integer"},
            typing("12345678901234567890"),
            {"v": 12345678901234567890},
            id="a big integer stays exact",
        ),
        pytest.param({"type": "number"}, typing("-0.5"), {"v": -0.5}, id="a negative number"),
        pytest.param(
            {"type": "integer", "minimum": 3},
            ["up", "up"],
            {"v": 4},
            id="stepping from the minimum",
        ),
        pytest.param(
            {"type": "integer", "maximum": 3, "default": 3}, ["up"], {"v": 3}, id="no step too far"
        ),
        pytest.param(
            {"type": "integer", "multipleOf": 5, "default": 10}, ["down"], {"v": 5}, id="by steps"
        ),
        pytest.param(BOOLEAN, [], {}, id="an untouched boolean is left out"),
        pytest.param(BOOLEAN, ["right", "space"], {"v": True}, id="yes"),
        pytest.param(BOOLEAN, ["n", "space"], {"v": False}, id="no is sent as false"),
        pytest.param({**BOOLEAN, "default": False}, [], {"v": False}, id="a default of false"),
        pytest.param(
            {**BOOLEAN, "default": True}, ["left", "space"], {}, id="back to unset is left out"
        ),
        pytest.param(ENUM, [], {}, id="nothing is preselected"),
        pytest.param(ENUM, ["right", "right"], {}, id="moving the bar chooses nothing"),
        pytest.param(ENUM, ["right", "space"], {"v": "b"}, id="space chooses under the bar"),
        pytest.param(ENUM, ["g", "enter"], {"v": "c"}, id="a letter moves the bar"),
        pytest.param({**ENUM, "default": "c"}, [], {"v": "c"}, id="a default choice"),
        pytest.param({**ENUM, "default": "c"}, ["ctrl+u"], {}, id="a choice taken back"),
        pytest.param(MULTI, ["space", "right", "space"], {"v": ["x", "y"]}, id="several chosen"),
        pytest.param(MULTI, ["space", "space"], {}, id="chosen and taken out again is unset"),
        pytest.param(
            {"type": "array", "items": {"enum": ["x"]}}, ["ctrl+e"], {"v": []}, id="an empty list"
        ),
    ],
)
async def test_what_the_keys_say_is_what_is_sent(
    prop: dict[str, Any], keys: list[str], content: dict[str, Any]
) -> None:
    assert await content_of(prop, *keys) == content


async def test_a_required_boolean_can_be_answered_with_no() -> None:
    assert await content_of(BOOLEAN, "n", "space", required=True) == {"v": False}


async def test_a_long_list_is_searched_by_typing_and_nothing_is_chosen_before_enter() -> None:
    cities = {"type": "string", "enum": [f"city-{number:04}" for number in range(5000)]}
    assert await content_of(cities, *typing("4321")) == {}
    assert await content_of(cities, *typing("4321"), "enter") == {"v": "city-4321"}


async def test_several_of_a_long_list_are_sent_in_the_order_of_the_schema() -> None:
    prop = {"type": "array", "items": {"enum": [f"tag{number}" for number in range(20)]}}
    keys = ["end", "space", "home", "space"]
    assert await content_of(prop, *keys) == {"v": ["tag0", "tag19"]}


async def test_a_long_text_takes_several_lines() -> None:
    prop = {"type": "string", "maxLength": 4000}
    assert await content_of(prop, "a", "enter", "b") == {"v": "a\nb"}


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


async def test_length_is_counted_as_it_is_typed() -> None:
    app = Asking(form_question(schema(v={"type": "string", "minLength": 3})))
    async with asked(app) as pilot:
        await pilot.press("a", "b")
        await pilot.pause()
        assert "now 2" in app.words
        assert "✗" in app.words
        await pilot.press("c")
        await pilot.pause()
        assert "now 3" in app.words
        assert "✗" not in app.words


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
        assert "Send ^S" not in app.words
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


async def test_enter_goes_on_and_never_sends() -> None:
    app = Asking(form_question(schema(a=TEXT, b=TEXT)))
    outcome = await answer(app, "1", "enter", "2", "enter", "enter")
    assert outcome is None


async def test_invisible_characters_of_a_default_are_said() -> None:
    app = Asking(form_question(schema(v={**TEXT, "default": "a\u202eb\u200b"})))
    async with asked(app):
        assert "holds 2 characters that cannot be seen: U+202E, U+200B" in app.words
