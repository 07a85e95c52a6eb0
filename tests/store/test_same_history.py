"""The same random history on two engines at once, call by call: the same is read from both."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.elicitation import Answerer, Question, accept, cancel, decline, new_id
from elicit_tui.errors import StoreError
from elicit_tui.store.store import Answer, Asker, Store, Waiting
from tests.ledger.world import Clock
from tests.store.conftest import RedisEngine, SqliteEngine
from tests.store.redis import RedisProcess, needs_redis
from tests.store.world import question, typed

pytestmark = [pytest.mark.anyio, needs_redis]

HISTORIES = 200 if os.environ.get("ELICIT_TUI_LONG_TESTS") else 8
STEPS = 60
ASKERS = (Asker("session-one", "claude-code"), Asker("session-two", "codex"))
PEOPLE = (Answerer("me", "pts/1", "desk"), Answerer("me", "pts/2", "laptop"))
ENDS = (accept("user", "Sent.", {}), decline("user", "No."), cancel("deadline", "Too late."))

Call = Callable[[Store], Coroutine[Any, Any, Any]]


class History:
    """Calls drawn by lot, each made of both engines, with ids that are the same in both."""

    def __init__(self, seed: int) -> None:
        self.lot = random.Random(seed)
        self.questions: dict[str, tuple[Question, Asker]] = {}
        self.digests: dict[str, str] = {}

    def next(self) -> tuple[str, int, Call]:
        """What is called, by which process (0, 1 ask; 2, 3 answer), and the call."""
        kinds = ["put", "claim", "claim", "answer", "answer", "release", "reopen"]
        kinds += ["settle", "withdraw", "mark_agent", "get", "put_again", "end"]
        kind = self.lot.choices(kinds, [3, 2, 2, 2, 2, 1, 2, 2, 1, 1, 1, 1, 0.2])[0]
        if not self.questions:
            kind = "put"
        return kind, *getattr(self, f"_{kind}")()

    def _any(self) -> tuple[Question, Asker]:
        return self.lot.choice(list(self.questions.values()))

    def _put(self) -> tuple[int, Call]:
        number = self.lot.randrange(2)
        asked = question(f"Number {len(self.questions)}?", id=new_id())
        if self.lot.random() < 0.3:
            asked = replace(asked, draft=typed("filled in"))
        self.questions[asked.id] = asked, ASKERS[number]
        return number, lambda store: store.put(asked, ASKERS[number])

    def _put_again(self) -> tuple[int, Call]:
        asked, asker = self._any()
        return ASKERS.index(asker), lambda store: store.put(asked, asker)

    def _claim(self) -> tuple[int, Call]:
        asked, number = self._any()[0], self.lot.randrange(2)
        draft = typed(f"by {number}") if self.lot.random() < 0.5 else None
        return 2 + number, lambda store: store.claim(asked.id, PEOPLE[number], draft)

    def _release(self) -> tuple[int, Call]:
        asked, number = self._any()[0], self.lot.randrange(2)
        return 2 + number, lambda store: store.release(asked.id)

    def _answer(self) -> tuple[int, Call]:
        asked, number = self._any()[0], self.lot.randrange(2)
        attempt = asked.attempt - (self.lot.random() < 0.2)
        outcome, name = self.lot.choice(ENDS), f"answer-{self.lot.random()}"
        digest = self.digests[asked.id]
        given = Answer(outcome, PEOPLE[number], attempt, digest, id=name)
        return 2 + number, lambda store: store.answer(asked.id, given)

    def _reopen(self) -> tuple[int, Call]:
        asked, asker = self._any()
        again = replace(asked, attempt=asked.attempt + 1, note=f"Note {asked.attempt}")
        self.questions[asked.id] = again, asker
        return ASKERS.index(asker), lambda store: store.reopen(again)

    def _settle(self) -> tuple[int, Call]:
        (asked, asker), outcome = self._any(), self.lot.choice(ENDS)
        return ASKERS.index(asker), lambda store: store.settle(asked.id, outcome)

    def _withdraw(self) -> tuple[int, Call]:
        asked, asker = self._any()
        return ASKERS.index(asker), lambda store: store.withdraw(asked.id)

    def _mark_agent(self) -> tuple[int, Call]:
        (asked, asker), state = self._any(), self.lot.choice(["waiting", "paused", "left"])
        return ASKERS.index(asker), lambda store: store.mark_agent(asked.id, state)

    def _get(self) -> tuple[int, Call]:
        asked = self._any()[0]
        return self.lot.randrange(4), lambda store: store.get(asked.id)

    def _end(self) -> tuple[int, Call]:
        number = self.lot.randrange(2)
        return number, lambda store: store.end(ASKERS[number].session)


def seen(result: Any) -> Any:
    """What a call returned, without what differs by the key it was sealed with."""
    return replace(result, digest="") if isinstance(result, Waiting) else result


async def told(store: Store, call: Call) -> Any:
    try:
        return seen(await call(store))
    except StoreError as error:
        return type(error), str(error)


@pytest.mark.parametrize("seed", range(HISTORIES))
async def test_both_engines_say_the_same_at_every_step(
    tmp_path: Path, redis_process: RedisProcess, seed: int
) -> None:
    clock, secret = Clock(), bytes(range(32))
    engines = SqliteEngine(tmp_path, clock), RedisEngine(redis_process, clock)
    roles = ("asker", "asker", "answerer", "answerer")
    stores = [
        [await engine.open(role, secret=secret) for role in roles]  # type: ignore[arg-type]
        for engine in engines
    ]
    history, calls = History(seed), []
    try:
        for processes in stores:
            for number, asker in enumerate(ASKERS):
                await processes[number].begin(asker)
        for _ in range(STEPS):
            kind, number, call = history.next()
            calls.append((kind, number))
            sqlite, redis = [await told(processes[number], call) for processes in stores]
            assert sqlite == redis, calls
            for one in await stores[0][2].waiting():
                history.digests[one.id] = one.digest
            for name in history.questions:
                history.digests.setdefault(name, "none")
            clock.advance(seconds=history.lot.choice([0, 1, 30, 61]))
            for processes in stores:  # One of them watches.
                await processes[2].changes()
                await processes[2].heartbeat()
            views = [[seen(one) for one in await processes[3].waiting()] for processes in stores]
            assert views[0] == views[1], calls
        for name in history.questions:
            ends = [seen(await processes[3].get(name)) for processes in stores]
            assert ends[0] == ends[1], (name, calls)
    finally:
        for engine in engines:
            for store in engine.opened:
                await store.close()
