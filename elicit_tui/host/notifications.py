"""A server's notifications as events of the host."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final, Literal

from elicit_tui.host.events import HostEvent, ListChanged, LogMessage, Progress, UrlCompleted

_LISTS: Final[Mapping[str, Literal["tools", "prompts", "resources"]]] = {
    "notifications/tools/list_changed": "tools",
    "notifications/prompts/list_changed": "prompts",
    "notifications/resources/list_changed": "resources",
}


def read_notification(server: str, method: str, params: Mapping[str, Any]) -> HostEvent | None:
    """The event of a notification that the host tells; None for every other one."""
    if method == "notifications/elicitation/complete":
        identifier = params.get("elicitationId")
        return UrlCompleted(server, identifier if isinstance(identifier, str) else "")
    if method == "notifications/message":
        level, logger = params.get("level"), params.get("logger")
        return LogMessage(
            server,
            level if isinstance(level, str) else "info",
            logger if isinstance(logger, str) else None,
            params.get("data"),
        )
    kind = _LISTS.get(method)
    return ListChanged(server, kind) if kind is not None else None


def read_progress(server: str, call_id: str, params: Mapping[str, Any]) -> Progress | None:
    """How far a call is; None when it is not said in a number."""
    progress, message = _number(params.get("progress")), params.get("message")
    if progress is None:
        return None
    return Progress(
        server,
        call_id,
        progress,
        _number(params.get("total")),
        message if isinstance(message, str) else None,
    )


def _number(value: Any) -> float | None:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return None
    try:
        return value if math.isfinite(value) else None
    except OverflowError:
        return None  # an integer beyond every float
