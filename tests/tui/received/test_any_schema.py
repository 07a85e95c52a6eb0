"""Random forms of the subset: any content that satisfies the schema can be typed and is sent."""

from __future__ import annotations

import asyncio
import json
from itertools import pairwise
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from textual import events
from textual.app import ComposeResult
from textual.pilot import Pilot

from elicit_tui.form.conversion import entry_for
from elicit_tui.form.field import Chosen, ChosenMany, EmptyOnPurpose, Entry, Field, Ticked, Typed
from elicit_tui.form.form import Form
from elicit_tui.form.schema_reading import read_form
from elicit_tui.tui.ordered_app import OrderedApp
from elicit_tui.tui.theme import use_theme
from elicit_tui.tui.widgets.form_view import FormView
from elicit_tui.tui.widgets.row import SHORT_LIST
from tests.form.schemas import contents, schemas


@st.composite
def _cases(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    schema = draw(schemas())
    return schema, draw(contents(schema))


class Filling(OrderedApp[None]):
    """A form alone."""

    def __init__(self, form: Form) -> None:
        super().__init__()
        use_theme(self, "dark")
        self.form_view = FormView(form)

    def compose(self) -> ComposeResult:
        """The form."""
        yield self.form_view


def _key(letter: str, *, from_blank: bool) -> events.Key:
    """`from_blank`: from an empty line of a list, where Enter would go on to the next field."""
    if letter != "\n":
        return events.Key(letter, letter)
    return events.Key("ctrl+j", "\n") if from_blank else events.Key("enter", "\r")


def _keys(field: Field, entry: Entry) -> list[events.Key]:
    """What a person types for this entry, in the field that has the focus and is unset."""
    if isinstance(entry, Typed):
        # Each press is an event of its own: Textual hands none on a second time.
        return [
            _key(letter, from_blank=field.each_line and before == "\n")
            for before, letter in pairwise("\n" + entry.text)
        ]
    if isinstance(entry, EmptyOnPurpose):
        return [events.Key("ctrl+e", None)]
    if isinstance(entry, Ticked):
        return _chosen(field, [1 if entry.value else 2])
    if isinstance(entry, Chosen):
        return _chosen(field, [_place(field, entry.value)])
    if isinstance(entry, ChosenMany):
        return _chosen(field, [_place(field, value) for value in entry.values])
    return []


def _place(field: Field, value: Any) -> int:
    values = [json.dumps(choice.value) for choice in field.choices]
    return values.index(json.dumps(value))


def _chosen(field: Field, places: list[int]) -> list[events.Key]:
    keys = []
    onward = "down" if len(field.choices) > SHORT_LIST else "right"
    for place in places:
        keys += [events.Key("home", None), *[events.Key(onward, None)] * place]
        keys.append(events.Key("space", " "))
    return keys


async def _type(pilot: Pilot[None], keys: list[events.Key]) -> None:
    for key in keys:
        pilot.app.post_message(key)
    await pilot.pause()
    while pilot.app._order._waiting:  # type: ignore[attr-defined]
        await pilot.pause()


async def _fill_in(form: Form, content: dict[str, Any]) -> dict[str, Any]:
    app = Filling(form)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        for field in form.fields:
            if field.name not in content or not field.sendable:
                continue
            app.form_view.focus_field(field.name)
            await pilot.pause()
            await _type(pilot, _keys(field, entry_for(field, content[field.name])))
        await pilot.pause()
        conversion = app.form_view.conversion
        assert conversion.problems == (), app.form_view.entries
        return dict(conversion.content)


@settings(
    derandomize=True,
    deadline=None,
    max_examples=25,
    phases=(Phase.generate,),
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
@given(_cases())
def test_every_content_that_satisfies_the_schema_can_be_typed(
    case: tuple[dict[str, Any], dict[str, Any]],
) -> None:
    schema, content = case
    form = read_form(schema)
    if form.refusal is not None or form.judge(content):
        return
    typed = asyncio.run(_fill_in(form, content))
    assert not form.judge(typed)
    sendable = {field.name for field in form.fields if field.sendable}
    wanted = {name: value for name, value in content.items() if name in sendable}
    # Several chosen are sent in the schema's order, and each once: as a set they are the same.
    assert _unordered(typed) == _unordered(wanted)


def _unordered(content: dict[str, Any]) -> dict[str, Any]:
    return {
        name: sorted(value, key=json.dumps) if isinstance(value, list) else value
        for name, value in content.items()
    }
