"""What a server was answered is offered again in the same field of its next question."""

from __future__ import annotations

from pathlib import Path

import pytest

from elicit_tui.broker.contracts import Resolved
from elicit_tui.elicitation import ElicitationRequest, Review, ServerIdentity, accept
from elicit_tui.form.field import Unset
from elicit_tui.tui.console.earlier_answers import EarlierAnswers
from elicit_tui.tui.widgets.lines import TextLine
from tests.tui.console.stand import CITY, Stand, console

pytestmark = pytest.mark.anyio


async def test_an_answer_is_written_again_by_a_key_that_is_named(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        for city in ("Rome", "Oslo"):
            request = stand.ask("alpha", f"Where to, not {city}?")
            await stand.shown(request)
            await stand.press(*city, "ctrl+s")
            await stand.until(lambda request=request: stand.outcome(request))
        request = stand.ask("alpha", "And now?")
        await stand.shown(request)
        await stand.until(lambda: "↑↓ earlier answers" in stand.text())
        await stand.press("down")
        await stand.until(lambda: "Oslo" in stand.text())
        await stand.press("down")
        await stand.until(lambda: "Rome" in stand.text())
        await stand.press("ctrl+s")
        await stand.until(lambda: stand.outcome(request))
        outcome = stand.outcome(request)
        assert outcome is not None
        assert outcome.content == {"city": "Rome"}


async def answered(stand: Stand, *cities: str) -> None:
    """Answer a question with each of these."""
    for city in cities:
        request = stand.ask("alpha", f"Where to, not {city}?")
        await stand.shown(request)
        await stand.press(*city, "ctrl+s")
        await stand.until(lambda request=request: stand.outcome(request))
    await stand.shown(stand.ask("alpha", "And now?"))


def line(stand: Stand) -> str:
    """What stands in the field."""
    return stand.app.screen.query_one(TextLine).value


@pytest.mark.parametrize(("away", "back"), [("up", "down"), ("down", "up")])
async def test_past_the_newest_answer_stands_again_what_was_being_typed(
    tmp_path: Path, away: str, back: str
) -> None:
    async with console(tmp_path) as stand:
        await answered(stand, "Rome", "Oslo")
        await stand.press(*"Lis")
        seen = []
        for key in (away, back, back, away, away, away, back, back, back):
            await stand.press(key)
            seen.append(line(stand))
        assert seen == ["Oslo", "Lis", "Lis", "Oslo", "Rome", "Rome", "Oslo", "Lis", "Lis"]


async def test_an_answer_that_was_changed_is_what_one_is_typing(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        await answered(stand, "Rome", "Oslo")
        await stand.press(*"Lis", "up", *"-1", "up")
        assert line(stand) == "Oslo"
        await stand.press("down")
        assert line(stand) == "Oslo-1"


async def test_the_key_that_undoes_brings_back_what_was_typed_before_all_earlier_answers(
    tmp_path: Path,
) -> None:
    async with console(tmp_path) as stand:
        await answered(stand, "Rome", "Oslo")
        await stand.press(*"Lis", "up", "up", "up", "ctrl+z")
        assert line(stand) == "Lis"


async def test_an_empty_field_is_unset_again_behind_the_newest_answer(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        await answered(stand, "Rome")
        await stand.press("up", "down")
        assert stand.app.screen.query_one(TextLine).entry == Unset()
        assert "not filled in" in stand.text()


async def test_neither_another_server_nor_another_field_is_offered_it(tmp_path: Path) -> None:
    other = {"type": "object", "properties": {"town": {"type": "string", "title": "Town"}}}
    async with console(tmp_path) as stand:
        request = stand.ask("alpha")
        await stand.shown(request)
        await stand.press(*"Rome", "ctrl+s")
        await stand.until(lambda: stand.outcome(request))
        for server, schema in (("beta", CITY), ("alpha", other)):
            request = stand.ask(server, "And you?", schema)
            await stand.shown(request)
            assert "earlier answers" not in stand.text()
            await stand.press("ctrl+n")
            await stand.until(lambda request=request: stand.outcome(request))


def test_a_secret_is_never_offered_again() -> None:
    request = ElicitationRequest(ServerIdentity("alpha", "stdio", "alpha"), {})
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    content = {"password": "opensesame", "pin": "4711", "note": token, "city": "Rome"}
    earlier = EarlierAnswers()
    outcome = accept("user", "You sent the form.", content)
    earlier.remember(Resolved(request, Review(sensitive=frozenset({"pin"})), outcome))
    known = {name: list(earlier.known("alpha", name)) for name in content}
    assert known == {"password": [], "pin": [], "note": [], "city": ["Rome"]}


def test_what_no_person_answered_is_not_offered() -> None:
    request = ElicitationRequest(ServerIdentity("alpha", "stdio", "alpha"), {})
    earlier = EarlierAnswers()
    outcome = accept("rule", "A rule.", {"city": "Rome"})
    earlier.remember(Resolved(request, Review(), outcome))
    assert not earlier.known("alpha", "city")
