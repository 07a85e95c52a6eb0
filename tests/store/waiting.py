"""A process that asks or answers, and that says each step, to be killed at any of them.

python -m tests.store.waiting PATH|URL ask|hold|answer|claim|take COUNT
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from elicit_tui.elicitation import new_id
from elicit_tui.store.redis_store import RedisStore
from elicit_tui.store.sqlite import SqliteStore
from elicit_tui.store.store import Asker, Role, Store
from tests.store.redis import SECRET
from tests.store.world import ME, answer, question, typed

BOUND = 60.0


def say(*words: object) -> None:
    print(*words, flush=True)


async def ask(store: Store, count: int) -> None:
    """Put questions, and settle each as it is answered."""
    asker = Asker(new_id(), "agent")
    await store.begin(asker)
    for number in range(count):
        waiting = await store.put(question(f"{number}?"), asker)
        say("put", waiting.id)
    number, settled = 0, 0
    while settled < count:
        changes = await store.changes(number, BOUND)
        number = changes.number
        for one in changes.waiting:
            if one.session == asker.session and one.state == "answered":
                given = await store.answer_of(one.id)
                assert given is not None
                await store.settle(one.id, given.outcome)
                content = given.outcome.content
                assert content is not None
                say("settled", one.id, content["environment"])
                settled += 1


async def respond(store: Store, count: int) -> None:
    """Answer what waits, with the question's own id as the answer."""
    number, won = 0, 0
    while won < count:
        changes = await store.changes(number, BOUND)
        number = changes.number
        for one in changes.waiting:
            if one.state in ("open", "claimed"):
                given = answer(one, environment=one.id)
                result = await store.answer(one.id, given)
                if result is not None and result.answer_id == given.id:
                    say("won", one.id)
                    won += 1


async def claim(store: Store, count: int) -> None:
    """Claim what waits, and hold it."""
    for one in (await store.waiting())[:count]:
        await store.claim(one.id, ME, typed("half"))
        say("claimed", one.id)
    await asyncio.sleep(BOUND)


async def hold(store: Store, count: int) -> None:
    """Put questions and wait."""
    asker = Asker(new_id(), "agent")
    await store.begin(asker)
    for number in range(count):
        waiting = await store.put(question(f"{number}?"), asker)
        say("put", waiting.id)
    await asyncio.sleep(BOUND)


async def take(store: Store, count: int) -> None:
    """Answer what waits and stay."""
    for one in (await store.waiting())[:count]:
        await store.answer(one.id, answer(one))
        say("answered", one.id)
    await asyncio.sleep(BOUND)


STEPS = {"ask": ask, "answer": respond, "claim": claim, "hold": hold, "take": take}


async def opened(place: str, role: Role) -> Store:
    if "://" not in place:
        return await SqliteStore.open(Path(place), role)
    return await RedisStore.open(place, role, secret=SECRET)


async def main(place: str, step: str, count: str) -> None:
    store = await opened(place, "asker" if step in ("ask", "hold") else "answerer")
    say("ready")
    sys.stdin.readline()
    await STEPS[step](store, int(count))
    await store.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
