"""Rounds of one call without a client: what goes out, under which key, and whose answer counts."""

from __future__ import annotations

from typing import Any

import pytest

from elicit_tui.gateway.rounds import Rounds

pytestmark = pytest.mark.anyio

ANSWER = {"action": "accept"}
ASKED = {"message": "?"}


async def test_a_key_is_the_servers_own_where_it_is_a_plain_word_and_free() -> None:
    rounds = Rounds()
    with rounds.asking("key", ASKED), rounds.asking("key", ASKED):
        keys = list(rounds.outstanding())
    assert keys[0] == "key"
    assert len(set(keys)) == 2
    for wanted in (None, 5, "", "two words", "k" * 65, "a\nb"):
        with rounds.asking(wanted, ASKED):
            (key,) = rounds.outstanding()
            assert len(key) == 32
    with rounds.asking("k" * 64, ASKED):
        assert list(rounds.outstanding()) == ["k" * 64]


async def test_a_key_comes_again_only_where_no_task_is_asked() -> None:
    rounds = Rounds()
    with rounds.asking("key", ASKED):
        pass
    with rounds.asking("key", ASKED):
        assert list(rounds.outstanding()) == ["key"]
    with rounds.asking("key", ASKED, once=True):
        assert "key" not in rounds.outstanding()


async def test_a_round_goes_out_once_and_again_with_whatever_comes_to_it() -> None:
    rounds = Rounds()
    assert rounds.begin() == {}
    assert not rounds.open
    with rounds.asking("a", ASKED):
        assert rounds.open
        assert list(rounds.begin()) == ["a"]
        assert rounds.begin() == {}
        with rounds.asking("b", ASKED):
            assert list(rounds.begin()) == ["a", "b"]
        rounds.ask_again()
        assert list(rounds.begin()) == ["a"]
        assert [rounds.has_begun(number) for number in ("0", "1", "3", "4", "01", "")] == [
            *(False, True, True, False, False, False)
        ]
        assert rounds.state("call") == "call-3"
    assert not rounds.open


async def test_an_answer_counts_for_its_own_round_and_key_and_only_once() -> None:
    rounds = Rounds()
    assert rounds.answered("call-0", {"a": ANSWER}) is False
    with rounds.asking("a", ASKED) as first, rounds.asking("b", ASKED) as second:
        rounds.begin()
        rounds.ask_again()
        rounds.begin()
        assert rounds.answered("call-1", {"a": ANSWER}) is True
        assert not first.done()
        # Whoever was not answered is asked once more.
        assert list(rounds.begin()) == ["a", "b"]
        assert rounds.answered("call-3", {"a": ANSWER, "b": "no answer", "c": ANSWER}) is True
        assert first.result() == ANSWER
        assert not second.done()
        assert list(rounds.begin()) == ["b"]
        assert rounds.answered("call-4", {"a": {"action": "decline"}, "b": ANSWER}) is True
        assert (first.result(), second.result()) == (ANSWER, ANSWER)


@pytest.mark.parametrize("responses", [None, [], "a", {}])
async def test_what_is_no_answer_leaves_the_question_open(responses: Any) -> None:
    rounds = Rounds()
    with rounds.asking("a", ASKED) as answer:
        rounds.begin()
        assert rounds.answered("call-1", responses) is True
        assert not answer.done()
        assert list(rounds.begin()) == ["a"]


async def test_a_tasks_answers_come_one_at_a_time_and_the_first_of_each_counts() -> None:
    rounds = Rounds()
    with rounds.asking("a", ASKED) as first, rounds.asking("b", ASKED) as second:
        rounds.take({"a": ANSWER, "unknown": ANSWER})
        rounds.take({"a": {"action": "decline"}})
        assert first.result() == ANSWER
        assert not second.done()
        assert list(rounds.outstanding()) == ["b"]
