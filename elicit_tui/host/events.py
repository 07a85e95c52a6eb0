"""What the host tells those who watch it, and how a server's notifications become that.

Texts are the server's unless said otherwise.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, NamedTuple

from elicit_tui.text import neutral_line, neutral_value, readable_json

State = Literal["starting", "ready", "failed", "closed"]
ListKind = Literal["tools", "prompts", "resources"]
LISTS: Final[tuple[ListKind, ...]] = ("tools", "prompts", "resources")

_MESSAGES: Final = ("message", "msg", "text")
"""The keys under which structured log lines keep their sentence."""
_LOG_CHARACTERS: Final = 2_000
_LOG_VALUES_CHARACTERS: Final = 50_000
"""Of all that a log line holds, as much is looked at."""


class ServerStateChanged(NamedTuple):
    """A connection began, is ready, failed (`failure` says why, in a safe sentence) or ended."""

    server: str
    state: State
    failure: str | None = None


class LoginAwaited(NamedTuple):
    """A server does not answer on before a person has logged in to it."""

    server: str


class ServerLog(NamedTuple):
    """One line that a server wrote where no message belongs; already neutral text."""

    server: str
    line: str
    stream: Literal["stderr", "stdout"] = "stderr"


class Progress(NamedTuple):
    """notifications/progress of one call (spec: basic/utilities/progress)."""

    server: str
    call_id: str
    progress: float
    total: float | None = None
    message: str | None = None


class LogMessage(NamedTuple):
    """notifications/message (spec: server/utilities/logging)."""

    server: str
    level: str
    logger: str | None
    data: Any
    call_id: str | None = None
    """The call during which it was said, where that is known."""

    @property
    def sentence(self) -> str:
        """Its level and what it says, on one safe line of bounded length, however much it holds."""
        text = neutral_line(_in_words(self.data), _LOG_CHARACTERS)
        return f"{neutral_line(self.level, 20)}: {text}"


def _in_words(data: Any) -> str:
    """The message of a structured log line first, then the rest of it as `key: value`.

    `data` is any JSON value, or JSON as text.
    """
    if isinstance(data, str):
        try:
            is_json = data[:20].lstrip()[:1] == "{" and len(data) <= _LOG_VALUES_CHARACTERS
            parsed = json.loads(data) if is_json else None
        except (ValueError, RecursionError):
            parsed = None
        if not isinstance(parsed, dict):
            return data
        data = parsed
    data = neutral_value(data, text_limit=_LOG_CHARACTERS, total_limit=_LOG_VALUES_CHARACTERS)
    if not isinstance(data, dict):
        return readable_json(data, indent=None)
    message_key = next((key for key in _MESSAGES if isinstance(data.get(key), str)), None)
    parts = [str(data[message_key])] if message_key is not None else []
    for key, value in data.items():
        if key != message_key and value is not None:
            shown = value if isinstance(value, str) else readable_json(value, indent=None)
            parts.append(f"{key}: {shown}")
    return ", ".join(parts) or readable_json(data, indent=None)


class CallSent(NamedTuple):
    """A call goes out to its server: from here on nobody can say that nothing was done."""

    server: str
    call_id: str


class RoundStarted(NamedTuple):
    """A round of questions of one call came in; `group_size` of them were let through."""

    server: str
    call_id: str
    round: int
    group_size: int


class TaskStarted(NamedTuple):
    """A call was answered with a task, which goes on by itself (spec: SEP-2663)."""

    server: str
    call_id: str


class UrlCompleted(NamedTuple):
    """notifications/elicitation/complete: early, late and unknown ids are told all the same."""

    server: str
    elicitation_id: str


class ListChanged(NamedTuple):
    """The server says that what it offers has changed."""

    server: str
    kind: ListKind


class ResourceUpdated(NamedTuple):
    """notifications/resources/updated: a resource that was subscribed to, or a part of it."""

    server: str
    uri: str


HostEvent = (
    ServerStateChanged
    | ServerLog
    | Progress
    | LogMessage
    | CallSent
    | RoundStarted
    | TaskStarted
    | UrlCompleted
    | LoginAwaited
    | ListChanged
    | ResourceUpdated
)
Listener = Callable[[HostEvent], None]

_CHANGED: Final[Mapping[str, ListKind]] = {
    "notifications/tools/list_changed": "tools",
    "notifications/prompts/list_changed": "prompts",
    "notifications/resources/list_changed": "resources",
}


def read_notification(
    server: str, method: str, params: Mapping[str, Any], call_id: str | None = None
) -> HostEvent | None:
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
            call_id,
        )
    if method == "notifications/resources/updated":
        uri = params.get("uri")
        return ResourceUpdated(server, uri) if isinstance(uri, str) else None
    kind = _CHANGED.get(method)
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
