"""The rules of a question's life, by any history of calls; no engine is under them here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elicit_tui.errors import StoreError
from elicit_tui.store import transitions
from elicit_tui.store.transitions import KEPT_SECONDS, LEASE_SECONDS, StoredQuestion

ASKED = StoredQuestion(
    id="q",
    session="s",
    attempt=1,
    digest="d",
    kind="elicitation",
    agent="claude-code",
    server="deploy",
    tool="deploy",
    put_at=0.0,
    deadline=None,
    key_id="k",
    asked=b"asked",
)
CONTENT = ("asked", "draft", "holder", "answer")

Step = Callable[[StoredQuestion, float], StoredQuestion]
lives = st.sampled_from(["one", "two", "three"])
attempts = st.integers(1, 4)
blobs = st.sampled_from([b"x", b"y"])


def claims(life: str, draft: bytes | None) -> Step:
    return lambda record, now: transitions.claim(record, life, now, life.encode(), draft)


def releases(life: str, draft: bytes | None) -> Step:
    return lambda record, now: transitions.release(record, life, draft)


def answers(attempt: int, digest: str, number: int) -> Step:
    return lambda record, now: transitions.answer(
        record, attempt, digest, f"{digest}-{attempt}-{number}", b"answer", b"answerer"
    )


def reopens(attempt: int) -> Step:
    def step(record: StoredQuestion, now: float) -> StoredQuestion:
        try:
            return transitions.reopen(record, attempt, b"asked again", b"draft")
        except StoreError:
            return record

    return step


def settles(action: str, decided_by: str) -> Step:
    return lambda record, now: transitions.settle(record, now, action, decided_by)  # type: ignore[arg-type]


STEPS: st.SearchStrategy[Step] = st.one_of(
    st.builds(claims, lives, st.none() | blobs),
    st.builds(releases, lives, st.none() | blobs),
    st.builds(answers, attempts, st.sampled_from(["d", "d", "other"]), st.integers(1, 3)),
    st.builds(reopens, attempts),
    st.builds(settles, st.sampled_from(["accept", "decline"]), st.sampled_from(["user", "nobody"])),
    st.just(transitions.lapse),
    st.just(transitions.withdraw),
    st.just(transitions.abandon),
    st.builds(
        lambda state: lambda record, now: transitions.mark_agent(record, state),
        st.sampled_from(["waiting", "paused", "left"]),
    ),
)
HISTORIES = st.lists(st.tuples(STEPS, st.sampled_from([0.0, 0.5, 59.0, 61.0])), max_size=25)


def whole(record: StoredQuestion, now: float) -> None:
    """What holds of every question at any time."""
    claimed, answered, settled = (
        record.state == each for each in ("claimed", "answered", "settled")
    )
    assert claimed == (record.holder_life is not None) == (record.lease_ends_at is not None)
    assert claimed == (record.holder is not None)
    assert answered == (record.answer is not None)
    assert not answered or record.answer_id == f"d-{record.attempt}-{record.answer_id[-1:]}"  # type: ignore[index]
    assert settled == (record.settled_at is not None)
    assert settled or (record.action, record.decided_by) == (None, None)
    assert settled or record.asked is not None
    assert not settled or all(getattr(record, name) is None for name in CONTENT)
    assert record.lease_ends_at is None or record.lease_ends_at <= now + LEASE_SECONDS


@settings(max_examples=200)
@given(history=HISTORIES)
def test_by_any_history_a_question_stays_whole_and_never_goes_back(
    history: list[tuple[Step, float]],
) -> None:
    record, now = ASKED, 0.0
    for step, seconds in history:
        now += seconds
        before, record = record, step(record, now)
        whole(record, now)
        assert record.attempt >= before.attempt
        if before.state == "answered" and record.attempt == before.attempt:
            assert record.answer_id == before.answer_id, "the first answer to an attempt won"
        if record.state != "settled" and record.attempt == before.attempt:
            assert before.draft is None or record.draft is not None, "what was typed stays"
        if before.state == "settled":
            assert record.state == "settled"
            assert before.decided_by in (None, record.decided_by)
            assert before.decided_by is None or record.action == before.action


@settings(max_examples=200)
@given(history=HISTORIES)
def test_each_call_made_twice_does_what_it_does_once(history: list[tuple[Step, float]]) -> None:
    record, now = ASKED, 0.0
    for step, seconds in history:
        now += seconds
        once = step(record, now)
        assert step(once, now) == once
        record = once


@settings(max_examples=100)
@given(history=HISTORIES, others=st.permutations(["one", "two", "three"]))
def test_a_claim_is_taken_over_only_when_its_lease_has_run_out(
    history: list[tuple[Step, float]], others: list[str]
) -> None:
    record, now = ASKED, 0.0
    for step, seconds in history:
        now += seconds
        record = step(record, now)
        taken = transitions.claim(record, others[0], now, b"holder", None)
        if record.state == "claimed" and record.holder_life != others[0]:
            assert record.lease_ends_at is not None
            assert (taken is record) == (record.lease_ends_at > now)


def test_an_id_that_waits_is_given_to_no_other_question() -> None:
    assert transitions.put(None, ASKED) is ASKED
    assert transitions.put(ASKED, replace(ASKED, put_at=9.0)) is ASKED
    for other in (replace(ASKED, digest="e"), replace(ASKED, session="t")):
        with pytest.raises(StoreError, match="Another question"):
            transitions.put(ASKED, other)


def test_how_it_ended_is_kept_for_an_hour_and_no_question_that_waits_is_dropped() -> None:
    ended = transitions.settle(ASKED, 10.0, "accept", "user")
    assert not transitions.kept_long_enough(ended, 9.0 + KEPT_SECONDS)
    assert transitions.kept_long_enough(ended, 10.0 + KEPT_SECONDS)
    assert not transitions.kept_long_enough(ASKED, 10.0**9)


def test_nothing_of_a_record_is_content_but_what_is_sealed() -> None:
    sealed = {part.name for part in fields(StoredQuestion) if "bytes" in str(part.type)}
    assert sealed == {*CONTENT, "answerer"}


def test_the_same_attempt_opens_nothing_again_and_the_next_one_forgets_the_answer() -> None:
    answered = transitions.answer(ASKED, 1, "d", "a", b"answer", b"answerer")
    assert transitions.reopen(answered, 1, b"asked again", None) == answered
    opened = transitions.reopen(answered, 2, b"asked again", b"draft")
    assert (opened.state, opened.attempt, opened.asked) == ("open", 2, b"asked again")
    assert (opened.answer_id, opened.answer, opened.answerer) == (None, None, None)


def test_a_second_answer_changes_nothing() -> None:
    answered = transitions.answer(ASKED, 1, "d", "first", b"first", b"one")
    assert transitions.answer(answered, 1, "d", "second", b"second", b"two") == answered


def test_what_others_ended_while_who_asks_was_not_there_is_put_again_and_no_other_end() -> None:
    assert transitions.is_behind(transitions.abandon(ASKED, 10.0), ASKED)
    assert not transitions.is_behind(transitions.settle(ASKED, 10.0, "accept", "user"), ASKED)
    assert transitions.is_behind(ASKED, replace(ASKED, attempt=2))
    assert not transitions.is_behind(ASKED, ASKED)


def test_a_question_that_is_put_again_is_held_and_answered_by_nobody() -> None:
    answered = transitions.answer(ASKED, 1, "d", "first", b"first", b"one")
    assert transitions.opened_again(answered) == ASKED
    claimed = transitions.claim(ASKED, "life", 5.0, b"holder", None)
    assert transitions.opened_again(claimed) == replace(ASKED, last_key_at=5.0)
