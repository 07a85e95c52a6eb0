"""A server's notifications as events of the host."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from elicit_tui.host.events import HostEvent, ListChanged, LogMessage, UrlCompleted

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
