"""Held calls as an agent's tasks: what is told of each, and what an agent may do with it.

Spec: SEP-2663, tasks. The id of a task is the call's own; the session, or the token, that it was
given to is the only one that knows it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from elicit_tui.elicitation import rfc3339
from elicit_tui.elicitation.task import ENDS, TaskStatus
from elicit_tui.errors import ElicitTuiError, Interrupted, ProtocolCallError, TaskCancelled
from elicit_tui.gateway import telling
from elicit_tui.gateway.held_call import HeldCall
from elicit_tui.gateway.held_calls import HeldCalls
from elicit_tui.gateway.telling import Result

POLL_MILLISECONDS: Final = 2000
"""How often an agent is asked to look; one that looks more often is answered all the same."""
INTERNAL_ERROR: Final = -32603

Tell = Callable[[Result], Awaitable[None]]
"""Sends what a task is now to an agent that listens."""


class UnknownTask(ElicitTuiError):
    """There is no task with this id, or it is another agent's."""

    def __init__(self) -> None:
        super().__init__("Unknown task.")


class Tasks:
    """The tasks of one session."""

    def __init__(self, held_calls: HeldCalls) -> None:
        self._held_calls = held_calls

    def _known(self, identifier: Any) -> HeldCall:
        held = self._held_calls.known(identifier)
        if held is None or not held.is_task:
            raise UnknownTask
        return held

    def get(self, identifier: Any) -> Result:
        """A task as it is now, with its end or what it asks. Raises UnknownTask."""
        held = self._known(identifier)
        held.delivered = held.delivered or held.ended_at is not None
        return detailed(held)

    def update(self, identifier: Any, responses: Mapping[str, Any]) -> None:
        """Take a client's answers, as many as it gives; others are ignored. Raises UnknownTask."""
        self._known(identifier).rounds.take(responses)

    def cancel(self, identifier: Any) -> None:
        """Cancel a task; one that has ended stays as it is. Raises UnknownTask."""
        self._held_calls.cancel(self._known(identifier))

    def among(self, identifiers: Any) -> Sequence[str]:
        """Those of these ids that are tasks of this session."""
        listed = identifiers if isinstance(identifiers, Sequence) else ()
        known = (self._held_calls.known(identifier) for identifier in listed)
        return [held.id for held in known if held is not None and held.is_task]

    async def tell(self, identifiers: Sequence[str], tell: Tell) -> None:
        """Tell of each of these tasks whenever it is another than before, until all have ended."""
        with suppress(UnknownTask):
            await asyncio.gather(*(self._tell_of(self._known(each), tell) for each in identifiers))

    async def _tell_of(self, held: HeldCall, tell: Tell) -> None:
        told: Result = {}
        with held.listening() as changed:
            while told.get("status") not in ENDS:
                changed.clear()
                now = detailed(held)
                if _without_times(now) != _without_times(told):
                    told = now
                    await tell(now)
                    continue
                await changed.wait()


def created(held: HeldCall) -> Result:
    """The answer to the call itself: no more than the task."""
    return {"resultType": "task", **_outline(held, "working")}


def detailed(held: HeldCall) -> Result:
    """What a task is now (spec: DetailedTask)."""
    task = held.task
    assert task is not None
    if held.ended_at is None:
        asked = held.rounds.outstanding()
        if not asked:
            return _outline(held, "working")
        requests = {
            key: {"method": "elicitation/create", "params": params} for key, params in asked.items()
        }
        return {**_outline(held, "input_required"), "inputRequests": requests}
    if task.cancelled():
        return _outline(held, "cancelled")
    error = task.exception()
    if isinstance(error, TaskCancelled):
        return _outline(held, "cancelled", telling.TASK_CANCELLED_BELOW)
    if error is not None:
        told = _error(error)
        return {**_outline(held, "failed", told["message"]), "error": told}
    return {
        **_outline(held, "completed"),
        "result": {"resultType": "complete", **task.result()},
    }


def _outline(held: HeldCall, status: TaskStatus, message: str | None = None) -> Result:
    return {
        "taskId": held.id,
        "status": status,
        "statusMessage": message or _message(held, status),
        "createdAt": rfc3339(held.begun_at),
        "lastUpdatedAt": rfc3339(held.ended_at or held.changed_at),
        # It is kept until an hour after its end was read, which nobody can know beforehand.
        "ttlMs": None,
        "pollIntervalMs": POLL_MILLISECONDS,
    }


def _message(held: HeldCall, status: TaskStatus) -> str:
    """Neutral words: a model reads them, and none of them is a server's."""
    if status == "working":
        return telling.TASK_WAITS if held.waiting else telling.TASK_RUNS
    return telling.TASK_MESSAGES[status]


def _error(error: BaseException) -> dict[str, Any]:
    """The JSON-RPC error that the call ended with."""
    if not isinstance(error, ProtocolCallError):
        told = isinstance(error, ElicitTuiError) and not isinstance(error, Interrupted)
        said = f"{error} " if told else ""
        return {"code": INTERNAL_ERROR, "message": f"{said}{telling.NOT_KNOWN_IF_RUN}"}
    passed: dict[str, Any] = {"code": error.code, "message": error.message}
    return passed if error.data is None else {**passed, "data": error.data}


def _without_times(told: Result) -> Result:
    return {key: value for key, value in told.items() if key != "lastUpdatedAt"}
