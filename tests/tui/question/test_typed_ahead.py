"""What is typed between two paintings is for nobody, and nothing keeps the keyboard for ever."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from textual import events

from elicit_tui.tui import key_gate
from elicit_tui.tui.key_gate import UNPAINTED_SECONDS, TypedAhead


class Painter:
    """Keeps what is to be told after a painting until the test paints."""

    def __init__(self) -> None:
        self.waiting: list[Callable[[], None]] = []

    def __call__(self, told: Callable[[], None]) -> None:
        self.waiting.append(told)

    def paint(self) -> None:
        self.waiting.pop(0)()


class Clock:
    """The time of every message that is made."""

    def __init__(self) -> None:
        self.now = 100.0


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    moment = Clock()

    class Stamped:
        @property
        def time(self) -> float:
            return moment.now

    monkeypatch.setattr(key_gate, "Message", Stamped)
    return moment


def key(name: str, made_at: float) -> events.Key:
    event = events.Key(name, name if len(name) == 1 else None)
    event.time = made_at
    return event


def test_keys_are_dropped_until_the_painting_also_when_they_arrive_after_it(clock: Clock) -> None:
    painter = Painter()
    ahead = TypedAhead(painter)
    ahead.discard()
    assert ahead.drops(key("a", 100.1))
    clock.now = 100.5
    painter.paint()
    assert ahead.drops(key("b", 100.4))
    assert not ahead.drops(key("c", 100.6))


def test_a_painting_that_never_comes_keeps_the_keyboard_for_two_seconds_and_no_longer(
    clock: Clock,
) -> None:
    ahead = TypedAhead(Painter())
    ahead.discard()
    clock.now = 100.0 + UNPAINTED_SECONDS
    assert ahead.waits
    assert ahead.drops(key("a", clock.now))
    clock.now += 0.1
    assert not ahead.waits
    assert not ahead.drops(key("b", clock.now))


def test_a_painting_stands_in_for_those_that_began_before_it_and_never_came(clock: Clock) -> None:
    painter = Painter()
    ahead = TypedAhead(painter)
    ahead.discard()
    ahead.discard()
    painter.waiting.pop(0)
    assert ahead.drops(key("a", clock.now))
    clock.now += 0.2
    painter.paint()
    clock.now += 0.2
    assert not ahead.drops(key("b", clock.now))


def test_a_painting_does_not_stand_in_for_one_that_began_after_it(clock: Clock) -> None:
    painter = Painter()
    ahead = TypedAhead(painter)
    ahead.discard()
    ahead.discard()
    painter.paint()
    clock.now += 0.2
    assert ahead.drops(key("a", clock.now))
    painter.paint()
    clock.now += 0.2
    assert not ahead.drops(key("b", clock.now))


def test_leaving_is_never_dropped(clock: Clock) -> None:
    ahead = TypedAhead(Painter())
    ahead.discard()
    assert not ahead.drops(key("ctrl+q", clock.now))
    assert not ahead.drops(key("ctrl+c", clock.now))
