"""What a question is, waits and ends with: the nouns that every room passes on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from elicit_tui.broker.ask import agent_refusal
from elicit_tui.elicitation import (
    Call,
    Deadline,
    Draft,
    ElicitationRequest,
    Finding,
    LoginPage,
    Pending,
    Presence,
    Question,
    Queue,
    Review,
    ServerIdentity,
    Severity,
    accept,
    approval_request,
    authorization_request,
    cancel,
    decline,
    form_of,
    question,
    review_of_call,
    what_changed,
)
from elicit_tui.elicitation.keeping import kept_content
from elicit_tui.elicitation.own_questions import hints_of
from elicit_tui.elicitation.request import page_of_error, rfc3339
from elicit_tui.form.field import Typed
from tests.broker.conftest import form_request

pytestmark = pytest.mark.anyio

SERVER = ServerIdentity("s", "stdio", "s")
CARD = 4111111111111111
TOKEN = "ghp_" + "x7Kd92LmQ4" * 3 + "aBcDeF"


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


# Requests


def test_what_a_server_calls_a_tool_is_no_definition_of_one() -> None:
    told = {"tool": {"name": "drop"}, "before": {"name": "keep"}, "changed": ["title"]}
    asked = form_request(params=told)
    assert (asked.definition, asked.definition_before, what_changed(asked)) == ({}, None, None)
    ours = ElicitationRequest(SERVER, told, kind="approval")
    assert (ours.definition, ours.definition_before) == (told["tool"], told["before"])
    broken = ElicitationRequest(SERVER, {"tool": 5, "before": 5, "changed": 5}, kind="approval")
    assert (broken.definition, broken.definition_before, what_changed(broken)) == ({}, None, None)


def test_what_changed_of_a_tool_is_named_in_words_of_ours() -> None:
    before = {"name": "t", "title": "Old", "description": "Same.", "x\x1b": 1}
    after = {"name": "t", "title": "New", "description": "Same.", "inputSchema": {}}
    call = Call("tools/call", "t")
    sentence = what_changed(approval_request(SERVER, call, after, "why", before)) or ""
    assert "its title, what it takes, “x" in sentence
    assert sentence.isprintable()
    assert "and more" not in sentence
    many = {f"k{number}": number for number in range(6)}
    assert "“k4” and more." in (what_changed(approval_request(SERVER, call, many, "w", {})) or "")
    assert what_changed(approval_request(SERVER, call, after, "why")) is None


@pytest.mark.parametrize(
    ("annotations", "hints"),
    [
        (None, ()),
        ("destructive", ()),
        ({"readOnlyHint": True, "destructiveHint": True}, ("read-only",)),
        ({"readOnlyHint": "true"}, ()),
        ({"destructiveHint": True}, ("destructive",)),
        ({"destructiveHint": "no"}, ("destructive",)),
        ({"destructiveHint": False}, ()),
        ({"destructiveHint": None}, ()),
        ({"idempotentHint": True, "openWorldHint": True}, ("idempotent", "open world")),
        ({"idempotentHint": 1, "openWorldHint": 1}, ()),
    ],
)
def test_a_hint_that_calms_is_a_plain_true_and_one_that_alarms_no_plain_no(
    annotations: Any, hints: tuple[str, ...]
) -> None:
    assert hints_of({"annotations": annotations}) == hints


def test_the_arguments_of_a_call_are_looked_through_to_a_bounded_depth() -> None:
    def found(value: Any) -> tuple[Finding, ...]:
        return review_of_call(Call("tools/call", "t", {"a": value, "n": 5})).findings

    mixed: Any = "\u0430dmin"
    for _ in range(15):
        mixed = [mixed]
    assert [finding.severity for finding in found(mixed)] == [Severity.NOTE]
    assert found([mixed]) == ()
    assert found({"\u0430dmin": 1})[0].where == "arguments.a"
    assert len(found(["\u0430dmin"] * 20)) == 8
    assert found("Привет, admin") == ()


@pytest.mark.parametrize(
    ("params", "wire_id", "era", "by_retry"),
    [
        ({"mode": "url", "url": "https://a.example", "elicitationId": "e"}, 1, "handshake", False),
        ({"mode": "url", "url": "https://a.example", "elicitationId": "e"}, "e", "handshake", True),
        ({"mode": "url", "url": "https://a.example"}, "k", "modern", True),
        ({"mode": "url", "url": "https://a.example"}, None, "handshake", False),
        ({"mode": "form"}, "k", "modern", False),
    ],
)
def test_an_accept_waits_for_the_page_only_where_the_call_is_tried_again(
    params: dict[str, Any], wire_id: Any, era: Any, by_retry: bool
) -> None:
    request = ElicitationRequest(SERVER, {"message": "?", **params}, era=era, wire_id=wire_id)
    assert request.answered_by_retry is by_retry
    login = replace(request, kind="authorization")
    assert login.answered_by_retry


def test_only_a_page_is_taken_from_an_error() -> None:
    assert page_of_error({"url": "u"}) == {"url": "u", "mode": "url"}
    assert page_of_error({"mode": "form"}) is None
    assert page_of_error("https://a.example") is None


def test_one_of_many_keeps_only_the_beginnings_of_its_texts() -> None:
    big = form_request("A" * 900, params={"url": 5})
    assert big.in_short().params == {"mode": "form", "message": "A" * 500}
    assert replace(big, params="nonsense").in_short().params == {}
    page = {"mode": "url", "message": "Log in.", "url": "https://a.example", "elicitationId": "e"}
    asked = ElicitationRequest(SERVER, {**page, "_meta": {}})
    assert asked.in_short().params == page


def test_a_login_belongs_to_the_calls_that_wait_for_it() -> None:
    call = Call("tools/call", "1")
    page = LoginPage("https://login.example/authorize", "https://login.example")
    assert authorization_request(SERVER, page, [call]).may_belong_to(call.id)


def test_calls_that_are_over_are_left_out_unless_all_of_them_are() -> None:
    one, two = Call("tools/call", "1"), Call("tools/call", "2")
    request = form_request(calls=(one, two))
    assert (request.may_belong_to(one.id), request.may_belong_to("x")) == (True, False)
    assert request.call is None
    assert request.of_calls_left(lambda call_id: call_id == one.id).call is two
    assert request.of_calls_left(lambda call_id: True) is request


def test_a_moment_is_spelled_in_utc_whatever_its_zone() -> None:
    east = timezone(timedelta(hours=2))
    moment = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=east)
    assert rfc3339(moment) == "2026-01-02T01:04:05.678Z"


# Answers


def test_what_an_accept_has_to_have_shown_is_what_it_carries() -> None:
    request = form_request()
    question = Question(request, form=form_of(request))
    assert question.to_see({"colour": "red"}) == {"message", "content.colour"}
    assert question.to_see({}) == question.to_see(None) == {"message"}
    approval = Question(approval_request(SERVER, Call("tools/call", "t"), None, "why"))
    assert approval.to_see({"made": "up"}) == {"message", "call"}
    page = ElicitationRequest(SERVER, {"mode": "url", "message": "?", "url": "https://a.example"})
    assert Question(page).to_see(None) == {"message", "url"}


def test_a_mistake_of_the_author_and_what_an_unset_field_carries_bind_nobody() -> None:
    author = Finding("a.a", Severity.BLOCK, "message", "x", "Mend it.", to_author=True)
    carried = Finding("b.b", Severity.WARN, "message", "x", "Look.", fields=("note",))
    noted = Finding("c.c", Severity.NOTE, "message", "x", "Look.")
    question = Question(form_request(), Review((author, carried, noted)))
    assert question.to_acknowledge == (carried,)
    assert question.to_acknowledge_for({"colour": "red"}) == ()
    assert question.to_acknowledge_for({"note": ""}) == (carried,)
    assert question.to_acknowledge_for(None) == (carried,)


def finds(content: Mapping[str, Any]) -> tuple[Finding, ...]:
    return (Finding("own.secret", Severity.WARN, "content.colour", "x", "Look."),)


def test_an_agent_gives_no_secret_that_is_asked_for_however_lightly_it_was_found() -> None:
    request = form_request()
    question = Question(request, form=form_of(request))
    assert agent_refusal(question, "accept", {"colour": "red"}) is None
    asks = Finding("credentials.password", Severity.NOTE, "message", "x", "Look.")
    secret = replace(question, review=Review((asks,)))
    assert "only a person gives" in (agent_refusal(secret, "accept", {"colour": "red"}) or "")
    assert agent_refusal(secret, "decline", None) is None
    other = Finding("schema.size", Severity.NOTE, "message", "x", "Look.")
    noted = replace(question, review=Review((other,)))
    assert agent_refusal(noted, "accept", {"colour": "red"}) is None
    held = replace(question, examine=finds)
    assert "held a secret" in (agent_refusal(held, "accept", {"colour": "red"}) or "")
    assert agent_refusal(held, "accept", None) is None
    clean = {"mode": "url", "message": "?", "url": "https://a.example", "elicitationId": "e"}
    page = Question(ElicitationRequest(SERVER, clean, wire_id=1))
    assert "visit a page" in (agent_refusal(page, "accept", None) or "")
    assert agent_refusal(page, "decline", None) is None
    author = Finding("a.a", Severity.WARN, "message", "x", "Mend it.", to_author=True)
    warned = replace(question, review=Review((author,)))
    assert "own look" in (agent_refusal(warned, "accept", {"colour": "red"}) or "")


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        (True, True),
        (None, None),
        (7, 7),
        (1.5, 1.5),
        (CARD, "•••"),
        (f"it is {TOKEN}", "it is •••"),
        ([TOKEN, 1, False], ["•••", 1, False]),
        ({"a": (TOKEN, {"b": CARD})}, {"a": ["•••", {"b": "•••"}]}),
        (object, "•••"),
    ],
)
def test_what_is_kept_of_an_answer_has_no_secret_in_it_at_any_depth(value: Any, kept: Any) -> None:
    assert kept_content({"note": value}, Review(), "redacted") == {"note": kept}
    assert kept_content({"note": value}, Review(), "full") == {"note": value}
    assert kept_content({"note": value}, Review(), "none") is None
    assert kept_content(None, Review(), "full") is None
    sensitive = Review(sensitive=frozenset({"note"}))
    assert kept_content({"note": value, "o": 1}, sensitive, "redacted") == {"note": "•••", "o": 1}


def test_what_is_nested_without_end_is_not_kept() -> None:
    value: Any = 1
    for _ in range(16):
        value = [value]
    assert "1" in str(kept_content({"a": value}, Review(), "redacted"))
    assert "1" not in str(kept_content({"a": [value]}, Review(), "redacted"))


def test_what_a_hook_changed_is_told_by_field() -> None:
    given = accept("user", "Sent.", {"a": 1, "b": True, "c": "x"})
    changed = replace(given, content={"a": 1.0, "b": True, "d": None}, answered=given)
    assert changed.changed == ("a", "c", "d")
    assert given.changed == ()
    assert replace(changed, content=None).changed == ()


# Drafts


def test_what_the_client_filled_in_is_its_own_until_somebody_changes_it() -> None:
    draft = Draft()
    draft.fill_in({"a": Typed("1"), "b": Typed("2")}, frozenset({"a", "b"}))
    draft.write({"a": Typed("1"), "b": Typed("changed")}, frozenset({"a", "b"}))
    assert (draft.by_client, draft.typed, dict(draft.typed_here)) == (
        {"a"},
        True,
        {"b": Typed("changed")},
    )
    draft.write({"a": Typed("1"), "b": Typed("changed")}, frozenset({"b"}))
    assert draft.by_client == frozenset()


# Waiting


def test_a_person_goes_on_with_the_field_they_were_in_a_moment_ago(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock, draft = Clock(), Draft()
    monkeypatch.setattr(question.time, "monotonic", clock)
    draft.in_hand("colour")
    assert draft.continues is None
    draft.write({"colour": Typed("bl")}, frozenset({"colour"}))
    assert draft.continues == "colour"
    clock.now += question.AT_ONCE_SECONDS - 1
    assert draft.continues == "colour"
    clock.now += 1
    assert draft.continues is None
    draft.in_hand("colour")
    draft.fill_in({"colour": Typed("blue")}, frozenset({"colour"}))
    assert draft.continues is None
    draft.write({"colour": Typed("red")}, frozenset({"colour"}))
    assert draft.continues == "colour"
    draft.in_hand(None)
    assert draft.continues is None


def test_a_deadline_runs_from_its_start_and_a_key_gives_it_a_minute() -> None:
    clock = Clock()
    deadline = Deadline(120, clock)
    begun: list[bool] = []
    deadline.on_start = lambda: begun.append(True)
    assert (deadline.started, deadline.remaining, deadline.left) == (False, None, 120)
    deadline.touch()
    assert not deadline.started
    deadline.start()
    clock.now += 50
    deadline.start()
    assert (begun, deadline.remaining, deadline.left) == ([True], 70, 70)
    deadline.touch()
    assert deadline.remaining == 70
    clock.now += 40
    deadline.touch()
    assert deadline.remaining == 60
    deadline.prolong()
    assert deadline.remaining == 120
    clock.now += 500
    assert deadline.remaining == 0


def test_what_waits_for_ever_has_no_end_and_a_fixed_one_is_moved_by_no_key() -> None:
    endless = Deadline(0)
    endless.start()
    endless.prolong()
    assert (endless.started, endless.remaining, endless.left) == (False, None, None)
    clock = Clock()
    fixed = Deadline(10, clock, fixed=True)
    fixed.start()
    fixed.touch()
    assert fixed.remaining == 10
    short = Deadline(10, clock)
    short.start()
    short.prolong()
    assert short.remaining == 60


def test_somebody_is_seen_by_a_key_and_for_as_long_as_the_window_has_the_focus() -> None:
    moments = iter([1, 2, 3])
    presence = Presence(lambda: next(moments))  # type: ignore[arg-type, return-value]
    assert presence.last_sign is None
    presence.key_pressed()
    assert (presence.last_sign, presence.last_sign) == (1, 1)
    presence.has_focus = True
    assert (presence.last_sign, presence.last_sign) == (2, 3)


def waits(message: str, seconds: float = 100) -> Pending:
    return Pending(Question(form_request(message)), Deadline(seconds))


async def test_questions_wait_in_order_and_the_first_of_them_has_its_clock_running() -> None:
    queue = Queue()
    one, two, three = (waits(message) for message in ("1", "2", "3"))
    for pending in (one, two, three):
        queue.add(pending)
    assert [each.deadline.started for each in (one, two, three)] == [True, False, False]
    assert [queue.place(each) for each in (one, two, three)] == [(1, 3), (2, 3), (3, 3)]
    assert (queue.after(one), queue.after(three), queue.after(None)) == (two, one, one)
    queue.remove(one)
    assert two.deadline.started
    assert (queue.get(one.question.id), queue.get(two.question.id), queue.get(None)) == (
        *(None, two, None),
    )
    assert queue.place(one) == (1, 2)
    assert queue.after(one) is two


async def test_what_has_its_end_or_its_answer_waits_no_more() -> None:
    queue = Queue()
    one, two = waits("1"), waits("2")
    queue.add(one)
    queue.add(two)
    one.answer(accept("user", "Yes.", {}))
    one.answer(decline("user", "No."))
    assert (one.was_answered, one.over, one.answered.result().action) == (True, True, "accept")
    assert (list(queue), len(queue), queue.get(one.question.id)) == ([two], 1, None)
    assert queue.settle_where(lambda pending: True, cancel("policy", "Over.")) == 1
    two.settle(cancel("server", "Later."))
    assert (two.settled.result().decided_by, two.was_answered, two.over) == ("policy", False, True)
    assert (queue.next_to_open(), queue.open, queue.after(None)) == (None, None, None)
    cancelled = waits("3")
    cancelled.answered.cancel()
    assert (cancelled.was_answered, cancelled.over) == (False, True)


async def test_one_question_is_open_and_what_was_put_off_is_not_opened_by_itself() -> None:
    queue = Queue()
    one, two = waits("1"), waits("2")
    queue.add(one)
    queue.show(one)
    assert queue.put_off(one) is None
    assert one.state == "open"
    queue.add(two)
    assert queue.put_off(one) is two
    assert (one.state, two.state, queue.open) == ("put_off", "open", two)
    assert queue.next_to_open() is two
    queue.show(one)
    assert (one.state, two.state) == ("open", "waiting")
    queue.show(None)
    assert (queue.open, queue.next_to_open()) == (None, one)


async def test_what_was_put_off_stays_so_while_others_are_opened_and_put_off() -> None:
    queue = Queue()
    one, two, three, four = (waits(str(number)) for number in range(1, 5))
    for pending in (one, two, three, four):
        queue.add(pending)
    queue.show(one)
    assert queue.put_off(one) is two
    assert queue.put_off(two) is three
    assert [pending.state for pending in queue] == ["put_off", "put_off", "open", "waiting"]
    queue.remove(three)
    assert queue.next_to_open() is four


async def test_a_question_that_is_asked_again_is_not_taken_out_with_its_first_asking() -> None:
    queue = Queue()
    first = waits("1")
    again = Pending(first.question, Deadline(100))
    queue.add(first)
    queue.add(again)
    queue.remove(first)
    assert queue.get(first.question.id) is again
