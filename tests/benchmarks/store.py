"""The store's engines side by side: a thousand questions, eight who answer, and what idling costs.

Each process of the figures is a process: one asks, eight watch and answer, and all read one clock.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from elicit_tui.elicitation import new_id
from elicit_tui.store.redis_store import RedisStore
from elicit_tui.store.sqlite import SqliteStore
from elicit_tui.store.store import Asker, Role, Store
from tests.store.redis import SECRET, RedisProcess
from tests.store.world import answer, put, question

QUESTIONS = int(os.environ.get("QUESTIONS", "1000"))
ANSWERERS = 8
PAUSE = 0.02
"""Seconds between two questions, so that no queue is measured."""
IDLE_SECONDS = 20.0
GATEWAYS = 20


async def opened(place: str, role: Role) -> Store:
    if "://" in place:
        return await RedisStore.open(place, role, secret=SECRET)
    return await SqliteStore.open(Path(place), role)


async def watched(store: Store, beats: bool = True) -> None:
    """As a console or a gateway looks at the store, for ever."""
    number, beaten = 0, 0.0
    while True:
        if beats and time.monotonic() - beaten >= 5.0:
            await store.heartbeat()
            beaten = time.monotonic()
        number = (await store.changes(number, 5.0)).number


async def answers(place: str, share: int) -> None:
    """Watch everything, and answer a share of it; says when each was seen."""
    store = await opened(place, "answerer")
    number, seen = (await store.changes()).number, {}
    print("ready", flush=True)
    while len(seen) < QUESTIONS:
        changes = await store.changes(number, 5.0)
        number, at = changes.number, time.monotonic()
        for one in changes.waiting:
            if one.id not in seen:
                seen[one.id] = at
                if one.state == "open" and int(one.id, 16) % ANSWERERS == share:
                    await store.answer(one.id, answer(one, f"{time.monotonic()}"))
    print(json.dumps(seen), flush=True)
    await store.close()


async def asks(place: str) -> tuple[dict[str, float], list[float]]:
    """Put every question and take its answer: when each was put, and how old each answer was."""
    store = await opened(place, "asker")
    asker = Asker(new_id(), "agent")
    await store.begin(asker)
    put_at: dict[str, float] = {}
    ages: list[float] = []

    async def take() -> None:
        number = 0
        while len(ages) < QUESTIONS:
            changes = await store.changes(number, 5.0)
            number = changes.number
            for one in changes.waiting:
                if one.state == "answered" and (given := await store.answer_of(one.id)):
                    content = given.outcome.content or {}
                    ages.append(time.monotonic() - float(content["environment"]))
                    await store.settle(one.id, given.outcome)

    taking = asyncio.ensure_future(take())
    for number in range(QUESTIONS):
        asked = question(f"{number}?")
        put_at[asked.id] = time.monotonic()
        await put(store, asked, asker)
        await asyncio.sleep(PAUSE)
    await taking
    await store.close()
    return put_at, ages


def busy(place: str) -> tuple[list[float], list[float]]:
    """Seconds from put to seen, and from answer to taken."""
    command = [sys.executable, "-m", "tests.benchmarks.store", "answers", place]
    processes = [
        subprocess.Popen([*command, str(share)], stdout=subprocess.PIPE, text=True)
        for share in range(ANSWERERS)
    ]
    for process in processes:
        assert process.stdout is not None
        process.stdout.readline()
    put_at, ages = asyncio.run(asks(place))
    told = [json.loads(process.communicate()[0]) for process in processes]
    return [seen[name] - at for seen in told for name, at in put_at.items()], ages


async def idle(place: str, role: Role, count: int) -> float:
    """Percent of a core that watching costs while nothing happens."""
    stores = [await opened(place, role) for _ in range(count)]
    for store in stores if role == "asker" else ():
        await put(store, question(), Asker(new_id(), "agent"))
    watching = [asyncio.ensure_future(watched(store)) for store in stores]
    await asyncio.sleep(2.0)
    used, begun = time.process_time(), time.monotonic()
    await asyncio.sleep(IDLE_SECONDS)
    cost = (time.process_time() - used) / (time.monotonic() - begun) * 100
    for task in watching:
        task.cancel()
    await asyncio.gather(*watching, return_exceptions=True)
    for store in stores:
        await store.close()
    return cost


def _milliseconds(values: Sequence[float]) -> str:
    ordered = sorted(values)
    worst = ordered[int(len(ordered) * 0.99) - 1]
    return f"{statistics.median(ordered) * 1000:7.1f} {worst * 1000:7.1f}"


def main() -> None:
    """Print a table: both engines in one run."""
    redis = RedisProcess()
    with tempfile.TemporaryDirectory() as folder:
        places = {"SQLite": f"{folder}/store.sqlite3", "Redis": redis.url}
        print(f"{QUESTIONS} questions, {ANSWERERS} who answer; ms: median, 99th percentile")
        print("engine   put to seen      answer to taken  a console  20 gateways (% of a core)")
        for name, place in places.items():
            seen, taken = busy(place)
            console = asyncio.run(idle(place, "answerer", 1))
            gateways = asyncio.run(idle(place, "asker", GATEWAYS))
            figures = f"{_milliseconds(seen)}  {_milliseconds(taken)}"
            print(f"{name:<7}  {figures}  {console:9.2f}  {gateways:11.2f}", flush=True)
    redis.end()


def _answer(arguments: Sequence[Any]) -> None:
    asyncio.run(answers(arguments[0], int(arguments[1])))


if __name__ == "__main__":
    if sys.argv[1:2] == ["answers"]:
        _answer(sys.argv[2:])
    else:
        main()
