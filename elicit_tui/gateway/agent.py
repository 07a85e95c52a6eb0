"""The agent over the SDK: one request of it, and its connection as a whole."""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp.shared.subscriptions import (
    PromptsListChanged,
    ResourcesListChanged,
    ResourceUpdated,
    ServerEvent,
    ToolsListChanged,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from elicit_tui.elicitation import Era
from elicit_tui.elicitation.eras import declares_tasks
from elicit_tui.gateway.fit_to_pass import MOST_NESTED, readable
from elicit_tui.gateway.requester import (
    LEVELS,
    AgentInfo,
    ClientSilent,
    elicitation_modes,
    round_answer,
)
from elicit_tui.host.events import ListKind
from elicit_tui.host.number_text import json_line
from elicit_tui.text.hostile_json import too_deep

Context = ServerRequestContext[Any, Any]

GONE: Final = "elicit_tui.gone"
"""The key of a request's scope under which the gateway over HTTP says that its client hung up."""
ANSWERED: Final = "elicit_tui.answered"
"""The key under which it leaves a list of what is to be done once the answer has left."""
MOST_OF_A_NAME: Final = 200
MOST_UNSENT: Final = 256
"""Notifications of one request that an agent has not read; more of them are not kept."""
PROGRESS_BURST: Final = 50
PROGRESS_A_SECOND: Final = 10
"""Signs of progress of one request that pass at once, and then each second."""
MOST_UNSENT_BYTES: Final = 4 * 1024 * 1024
"""What they may be together; a single one may be larger."""


def is_modern(context: Context) -> bool:
    """Whether the agent speaks the modern era in this request."""
    return context.protocol_version in MODERN_PROTOCOL_VERSIONS


def knows_tasks(context: Context) -> bool:
    """Whether the client declares tasks in this very request (spec: SEP-2663)."""
    if not is_modern(context):
        return False
    meta = (context.params or {}).get("_meta")
    given = meta.get(types.CLIENT_CAPABILITIES_META_KEY) if isinstance(meta, Mapping) else None
    return declares_tasks(given)


class Notification:
    """A notification that is sent as it is: the SDK's models would change numbers and drop keys."""

    def __init__(
        self, method: str, params: Mapping[str, Any] | None = None, *, http: bool = False
    ) -> None:
        """`http`: the SDK writes it, which fails at values that not everybody can read."""
        self._body: dict[str, Any] = {"method": method}
        if params is not None:
            self._body["params"] = readable(params) if http else dict(params)
        self.size = len(json_line(self._body))

    def model_dump(self, **how: Any) -> dict[str, Any]:
        """The notification as the SDK writes it."""
        return self._body


class _Unread:
    """Counts what an agent has not read yet, in number and bytes."""

    def __init__(self) -> None:
        self._number = self._size = 0

    def enter(self, notification: Notification) -> bool:
        """Whether there is room for it; it is counted until `leave`."""
        full = self._number >= MOST_UNSENT or self._size + notification.size > MOST_UNSENT_BYTES
        # One alone passes whatever its size, or it would never be sent at all.
        if full and self._number:
            return False
        self._number += 1
        self._size += notification.size
        return True

    def leave(self, notification: Notification) -> None:
        """Count it no more: it was read, or never will be."""
        self._number -= 1
        self._size -= notification.size


class _Pace:
    """Lets a burst of notifications pass, then so many a second."""

    def __init__(self) -> None:
        self._room = float(PROGRESS_BURST)
        self._at = time.monotonic()

    def takes_one(self) -> bool:
        """Whether one more may pass now; it is counted then."""
        now = time.monotonic()
        # A bucket that fills with time: signs of progress are worth passing on, and a server that
        # sends thousands of them must not make the agent's memory its own.
        self._room = min(PROGRESS_BURST, self._room + (now - self._at) * PROGRESS_A_SECOND)
        self._at = now
        if self._room < 1:
            return False
        self._room -= 1
        return True


class AgentRequest:
    """One request of the agent over the SDK; a `Requester`."""

    def __init__(self, context: Context, arrived: float) -> None:
        self._context = context
        self.arrived = arrived
        modern = is_modern(context)
        self.era: Era = "modern" if modern else "handshake"
        self.agent = agent_info(context)
        meta: Any = context.meta or {}
        self._token = meta.get("progress_token", meta.get("progressToken"))
        self.has_token = self._token is not None
        request: Any = context.request
        self.http = request is not None
        scope: Mapping[str, Any] = request.scope if self.http else {}
        self.gone: asyncio.Event | None = scope.get(GONE)
        """Set when the client of an HTTP request hangs up."""
        self._answered: list[Any] | None = scope.get(ANSWERED)
        self._level = meta.get(types.LOG_LEVEL_META_KEY) if modern else None
        self.knows_tasks = knows_tasks(context)
        self.round_answer = round_answer(self.era, context.params or {})
        # Progress must grow with each notification (spec: basic/utilities/progress).
        self._sent = -math.inf
        self._pace = _Pace()
        self._overtaken: Notification | None = None
        """The newest sign of progress that came too soon after the others."""
        self._catching_up: asyncio.TimerHandle | None = None
        self._unsent: deque[Notification] = deque()
        self._unread = _Unread()
        self._sending: asyncio.Task[None] | None = None

    # Notifications leave in order and before the answer, and nobody below waits for them.

    def progress(self, value: float, total: float | None, message: str | None) -> None:
        """Pass on how far the call is; never back, as the specification says.

        Of what comes too fast the newest is passed on a moment later, in the place of all others.
        """
        if self._token is None:
            return
        if value <= self._sent:
            value = _hair_above(self._sent)
        # Above the largest number there is none, and JSON has no word for what comes then.
        if not math.isfinite(value):
            return
        self._sent = value
        params: dict[str, Any] = {"progressToken": self._token, "progress": value}
        if total is not None:
            params["total"] = total
        if message is not None:
            params["message"] = message
        self._overtaken = Notification("notifications/progress", params, http=self.http)
        if self._pace.takes_one():
            self._catch_up()
        elif self._catching_up is None:
            loop = asyncio.get_running_loop()
            self._catching_up = loop.call_later(1 / PROGRESS_A_SECOND, self._catch_up)

    def _catch_up(self) -> None:
        """Pass on the newest sign of progress, if it was not."""
        if self._catching_up is not None:
            self._catching_up.cancel()
            self._catching_up = None
        newest, self._overtaken = self._overtaken, None
        if newest is not None:
            self._send(newest)

    def tick(self, total: float | None, message: str) -> None:
        """Send progress once more: the last value plus a hair, the server's total, our words."""
        last = self._sent if self._sent > -math.inf else 0.0
        self.progress(_hair_above(last), total, message)

    def log(self, level: str, logger: str | None, data: Any) -> None:
        """Pass a server's line on, on this request's own stream (modern era, if wanted)."""
        if self._level in LEVELS and _weighs(level) >= LEVELS.index(self._level):
            params = _log_params(level, logger, data)
            self._send(Notification("notifications/message", params, http=self.http))

    def _send(self, notification: Notification) -> None:
        if not self._unread.enter(notification):
            return
        self._unsent.append(notification)
        if self._sending is None or self._sending.done():
            self._sending = asyncio.ensure_future(self._drain())

    async def _drain(self) -> None:
        while self._unsent:
            notification = self._unsent.popleft()
            await self._context.session.send_notification(
                notification,  # type: ignore[arg-type]
                related_request_id=self._context.request_id,
            )
            self._unread.leave(notification)

    async def flushed(self) -> None:
        """Return once every notification has left."""
        # What came too fast leaves before the answer, too.
        self._catch_up()
        if self._sending is not None:
            await self._sending

    def over(self) -> None:
        """Nothing more is passed on: it has its answer, or was cancelled."""
        self._token = self._level = self._overtaken = None
        self._catch_up()
        self._unsent.clear()

    def when_answered(self, work: Callable[[], Awaitable[None]]) -> bool:
        """Do this once the answer has left; False where nobody tells when it has."""
        if self._answered is None:
            return False
        self._answered.append(work)
        return True

    async def elicit(self, params: Mapping[str, Any]) -> Mapping[str, Any]:
        """Ask the agent's client with elicitation/create (handshake era). Raises ClientSilent."""
        try:
            result = await self._context.session.send_request(
                _elicit_request(params),
                types.ElicitResult,
                metadata=ServerMessageMetadata(related_request_id=self._context.request_id),
            )
        except (MCPError, ValidationError, RuntimeError) as error:
            raise ClientSilent from error
        return result.model_dump(by_alias=True, exclude_none=True)


def _elicit_request(params: Mapping[str, Any]) -> types.ElicitRequest:
    if params.get("mode") == "url":
        return types.ElicitRequest(params=types.ElicitRequestURLParams.model_validate(params))
    return types.ElicitRequest(params=types.ElicitRequestFormParams.model_validate(params))


def _hair_above(value: float) -> float:
    # Relative to the value: a fixed bit would be lost in a large number.
    return value + max(abs(value), 1.0) * 1e-6


def _weighs(level: str) -> int:
    return LEVELS.index(level) if level in LEVELS else 0


def _log_params(level: str, logger: str | None, data: Any) -> dict[str, Any]:
    shown = "(nested too deep)" if too_deep(data, MOST_NESTED) else data
    params: dict[str, Any] = {"level": level if level in LEVELS else "info", "data": shown}
    if logger is not None:
        params["logger"] = logger
    return params


def agent_info(context: Context) -> AgentInfo:
    """Who the agent says it is, in either era."""
    session = context.session
    client = session.client_params
    capabilities = session.client_capabilities
    elicitation = capabilities.elicitation if capabilities is not None else None
    info = client.client_info if client is not None else None
    return AgentInfo(
        name=_called(info.name) if info is not None else None,
        version=_called(info.version) if info is not None else None,
        modes=elicitation_modes(elicitation),
    )


def _called(text: str) -> str:
    """What an agent calls itself, as it can be kept: of bounded length, each character whole."""
    return _kept_name(text[:MOST_OF_A_NAME])


@lru_cache(maxsize=64)  # The same one stands in each request.
def _kept_name(text: str) -> str:
    name: str = readable(text)
    return name


class _Bus(InMemorySubscriptionBus):
    """Tells whoever begins to listen what nobody has heard."""

    owed: Sequence[ServerEvent] = ()

    def subscribe(self, listener: Callable[[ServerEvent], None]) -> Callable[[], None]:
        """Tell this listener of every event from now on."""
        unsubscribe = super().subscribe(listener)
        for event in self.owed:
            listener(event)
        return unsubscribe


class SessionAudience:
    """Tells the agent what belongs to none of its requests, in whichever era it speaks.

    Until it listens (`connected`, or a stream of `listen`) there is nobody to tell.
    """

    def __init__(self, *, listed: bool = False) -> None:
        """`listed`: the agent has lists already, and is told later that they are others now."""
        self.bus = _Bus()
        self._owed: dict[ListKind, ServerEvent] | None = {} if listed else None
        """What it has to be told and nobody has heard."""
        self.listen = ListenHandler(self.bus)
        self._handshake: Any = None
        self._http = False
        self._level = "info"
        self._unread = _Unread()
        self._tasks: set[asyncio.Future[None]] = set()

    def connected(self, session: Any, *, http: bool = False) -> None:
        """Tell things through this session from now on: its handshake is done."""
        self._handshake = session
        self._http = http
        # From here on each change is told at once.
        owed, self._owed = self._owed, None
        for kind in owed or ():
            self._notify(Notification(f"notifications/{kind}/list_changed"))

    def set_level(self, level: str) -> None:
        """Pass on only lines of this level and above: logging/setLevel (handshake era)."""
        self._level = level

    def list_changed(self, kind: ListKind) -> None:
        """Tell that a list is another than before."""
        events: Mapping[ListKind, Callable[[], ServerEvent]] = {
            "tools": ToolsListChanged,
            "prompts": PromptsListChanged,
            "resources": ResourcesListChanged,
        }
        if self._owed is not None:
            self._owed[kind] = events[kind]()
            self.bus.owed = tuple(self._owed.values())
        self._start(self.bus.publish(events[kind]()))
        self._notify(Notification(f"notifications/{kind}/list_changed"))

    def resource_updated(self, uri: str) -> None:
        """Tell that a resource that the agent subscribed to is another than before."""
        self._start(self.bus.publish(ResourceUpdated(uri)))
        params = {"uri": uri}
        self._notify(Notification("notifications/resources/updated", params, http=self._http))

    def log(self, level: str, logger: str | None, data: Any) -> None:
        """Pass on a line that a server wrote."""
        if self._handshake is not None and _weighs(level) >= _weighs(self._level):
            params = _log_params(level, logger, data)
            self._notify(Notification("notifications/message", params, http=self._http))

    def close(self) -> None:
        """End the streams that listen; whoever holds one open learns that nothing more comes."""
        self.listen.close()

    def _notify(self, notification: Notification) -> None:
        if self._handshake is not None and self._unread.enter(notification):
            sending = self._start(self._handshake.send_notification(notification))
            sending.add_done_callback(lambda sent: self._unread.leave(notification))

    def _start(self, work: Awaitable[None]) -> asyncio.Future[None]:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._sent)
        return task

    def _sent(self, task: asyncio.Future[None]) -> None:
        self._tasks.discard(task)
        # An agent that has gone reads nothing; its error is looked at and told to nobody.
        if not task.cancelled():
            task.exception()
