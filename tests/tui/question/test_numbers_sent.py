"""A number stands on the screen as it goes out, to its last digit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from elicit_tui.elicitation import Call, Question
from elicit_tui.elicitation.own_questions import approval_request
from elicit_tui.host.number_text import json_line, read_float
from tests.tui.question.asking import SERVER, WARNING, Asking, asked, form_question, schema, until

pytestmark = pytest.mark.anyio

SPELLINGS = ("9007199254740993.0", "1e308", "0.30000000000000004", "-0.0", "1e-400", "1.10")
HTTP = replace(SERVER, transport="http")


def of_server(spelling: str) -> dict[str, Any]:
    """A field with one choice, a number that the server spelled so."""
    number = read_float(spelling)
    return schema(v={"type": "number", "oneOf": [{"const": number, "title": "Much"}]})


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("findings", [(), (WARNING,)], ids=["review", "step"])
async def test_a_number_of_the_server_is_shown_as_it_is_sent(
    spelling: str, findings: tuple[Any, ...]
) -> None:
    app = Asking(form_question(of_server(spelling), *findings))
    async with asked(app) as pilot:
        await pilot.press("1", "ctrl+s" if findings else "ctrl+r")
        await until(pilot, lambda: app.view.page != "answer" and not app.view.deaf, "the page")
        assert f'"v": {spelling}\n' in "\n".join(
            line.strip("│ ▁▂▃▄▅▆▇█") for line in app.words.splitlines()
        )
        await pilot.press("ctrl+y" if findings else "ctrl+s")
        await until(pilot, lambda: app.outcome is not None, "the answer")
    assert app.outcome is not None
    assert json_line(app.outcome.content) == b'{"v":%b}\n' % spelling.encode()


@pytest.mark.parametrize("spelling", SPELLINGS)
async def test_the_json_beside_a_form_shows_a_number_as_it_is_sent(spelling: str) -> None:
    app = Asking(form_question(of_server(spelling)))
    async with asked(app, (140, 40)) as pilot:
        await pilot.press("1")
        await until(pilot, lambda: f'"v": {spelling} ' in app.words, "the number")


async def test_a_call_shows_its_numbers_as_they_are_sent() -> None:
    call = Call("tools/call", "pay", {"sum": read_float("9007199254740993.0")})
    app = Asking(Question(approval_request(SERVER, call, {}, "")))
    async with asked(app):
        assert '"sum": 9007199254740993.0' in app.words


async def test_over_http_a_number_is_shown_as_it_is_written_there() -> None:
    app = Asking(form_question(of_server("9007199254740993.0"), server=HTTP))
    async with asked(app) as pilot:
        await pilot.press("1", "ctrl+r")
        await until(pilot, lambda: '"v": 9007199254740992.0' in app.words, "the number")
