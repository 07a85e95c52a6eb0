"""What has to be done before a form can be seen, and what has not."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot

from elicit_tui.form.field import Entry
from elicit_tui.form.form import Conversion, Form
from elicit_tui.tui.question import QuestionScreen
from elicit_tui.tui.widgets.row import FieldRow
from tests.tui.question.asking import Asking, form_question, rows, schema, until

pytestmark = pytest.mark.anyio
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
SIZES = ((80, 24), (140, 40))
FORM = schema(
    ("field1",),
    field1={"type": "string", "minLength": 2},
    field2={"type": "integer", "minimum": 1, "maximum": 9},
    field3={"type": "string", "enum": ["red", "green", "blue"]},
    field4={"type": "boolean"},
)


class Standing(Asking):
    """An application that stands before its question comes."""

    def on_mount(self, event: events.Mount) -> None:  # type: ignore[override]
        """Nothing is asked yet."""
        event.prevent_default()

    async def ask(self, pilot: Pilot[None]) -> None:
        await pilot.pause()
        self.push_screen(QuestionScreen(self.view))
        await until(pilot, lambda: not self.view.deaf, "the question is ready")


def seen(written: list[str]) -> str:
    return _CONTROL.sub("", "".join(written))


@pytest.mark.parametrize("size", SIZES)
async def test_a_form_is_on_the_terminal_before_anything_in_it_is_judged(
    size: tuple[int, int], terminal: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before: list[tuple[bool, str]] = []
    judge = Form.convert
    app = Standing(form_question(FORM))

    def convert(form: Form, entries: Mapping[str, Entry], **more: Any) -> Conversion:
        before.append((app.view.is_mounted, seen(terminal)))
        return judge(form, entries, **more)

    monkeypatch.setattr(Form, "convert", convert)
    async with app.run_test(size=size) as pilot:
        await app.ask(pilot)
        assert "◌ 1 answer missing" in app.words
    assert before
    mounted, words = before[0]
    assert mounted
    assert "field4" in words
    assert "Send" in words


@pytest.mark.parametrize("size", SIZES)
async def test_a_form_is_painted_once_before_its_keys_are_heard(
    size: tuple[int, int], terminal: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    app = Standing(form_question(FORM))
    paintings: list[int] = []
    resized = type(app.view).on_resize

    def on_resize(view: Any, event: events.Resize) -> None:
        paintings.append(seen(terminal).count("field1"))
        resized(view, event)

    monkeypatch.setattr(type(app.view), "on_resize", on_resize)
    async with app.run_test(size=size) as pilot:
        await app.ask(pilot)
        assert paintings == [1]


@pytest.mark.parametrize("size", SIZES)
async def test_the_columns_of_a_form_are_the_right_ones_from_its_first_painting(
    size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    laid_out: list[FieldRow] = []
    lay_out = FieldRow.lay_out

    def count(row: FieldRow, columns: Any) -> None:
        laid_out.append(row)
        lay_out(row, columns)

    monkeypatch.setattr(FieldRow, "lay_out", count)
    app = Standing(form_question(FORM))
    async with app.run_test(size=size) as pilot:
        await app.ask(pilot)
        await pilot.pause()
        assert ("what would be sent" in app.words) == (size[0] >= 120)
    assert len(laid_out) == 4


async def test_of_a_screen_only_what_changes_is_written(terminal: list[str]) -> None:
    app = Standing(form_question(FORM))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.ask(pilot)
        await until(pilot, lambda: "1 answer missing" in app.words, "the verdict")
        await pilot.pause()
        whole = len("".join(terminal))
        message = "Where to?"
        assert seen(terminal).count(message) <= 2, "painted, and once more when its parts settled"
        assert rows(terminal, (80, 24)) == app.words.splitlines(), "nothing is left out"
        before = len(terminal)
        await pilot.press("tab", "tab")
        await until(pilot, lambda: "1-3 ←→ choose" in app.words, "the keys of the next field")
        await pilot.pause()
        assert rows(terminal, (80, 24)) == app.words.splitlines()
        assert message not in seen(terminal[before:])
        assert len("".join(terminal[before:])) < whole / 2
