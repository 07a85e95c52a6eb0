"""Tells an agent of its tasks on a stream on which it listens: notifications/tasks (SEP-2663)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import mcp_types as types
from mcp.shared.subscriptions import SUBSCRIPTION_ID_META_KEY

from elicit_tui.gateway.agent import Context, Notification
from elicit_tui.gateway.tasks import Tasks
from elicit_tui.gateway.telling import Result


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
