"""The calls of one session while they are under way, and what became of them.

A call of the agent and the call of the server are two things: the server's lives in a task of its
own, the *held call*, and the agent's requests come and go. So a call can answer "paused" while a
person still thinks, be picked up again by its id, be joined by a call made again, and outlive an
agent that went away for a moment.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

from elicit_tui.elicitation import Call, ElicitationRequest, Question, now
from elicit_tui.elicitation.eras import ERAS
from elicit_tui.gateway.clock import Clock
from elicit_tui.gateway.departures import Departures
from elicit_tui.gateway.held_call import (
    AsksClient,
    BecameTask,
    Ended,
    GivenUp,
    HeldCall,
    HeldCallsWatcher,
    OutcomesUnread,
    Paused,
    Reply,
    StillRuns,
    TooManyCalls,
    agent_state,
)
from elicit_tui.gateway.requester import Requester
from elicit_tui.gateway.rounds import SEPARATOR
from elicit_tui.gateway.telling import Result, ticking
from elicit_tui.store.calls import MOST_OUTCOME_BYTES, MOST_OUTCOMES

TAKEN_BACK: Final = "The agent took its call back."
TICK_SECONDS: Final = 10.0
ATTENDED_SECONDS: Final = 15.0
"""How long a request of another process counts as one that waits, once that has said so."""
MOST_OPEN: Final = 512
"""Calls of one session under way at once; an agent that opens more is not working."""


class HeldCalls:
    """All held calls of one session."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._watched_by: HeldCallsWatcher | None = None
        self._under_way: dict[str, HeldCall] = {}
        """By the id of the call."""
        self._named: dict[str, HeldCall] = {}
        """Those whose id or key somebody may come back with, oldest first."""
        self._asked: dict[str, Question] = {}
        """What waits for a person, by the question's id."""
        self._ending = False
        self._departures = Departures(clock, lambda: self._watcher)

    def watched_by(self, watcher: HeldCallsWatcher) -> None:
        """Take the session that these calls are of, before the first of them begins."""
        self._watched_by = watcher

    @property
    def _watcher(self) -> HeldCallsWatcher:
        if self._watched_by is None:
            raise RuntimeError("These held calls belong to no session (HeldCalls.watched_by).")
        return self._watched_by

    # Finding

    def by_id(self, identifier: Any) -> HeldCall | None:
        """The call with this id, as long as its outcome is kept."""
        return self._named.get(identifier) if isinstance(identifier, str) else None

    def of_state(self, state: str) -> HeldCall | None:
        """The call that a round's `requestState` is of, as long as its outcome is kept."""
        # The number stands behind the last separator.
        identifier, _, number = state.rpartition(SEPARATOR)
        held = self.by_id(identifier)
        return held if held is not None and held.rounds.has_begun(number) else None

    def of_call(self, call_id: str) -> HeldCall | None:
        """The held call by the id that it has below, while it is under way."""
        return self._under_way.get(call_id)

    def of_request(self, request: ElicitationRequest) -> tuple[HeldCall, ...]:
        """The calls that a question may belong to."""
        if request.traits.for_server and not request.calls:
            server = request.server.name
            return tuple(held for held in self._under_way.values() if held.server == server)
        found = (self._under_way.get(call.id) for call in request.calls)
        return tuple(held for held in found if held is not None)

    @contextmanager
    def waiting_for(self, question: Question) -> Iterator[None]:
        """Within this the calls that a question may belong to wait for a person.

        Those too that begin meanwhile, where it is asked for their whole server.
        """
        self._asked[question.id] = question
        for held in self.of_request(question.request):
            held.waiting[question.id] = question
            held.changed()
        try:
            yield
        finally:
            del self._asked[question.id]
            # Not only those that waited at the beginning.
            for held in self._under_way.values():
                if held.waiting.pop(question.id, None) is not None:
                    held.changed()

    def left(self, request: ElicitationRequest) -> bool:
        """Whether the agent has left every call that a question may belong to."""
        return agent_state(self.of_request(request)) == "left"

    def to_join(self, key: str) -> HeldCall | None:
        """The oldest call that another one with this key joins."""
        return next(
            (held for held in self._named.values() if held.key == key and held.joinable), None
        )

    @property
    def under_way(self) -> tuple[HeldCall, ...]:
        """Every call without an outcome, oldest first."""
        return tuple(self._under_way.values())

    @property
    def owed(self) -> bool:
        """Whether an agent may come back for a call: it goes on, or its outcome was not told."""
        return bool(self._under_way) or not all(held.delivered for held in self._named.values())

    # Their life

    def start(self, call: Call, server: str, key: str, work: Awaitable[Result]) -> HeldCall:
        """Begin a call in a task of its own. Raises TooManyCalls, OutcomesUnread."""
        if len(self._under_way) >= MOST_OPEN or self._unread_is_full:
            if asyncio.iscoroutine(work):
                work.close()  # One that nobody awaits would be a warning of Python's.
            raise OutcomesUnread if self._unread_is_full else TooManyCalls
        held = HeldCall(call, server, key, started=self._clock.time())
        self._under_way[call.id] = held
        for question in self._asked.values():
            # Asked for a whole server, as with its login: a call that begins meanwhile waits for it
            # too.
            if held in self.of_request(question.request):
                held.has_asked = True
                held.waiting[question.id] = question
        held.task = asyncio.ensure_future(work)
        # A callback, not an `await`: the outcome has to be kept also where no request waits for it
        # any more.
        held.task.add_done_callback(lambda task: self._has_ended(held))
        return held

    def _has_ended(self, held: HeldCall) -> None:
        held.ended_at = now()
        self._under_way.pop(held.call.id, None)
        for waits in (held.departure, held.cancelling):
            if waits is not None:
                waits.cancel()
        task = held.task
        assert task is not None
        if task.cancelled():
            self._forget(held)
            # Whoever took it back waits for no outcome: a task that is seen no more holds up none.
            self.outcome_told(held)
            # The end of the session cancels all of them, and tells the others in its own way
            # (`Sharing.end`).
            if self._watched_by is not None and not self._ending:
                self._watched_by.given_up(held)
        else:
            task.exception()  # Looked at: an error that nobody waits for is no warning of Python's.
            if held.withdrawn and not held.has_id:
                # No equal call joins it, and nobody knows its id.
                self._let_go(held)
            elif held.id in self._named:
                self._keep_outcome(held)
        held.changed()

    def _forget(self, held: HeldCall) -> None:
        """Let go of a call that was given up; a task can be seen to be cancelled."""
        if not held.is_task:
            self._named.pop(held.id, None)

    def _name(self, held: HeldCall) -> None:
        if held.id not in self._named:
            self._named[held.id] = held
            if held.done:
                self._keep_outcome(held)

    def _keep_outcome(self, held: HeldCall) -> None:
        self._watcher.outcome_kept(held)
        self._make_room()

    @property
    def _outcomes(self) -> list[HeldCall]:
        """What ended and can be read, oldest first."""
        return [held for held in self._named.values() if held.done]

    @property
    def unread(self) -> list[HeldCall]:
        """What ended and waits for the agent, oldest first."""
        return [held for held in self._outcomes if not held.delivered]

    @property
    def _unread_is_full(self) -> bool:
        unread = [held for held in self.unread if held.has_id]
        return len(unread) >= MOST_OUTCOMES or sum(e.size for e in unread) >= MOST_OUTCOME_BYTES

    def _make_room(self) -> None:
        """Let what was read give place, and what was left by who never had its id."""
        kept = self._outcomes
        # Oldest first, as they were named. What an agent may come back for with an id is an
        # obligation and stays until it is read; when there is too much of it, no new call begins
        # (`_unread_is_full`).
        for held in [outcome for outcome in kept if outcome.delivered or not outcome.has_id]:
            size = sum(other.size for other in kept)
            if len(kept) <= MOST_OUTCOMES and size <= MOST_OUTCOME_BYTES:
                return
            kept.remove(held)
            self._let_go(held)

    def _let_go(self, held: HeldCall) -> None:
        """Forget an outcome; one that nobody has read is forgotten everywhere."""
        self._named.pop(held.id, None)
        if not held.delivered:
            self._watcher.given_up(held)

    # Waiting for one

    async def attend(
        self,
        held: HeldCall,
        requester: Requester,
        hold: float,
        *,
        resumed: bool = False,
        takes_task: bool = False,
        keep: Callable[[Reply], Awaitable[bool]] | None = None,
    ) -> Reply:
        """Wait for a call on behalf of one request of the agent.

        `hold`: seconds from the arrival of the request after which it is answered although a
        person is waited for; `takes_task`: it may be answered with a task instead; `keep`: keeps a
        reply before it is given; where that cannot be (False), another one is waited for. Raises
        what the call raised, and GivenUp. Cancelling it means that the agent left.
        """
        # One more request waits, so the agent has not left. The call itself runs on in its own task
        # whatever becomes of this request: it is answered, or only the request is cancelled.
        before = held.agent_side
        held.requesters.append(requester)
        held.with_client = None
        self._departures.returns(held)
        self._departures.tell(held, before)
        ticking_task = (
            asyncio.ensure_future(self._tick(held, requester)) if requester.has_token else None
        )
        try:
            end = requester.arrived + hold
            reply = await self._reply(held, end, requester, resumed, takes_task)
            while keep is not None and not await keep(reply):
                reply = await self._reply(held, end, requester, resumed, takes_task)
        except asyncio.CancelledError:
            # First, as `_leave` asks who still waits for the call.
            before = held.agent_side
            held.requesters.remove(requester)
            self._leave(held)
            self._departures.tell(held, before)
            raise
        finally:
            if ticking_task is not None:
                ticking_task.cancel()
            if requester in held.requesters:
                before = held.agent_side
                held.requesters.remove(requester)
        self._note_reply(held, requester, reply)
        self._departures.tell(held, before)
        return reply

    def _note_reply(self, held: HeldCall, requester: Requester, reply: Reply) -> None:
        """Keep in the call what its agent was told."""
        if isinstance(reply, BecameTask):
            held.is_task = True
        if isinstance(reply, (AsksClient, BecameTask)):
            held.with_client = requester
        # What leaves the call open gives it a name, by which it is found when the agent comes back
        # for it.
        if not isinstance(reply, (Ended, StillRuns)):
            held.paused = True
            self._name(held)

    async def _reply(
        self, held: HeldCall, end: float, requester: Requester, resumed: bool, takes_task: bool
    ) -> Reply:
        """What a request is answered with, as soon as there is something."""
        with held.listening() as changed:
            alarm = self._clock.alarm(end, changed.set)
            try:
                while True:
                    over = self._clock.time() >= end
                    reply = self._reply_now(held, over, requester, resumed, takes_task)
                    if reply is not None:
                        return reply
                    await changed.wait()
                    changed.clear()
            finally:
                alarm.cancel()

    def _reply_now(
        self, held: HeldCall, over: bool, requester: Requester, resumed: bool, takes_task: bool
    ) -> Reply | None:
        """What there is to answer just now; `over`: the request was held as long as it may be."""
        # In this order: an outcome is told even when the hold is over, a round goes out before a
        # task or a pause, and only a call for which a person is waited for pauses; one that is
        # merely slow is held on.
        assert held.task is not None
        if held.task.cancelled():
            raise GivenUp
        if held.task.done():
            # It is told now, by an error too, and may give place to others.
            self.outcome_told(held)
            return Ended(held.task.result())
        if takes_task and held.is_task:
            return BecameTask()
        if ERAS[requester.era].rounds and (asked := held.rounds.begin()):
            return AsksClient(asked, held.rounds.state(held.id))
        if takes_task and held.may_be_task:
            return BecameTask()
        if over and held.waiting:
            return Paused()
        return StillRuns() if over and resumed and not held.rounds.open else None

    async def _tick(self, held: HeldCall, requester: Requester) -> None:
        """Keep the agent's own clock from running out while a person is waited for."""
        while True:
            await self._clock.sleep(TICK_SECONDS)
            if held.waiting:
                waited = self._clock.time() - held.started
                requester.tick(held.last_progress[1], ticking(waited))

    # Leaving

    def _leave(self, held: HeldCall) -> None:
        """Let a call go whose request was taken back, or whose agent hung up."""
        # Another request waits, or the agent knows how to come back, or has all that it wanted.
        if held.attended or held.paused or held.delivered:
            return
        if held.done:  # Its outcome has reached nobody.
            held.left = True
            self._name(held)
            return
        if not held.has_asked:
            # Nobody was asked anything: the call is cancelled as any server would be told.
            self._departures.give_up(held)
            return
        self._departures.leaves(held)
        self._name(held)

    def give_up(self, held: HeldCall) -> None:
        """Take a call back for good, as its agent wishes: withdraw its questions, cancel it."""
        self._departures.withdraw(held)
        self._forget(held)
        self._departures.give_up(held)

    def cancel(self, held: HeldCall) -> None:
        """Cancel a task, as its agent wishes: what waits is taken back at once.

        Once the tool was called its server is told, and has the last word.
        """
        if held.done or held.withdrawn:
            return
        if not held.called:
            self.give_up(held)
            return
        self._departures.cancel(held)

    # Other gateway processes of the same agent

    @property
    def open_to_others(self) -> list[str]:
        """The ids of the calls that an agent may come back for in another process."""
        return [held.id for held in self._named.values() if not held.delivered]

    def attended_elsewhere(self, held: HeldCall, name: str) -> None:
        """Note that a request waits for a call in another process, from now on for a while."""
        before = held.agent_side
        held.elsewhere[name] = self._clock.time() + ATTENDED_SECONDS
        self._departures.returns(held)
        self._departures.tell(held, before)

    def left_elsewhere(self, held: HeldCall, name: str) -> None:
        """Note that a request in another process waits no more."""
        before = held.agent_side
        held.elsewhere.pop(name, None)
        # A note may come late: what has left already does not leave again.
        if not held.left:
            self._leave(held)
        self._departures.tell(held, before)

    def let_go_elsewhere(self) -> None:
        """Let requests go that another process said nothing of for long: it may have died."""
        now = self._clock.time()
        for held in {**self._named, **self._under_way}.values():
            for name in [name for name, until in held.elsewhere.items() if until <= now]:
                self.left_elsewhere(held, name)

    def outcome_told(self, held: HeldCall) -> None:
        """Note that the agent was given the outcome, here or by another process."""
        held.delivered = True
        self._make_room()

    async def end(self) -> None:
        """End the session: withdraw every question, cancel every call."""
        self._ending = True
        held_calls = self.under_way
        for held in held_calls:
            # The others learn of its end (`Sharing.end`), and not of this.
            held.withdrawn = True
            self._watcher.withdraw(held)
        ending = [
            task
            for held in held_calls
            for task in (held.task, held.departure, held.cancelling)
            if task is not None
        ]
        for task in ending:
            task.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.gather(*ending, return_exceptions=True)
        self._named.clear()
