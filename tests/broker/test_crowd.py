"""Many processes ask and answer at once, and die: one outcome each, and the ledger agrees."""

from __future__ import annotations

import asyncio
import json
import os
import random
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from elicit_tui.broker.inbox_events import QuestionLeft
from elicit_tui.elicitation.settings import HistorySettings, Settings
from elicit_tui.ledger import Ledger
from elicit_tui.runtime import open_inbox
from elicit_tui.store.sqlite import SqliteStore
from tests.forks import ModuleFork

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL"),
]

BOUND = 100.0
DEATHS = int(os.environ.get("DEATHS", "4"))
"""How many processes are killed; a closing look takes more."""
QUESTIONS = int(os.environ.get("QUESTIONS", "48"))


class Crowd:
    """Processes of `tests.broker.crowd` over one store and one ledger."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.children: list[ModuleFork] = []

    def start(self, *arguments: str) -> ModuleFork:
        child = ModuleFork("tests.broker.crowd", str(self.directory), *arguments)
        self.children.append(child)
        return child

    def kill_all(self) -> None:
        for child in self.children:
            if child.poll() is None:
                child.kill()
            child.communicate(timeout=BOUND)

    def recorded(self) -> dict[str, list[str]]:
        """Each question's decisions in the ledger, as `action decidedBy`."""
        with closing(Ledger.open(self.directory / "ledger.sqlite3")) as ledger:
            assert ledger.verify().ok
        found: dict[str, list[str]] = {}
        with closing(sqlite3.connect(self.directory / "ledger.sqlite3")) as file:
            for event, question, body in file.execute("SELECT event, question, body FROM records"):
                decisions = found.setdefault(question, [])
                if event == "decided":
                    told = json.loads(body)
                    decisions.append(f"{told['action']} {told['decidedBy']}")
        return found

    async def left_waiting(self) -> list[str]:
        """What still waits once a living process has looked."""
        store = await SqliteStore.open(self.directory / "store.sqlite3", "answerer")
        await store.heartbeat()
        left = [each.id for each in await store.waiting()]
        await store.close()
        return left


@pytest.fixture
def crowd(tmp_path: Path) -> Iterator[Crowd]:
    crowd = Crowd(tmp_path)
    yield crowd
    crowd.kill_all()


def lines(child: ModuleFork) -> Iterator[list[str]]:
    for line in child.stdout:
        yield line.split()


async def test_six_that_ask_and_three_that_answer_agree_on_every_question(crowd: Crowd) -> None:
    answering = [crowd.start("answer") for _ in range(3)]
    asking = [crowd.start("ask", str(QUESTIONS // 6)) for _ in range(6)]
    told = {}
    for child in asking:
        for words in lines(child):
            if words[0] == "outcome":
                told[words[1]] = words[2:]
        assert child.wait(BOUND) == 0
    assert len(told) == QUESTIONS // 6 * 6
    assert set(map(tuple, told.values())) == {("accept", "user", "True")}
    assert crowd.recorded() == {question: ["accept user"] for question in told}
    assert await crowd.left_waiting() == []
    for child in answering:
        assert child.poll() is None


STATES = ("asker put", "asker outcome", "answerer asked", "answerer sent")


async def test_whoever_dies_at_whatever_step_nothing_is_left_and_the_ledger_agrees(
    crowd: Crowd,
) -> None:
    chance = random.Random(12)
    for death in range(DEATHS):
        role, _, step = STATES[death % len(STATES)].partition(" ")
        asking, answering = crowd.start("ask", "6"), crowd.start("answer")
        victim, survivor = (asking, answering) if role == "asker" else (answering, asking)
        after = chance.randrange(1, 6)
        told = {}
        for words in lines(victim):
            if words[0] == "outcome":
                told[words[1]] = words[2:]
            after -= words[0] == step
            if after == 0:
                break
        victim.kill()
        victim.wait(BOUND)
        if role == "answerer":  # what it had in front of it is answered by the next one
            crowd.start("answer")
            for words in lines(survivor):
                if words[0] == "outcome":
                    told[words[1]] = words[2:]
            assert survivor.wait(BOUND) == 0
            assert len(told) == 6
        assert await crowd.left_waiting() == []
        recorded = crowd.recorded()
        for question, outcome in told.items():
            assert outcome == ["accept", "user", "True"]
            assert recorded[question] == ["accept user"]
        assert all(len(decisions) <= 1 for decisions in recorded.values())
        crowd.kill_all()
        crowd.children.clear()


async def test_a_question_whose_process_was_killed_ends_in_the_ledger_too(crowd: Crowd) -> None:
    asking = crowd.start("ask", "1")
    question = next(words[1] for words in lines(asking) if words[0] == "put")
    settings = Settings(history=HistorySettings(path=str(crowd.directory / "ledger.sqlite3")))
    async with open_inbox(settings, "inbox") as inbox:
        left = asyncio.Event()
        inbox.subscribe(lambda event: left.set() if isinstance(event, QuestionLeft) else None)
        while not inbox.waiting:
            came = asyncio.Event()
            inbox.subscribe(lambda event, came=came: came.set())  # type: ignore[misc]
            await asyncio.wait_for(came.wait(), BOUND)
        asking.kill()
        await asyncio.wait_for(left.wait(), BOUND)
    assert crowd.recorded() == {question: ["cancel store"]}
