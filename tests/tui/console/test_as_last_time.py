"""A form that was answered before is filled in at once, by one key; nothing of it goes unseen."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from elicit_tui.broker.contracts import Resolved
from elicit_tui.elicitation import ElicitationRequest, Review, ServerIdentity, accept
from elicit_tui.ledger import Ledger
from elicit_tui.tui.console import earlier_answers
from elicit_tui.tui.console.earlier_answers import KEPT_FORMS, EarlierAnswers, sent_before
from elicit_tui.tui.question import QuestionView
from elicit_tui.tui.question.form_body import FormBody
from tests.tui.console.stand import Stand, console

pytestmark = pytest.mark.anyio

TRIP: dict[str, Any] = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "title": "City"},
        "nights": {"type": "integer", "title": "Nights", "default": 2},
        "pets": {"type": "boolean", "title": "Pets"},
        "class": {"type": "string", "title": "Class", "enum": ["first", "second"]},
        "extras": {
            "type": "array",
            "title": "Extras",
            "items": {"type": "string", "enum": ["meals", "wifi", "bike"]},
        },
    },
    "required": ["city"],
}
ANSWER = {"city": "Rome", "nights": 3, "pets": True, "class": "second", "extras": ["meals", "bike"]}


def body(stand: Stand) -> FormBody:
    """What the question on the screen is about."""
    found = stand.app.screen.query_one(QuestionView).body
    assert isinstance(found, FormBody)
    return found


def resolved(content: dict[str, Any], schema: Any, message: str = "?", **review: Any) -> Resolved:
    """The person sent this."""
    params = {"message": message, "requestedSchema": schema}
    request = ElicitationRequest(ServerIdentity("alpha", "stdio", "alpha"), params)
    return Resolved(request, Review(**review), accept("user", "Sent.", content))


def answered(stand: Stand, schema: dict[str, Any] = TRIP, content: Any = ANSWER) -> None:
    """This form was answered so before."""
    stand.app.state.earlier_answers.remember(resolved(content, schema, "Where to?"))


async def asked(stand: Stand, schema: dict[str, Any] = TRIP, **more: Any) -> ElicitationRequest:
    """The same form, once more."""
    request = stand.ask("alpha", "Where to?", schema, **more)
    await stand.shown(request)
    return request


async def test_one_key_fills_in_every_field_as_it_was_answered_last(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        first = await asked(stand)
        fields = body(stand).fields
        fields.put(fields.form.entries_for(ANSWER))
        await stand.pilot.pause()
        await stand.press("ctrl+s")
        await stand.until(lambda: stand.outcome(first))
        again = await asked(stand)
        await stand.until(lambda: "F8 As last time" in stand.text())
        await stand.press("f8")
        await stand.until(lambda: "5 fields filled in as last time" in stand.text())
        assert "↺ from last time" in stand.text()
        await stand.press("ctrl+s")
        await stand.until(lambda: stand.outcome(again))
        outcome = stand.outcome(again)
        assert outcome is not None
        assert outcome.content == ANSWER


async def test_a_form_that_was_never_answered_names_no_such_key(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        answered(stand)
        other = {**TRIP, "required": []}
        request = await asked(stand, other)
        await stand.pilot.pause()
        assert "As last time" not in stand.text()
        await stand.press("f8")
        await stand.until(lambda: "Nothing that you sent in this form is known" in stand.text())
        assert stand.outcome(request) is None


async def test_what_was_changed_by_hand_stays_and_the_same_key_takes_the_rest_out_again(
    tmp_path: Path,
) -> None:
    async with console(tmp_path) as stand:
        answered(stand)
        await asked(stand)
        await stand.press(*"Oslo", "f8")
        await stand.until(lambda: "4 fields filled in" in stand.text())
        assert body(stand).content == {**ANSWER, "city": "Oslo"}
        assert "F8 Take back" in stand.text()
        await stand.press("f8")
        await stand.until(lambda: body(stand).content == {"city": "Oslo", "nights": 2})
        assert "F8 As last time" in stand.text()
        assert body(stand).fields.touched == {"city"}


async def test_a_field_that_was_filled_in_and_changed_then_is_not_taken_out(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        answered(stand)
        await asked(stand)
        await stand.press("f8", *"Bern", "f8")
        await stand.until(lambda: body(stand).content == {"city": "Bern", "nights": 2})


async def test_the_key_that_undoes_brings_back_what_stood_in_one_field(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        answered(stand)
        await asked(stand)
        await stand.press("tab", "f8", "ctrl+z")
        await stand.until(lambda: body(stand).content == {**ANSWER, "nights": 2})


async def test_what_lies_above_the_screen_when_it_is_filled_in_is_shown_first(
    tmp_path: Path,
) -> None:
    names = [f"field{place}" for place in range(30)]
    long = {"type": "object", "properties": {name: {"type": "string"} for name in names}}
    answers = dict.fromkeys(names, "yes")
    async with console(tmp_path, size=(80, 24)) as stand:
        answered(stand, long, answers)
        again = await asked(stand, long)
        body(stand).fields.focus_field(names[-1])
        await stand.pilot.pause()
        await stand.press("f8")
        await stand.pilot.pause()
        assert names[0] in body(stand).fields.fields_unseen
        await stand.press("ctrl+s")
        await stand.pilot.pause()
        assert stand.outcome(again) is None


def test_a_secret_is_not_kept_whoever_calls_it_one() -> None:
    schema = {"type": "object", "properties": {"line": {"type": "string", "format": "password"}}}
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    content = {
        "line": "opensesame",
        "password": "opensesame",
        "pin": 4711,
        "note": f"it is {token}",
        "notes": ["plain", token],
        "city": "Rome",
    }
    event = resolved(content, schema, sensitive=frozenset({"pin"}))
    earlier = EarlierAnswers()
    earlier.remember(event)
    assert earlier.last(event.request) == {"city": "Rome"}
    assert not earlier.known("alpha", "line")


def test_the_answer_to_the_same_message_comes_before_a_newer_one_to_another() -> None:
    earlier = EarlierAnswers()
    first = resolved({"city": "Rome"}, TRIP, "Where to?")
    earlier.remember(first)
    earlier.remember(resolved({"city": "Oslo"}, TRIP, "Where from?"))
    assert earlier.last(first.request) == {"city": "Rome"}
    assert earlier.last(resolved({}, TRIP, "And then?").request) == {"city": "Oslo"}


def test_only_so_many_forms_are_kept() -> None:
    earlier = EarlierAnswers()
    events = [resolved({"city": "Rome"}, {"title": str(place)}) for place in range(KEPT_FORMS + 1)]
    for event in events:
        earlier.remember(event)
    assert not earlier.last(events[0].request)
    assert earlier.last(events[-1].request)


async def sent(stand: Stand, schema: dict[str, Any], content: dict[str, Any]) -> None:
    """The form came, and the person sent this."""
    request = await asked(stand, schema)
    fields = body(stand).fields
    fields.put(fields.form.entries_for(content))
    await stand.pilot.pause()
    await stand.press("ctrl+s")
    await stand.until(lambda: stand.outcome(request))


async def test_the_next_run_fills_in_what_was_sent_in_this_one(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        await sent(stand, TRIP, {**ANSWER, "city": "Bern"})
        await sent(stand, TRIP, ANSWER)
    async with console(tmp_path) as stand:
        again = await asked(stand)
        await stand.until(lambda: "F8 As last time" in stand.text())
        await stand.press("f8")
        await stand.until(lambda: "5 fields filled in as last time" in stand.text())
        await stand.press("ctrl+s")
        await stand.until(lambda: stand.outcome(again))
        outcome = stand.outcome(again)
        assert outcome is not None
        assert outcome.content == ANSWER


@pytest.mark.parametrize("content", ["redacted", "full", "none"])
async def test_the_next_run_fills_in_no_secret_and_nothing_of_another_form_or_server(
    tmp_path: Path, content: Any
) -> None:
    secret = {"type": "string", "title": "Key", "format": "password"}
    schema = {**TRIP, "properties": {**TRIP["properties"], "api_key": secret}}
    request = resolved({"city": "Rome", "api_key": "sk-1234567890abcdef"}, schema)
    ledger = Ledger.open(tmp_path / "kept.sqlite3", content)
    ledger.asked(request.request, Review())
    ledger.decided(request.request, request.outcome, Review())
    told = {} if content == "none" else {"city": "Rome"}
    assert sent_before(ledger, request.request) == told
    assert sent_before(ledger, resolved({}, TRIP).request) == {}
    other = ElicitationRequest(ServerIdentity("beta", "stdio", "beta"), request.request.params)
    assert sent_before(ledger, other) == {}
    ledger.close()
    assert sent_before(object(), request.request) == {}


def long_history(rows: int = 200) -> Iterator[SimpleNamespace]:
    """The same form sent often, with other messages, as a ledger gives its rows."""
    for number in range(rows):
        yield SimpleNamespace(
            server="alpha",
            action="accept",
            decided_by="user",
            request={"requestedSchema": deepcopy(TRIP)},
            message=f"m{number}",
            content={"city": f"Rome {number}"},
            findings=[],
            details={},
        )


def test_no_long_history_holds_up_the_question_that_is_asked_now(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked_now = resolved({}, TRIP, "now").request
    keyed: list[Any] = []
    read = long_history()
    with monkeypatch.context() as patch:
        patch.setattr(earlier_answers, "json_key", lambda value: keyed.append(value) or str(value))
        ledger = SimpleNamespace(decided_last=lambda most: read)
        assert sent_before(ledger, asked_now) == {"city": "Rome 0"}
    assert list(read) == [], "a row of the same message may come last"
    assert len(keyed) == 2, "this form and the one that it is"
    monkeypatch.setattr(earlier_answers, "LOOKED_SECONDS", -1.0)
    slow = long_history()
    found = sent_before(SimpleNamespace(decided_last=lambda most: slow), asked_now)
    assert found == {"city": "Rome 0"}
    assert len(list(slow)) == 199, "nobody waits for all of them"


def test_a_form_that_says_1_is_none_that_says_true() -> None:
    one, true = ({**TRIP, "properties": {"v": {"const": const}}} for const in (1, True))
    row = next(long_history())
    row.request, row.content = {"requestedSchema": one}, {"v": 1}
    ledger = SimpleNamespace(decided_last=lambda most: iter([row]))
    assert sent_before(ledger, resolved({}, one).request) == {"v": 1}
    assert sent_before(ledger, resolved({}, true).request) == {}
