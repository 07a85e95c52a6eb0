"""The store between processes: who dies is noticed, who is many agrees on one winner."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

import pytest

from elicit_tui.store.store import Store, Waiting
from tests.forks import ModuleFork
from tests.store.conftest import Engine, not_on_valkey
from tests.store.world import ME, answer, put, typed

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL"),
    # Each of them takes a second or more; Valkey differs in nothing that a process could tell.
    not_on_valkey,
]

BOUND = 60.0


class Process:
    """One process of `tests.store.waiting`."""

    def __init__(self, place: str, step: str, count: int) -> None:
        self._child = ModuleFork("tests.store.waiting", place, step, str(count))

    def line(self) -> list[str]:
        return self._child.stdout.readline().split()

    def go(self) -> None:
        self._child.stdin.write("go\n")
        self._child.stdin.flush()

    def started(self) -> Process:
        assert self.line() == ["ready"]
        self.go()
        return self

    def kill(self) -> None:
        self._child.kill()
        self._child.communicate(timeout=BOUND)

    def rest(self) -> list[list[str]]:
        output = self._child.communicate(timeout=BOUND)
        assert self._child.returncode == 0
        return [line.split() for line in output.splitlines()]

    def end(self) -> None:
        if self._child.poll() is None:
            self._child.kill()
        self._child.communicate(timeout=BOUND)


Launch = Callable[[str, int], Process]


@pytest.fixture
def launch(engine: Engine) -> Iterator[Launch]:
    """Launches a process on the engine's file; it waits for `go`, or for `started`."""
    launched: list[Process] = []

    def process(step: str, count: int) -> Process:
        launched.append(Process(engine.place, step, count))
        return launched[-1]

    yield process
    for each in launched:
        each.end()


async def until_changed(store: Store, number: int) -> tuple[int, tuple[Waiting, ...]]:
    changes = await store.changes(number, BOUND)
    assert changes.waiting
    return changes.number, changes.waiting


async def test_the_death_of_who_asks_ends_its_questions_at_once(
    engine: Engine, launch: Launch
) -> None:
    answering = await engine.open("answerer")
    process = launch("hold", 3).started()
    ids = {process.line()[1] for _ in range(3)}
    assert {one.id for one in await answering.waiting()} == ids
    assert len(await answering.asking_processes()) == 1
    number = (await answering.changes()).number
    process.kill()
    assert await answering.asking_processes() == ()
    _, ended = await until_changed(answering, number)
    assert {one.id for one in ended} == ids
    assert {(one.state, one.action, one.decided_by) for one in ended} == {
        ("settled", None, "store")
    }
    late = await answering.answer(ended[0].id, answer(ended[0]))
    assert late is not None
    assert late.answer_id is None


async def test_the_death_of_who_asks_after_the_answer_leaves_it_unknown(
    engine: Engine, launch: Launch
) -> None:
    answering = await engine.open("answerer")
    process = launch("hold", 1).started()
    process.line()
    (waiting,) = await answering.waiting()
    given = answer(waiting)
    await answering.answer(waiting.id, given)
    number = (await answering.changes()).number
    process.kill()
    _, (ended,) = await until_changed(answering, number)
    assert (ended.state, ended.action, ended.decided_by) == ("settled", None, "store")
    assert ended.answer_id == given.id


async def test_the_death_of_who_answers_opens_what_it_had_claimed_with_what_was_typed(
    engine: Engine, launch: Launch
) -> None:
    asking = await engine.open("asker")
    waiting = await put(asking)
    process = launch("claim", 1).started()
    assert process.line() == ["claimed", waiting.id]
    number = (await asking.changes()).number
    process.kill()
    _, (opened,) = await until_changed(asking, number)
    assert (opened.state, opened.held_by) == ("open", None)
    assert opened.question is not None
    assert opened.question.draft == typed("half")


async def test_the_death_of_who_answered_takes_no_answer_back(
    engine: Engine, launch: Launch
) -> None:
    asking = await engine.open("asker")
    waiting = await put(asking)
    process = launch("take", 1).started()
    assert process.line() == ["answered", waiting.id]
    process.kill()
    await asking.heartbeat()
    (answered,) = await asking.waiting()
    assert (answered.state, answered.answered_by) == ("answered", ME)
    given = await asking.answer_of(waiting.id)
    assert given is not None
    assert given.outcome.action == "accept"


async def test_six_processes_that_start_at_once_make_one_key(
    engine: Engine, launch: Launch
) -> None:
    processes = [launch("hold", 1) for _ in range(6)]
    for process in processes:
        assert process.line() == ["ready"]
    for process in processes:
        process.go()
    for process in processes:
        assert process.line()[0] == "put"
    answering = await engine.open("answerer")
    waiting = await answering.waiting()
    assert len(waiting) == 6
    assert [one.unreadable for one in waiting] == [None] * 6


async def test_three_that_ask_and_three_that_answer_agree_on_each_of_sixty_questions(
    launch: Launch,
) -> None:
    asking = [launch("ask", 20) for _ in range(3)]
    answering = [launch("answer", 60) for _ in range(3)]
    for process in (*asking, *answering):
        process.started()
    settled = [line for process in asking for line in process.rest() if line[0] == "settled"]
    assert len(settled) == 60
    assert all(question == content for _, question, content in settled)
    for process in answering:
        process.kill()
