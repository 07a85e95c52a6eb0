"""What the host tells those who watch it. Texts are the server's unless said otherwise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

State = Literal["starting", "ready", "failed", "closed"]


@dataclass(frozen=True)
class ServerStateChanged:
    """A connection began, is ready, failed (`failure` says why, in a safe sentence) or ended."""

    server: str
    state: State
    failure: str | None = None


@dataclass(frozen=True)
class ServerLog:
    """One line that a server wrote where no message belongs; already neutral text."""

    server: str
    line: str
    stream: Literal["stderr", "stdout"] = "stderr"


@dataclass(frozen=True)
class Progress:
    """notifications/progress of one call (spec: basic/utilities/progress)."""

    server: str
    call_id: str
    progress: float
    total: float | None = None
    message: str | None = None


@dataclass(frozen=True)
class LogMessage:
    """notifications/message (spec: server/utilities/logging)."""

    server: str
    level: str
    logger: str | None
    data: Any


@dataclass(frozen=True)
class RoundStarted:
    """A round of questions of one call came in; `group_size` of them were let through."""

    server: str
    call_id: str
    round: int
    group_size: int


@dataclass(frozen=True)
class UrlCompleted:
    """notifications/elicitation/complete: early, late and unknown ids are told all the same."""

    server: str
    elicitation_id: str


@dataclass(frozen=True)
class ListChanged:
    """The server says that what it offers has changed."""

    server: str
    kind: Literal["tools", "prompts", "resources"]


HostEvent = (
    ServerStateChanged
    | ServerLog
    | Progress
    | LogMessage
    | RoundStarted
    | UrlCompleted
    | ListChanged
)
Listener = Callable[[HostEvent], None]
