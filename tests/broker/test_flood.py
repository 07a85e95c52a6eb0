"""How many questions one server may ask: so many a minute, and so many at once."""

from __future__ import annotations

from elicit_tui.broker.entrance import FloodGate
from elicit_tui.elicitation.settings import ElicitationLimits


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_minute_later_as_many_may_come_again() -> None:
    clock = Clock()
    gate = FloodGate(ElicitationLimits(per_minute=2, pending=16), clock=clock)
    for _ in range(3):
        assert gate.enter("s") is None
        clock.now += 20
        assert gate.enter("s") is None
        clock.now += 39
        assert "within a minute" in (gate.enter("s") or "")
        assert gate.enter("other") is None
        gate.leave("other")
        # The first of the two is a minute ago, then the second.
        clock.now += 61


def test_a_minute_is_over_after_sixty_seconds() -> None:
    clock = Clock()
    gate = FloodGate(ElicitationLimits(per_minute=1, pending=16), clock=clock)
    assert gate.enter("s") is None
    clock.now += 59.9
    assert gate.enter("s") is not None
    clock.now = 1060.0
    assert gate.enter("s") is None


def test_each_makes_room_for_another_one_a_minute_after_it_came() -> None:
    clock = Clock()
    gate = FloodGate(ElicitationLimits(per_minute=2, pending=16), clock=clock)
    for seconds in (0, 20, 60, 80):
        clock.now = 1000.0 + seconds
        assert gate.enter("s") is None
    for seconds in (81, 119):
        clock.now = 1000.0 + seconds
        assert gate.enter("s") is not None


def test_each_that_has_its_outcome_makes_room_for_one_of_its_own_server() -> None:
    gate = FloodGate(ElicitationLimits(per_minute=1000, pending=2))
    assert [gate.enter("s") for _ in range(2)] == [None, None]
    assert "wait already" in (gate.enter("s") or "")
    gate.leave("other")
    assert gate.enter("s") is not None
    gate.leave("s")
    assert gate.enter("s") is None
    assert gate.enter("s") is not None
    assert gate.enter("another") is None


def test_where_the_rate_is_not_counted_only_those_that_wait_are() -> None:
    gate = FloodGate(ElicitationLimits(per_minute=1, pending=2), count_rate=False)
    for _ in range(5):
        assert gate.enter("s") is None
        gate.leave("s")
