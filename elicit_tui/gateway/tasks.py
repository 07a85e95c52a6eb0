"""Held calls as an agent's tasks: what is told of each, and what an agent may do with it.

Spec: SEP-2663, tasks. The id of a task is the call's own; the session, or the token, that it was
given to is the only one that knows it. An agent may also listen for notifications/tasks.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timezone
from typing import Any, Final

import mcp_types as types
from mcp.shared.subscriptions import SUBSCRIPTION_ID_META_KEY

from elicit_tui.elicitation import rfc3339
from elicit_tui.elicitation.eras import ENDS, TaskStatus
from elicit_tui.errors import ElicitTuiError, ProtocolCallError, StoreError, TaskCancelled
from elicit_tui.gateway import telling
from elicit_tui.gateway.agent import Context, Notification
from elicit_tui.gateway.held_call import HeldCall
from elicit_tui.gateway.held_calls import HeldCalls
from elicit_tui.gateway.shared_calls import SharedCalls, read_kept
from elicit_tui.gateway.telling import Result
from elicit_tui.store.sealed_calls import CallSeen

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
    """The tasks of one session, and what the store knows of those of its agent."""

    def __init__(self, held_calls: HeldCalls, shared: SharedCalls | None) -> None:
        self._held_calls = held_calls
        self._shared = shared

    def _here(self, identifier: Any) -> HeldCall | None:
        held = self._held_calls.known(identifier)
        return held if held is not None and held.is_task else None

    async def _elsewhere(self, identifier: Any) -> CallSeen:
        """A task that another process has, or had. Raises UnknownTask, StoreError."""
        seen = None if self._shared is None else await self._shared.seen(identifier)
        if seen is None or not seen.call.is_task:
            raise UnknownTask
        return seen

    async def created_elsewhere(self, identifier: str) -> Result | None:
        """What an agent was answered that was given a task by another process; None: it was not."""
        try:
            seen = await self._elsewhere(identifier)
        except (UnknownTask, StoreError):
            return None
        return None if seen.paused is None else read_kept(seen.paused)

    async def get(self, identifier: Any) -> Result:
        """A task as it is now, with its end or what it asks. Raises UnknownTask, StoreError."""
        held = self._here(identifier)
        if held is None:
            result = of_another(await self._elsewhere(identifier))
        else:
            result = await self._now(held)
        # Whoever reads the end has the outcome, which may give place to others then.
        if result["status"] in ENDS:
            if held is not None:
                self._held_calls.delivered_elsewhere(held)
            if self._shared is not None:
                await self._shared.delivered(result["taskId"], named=True)
        return result

    async def _now(self, held: HeldCall) -> Result:
        """A task of this process as it is now. It has ended once every process would say so.

        What is told as an end stays one: where it cannot be kept, a death would make another of it.
        """
        if held.ended_at is not None and self._shared is not None:
            try:
                await self._shared.ended(held)
            except StoreError:
                return _outline(held, "working", telling.TASK_NOT_KEPT)
        return detailed(held)

    async def update(self, identifier: Any, responses: Mapping[str, Any]) -> None:
        """Take a client's answers, as many as it gives; others are ignored.

        Raises UnknownTask, StoreError.
        """
        held = self._here(identifier)
        if held is not None:
            held.rounds.take(responses)
        else:
            await self._leave_note(identifier, {"update": responses})

    async def cancel(self, identifier: Any) -> None:
        """Cancel a task; one that has ended stays as it is. Raises UnknownTask, StoreError."""
        held = self._here(identifier)
        if held is not None:
            self._held_calls.cancel(held)
        else:
            await self._leave_note(identifier, {"cancel": True})

    async def _leave_note(self, identifier: Any, note: Mapping[str, Any]) -> None:
        seen = await self._elsewhere(identifier)
        if seen.outcome is None and self._shared is not None:
            await self._shared.note(identifier, note)

    def among(self, identifiers: Any) -> Sequence[str]:
        """Those of these ids that are tasks of this session, each once."""
        listed = identifiers if isinstance(identifiers, Sequence) else ()
        here = (self._here(identifier) for identifier in listed)
        return list({held.id: None for held in here if held is not None})

    async def tell(self, identifiers: Sequence[str], tell: Tell) -> None:
        """Tell of each of these tasks whenever it is another than before, until all have ended."""
        tasks = [self._here(identifier) for identifier in identifiers]
        await asyncio.gather(*(self._tell_of(held, tell) for held in tasks if held is not None))

    async def _tell_of(self, held: HeldCall, tell: Tell) -> None:
        result: Result = {}
        with held.listening() as changed:
            while result.get("status") not in ENDS:
                changed.clear()
                now = await self._now(held)
                if _without_times(now) != _without_times(result):
                    result = now
                    await tell(now)
                    continue
                # Ended, and not told as such yet: the store could not keep it. It is tried again
                # after a while.
                again = None if held.ended_at is None else POLL_MILLISECONDS / 1000
                with suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(changed.wait(), again)


def created(held: HeldCall) -> Result:
    """The answer to the call itself: no more than the task."""
    return {"resultType": "task", **_outline(held, "working")}


def detailed(held: HeldCall) -> Result:
    """What a task is now (spec: DetailedTask)."""
    task = held.task
    assert task is not None
    # Not `task.done()`: the end counts once the held calls have noted it.
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
        return {**_outline(held, "failed"), **_failed(_error(error))}
    return {**_outline(held, "completed"), **_completed(task.result())}


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


def of_another(seen: CallSeen) -> Result:
    """What a task is now that another process has, or had until it died."""
    call = seen.call
    moments = (call.begun_at, call.ended_at or call.begun_at)
    outline = {
        "resultType": "complete",
        "taskId": call.id,
        "createdAt": rfc3339(datetime.fromtimestamp(moments[0], timezone.utc)),
        "lastUpdatedAt": rfc3339(datetime.fromtimestamp(moments[1], timezone.utc)),
        "ttlMs": None,
        "pollIntervalMs": POLL_MILLISECONDS,
    }
    if seen.outcome is not None:
        return {**outline, **_kept_end(read_kept(seen.outcome))}
    if seen.maker != "dead":
        message = telling.TASK_RUNS if call.state == "called" else telling.TASK_WAITS
        return {**outline, "status": "working", "statusMessage": message}
    # Called, and nobody knows how it ended; else it never ran, and may be called again.
    if call.state == "called":
        return {**outline, **_failed({"code": INTERNAL_ERROR, "message": telling.RUN_NOT_KNOWN})}
    return {**outline, **_completed(telling.text_result(telling.NOT_RUN, is_error=True))}


def _kept_end(outcome: Mapping[str, Any]) -> Result:
    if "cancelled" in outcome:
        return {"status": "cancelled", "statusMessage": outcome["cancelled"]}
    if "result" in outcome:
        return _completed(outcome["result"])
    if "failed" in outcome:
        return _failed({"code": INTERNAL_ERROR, "message": outcome["failed"]})
    return _failed(_passed(ProtocolCallError(outcome["code"], outcome["message"], outcome["data"])))


def _completed(result: Mapping[str, Any]) -> Result:
    return {
        "status": "completed",
        "statusMessage": telling.TASK_MESSAGES["completed"],
        "result": {"resultType": "complete", **result},
    }


def _failed(error: Mapping[str, Any]) -> Result:
    return {"status": "failed", "statusMessage": error["message"], "error": error}


def _message(held: HeldCall, status: TaskStatus) -> str:
    """Neutral words: a model reads them, and none of them is a server's."""
    if status == "working":
        return telling.TASK_WAITS if held.waiting else telling.TASK_RUNS
    return telling.TASK_MESSAGES[status]


def _error(error: BaseException) -> dict[str, Any]:
    """The JSON-RPC error that the call ended with."""
    if isinstance(error, ProtocolCallError):
        return _passed(error)
    return {"code": INTERNAL_ERROR, "message": telling.failed(error)}


def _passed(error: ProtocolCallError) -> dict[str, Any]:
    told: dict[str, Any] = {"code": error.code, "message": error.message}
    return told if error.data is None else {**told, "data": error.data}


def _without_times(told: Result) -> Result:
    return {key: value for key, value in told.items() if key != "lastUpdatedAt"}


# Told on the stream on which an agent listens


class TaskStream:
    """The session of one such stream, as the SDK's handler uses it."""

    def __init__(self, context: Context, tasks: Tasks, identifiers: Sequence[str]) -> None:
        self._context = context
        self._tasks = tasks
        self._identifiers = identifiers
        self.telling: asyncio.Future[None] | None = None

    async def send_notification(self, notification: Any, **more: Any) -> None:
        """Write one notification of the handler."""
        begins = isinstance(notification, types.SubscriptionsAcknowledgedNotification)
        if begins and self._identifiers:
            honored = notification.params.notifications.model_dump(exclude_none=True)
            honored["taskIds"] = list(self._identifiers)
            agreed = types.SubscriptionFilter.model_validate(honored, by_name=True)
            params = notification.params.model_copy(update={"notifications": agreed})
            notification = notification.model_copy(update={"params": params})
        await self._context.session.send_notification(notification, **more)
        # Once that has left: the acknowledgement is the first thing on a stream.
        if begins:
            self.telling = asyncio.ensure_future(self._tasks.tell(self._identifiers, self._tell))

    async def _tell(self, task: Result) -> None:
        meta = {SUBSCRIPTION_ID_META_KEY: self._context.request_id}
        http = self._context.request is not None
        notification: Any = Notification("notifications/tasks", {**task, "_meta": meta}, http=http)
        await self._context.session.send_notification(
            notification, related_request_id=self._context.request_id
        )

    def end(self) -> None:
        """Tell of nothing more."""
        if self.telling is not None:
            self.telling.cancel()


def with_task_notifications(
    context: Context, tasks: Tasks, identifiers: Any
) -> tuple[Context, TaskStream]:
    """The context of a request to listen that also names tasks, and its stream."""
    stream = TaskStream(context, tasks, tasks.among(identifiers))
    session: Any = stream
    return replace(context, session=session), stream
