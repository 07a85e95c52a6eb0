"""Follows a task, with which a server answered a call, to its end (spec: SEP-2663, tasks).

Its status is polled; what it asks meanwhile goes the way of a round's questions, each key once. All
of it is a server's word: how often it wants to be asked, what state it is in, that it is done.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

from elicit_tui.elicitation import ElicitationRequest, Outcome
from elicit_tui.elicitation.eras import ENDS
from elicit_tui.elicitation.outcome import INVALID_PARAMS
from elicit_tui.errors import (
    Interrupted,
    LimitReached,
    ProtocolCallError,
    ServerError,
    TaskCancelled,
)
from elicit_tui.host.awaiting import doubling_pauses
from elicit_tui.host.events import Progress, RoundStarted, TaskStarted
from elicit_tui.host.exchange import Round, judge_round
from elicit_tui.host.messages import METHOD_NOT_FOUND, elicit_result
from elicit_tui.host.rounds import CallDriver
from elicit_tui.host.session import Gone, TransportRefused
from elicit_tui.text import neutral_line

SHORTEST_SECONDS: Final = 0.1
LONGEST_SECONDS: Final = 10.0
"""Between these a server says how often it wants to be asked."""
USUAL_SECONDS: Final = 2.0
"""The longest pause where it does not say."""
LAST_WORD_SECONDS: Final = 3.0
"""How long a server may take to say how a task ended that was cancelled."""
ANSWERS_SECONDS: Final = 1.0
MOST_FAILED: Final = 3
"""Polls after one another that may fail before the task counts as lost."""
MOST_KEYS: Final = 1_000
"""Questions of one task."""
MOST_OF_AN_ID: Final = 1_000
STATES: Final = ENDS | {"working", "input_required"}


def task_id_of(task: Mapping[str, Any]) -> str:
    """The id of a task that a server created. Raises ServerError."""
    identifier = task.get("taskId")
    if not isinstance(identifier, str) or not 0 < len(identifier) <= MOST_OF_AN_ID:
        raise _invalid("The server's answer is a task without an id")
    return identifier


class TaskFollower:
    """One task of a server, from the answer that named it."""

    def __init__(self, driver: CallDriver, rounds: int) -> None:
        """`driver`: of the call that was answered so; `rounds`: how many it took so far."""
        # It goes on where the driver ended: the same call, at the same server.
        self._identity = driver.identity
        self._session = driver.session
        self._broker = driver.broker
        self._call = driver.call
        self._most_rounds = driver.most_rounds
        self._emit = driver.emit
        self.rounds = rounds
        self._id = ""
        self._last_message: str | None = None
        """The last status message, and how many there were."""
        self._changes = 0
        # Every key that was ever asked; `_asked` has those of them that are open.
        self._keys: set[str] = set()
        self._asked: dict[str, ElicitationRequest] = {}
        """What waits for its answer, by key."""
        # Held here, as the event loop alone would let a task be collected while it runs.
        self._answering: set[asyncio.Future[None]] = set()
        self._without_person = 0
        self._failed = 0
        self._news = asyncio.Event()
        self._given_up = False
        """From the moment at which its cancellation was asked for."""
        self._last_word_until: float | None = None
        """Set once the task was cancelled: when the server's time to say its end is over."""
        self._cancelled = asyncio.Event()
        """Set with that: also a poll that the server leaves unanswered ends then."""

    async def run(self, created: Mapping[str, Any]) -> dict[str, Any]:
        """The result that the task came to, as the server wrote it.

        Raises ProtocolCallError where it failed, ServerError for one that lies, vanishes or ends
        by itself, LimitReached, Gone, Interrupted when it was cancelled, TaskCancelled when its
        server says so.
        """
        self._id = task_id_of(created)
        self._emit(TaskStarted(self._identity.name, self._call.id))
        try:
            return await self._followed(created)
        except (asyncio.CancelledError, LimitReached, ProtocolCallError, ServerError):
            # The server is asked to stop in any case; whether it can is its matter.
            await self._request_cancel()
            raise
        finally:
            await self._end_questions()

    async def _followed(self, task: Mapping[str, Any]) -> dict[str, Any]:
        # One turn for each poll: what the server says, what it asks no longer, whether it is done,
        # what it asks anew. Only then there is something to wait for.
        pauses = doubling_pauses(SHORTEST_SECONDS, USUAL_SECONDS)
        while True:
            self._tell(task)
            self._take_back(task)
            result = self._end(task)
            if result is not None:
                return result
            self._ask(task)
            await self._pause(_interval(task, pauses))
            self._limits()
            # A poll that failed says nothing new: the task stands as it stood.
            task = await self._poll_in_time() or task

    async def _poll_in_time(self) -> dict[str, Any] | None:
        """The task as it is now; None also where the time of the last word ends before that."""
        polling = asyncio.ensure_future(self._poll())
        over = asyncio.ensure_future(self._last_word_over())
        try:
            await asyncio.wait((polling, over), return_when=asyncio.FIRST_COMPLETED)
            return polling.result() if polling.done() else None
        finally:
            polling.cancel()
            over.cancel()
            await asyncio.gather(polling, over, return_exceptions=True)

    async def _poll(self) -> dict[str, Any] | None:
        """The task as it is now; None when the server did not say, this once."""
        try:
            task = await self._session.about_task("tasks/get", self._id)
        except (ProtocolCallError, TransportRefused) as error:
            self._failed += 1
            gone = isinstance(error, ProtocolCallError) and error.code in (
                INVALID_PARAMS,
                METHOD_NOT_FOUND,
            )
            # A poll or two may fail on a bad line. A server that knows the task no more says so at
            # once, and is believed.
            if not gone and self._failed < MOST_FAILED:
                return None
            reason = neutral_line(str(error), 200).rstrip(".")
            raise ServerError(
                f"The server {self._identity.name} no longer tells of the task that it answered "
                f"with; whether the tool did its work is not known. It says: {reason}.",
                code="task_lost",
            ) from None
        self._failed = 0
        if task.get("taskId") != self._id:
            raise _invalid("The server told of another task than it was asked for")
        return task

    def _tell(self, task: Mapping[str, Any]) -> None:
        message = task.get("statusMessage")
        if isinstance(message, str) and message and message != self._last_message:
            self._last_message = message
            self._changes += 1
            self._emit(
                Progress(
                    self._identity.name,
                    self._call.id,
                    float(self._changes),
                    message=message,
                )
            )

    def _end(self, task: Mapping[str, Any]) -> dict[str, Any] | None:
        """The result of a task that is done; None for one that goes on."""
        status = task.get("status")
        if status not in STATES:
            raise _invalid("The server's task is in a state that the protocol does not know")
        # Also after we asked it to cancel: a task that was done before that reached it has its
        # result.
        if status == "completed":
            result = task.get("result")
            if not isinstance(result, dict):
                raise _invalid("The server's task is completed, and has no result")
            # Judged like the direct answer to a call: a result must not become less of one by
            # coming through a task.
            self._session.judge(result, is_call=True)
            return result
        if status == "failed":
            raise _failure(task.get("error"))
        if status == "cancelled":
            # Only what we asked for is a cancelled call. A server that cancels by itself has
            # failed, perhaps with half of the work done.
            if self._given_up:
                raise TaskCancelled("The call was cancelled.")
            raise ServerError(
                f"The server {self._identity.name} cancelled its task; whether the tool did its "
                "work is not known.",
                code="task_cancelled",
            )
        return None

    # What it asks

    def _take_back(self, task: Mapping[str, Any]) -> None:
        """Withdraw what the server asks no longer."""
        wanted = _input_requests(task)
        # Out of the table first: `_answered` finds by it that nobody wants the outcome any more.
        for key in [key for key in self._asked if key not in wanted]:
            self._broker.withdraw(self._asked.pop(key).id, "The server withdrew the question.")

    def _ask(self, task: Mapping[str, Any]) -> None:
        asked = _input_requests(task)
        new = {key: request for key, request in asked.items() if key not in self._keys}
        if not new or self._last_word_until is not None:
            return
        # A key is asked once, though each poll repeats it until its answer is known there. It is
        # remembered for ever, so that an answered question that a server names again is not put to
        # the person anew.
        self._keys.update(new)
        if len(self._keys) > MOST_KEYS:
            raise _invalid(f"The server's task asks for more than {MOST_KEYS:,} things")
        self.rounds += 1
        current = judge_round(
            {"inputRequests": new},
            self._broker,
            self._identity,
            self._call,
            self.rounds,
        )
        group = len(current.let_through)
        self._emit(RoundStarted(self._identity.name, self._call.id, self.rounds, group))
        # The wire is asked what has no answer yet when a call or its connection ends.
        self._session.wire.asked_in_task(
            self._call.id, [judged.request for judged in current.let_through]
        )
        self._start_answering(current)
        # Raised after the others have begun: they are in the record then, and end with the task.
        if current.refused_methods:
            raise ProtocolCallError(
                METHOD_NOT_FOUND,
                f"The server asked for {neutral_line(current.refused_methods[0], 80)}, which was "
                "not advertised to it.",
            )

    def _start_answering(self, asked: Round) -> None:
        for judged in asked.elicitations:
            if judged.outcome is None:
                self._asked[judged.key] = judged.request
                self._start(self._answered(judged.key, judged.request))
            else:
                # Refused before anybody saw it: the refusal goes out at once, and cost no person's
                # time.
                answering = () if judged.outcome.in_group else (judged.request,)
                self._without_person += 1
                self._start(self._send(judged.key, judged.outcome, answering))

    def _start(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        self._answering.add(task)
        task.add_done_callback(self._answering.discard)

    async def _answered(self, key: str, request: ElicitationRequest) -> None:
        outcome = await self._broker.resolve(request)
        # Withdrawn meanwhile, or the task has ended: the outcome is recorded, and there is nobody
        # to send it to.
        if self._asked.pop(key, None) is None:
            return
        # As a call counts its rounds: a person may be asked for ever, nobody else.
        self._without_person += not outcome.cost_a_person
        if outcome.action is not None:
            await self._send(key, outcome, (request,))
        # So that the next poll comes now: the interval that the server wants is meant for its work.
        self._news.set()

    async def _send(
        self, key: str, outcome: Outcome, answering: tuple[ElicitationRequest, ...]
    ) -> None:
        # What became of the task is told by the next poll.
        with suppress(ProtocolCallError, TransportRefused, ServerError, Gone):
            await self._session.about_task(
                "tasks/update",
                self._id,
                {"inputResponses": {key: elicit_result(outcome)}},
                answering,
            )

    async def _end_questions(self) -> None:
        """End what is still asked, with its answers on their way."""
        for request in self._asked.values():
            self._broker.withdraw(
                request.id, "The task that it belongs to has ended.", "call ended"
            )
        self._asked.clear()
        # A server that does not read must not hold up the end of its call.
        if self._answering:
            await asyncio.wait(self._answering, timeout=ANSWERS_SECONDS)
        for task in self._answering:
            task.cancel()

    # Pauses and limits

    async def _pause(self, seconds: float) -> None:
        """Wait so long, or until an answer was sent or the task cancelled."""
        # Cancelled, and the server has a few seconds to say how it ended: too few for its own
        # interval.
        if self._last_word_until is not None:
            seconds = SHORTEST_SECONDS
        self._news.clear()
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._news.wait(), seconds)

    def _limits(self) -> None:
        until = self._last_word_until
        if until is not None and asyncio.get_running_loop().time() >= until:
            raise Interrupted("The call was cancelled.")
        if self._without_person > self._most_rounds:
            raise LimitReached(
                f"The task of {neutral_line(self._call.name, 100)} asked {self._most_rounds} times "
                "without a person being asked (elicitation.rounds allows more).",
                code="rounds",
            )

    async def _last_word_over(self) -> None:
        """Return once the task was cancelled, and its server's time to say its end is over."""
        await self._cancelled.wait()
        until = self._last_word_until or 0.0
        await asyncio.sleep(until - asyncio.get_running_loop().time())

    async def cancel(self) -> None:
        """Ask the server to cancel it; `run` then ends soon, as the server says or without it."""
        # A poll may tell of its end before the answer to this request is here.
        self._given_up = True
        await self._request_cancel()
        # Its last seconds begin here, after the request that asks it to cancel.
        self._last_word_until = asyncio.get_running_loop().time() + LAST_WORD_SECONDS
        self._cancelled.set()
        self._news.set()

    async def _request_cancel(self) -> None:
        with suppress(ProtocolCallError, TransportRefused, ServerError, Gone, asyncio.TimeoutError):
            asked = self._session.about_task("tasks/cancel", self._id)
            await asyncio.wait_for(asked, ANSWERS_SECONDS)


def _input_requests(task: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a task asks now, by key. Raises ServerError."""
    listed = task.get("inputRequests") if task.get("status") == "input_required" else None
    if listed is not None and not isinstance(listed, Mapping):
        raise _invalid("The server's inputRequests is not an object")
    return listed or {}


def _interval(task: Mapping[str, Any], pauses: Iterator[float]) -> float:
    """How long to wait before the next poll, within our bounds."""
    wanted = task.get("pollIntervalMs")
    # `true` is a number in Python; NaN is neither below a bound nor above it.
    if isinstance(wanted, bool) or not isinstance(wanted, (int, float)) or math.isnan(wanted):
        return next(pauses)
    return min(max(SHORTEST_SECONDS * 1000, wanted), LONGEST_SECONDS * 1000) / 1000


def _failure(error: Any) -> ProtocolCallError | ServerError:
    """The JSON-RPC error that a failed task ended with."""
    read = error if isinstance(error, Mapping) else {}
    code, message = read.get("code"), read.get("message")
    if isinstance(code, bool) or not isinstance(code, int) or not isinstance(message, str):
        return _invalid("The server's task failed, and does not say how")
    return ProtocolCallError(code, message, read.get("data"))


def _invalid(what: str) -> ServerError:
    """The end of a task that is not followed any further: it is no result, so nothing is known."""
    sentence = f"{what}; whether the tool did its work is not known."
    return ServerError(sentence, code="invalid_task")
