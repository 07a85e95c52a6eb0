"""What an agent is told of one task: its state, and its end or what it asks.

Spec: SEP-2663, tasks. A task is a held call of this process, or what the store has of another's.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any, Final

from elicit_tui.elicitation import rfc3339
from elicit_tui.elicitation.eras import TaskStatus
from elicit_tui.elicitation.outcome import INTERNAL_ERROR
from elicit_tui.errors import ProtocolCallError, TaskCancelled
from elicit_tui.gateway import telling
from elicit_tui.gateway.held_call import HeldCall
from elicit_tui.gateway.rounds import input_requests
from elicit_tui.gateway.shared_calls import read_kept
from elicit_tui.gateway.telling import Result
from elicit_tui.store.sealed_calls import CallSeen

POLL_MILLISECONDS: Final = 2000
"""How often an agent is asked to look; one that looks more often is answered all the same."""


def created(held: HeldCall) -> Result:
    """The answer to the call itself: no more than the task."""
    return {"resultType": "task", **_outline(held, "working")}


def detailed(held: HeldCall) -> Result:
    """What a task is now (spec: DetailedTask)."""
    task = held.task
    assert task is not None
    # Not `task.done()`: the end counts once the held calls have noted it.
    if held.ended_at is None:
        outstanding = held.rounds.outstanding()
        if not outstanding:
            return _outline(held, "working")
        requests = input_requests(outstanding)
        return {**_outline(held, "input_required"), "inputRequests": requests}
    if task.cancelled():
        return _outline(held, "cancelled")
    error = task.exception()
    if isinstance(error, TaskCancelled):
        return _outline(held, "cancelled", telling.TASK_CANCELLED_BELOW)
    if error is not None:
        return {**_outline(held, "failed"), **_failed(_json_rpc_error(error))}
    return {**_outline(held, "completed"), **_completed(task.result())}


def of_another(seen: CallSeen) -> Result:
    """What a task is now that another process has, or had until it died."""
    call = seen.call
    begun_at, changed_at = (
        datetime.fromtimestamp(seconds, timezone.utc)
        for seconds in (call.begun_at, call.ended_at or call.begun_at)
    )
    outline = {"resultType": "complete", **_identity(call.id, begun_at, changed_at)}
    if seen.outcome is not None:
        return {**outline, **_kept_end(read_kept(seen.outcome))}
    if seen.maker != "dead":
        message = telling.TASK_RUNS if call.state == "called" else telling.TASK_WAITS
        return {**outline, "status": "working", "statusMessage": message}
    # Called, and nobody knows how it ended; else it never ran, and may be called again.
    if call.state == "called":
        return {**outline, **_failed({"code": INTERNAL_ERROR, "message": telling.RUN_NOT_KNOWN})}
    return {**outline, **_completed(telling.text_result(telling.NOT_RUN, is_error=True))}


def still_working(held: HeldCall, message: str) -> Result:
    """A task that has not ended for the agent; the message says why."""
    return _outline(held, "working", message)


def _outline(held: HeldCall, status: TaskStatus, message: str | None = None) -> Result:
    return {
        **_identity(held.id, held.begun_at, held.ended_at or held.changed_at),
        "status": status,
        "statusMessage": message or _message(held, status),
    }


def _identity(identifier: str, begun_at: datetime, changed_at: datetime) -> Result:
    """What a task has in every state."""
    return {
        "taskId": identifier,
        "createdAt": rfc3339(begun_at),
        "lastUpdatedAt": rfc3339(changed_at),
        # It is kept until an hour after its end was read, which nobody can know beforehand.
        "ttlMs": None,
        "pollIntervalMs": POLL_MILLISECONDS,
    }


def _kept_end(outcome: Mapping[str, Any]) -> Result:
    """How a task ended, of what the store keeps of its end."""
    if "cancelled" in outcome:
        return {"status": "cancelled", "statusMessage": outcome["cancelled"]}
    if "result" in outcome:
        return _completed(outcome["result"])
    if "failed" in outcome:
        return _failed({"code": INTERNAL_ERROR, "message": outcome["failed"]})
    return _failed(
        _servers_error(ProtocolCallError(outcome["code"], outcome["message"], outcome["data"]))
    )


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


def _json_rpc_error(error: BaseException) -> dict[str, Any]:
    """The JSON-RPC error that the call ended with."""
    if isinstance(error, ProtocolCallError):
        return _servers_error(error)
    return {"code": INTERNAL_ERROR, "message": telling.failed(error)}


def _servers_error(error: ProtocolCallError) -> dict[str, Any]:
    """The server's own error, passed on."""
    fields: dict[str, Any] = {"code": error.code, "message": error.message}
    return fields if error.data is None else {**fields, "data": error.data}
