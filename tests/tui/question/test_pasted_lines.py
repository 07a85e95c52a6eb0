"""Lines that are pasted into a text of a question stay lines, and are seen as they will be sent."""

from __future__ import annotations

import time
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot

from elicit_tui.tui.key_gate import PASTE_SECONDS
from tests.tui.question.asking import Asking, asked, form_question, schema, until

pytestmark = pytest.mark.anyio

NOTE = {"type": "string", "title": "Note"}
NAME = {"type": "string", "title": "Name"}


async def obeyed_again(pilot: Pilot[Any]) -> None:
    """Wait until a key is taken for the person's again, and not for a part of the paste."""
    end = time.monotonic() + PASTE_SECONDS
    await until(pilot, lambda: time.monotonic() > end, "the end of the paste")


@pytest.mark.parametrize("size", [(80, 24), (40, 12)], ids=str)
async def test_pasted_lines_are_seen_and_sent_as_lines(size: tuple[int, int]) -> None:
    app = Asking(form_question(schema(name=NAME, note=NOTE, more=NAME)))
    async with asked(app, size) as pilot:
        await pilot.press("tab", *"ab", "left")
        # All at once, as it comes from a terminal.
        for event in (events.Paste("one\n\n  two\n"), events.Key("c", "c")):
            await app.on_event(event)
        shown = ("aone", "  two", "cb")
        await until(pilot, lambda: all(line in app.words for line in shown), "the lines")
        await obeyed_again(pilot)
        await pilot.press("tab", *"Ada")
        await until(pilot, lambda: " Ada " in app.words, "the next field")
        app.view.action_send()
        await until(pilot, lambda: bool(app.outcomes), "the answer")
    assert app.outcome is not None
    assert app.outcome.content == {"note": "aone\n\n  two\ncb", "more": "Ada"}


async def test_as_many_pasted_lines_are_seen_at_once_as_there_is_room_for() -> None:
    app = Asking(form_question(schema(note=NOTE)))
    async with asked(app, (80, 30)) as pilot:
        app.post_message(events.Paste("\n".join(f"line {number}" for number in range(9))))
        await until(
            pilot, lambda: all(f"line {n}" in app.words for n in range(9)), "all of the lines"
        )


async def test_the_key_that_undoes_takes_pasted_lines_back() -> None:
    app = Asking(form_question(schema(note=NOTE)))
    async with asked(app) as pilot:
        await pilot.press(*"before")
        app.post_message(events.Paste("one\ntwo"))
        await until(pilot, lambda: "two" in app.words, "the lines")
        await obeyed_again(pilot)
        await pilot.press("ctrl+z")
        await until(pilot, lambda: "two" not in app.words, "what stood there before")
        assert "before" in app.words


async def test_lines_pasted_into_an_address_become_one_as_no_address_has_several() -> None:
    app = Asking(form_question(schema(link={**NOTE, "format": "uri"})))
    async with asked(app) as pilot:
        app.post_message(events.Paste("https://a.example\nb"))
        await until(pilot, lambda: "https://a.example b" in app.words, "one line")


async def test_a_key_that_is_named_begins_another_line_in_a_text() -> None:
    app = Asking(form_question(schema(note=NOTE, code={**NAME, "maxLength": 8})))
    async with asked(app) as pilot:
        await until(pilot, lambda: "^J line break" in app.words, "the key is named")
        await pilot.press(*"one", "ctrl+j", *"two")
        await until(pilot, lambda: app.view.body.content == {"note": "one\ntwo"}, "two lines")
        await pilot.press("tab", *"ab", "ctrl+j")
        await until(pilot, lambda: "^J line break" not in app.words, "a short text has one line")
        assert app.view.body.content == {"note": "one\ntwo", "code": "ab"}
