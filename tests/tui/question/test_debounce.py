"""Nothing meant for something else reaches a question."""

from __future__ import annotations

import time

import pytest
from textual import events

from elicit_tui.elicitation import Deadline
from elicit_tui.tui.question.debounce import Debounce
from elicit_tui.tui.question.frame import NOT_HEARD
from tests.tui.question.asking import Asking, asked, form_question, schema, until

pytestmark = pytest.mark.anyio


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def painted(clock: Clock) -> Debounce:
    debounce = Debounce(clock, 0.3)
    debounce.painted()
    return debounce


def test_nothing_can_be_decided_in_the_first_three_hundred_milliseconds() -> None:
    clock = Clock()
    debounce = painted(clock)
    clock.now += 0.29
    assert debounce.deaf
    clock.now += 0.02
    assert not debounce.deaf


def test_turning_a_page_starts_the_pause_again() -> None:
    clock = Clock()
    debounce = painted(clock)
    clock.now += 1
    debounce.hidden()
    assert debounce.deaf
    debounce.painted()
    assert debounce.deaf
    clock.now += 0.31
    assert not debounce.deaf


def test_input_made_before_the_painting_is_thrown_away() -> None:
    debounce = painted(Clock())
    assert debounce.drops(99.9)


def test_a_key_after_a_pause_is_taken_at_once() -> None:
    debounce = painted(Clock())
    assert not debounce.drops(100.01)


def test_the_rest_of_a_burst_that_began_before_the_painting_is_thrown_away() -> None:
    debounce = painted(Clock())
    assert debounce.drops(99.95)
    assert debounce.drops(100.05)
    assert debounce.drops(100.15)
    assert not debounce.drops(100.35)
    assert not debounce.drops(100.36)


def test_no_burst_is_thrown_away_for_ever() -> None:
    debounce = painted(Clock())
    times = [99.95 + step * 0.1 for step in range(30)]
    assert [debounce.drops(moment) for moment in times].index(False) <= 22


@pytest.mark.usefixtures("real_pause")
async def test_send_decline_cancel_and_later_are_deaf_right_after_opening() -> None:
    app = Asking(form_question(schema()))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.view._debounce._first_painted is not None, "the painting")
        first = app.view._debounce._first_painted
        assert first is not None
        await pilot.press("ctrl+s", "ctrl+n", "escape", "ctrl+l")
        await pilot.pause()
        if time.monotonic() - first < 0.3:
            assert app.outcome is None
            assert app.later == []
        await until(pilot, lambda: not app.view.deaf, "the pause is over")
        await pilot.press("ctrl+s")
        await pilot.pause()
    assert app.outcome is not None


async def test_a_key_that_came_too_early_is_told_until_one_is_heard() -> None:
    app = Asking(form_question(schema(v={"type": "string"})))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.view.is_mounted, "the question")
        early = events.Key("a", "a")
        early.time = 0.0
        app.view.admits(early)
        await until(pilot, lambda: not app.view.deaf, "the question is ready")
        await until(pilot, lambda: NOT_HEARD in app.words, "that it was not heard")
        app.view.turn()
        await pilot.press("ctrl+s")
        await until(pilot, lambda: NOT_HEARD in app.words, "that it was not heard either")
        assert app.outcome is None


async def test_the_deadline_starts_when_the_question_is_painted_and_each_key_moves_it() -> None:
    clock = Clock()
    deadline = Deadline(61, clock)
    app = Asking(form_question(schema(v={"type": "string"})), deadline=deadline)
    assert not deadline.started
    async with asked(app) as pilot:
        assert deadline.started
        clock.now += 50
        await pilot.press("a")
        await pilot.pause()
        assert deadline.remaining == 60
