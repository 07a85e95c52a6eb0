"""Held calls as an agent's tasks: what it may do with each, and the stream that tells it of them.

Spec: SEP-2663, tasks. The id of a task is the call's own; the session, or the token, that it was
given to is the only one that knows it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import mcp_types as types
from mcp.shared.subscriptions import SUBSCRIPTION_ID_META_KEY

from elicit_tui.elicitation.eras import ENDS
from elicit_tui.errors import ElicitTuiError, StoreError
from elicit_tui.gateway import telling
from elicit_tui.gateway.agent import Context, Notification
from elicit_tui.gateway.held_call import HeldCall
from elicit_tui.gateway.held_calls import HeldCalls
from elicit_tui.gateway.shared_calls import SharedCalls, read_kept
from elicit_tui.gateway.task_results import (
    POLL_MILLISECONDS,
    detailed,
    of_another,
    still_working,
)
from elicit_tui.gateway.telling import Result
from elicit_tui.store.sealed_calls import CallSeen

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
        held = self._held_calls.by_id(identifier)
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
        await self._has_told(held, result)
        return result

    async def _has_told(self, held: HeldCall | None, task: Result) -> None:
        """Whoever is told of an end has the outcome, which may give place to others then."""
        if task["status"] in ENDS:
            if held is not None:
                self._held_calls.outcome_told(held)
            if self._shared is not None:
                await self._shared.delivered(task["taskId"], named=True)

    async def _now(self, held: HeldCall) -> Result:
        """A task of this process as it is now. It has ended once every process would say so.

        What is told as an end stays one: where it cannot be kept, a death would make another of it.
        """
        if held.ended_at is not None and self._shared is not None:
            try:
                await self._shared.ended(held)
            except StoreError:
                return still_working(held, telling.TASK_NOT_KEPT)
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
        last_told: Result = {}
        with held.listening() as changed:
            while last_told.get("status") not in ENDS:
                changed.clear()
                now = await self._now(held)
                if _without_times(now) != _without_times(last_told):
                    last_told = now
                    await tell(now)
                    await self._has_told(held, now)
                    continue
                # Ended, and not told as such yet: the store could not keep it. It is tried again
                # after a while.
                try_again_after = None if held.ended_at is None else POLL_MILLISECONDS / 1000
                with suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(changed.wait(), try_again_after)


def _without_times(result: Result) -> Result:
    return {key: value for key, value in result.items() if key != "lastUpdatedAt"}


class TaskStream:
    """A stream on which an agent listens, told of its tasks: the session of the SDK's handler."""

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
