"""The responder that lets a question wait in the store, where another process answers it.

What it brings back is judged by the broker like any answer: one that does not do comes back here
and is opened again. How a question ended is told to the store once the broker has resolved it.

Two processes speak here through the store alone. The asker puts a question (attempt 1) and looks
on. An answerer claims it, which moves the deadline, and answers that attempt. The asker's broker
judges: what does is settled, what does not is put again as the next attempt, so an answer to an
earlier one that comes late belongs to nothing.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from elicit_tui.broker.contracts import BrokerEvent, Resolved
from elicit_tui.broker.store_reader import RETRY_SECONDS, StoreReader
from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import (
    Deadline,
    ElicitationRequest,
    Outcome,
    Question,
    cancel,
    finished,
    now,
)
from elicit_tui.errors import StoreError
from elicit_tui.store.store import Answer, Asker, Store, Waiting
from elicit_tui.store.transitions import AgentState

CLOSE_SECONDS: Final = 2.0
"""How long `close` tries to tell the store how the last questions ended."""


TellWaiting = Callable[[ElicitationRequest, str | None], None]
"""Told of a question that waits while nobody is there, and of the agent's name."""


class StoreWatch:
    """Reads the store once for all questions of this process, while any of them waits."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._watched: dict[str, _Watched] = {}
        self._reader = StoreReader(
            store,
            beat=self._beat,
            changed=self._changed,
            unreadable=self._unreadable,
            patience=store.patience_sec,
        )

    @contextmanager
    def on(self, question_id: str) -> Iterator[_Watched]:
        """Look at one question from now on."""
        watched = self._watched[question_id] = _Watched()
        self._reader.start()
        try:
            yield watched
        finally:
            del self._watched[question_id]
            if not self._watched:
                # Nobody waits any more: the store is not read for nothing.
                self._reader.stop()

    def _changed(self, changed: Iterable[Waiting]) -> None:
        for waiting in changed:
            if waiting.id in self._watched:
                self._watched[waiting.id].show(waiting)

    def _unreadable(self, error: StoreError) -> None:
        for watched in self._watched.values():
            watched.show(error)

    async def _beat(self) -> None:
        """Say that this process lives, and tell of questions that nobody is there for any more."""
        await self._store.heartbeat()
        unnoticed = [
            waiting for waiting in self._watched.values() if waiting.nobody_there is not None
        ]
        if unnoticed and not await self._store.somebody_is_there():
            for watched in unnoticed:
                watched.tell_nobody()


class _Watched:
    """The last that was seen of one question."""

    def __init__(self) -> None:
        self._seen: Waiting | StoreError | None = None
        # Set by each look, and cleared by the one task that waits for it.
        self._new = asyncio.Event()
        self.nobody_there: Callable[[], None] | None = None
        """To be told once that it waits and nobody is there; None where that was told."""

    def tell_nobody(self) -> None:
        """Tell, once, that it waits and nobody is there."""
        tell, self.nobody_there = self.nobody_there, None
        if tell is not None:
            tell()

    def show_again(self) -> None:
        """Let `next` return the question once more, though it has not changed."""
        if self._seen is not None:
            self._new.set()

    def show(self, seen: Waiting | StoreError) -> None:
        self._seen = seen
        self._new.set()

    async def next(self) -> Waiting:
        """The question as it is now, once it has changed; raises StoreError."""
        await self._new.wait()
        self._new.clear()
        if isinstance(self._seen, StoreError):
            raise self._seen
        assert self._seen is not None
        return self._seen


@dataclass(eq=False)
class _Put:
    """A question of ours in the store, until the broker has resolved it."""

    question: Question
    attempt: int = 0
    """The one at which it stands there; 0: it was not put yet."""
    watched: _Watched | None = None
    """While it waits there for an answer."""
    page_finished: bool = False
    """Whether the server reported its page finished."""


class StoreResponder:
    """Asks whoever answers in the store, for one session of an agent.

    `on_broker_event` is to be subscribed to the broker, and `close` awaited after the broker's.
    The store's session must have begun.
    """

    def __init__(self, store: Store, asker: Asker, watch: StoreWatch) -> None:
        self._store = store
        self._asker = asker
        self._watch = watch
        self._put: dict[str, _Put] = {}
        self._untold: deque[tuple[str, Outcome]] = deque()
        self._telling: asyncio.Task[None] | None = None
        self._unforeseen: list[Exception] = []
        """What was raised while an end was told, beside what a store may raise."""
        self.tell_waiting: TellWaiting | None = None
        """Told, with the agent's name, of a question that was put while nobody is there."""

    async def respond(
        self,
        question: Question,
        deadline: Deadline,
        agent_state: Callable[[], AgentState] = lambda: "waiting",
    ) -> Outcome:
        """Let the question wait until it is answered; cancelled by `store` when it cannot.

        `agent_state`: what the agent does when the question stands there; later ones are marked.
        """
        put = self._put.setdefault(question.id, _Put(question))
        try:
            with self._watch.on(question.id) as watched:
                put.question, put.watched = question, watched
                # From here on its time passes: the inbox shows the same end.
                deadline.start()
                again = put.attempt > 0
                await self._place(put, watched, deadline)
                # One that is asked again may carry a mark of the last attempt.
                if again or agent_state() != "waiting":
                    await self._store.mark_agent(question.id, agent_state())
                return await self._answered(put, watched, deadline)
        except StoreError as error:
            return cancel("store", str(error))
        except asyncio.CancelledError:
            # Nobody may answer it from now on; how it ended follows (`on_broker_event`).
            with suppress(StoreError):
                # Shielded, as whoever cancels may do so again before the store was told.
                await asyncio.shield(self._store.withdraw(question.id))
            raise
        finally:
            put.watched = None

    async def _place(self, put: _Put, watched: _Watched, deadline: Deadline) -> None:
        """Put it, or open it again, at the attempt at which it is asked now."""
        question = put.question
        if put.attempt:
            # Higher than any that stood in the store, whatever the question itself says: an answer
            # must never fit an attempt that it was not given to.
            attempt = max(question.attempt, put.attempt + 1)
            await self._store.reopen(replace(question, attempt=attempt))
            put.attempt = attempt
        else:
            left = deadline.remaining
            end = None if left is None else now() + timedelta(seconds=left)
            put.attempt = question.attempt  # also if this is cancelled: then it may be there
            await self._store.put(question, self._asker, end)
            if self.tell_waiting is not None:
                tell = partial(self.tell_waiting, question.request, self._asker.agent)
                watched.nobody_there = tell
                if not await self._store.somebody_is_there():
                    watched.tell_nobody()

    async def _answered(self, put: _Put, watched: _Watched, deadline: Deadline) -> Outcome:
        last_key: datetime | None = None
        while True:
            waiting = await watched.next()
            if waiting.unreadable is not None:
                return cancel("store", waiting.unreadable)
            if waiting.state == "settled":
                # By whoever took this process for dead, or by an end of its session.
                return cancel("store", "The question was taken out of the store.")
            # Somebody typed: the deadline moves here as it does in every inbox.
            if waiting.last_key_at is not None and waiting.last_key_at != last_key:
                last_key = waiting.last_key_at
                deadline.touch()
            if put.page_finished and _page_is_open(waiting):
                assert waiting.question is not None
                return replace(finished(waiting.question), answered_by=waiting.held_by)
            # An answer to an earlier attempt is one that was judged already.
            if waiting.state == "answered" and waiting.attempt == put.attempt:
                answer = await self._store.answer_of(put.question.id)
                if answer is not None:
                    return _outcome(answer)

    def page_finished(self, server: str, elicitation_id: str) -> None:
        """The server says that what its page asked for is done: whoever opened it is done too."""
        for put in self._put.values():
            request = put.question.request
            page = (request.server.name, request.elicitation_id)
            if put.watched is not None and page == (server, elicitation_id):
                put.page_finished = True
                put.watched.show_again()

    async def mark_agent(self, question_id: str, state: AgentState) -> None:
        """Show what the agent does meanwhile in every inbox; raises StoreError."""
        await self._store.mark_agent(question_id, state)

    # How it ended

    def on_broker_event(self, event: BrokerEvent) -> None:
        """Tell the store how a question of ours ended, as soon as the broker has resolved it."""
        if isinstance(event, Resolved) and event.request.id in self._put:
            del self._put[event.request.id]
            # Told by one task in order, and again where the store is away: what the broker decided
            # stands whatever becomes of this.
            self._untold.append((event.request.id, event.outcome))
            # One task for all of them, so that ends are told in the order they came.
            if self._telling is None or self._telling.done():
                self._telling = asyncio.get_running_loop().create_task(self._tell())

    async def _tell(self) -> None:
        """A store that cannot be written now is told later: the outcome stands all the same."""
        while self._untold:
            try:
                await self._store.settle(*self._untold[0])
            except StoreError:
                await asyncio.sleep(RETRY_SECONDS)
                continue
            except Exception as error:  # noqa: BLE001 - nobody awaits this: `close` raises it
                self._unforeseen.append(error)
            self._untold.popleft()

    async def close(self) -> None:
        """Returns once the store knows all ends, or cannot be told. Raises what nobody foresaw."""
        if self._telling is not None:
            await asyncio.wait([self._telling], timeout=CLOSE_SECONDS)
            self._telling.cancel()
        faults, self._unforeseen = self._unforeseen, []
        if len(faults) > 1:
            told = dict.fromkeys(f"{type(fault).__name__}: {fault}" for fault in faults)
            raise RuntimeError("; ".join(told)) from faults[0]
        if faults:
            raise faults[0]


def _page_is_open(waiting: Waiting) -> bool:
    """Whether somebody agreed to this question's page, and has it open."""
    return (
        waiting.state in ("open", "claimed")
        and waiting.question is not None
        and waiting.question.draft.opened
    )


def _outcome(answer: Answer) -> Outcome:
    """What a person answered elsewhere; nothing in it but what a person may say."""
    outcome = answer.outcome
    return Outcome(
        # Whoever can write to the store is not thereby the person: nothing is taken over that only
        # this process may decide, such as who decided, a group or an error.
        outcome.action if outcome.action in ("accept", "decline") else "cancel",
        "user",
        outcome.reason,
        outcome.content,
        seen=outcome.seen,
        acknowledged=outcome.acknowledged,
        scope=outcome.scope,
        via=outcome.via,
        note=outcome.note,
        answered_by=answer.by,
    )
