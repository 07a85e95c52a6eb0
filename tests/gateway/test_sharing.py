"""What a session tells the other gateways of its agent, and does when they ask for something."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from elicit_tui.elicitation import Call, Question
from elicit_tui.errors import StoreError
from elicit_tui.gateway import telling
from elicit_tui.gateway.held_call import HeldCall
from elicit_tui.gateway.held_calls import HeldCalls
from elicit_tui.gateway.passing import Background
from elicit_tui.gateway.shared_calls import Elsewhere
from elicit_tui.gateway.sharing import Sharing
from tests.broker.conftest import form_request
from tests.gateway.held import Request, Watcher
from tests.gateway.world import MovedClock, settled

pytestmark = pytest.mark.anyio

HOLD = 7.0


@dataclass
class Shared:
    """What the store knows, and all that it is told, in order."""

    private: bool = False
    earlier: str | None = None
    seen_as: object | None = None
    keeps: bool = True
    trouble: StoreError | None = None
    told: list[tuple[Any, ...]] = field(default_factory=list)
    heard: Callable[[str, Mapping[str, Any]], None] | None = None
    wanted: Callable[[], list[str]] | None = None

    async def begin(self, call: Call, key: str, requester: Any, hold: float) -> str | None:
        self.told.append(("begin", call.id, key, hold))
        return self.earlier

    async def about_to_call(self, call: Call) -> None:
        self.told.append(("about to call", call.id))

    async def paused(self, held: HeldCall, answered: Any) -> bool:
        self.told.append(("paused", held.id))
        return self.keeps

    async def delivered(self, call_id: str, *, named: bool) -> None:
        self.told.append(("delivered", call_id, named))

    async def ended(self, held: HeldCall) -> None:
        self.told.append(("ended", held.id))

    async def agent_side(self, held: HeldCall) -> None:
        self.told.append(("left", held.id, held.left))

    async def abandoned(self, call_id: str) -> None:
        self.told.append(("abandoned", call_id))

    async def seen(self, call_id: Any) -> object | None:
        return self.seen_as

    async def note(self, call_id: str, note: Mapping[str, Any]) -> None:
        self.told.append(("note", call_id, dict(note)))

    async def attend(self, call_id: str, requester: Any, hold: float, still: str) -> Any:
        if self.trouble is not None:
            raise self.trouble
        return {"of": call_id, "hold": hold, "still": still}

    async def hear_notes(self, ids: Any, heard: Any) -> None:
        self.wanted, self.heard = ids, heard


class Asker(Request):
    """A request over HTTP: it is known when its answer has left."""

    def __init__(self, *, tells: bool) -> None:
        super().__init__(0.0)
        self.tells = tells
        self.after: list[Callable[[], Any]] = []

    def when_answered(self, work: Callable[[], Any]) -> bool:
        if self.tells:
            self.after.append(work)
        return self.tells


class World:
    """The calls of one session beside a store."""

    def __init__(self, shared: Shared | None = None) -> None:
        self.clock = MovedClock()
        self.calls = HeldCalls(self.clock)
        self.watcher = Watcher()
        self.calls.watched_by(self.watcher)
        self.answers: list[tuple[HeldCall, Mapping[str, Any]]] = []
        kept: Any = shared
        self.sharing = Sharing(
            kept,
            self.calls,
            Background(),
            answer=lambda held, arguments: self.answers.append((held, arguments)),
            hold=lambda requester: HOLD,
        )

    def begins(self, key: str = "key") -> HeldCall:
        work: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        return self.calls.start(Call("tools/call", "one"), "s", key, work)

    async def paused(self, key: str = "key") -> HeldCall:
        """A call whose agent was told to come back."""
        held = self.begins(key)
        question = Question(form_request())
        held.waiting[question.id] = question
        await self.calls.attend(held, Asker(tells=False), 0.0)  # type: ignore[arg-type]
        return held

    async def hears(self, shared: Shared, held: HeldCall, **note: Any) -> None:
        if shared.heard is None:
            await self.sharing.hear()
        assert shared.heard is not None
        shared.heard(held.id, note)
        await settled()


def ends(held: HeldCall) -> None:
    work: Any = held.task
    work.set_result({"content": []})


# Without other gateways


async def test_an_agent_on_stdio_has_its_calls_here_and_nowhere_else() -> None:
    here = World()
    call, asker = Call("tools/call", "one"), Asker(tells=True)
    someone: Any = asker
    assert await here.sharing.joined(call, "key", someone) is None
    held = await here.paused()
    assert await here.sharing.joined(call, "key", someone) is held
    await here.sharing.about_to_call(call)
    assert await here.sharing.paused(held, {})
    await here.sharing.delivered(held, someone)
    assert asker.after == []
    await here.sharing.forget(held.id)
    here.sharing.outcome_kept(held)
    here.sharing.given_up(held)
    here.sharing.agent_side_changed(held)
    assert not await here.sharing.pass_on(held.id, {"cancel": True})
    await here.sharing.hear()
    await here.sharing.end()
    assert here.watcher.withdrawn == [held]


# Calls of this gateway


async def test_an_equal_call_joins_what_the_store_knows_of_wherever_that_is() -> None:
    shared = Shared()
    here = World(shared)
    asker: Any = Asker(tells=True)
    call = Call("tools/call", "one")
    assert await here.sharing.joined(call, "key", asker) is None
    assert shared.told == [("begin", call.id, "key", HOLD)]
    held = await here.paused()
    # Its outcome may have been read elsewhere, which only the store knows.
    assert await here.sharing.joined(call, "key", asker) is None
    shared.earlier = held.id
    assert await here.sharing.joined(call, "key", asker) is held
    shared.earlier = "of another"
    assert await here.sharing.joined(call, "key", asker) == Elsewhere("of another")


async def test_a_session_that_nobody_comes_for_elsewhere_joins_its_own_without_the_store() -> None:
    shared = Shared(private=True)
    here = World(shared)
    asker: Any = Asker(tells=True)
    held = await here.paused()
    assert await here.sharing.joined(Call("tools/call", "one"), "key", asker) is held
    assert shared.told == []
    assert await here.sharing.joined(Call("tools/call", "one"), "other", asker) is None
    assert len(shared.told) == 1


@pytest.mark.parametrize("keeps", [True, False])
async def test_what_is_written_before_a_call_and_before_a_pause_is_asked_of_the_store(
    keeps: bool,
) -> None:
    shared = Shared(keeps=keeps)
    here = World(shared)
    held = here.begins()
    await here.sharing.about_to_call(held.call)
    assert await here.sharing.paused(held, {}) is keeps
    assert shared.told == [("about to call", held.id), ("paused", held.id)]


async def test_an_outcome_that_is_read_once_is_noted_when_its_answer_has_left() -> None:
    shared = Shared()
    here = World(shared)
    held, asker = here.begins(), Asker(tells=True)
    someone: Any = asker
    await here.sharing.delivered(held, someone)
    assert shared.told == []
    await asker.after[0]()
    assert shared.told == [("delivered", held.id, False)]


@pytest.mark.parametrize("how", ["paused", "left", "nobody tells"])
async def test_an_outcome_that_can_be_read_again_is_noted_before_it_leaves(how: str) -> None:
    shared = Shared()
    here = World(shared)
    held, asker = here.begins(), Asker(tells=how != "nobody tells")
    held.paused, held.left = how == "paused", how == "left"
    someone: Any = asker
    await here.sharing.delivered(held, someone)
    assert shared.told == [("delivered", held.id, how != "nobody tells")]
    assert asker.after == []


async def test_what_its_agent_took_back_is_forgotten_and_a_task_can_be_seen_to_be_cancelled() -> (
    None
):
    shared = Shared()
    here = World(shared)
    held, task = here.begins(), here.begins("task")
    task.is_task = True
    here.sharing.given_up(held)
    here.sharing.given_up(task)
    await settled()
    # Whoever took it back is owed nothing; it can be seen all the same.
    assert shared.told == [
        ("delivered", held.id, False),
        ("ended", task.id),
        ("delivered", task.id, True),
    ]
    shared.told.clear()
    here.sharing.outcome_kept(held)
    await settled()
    assert shared.told == [("ended", held.id)]


@pytest.mark.parametrize(("is_left", "paused"), [(True, False), (False, False), (False, True)])
async def test_the_others_learn_whether_the_agent_left(is_left: bool, paused: bool) -> None:
    shared = Shared()
    here = World(shared)
    held = here.begins()
    held.left, held.paused = is_left, paused
    assert (held.agent_state == "paused") is paused
    here.sharing.agent_side_changed(held)
    await settled()
    assert shared.told == [("left", held.id, is_left)]


@pytest.mark.parametrize("private", [True, False])
async def test_at_its_end_what_went_on_is_not_known_and_what_only_it_could_tell_is_forgotten(
    private: bool,
) -> None:
    shared = Shared(private=private)
    here = World(shared)
    goes_on, ended, read = [await here.paused(key) for key in ("1", "2", "3")]
    ends(ended)
    ends(read)
    read.delivered = True
    await settled()
    await here.sharing.end()
    assert goes_on.done
    forgotten = [("delivered", ended.id, False)] if private else []
    assert shared.told == [("abandoned", goes_on.id), *forgotten]


# What another gateway leaves for this one


async def test_notes_are_looked_for_of_what_an_agent_may_come_back_for() -> None:
    shared = Shared()
    here = World(shared)
    await here.sharing.hear()
    assert shared.wanted is not None
    assert shared.heard is not None
    assert shared.wanted() == []
    held = await here.paused()
    assert shared.wanted() == [held.id]
    shared.heard("unknown", {"attended": "theirs", "cancel": True, "read": True})
    assert (dict(held.elsewhere), held.delivered, held.withdrawn) == ({}, False, False)


async def test_who_waits_or_has_read_elsewhere_is_counted_here() -> None:
    shared = Shared()
    here = World(shared)
    held = await here.paused()
    await here.hears(shared, held, attended="theirs")
    assert (held.attended, held.delivered) == (True, False)
    await here.hears(
        shared, held, attended=2, left=3, read=False, answer="no", update="no", state=1
    )
    assert (list(held.elsewhere), held.delivered, here.answers) == (["theirs"], False, [])
    await here.hears(shared, held, left="theirs", read=True)
    assert (held.attended, held.delivered) == (False, True)


async def test_an_answer_an_update_and_a_round_reach_the_call_they_are_of() -> None:
    shared = Shared()
    here = World(shared)
    held, other = await here.paused("1"), await here.paused("2")
    await here.hears(shared, held, answer={"action": "decline"})
    assert here.answers == [(held, {"action": "decline"})]
    with held.rounds.asking("key", {}) as answer, other.rounds.asking("key", {}) as others:
        assert held.rounds.begin()
        assert other.rounds.begin()
        given = {"key": {"action": "cancel"}}
        await here.hears(shared, held, state=other.rounds.state(other.id), responses=given)
        assert not answer.done()
        assert not others.done()
        await here.hears(shared, held, state=held.rounds.state(held.id), responses=given)
        assert answer.result() == {"action": "cancel"}
        await here.hears(shared, other, update=given)
        assert others.result() == {"action": "cancel"}


async def test_a_call_is_given_up_and_a_task_cancelled_where_it_has_not_ended() -> None:
    shared = Shared()
    here = World(shared)
    held, task, ended = [await here.paused(key) for key in ("1", "2", "3")]
    task.is_task = task.called = held.called = True
    ends(ended)
    await settled()
    for each in (held, task, ended):
        await here.hears(shared, each, cancel=False)
    assert here.watcher.withdrawn == []
    for each in (held, task, ended):
        await here.hears(shared, each, cancel=True)
    assert here.watcher.withdrawn == [held, task]
    assert (held.done, task.done, here.calls.by_id(ended.id)) == (True, False, ended)
    assert here.calls.by_id(held.id) is None


# Calls of another gateway


async def test_what_is_passed_on_goes_to_a_call_that_is_known_and_says_something() -> None:
    shared = Shared()
    here = World(shared)
    assert not await here.sharing.pass_on("call", {"cancel": True})
    shared.seen_as = object()
    assert await here.sharing.pass_on("call", {})
    assert shared.told == []
    assert await here.sharing.pass_on("call", {"cancel": True})
    assert shared.told == [("note", "call", {"cancel": True})]


async def test_a_call_of_another_gateway_is_held_as_long_as_one_of_this_one() -> None:
    shared = Shared()
    here = World(shared)
    asker: Any = Asker(tells=True)
    told = await here.sharing.attended("call", asker, "still")
    assert told == {"of": "call", "hold": HOLD, "still": "still"}
    shared.trouble = StoreError("The store is gone.")
    told = await here.sharing.attended("call", asker, "still")
    assert told == telling.text_result(f"The store is gone. {telling.NOT_KNOWN}", is_error=True)
