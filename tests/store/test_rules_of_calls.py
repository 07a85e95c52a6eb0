"""The rules of an agent's call, by themselves; no engine is under them here."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from elicit_tui.store import calls
from elicit_tui.store.calls import KeptCall, MakerState, Verdict

HOUR, WEEK = 3600.0, 7 * 24 * 3600.0
NOW = 10 * WEEK


def call(name: str = "a", key: str = "key", **more: Any) -> KeptCall:
    return KeptCall("owner", name, key, "process", **{"begun_at": NOW, "key_id": "k", **more})


def made_by(state: MakerState) -> calls.MakerOf:
    return lambda of: state


def verdict(earlier: KeptCall, maker: MakerState = "lives", **more: Any) -> str:
    return calls.verdict([earlier], call("new", **more), made_by(maker)).what


@pytest.mark.parametrize(
    ("earlier", "maker", "what"),
    [
        ({"has_id": True}, "lives", "joins"),
        ({"is_left": True}, "lives", "joins"),
        ({"has_id": True, "attended": True}, "lives", "begins"),
        ({"is_left": True, "attended": True}, "lives", "begins"),
        ({"has_id": True, "attended": True, "state": "ended"}, "lives", "joins"),
        ({"has_id": True, "attended": True, "state": "called"}, "unsure", "unsure"),
        ({}, "lives", "begins"),
        ({"state": "ended"}, "dead", "joins"),
        ({"state": "ended", "read_at": NOW}, "lives", "begins"),
        # A task is its agent's own once its tool was called.
        ({"has_id": True, "is_task": True}, "lives", "joins"),
        ({"has_id": True, "is_task": True, "state": "called"}, "lives", "begins"),
        ({"has_id": True, "is_task": True, "state": "ended"}, "lives", "begins"),
        ({"state": "called"}, "unsure", "unsure"),
        ({"state": "not called"}, "unsure", "begins"),
        ({"state": "called", "has_id": True}, "unsure", "joins"),
        ({"state": "called", "has_id": True}, "dead", "not known"),
        ({"state": "not called", "has_id": True}, "dead", "begins"),
        ({"state": "called", "read_at": NOW}, "dead", "begins"),
    ],
)
def test_what_an_equal_call_of_before_means_for_a_new_one(
    earlier: dict[str, Any], maker: MakerState, what: str
) -> None:
    found = calls.verdict([call(**earlier)], call("new"), made_by(maker))
    assert found == Verdict(what, None if what == "begins" else "a")  # type: ignore[arg-type]
    assert verdict(call(key="another", **earlier), maker) == "begins"


@pytest.mark.parametrize(("of_before", "of_now"), [(True, False), (False, True), (True, True)])
def test_what_is_of_one_session_alone_joins_nothing_and_is_joined_by_nothing(
    of_before: bool, of_now: bool
) -> None:
    waits = call(has_id=True, private=of_before)
    assert verdict(waits, private=of_now) == "begins"
    # That nobody knows whether it ran is told all the same.
    died = call(state="called", private=of_before)
    assert verdict(died, "dead", private=of_now) == "not known"


@pytest.mark.parametrize(
    ("there", "mine", "is_behind"),
    [
        ({}, {"state": "called"}, True),
        ({"state": "called"}, {"state": "ended"}, True),
        ({}, {"has_id": True}, True),
        ({"has_id": True}, {"has_id": True, "is_task": True}, True),
        ({}, {"is_left": True}, True),
        ({"is_left": True}, {}, True),
        ({"has_id": True}, {"has_id": True, "attended": True}, True),
        ({"state": "called"}, {"state": "called"}, False),
        # Whoever made this change lost the reply to it.
        ({"state": "ended"}, {"state": "called"}, False),
        ({"read_at": NOW}, {"state": "called"}, False),
        # Its process has given it up.
        ({"process": calls.NOBODY}, {"state": "called"}, False),
    ],
)
def test_what_a_store_has_of_a_call_is_behind_where_it_lacks_a_change_of_its_maker(
    there: dict[str, Any], mine: dict[str, Any], is_behind: bool
) -> None:
    assert calls.is_behind(replace(call(), **there), replace(call(), **mine)) is is_behind


def test_a_call_of_one_session_alone_begins_while_outcomes_fill_the_book(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(calls, "MOST_OUTCOMES", 1)
    unread = call(state="ended", ended_at=NOW)
    assert verdict(unread, key="another") == "full"
    assert verdict(unread, key="another", private=True) == "begins"
    for fills_nothing in (call(state="ended", ended_at=NOW, read_at=NOW), call(has_id=True)):
        assert verdict(fills_nothing, key="another") == "begins"
    monkeypatch.setattr(calls, "MOST_OUTCOMES", 9)
    monkeypatch.setattr(calls, "MOST_OUTCOME_BYTES", 4)
    for size, found in ((3, "begins"), (4, "full")):
        assert verdict(call(state="ended", ended_at=NOW, size=size), key="another") == found


def test_no_call_begins_where_too_many_have_no_outcome(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "MOST_WITHOUT_OUTCOME", 2)
    under_way = [call("a", "a"), call("b", "b", state="called"), call("c", "c", state="ended")]
    for number, found in ((1, "begins"), (2, "too many"), (3, "too many")):
        of_these = calls.verdict(under_way[:number], call("new"), made_by("lives"))
        assert of_these.what == found


def test_a_task_stays_one_and_an_end_stays_the_first() -> None:
    task = calls.paused(call(), b"waits", is_task=True)
    assert calls.paused(task, b"waits still").is_task
    ended = calls.ended(task, NOW, b"done", 4)
    assert calls.paused(ended, b"late") == ended
    assert calls.abandoned(ended) == ended
    assert calls.called(ended) == ended
    assert calls.ended(ended, NOW + 1, b"another", 7) == ended
    read = calls.read(ended, NOW)
    assert calls.left(read, is_left=True, attended=True) == read
    assert calls.read(read, NOW + 1) == read


def forgotten(*kept: KeptCall, maker: MakerState = "dead") -> list[str]:
    return [one.id for one in calls.to_forget(kept, NOW, made_by(maker))]


@pytest.mark.parametrize(
    ("since", "more", "maker", "is_forgotten"),
    [
        (HOUR, {}, "dead", True),
        (HOUR - 1, {}, "dead", False),
        (HOUR, {}, "lives", False),
        (HOUR, {}, "unsure", False),
        (HOUR, {"has_id": True}, "dead", False),
        (HOUR, {"state": "called"}, "dead", False),
        (WEEK, {"state": "called"}, "dead", True),
        (WEEK, {"state": "called"}, "lives", False),
        (WEEK, {"state": "called", "read_at": NOW - HOUR + 1}, "dead", False),
        (WEEK, {"state": "called", "read_at": NOW - HOUR}, "dead", True),
    ],
)
def test_a_call_without_an_outcome_is_kept_as_long_as_it_may_harm_somebody(
    since: float, more: dict[str, Any], maker: MakerState, is_forgotten: bool
) -> None:
    assert forgotten(call(begun_at=NOW - since, **more), maker=maker) == ["a"] * is_forgotten


def test_the_oldest_outcomes_that_were_read_give_place_until_the_rest_fits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(calls, "MOST_OUTCOME_BYTES", 10)

    def ended(name: str, at: float, **more: Any) -> KeptCall:
        return call(name, state="ended", ended_at=NOW + at, size=4, **more)

    assert forgotten(ended("unread", -9), ended("later", -1, read_at=NOW)) == []
    kept = [ended("unread", -9), ended("later", -1, read_at=NOW), ended("first", -5, read_at=NOW)]
    assert forgotten(*kept) == ["first"]
    monkeypatch.setattr(calls, "MOST_OUTCOME_BYTES", 3)
    assert forgotten(*kept) == ["first", "later"]
    monkeypatch.setattr(calls, "MOST_OUTCOME_BYTES", 100)
    monkeypatch.setattr(calls, "MOST_OUTCOMES", 2)
    assert forgotten(*kept) == ["first"]


def test_only_as_many_as_needed_give_place_to_what_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "MOST_WITHOUT_OUTCOME", 3)
    kept = [call(name, key=name) for name in "abc"]
    assert forgotten(*kept) == ["a"]
    assert forgotten(*kept, maker="lives") == []
    assert forgotten(*kept[:2]) == []
