from __future__ import annotations

import asyncio

import pytest

from elicit_tui.cli.one_call import within
from elicit_tui.errors import LimitReached, ServerError


def test_work_that_ends_in_time_gives_its_result_or_its_error() -> None:
    async def works() -> int:
        return 5

    async def fails() -> int:
        raise ServerError("gone")

    assert asyncio.run(within(20, works(), lambda: False)) == 5
    with pytest.raises(ServerError):
        asyncio.run(within(20, fails(), lambda: False))


def test_work_that_takes_too_long_is_ended_before_the_limit_is_told() -> None:
    ended = []

    async def endless() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    with pytest.raises(LimitReached, match=r"0\.05 seconds"):
        asyncio.run(within(0.05, endless(), lambda: False))
    assert ended == [True]


def test_the_clock_stands_still_while_a_person_is_asked() -> None:
    async def run() -> str:
        looked = 0
        answered = asyncio.Event()

        def asking() -> bool:
            nonlocal looked
            looked += 1
            if looked > 6:
                answered.set()
            return not answered.is_set()

        async def work() -> str:
            await answered.wait()
            return "answered"

        return await asyncio.wait_for(within(0.3, work(), asking), 20)

    assert asyncio.run(run()) == "answered"


def test_ending_the_wait_ends_the_work() -> None:
    async def run() -> bool:
        cancelled = asyncio.Event()
        started = asyncio.Event()

        async def endless() -> None:
            try:
                started.set()
                await asyncio.Event().wait()
            finally:
                cancelled.set()

        waiting = asyncio.ensure_future(within(100, endless(), lambda: False))
        await started.wait()
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        return cancelled.is_set()

    assert asyncio.run(run())
