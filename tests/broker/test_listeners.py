"""Whoever watches the questions costs nobody an answer."""

from __future__ import annotations

from elicit_tui.broker.contracts import BrokerEvent, Notice, Resolved
from tests.broker.conftest import BenchFactory, run


def test_a_listener_that_fails_costs_no_answer_and_the_others_hear_why_once(
    bench: BenchFactory,
) -> None:
    async def body() -> None:
        here = bench()
        heard: list[BrokerEvent] = []

        def failing(event: BrokerEvent) -> None:
            raise OSError("no such \x1b[2Jfolder")

        here.broker.subscribe(failing)
        here.broker.subscribe(heard.append)
        for count in (1, 2):
            asked = here.asks()
            here.person.sends(await here.person.sees(count), colour="red")
            assert (await asked).action == "accept"
        assert [event for event in heard if isinstance(event, Resolved)] == here.resolved
        assert len(here.resolved) == 2
        told = [event.sentence for event in heard if isinstance(event, Notice)]
        assert len(told) == 1
        assert "OSError" in told[0]
        assert "\x1b" not in told[0]

    run(body())
