"""Nothing meant for something else reaches a question."""

from __future__ import annotations

import asyncio
import time

import pytest
from textual import events

from elicit_tui.elicitation import Deadline
from elicit_tui.tui.question.frame import NOT_HEARD
from elicit_tui.tui.question_gate import Debounce
from tests.tui.question.asking import Asking, asked, form_question, schema, until

pytestmark = pytest.mark.anyio


class Clock:
    def __init__(self, now: float = 100.0) -> None:
        self.now = now

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
async def test_send_decline_and_cancel_are_deaf_right_after_opening() -> None:
    app = Asking(form_question(schema()))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.view._debounce._first_painted is not None, "the painting")
        first = app.view._debounce._first_painted
        assert first is not None
        await pilot.press("ctrl+s", "ctrl+n", "escape")
        await pilot.pause()
        if time.monotonic() - first < 0.3:
            assert app.outcome is None
        await until(pilot, lambda: not app.view.deaf, "the pause is over")
        await pilot.press("ctrl+s")
        await pilot.pause()
    assert app.outcome is not None


@pytest.mark.usefixtures("real_pause")
async def test_a_question_is_put_off_at_once_as_that_answers_nothing() -> None:
    app = Asking(form_question(schema()))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: not app.view.never_painted, "the painting")
        app.view.turn()
        app.view.action_later()
        await until(pilot, lambda: app.later != [], "that it was put off")
        assert NOT_HEARD not in app.words


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


@pytest.mark.parametrize("page", ["f1", "f2"])
async def test_what_is_typed_on_the_way_back_from_a_page_is_in_the_field_that_one_left(
    page: str, real_pause: None
) -> None:
    app = Asking(form_question(schema(v={"type": "string"})))
    async with asked(app) as pilot:
        await pilot.press("a", page)
        await until(pilot, lambda: app.view.page != "answer" and not app.view.deaf, "the page")
        for key in ("escape", "b", "c"):
            app.post_message(events.Key(key, key if len(key) == 1 else None))
        await until(pilot, lambda: app.view.listens and app.view.page == "answer", "the question")
        await until(pilot, lambda: app.view.body.content == {"v": "abc"}, "what was typed")
        assert NOT_HEARD not in app.words


@pytest.mark.parametrize(
    "keys", [("f1", "f1"), ("f1", "escape"), ("f2", "f2"), ("f2", "escape"), ("ctrl+r", "escape")]
)
async def test_a_page_is_closed_at_once_and_the_key_behind_that_decides_nothing(
    keys: tuple[str, str], real_pause: None
) -> None:
    app = Asking(form_question(schema(v={"type": "string"})))
    async with asked(app) as pilot:
        # However slow the machine is: the pause behind a painting from now on is not over.
        app.view._debounce._clock = Clock(time.monotonic())
        app.post_message(events.Key(keys[0], None))
        async with asyncio.timeout(10):
            while app.view.page == "answer":  # noqa: ASYNC110 - the key comes before the painting
                await asyncio.sleep(0)
        assert not app.view.listens
        app.post_message(events.Key(keys[1], None))
        await until(pilot, lambda: app.view.listens and app.view.page == "answer", "the question")
        assert "Too early" not in app.words
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "Too early" in app.words, "it is told")
        assert app.outcome is None
