"""Puts what waits in the store to a responder of this process, in the one queue it has.

To a console or a form these questions are like those of its own broker: they come through
`respond`, stand in the queue, and leave it when they are answered, here or elsewhere.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from elicit_tui.broker.inbox import Inbox
from elicit_tui.broker.inbox_events import Delivery, InboxEvent, QuestionCame, QuestionLeft
from elicit_tui.elicitation import (
    Deadline,
    Outcome,
    Pending,
    Question,
    Queue,
    Responder,
    cancel,
    now,
)
from elicit_tui.errors import StoreError
from elicit_tui.text import neutral_line

LEAST_SECONDS: Final = 1.0
"""What is left at least: only the process that asks lets a deadline pass."""


class AskersDeadline(Deadline):
    """The deadline of another process, as it is seen here; keys move it there."""

    def __init__(self, inbox: Inbox, question_id: str) -> None:
        # Its own seconds mean nothing: `remaining` reads what the store has.
        super().__init__(0)
        self._inbox = inbox
        self._id = question_id

    def touch(self) -> None:
        """Tell the process that asks of a key on this question: it moves the end."""
        self._inbox.touched(self._id)

    @property
    def started(self) -> bool:
        """It runs since the question was put into the store."""
        return True

    @property
    def remaining(self) -> float | None:
        """Seconds left; None where it waits as long as its session lives."""
        waiting = self._inbox.get(self._id)
        if waiting is None or waiting.ends_at is None:
            return None
        return max(LEAST_SECONDS, (waiting.ends_at - now()).total_seconds())


class InboxQuestions:
    """Asks one responder the questions of one inbox; `notify` tells what became of each answer."""

    def __init__(
        self,
        inbox: Inbox,
        responder: Responder,
        queue: Queue,
        notify: Callable[[Question, Delivery], None] = lambda question, reply: None,
    ) -> None:
        self._inbox = inbox
        self._responder = responder
        self._queue = queue
        self._notify = notify
        self._asked: dict[str, Pending] = {}
        """What is in front of the responder."""
        self._ours: set[str] = set()
        """What is asked here, or on its way to the process that asks."""
        self._came_again: set[str] = set()
        """What came while it was still ours."""
        self._tasks: set[asyncio.Task[None]] = set()
        inbox.subscribe(self._hear)

    async def ask_all(self) -> None:
        """Ask whatever waits, and whatever comes, until this is cancelled."""
        try:
            self._inbox.subscribe(self._ask_what_came)
            for waiting in self._inbox.waiting:
                self._ask_soon(waiting.id)
            await asyncio.get_running_loop().create_future()
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def _ask_what_came(self, event: InboxEvent) -> None:
        if isinstance(event, QuestionCame):
            self._ask_soon(event.waiting.id)

    def _ask_soon(self, question_id: str) -> None:
        if question_id in self._ours:
            # Its answer was given back: `ask` goes on with it. Where that was another's, `ask` is
            # about to end, and it is asked anew after that.
            self._came_again.add(question_id)
            return
        task = asyncio.get_running_loop().create_task(self._ask_and_tell(question_id))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _ask_and_tell(self, question_id: str) -> None:
        waiting = self._inbox.get(question_id)
        if waiting is None or waiting.question is None:
            return
        self._came_again.discard(question_id)
        try:
            reply = await self.ask(question_id)
        except Exception as error:  # noqa: BLE001 - a face that fails at one is told of it
            why = neutral_line(f"{type(error).__name__}: {error}", 200)
            reply = Delivery("refused", f"The question could not be put to anybody here: {why}")
        self._notify(waiting.question, reply)
        again = reply.kind == "gone" and question_id in self._came_again
        # No event tells of a question whose answer failed to reach the store: it stands as it was.
        if again or (reply.kind == "unknown" and await self._inbox.still_waits(question_id)):
            self._ask_soon(question_id)

    async def ask(self, question_id: str) -> Delivery:
        """Ask one question until its answer went out, or it waits no more.

        Cancelled, it goes back to the others with what was typed.
        """
        waiting = self._inbox.get(question_id)
        question = waiting.question if waiting is not None else None
        if question is None:
            return Delivery("gone", "This question waits no more.")
        # From here on `_ask_soon` leaves it alone: what comes back is asked by this very call.
        self._ours.add(question_id)
        try:
            return await self._asked_until_it_went_out(question)
        finally:
            self._ours.discard(question_id)

    async def _asked_until_it_went_out(self, question: Question) -> Delivery:
        while True:
            outcome = await self._outcome(question)
            if isinstance(outcome, Delivery):
                return outcome
            try:
                reply = await self._inbox.answer(question.id, outcome)
            except StoreError as error:
                # Whether it went out is not known, and the store says why.
                return Delivery("unknown", str(error))
            # Only an answer that was given back has something to ask again.
            if reply.kind != "reopened" or reply.question is None:
                return reply
            question = reply.question

    async def _outcome(self, question: Question) -> Outcome | Delivery:
        """What the responder says, or how the question left while it was asked."""
        deadline = AskersDeadline(self._inbox, question.id)
        pending = self._asked[question.id] = Pending(question, deadline)
        pending.asked_at -= self._waited(question.id)
        self._queue.add(pending)
        answering = asyncio.ensure_future(self._responder.respond(question, deadline))
        settled = pending.settled
        try:
            await asyncio.wait({answering, settled}, return_when=asyncio.FIRST_COMPLETED)
            if not settled.done():
                return answering.result()
            ended = settled.result()
            # Settled by `_hear`: what left the inbox is told. Any other end is an answer of this
            # process, such as a decline of all that waits.
            return Delivery("gone", ended.reason) if ended.decided_by == "store" else ended
        except asyncio.CancelledError:
            # To its end also when we are cancelled again, as others wait for it to be free.
            await asyncio.shield(self._let_go(question.id))
            raise
        finally:
            del self._asked[question.id]
            self._queue.remove(pending)
            answering.cancel()
            await asyncio.gather(answering, return_exceptions=True)

    def _waited(self, question_id: str) -> float:
        """Seconds for which it has waited already, wherever that was."""
        waiting = self._inbox.get(question_id)
        if waiting is None:
            return 0.0
        return max(0.0, (now() - waiting.put_at).total_seconds())

    async def _let_go(self, question_id: str) -> None:
        try:
            await self._inbox.release(question_id)
        except StoreError:
            return  # Its lease ends by itself.

    def _hear(self, event: InboxEvent) -> None:
        """A question that waits no more is taken off the screen; what was typed is kept."""
        if isinstance(event, QuestionLeft) and event.waiting.id in self._asked:
            self._asked[event.waiting.id].settle(cancel("store", event.sentence))
