"""Waits for what a server answers, within its time, and for the end of its connection.

Says in a sentence why no answer came; what a connection hangs on, and how long one pauses before
one tries again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, Protocol

from elicit_tui.elicitation.settings import ServerSettings
from elicit_tui.errors import LimitReached, ServerError
from elicit_tui.host.open_calls import END_KNOWN_SECONDS, OpenCalls, wait_within
from elicit_tui.text import in_seconds


def doubling_pauses(first: float, longest: float) -> Iterator[float]:
    """Seconds to pause, without end: each twice the one before, up to the longest."""
    seconds = first
    while True:
        yield seconds
        seconds = min(seconds * 2, longest)


class Lifeline:
    """Tells a connection's lifecycle, which waits for it, that the connection is of no more use."""

    def __init__(self) -> None:
        self.over = asyncio.Event()
        """Set when the connection is to end, or has."""
        self.lost: str | None = None
        """Why the connection is of no more use, in a sentence."""
        self.give_up: Callable[[], None] | None = None
        """Ends the wait for a transport to open, while there is one."""

    def lose(self, sentence: str) -> None:
        """End the connection, which is of no more use."""
        self.lost = sentence
        self.over.set()
        if self.give_up is not None:
            self.give_up()


class AwaitedConnection(Protocol):
    """What is to be known of a connection by whoever waits for its server."""

    settings: ServerSettings
    open_calls: OpenCalls
    failure: str | None
    http_refusal: int | None
    login_refusal: str | None

    @property
    def name(self) -> str:
        """The configured name."""

    def lose(self, sentence: str) -> None:
        """End the connection: it is of no more use, as the sentence says."""

    async def alive(self) -> None:
        """Return once anything at all came back from the server."""


class Awaiting:
    """How one connection waits for its server."""

    def __init__(self, connection: AwaitedConnection) -> None:
        self._connection = connection
        self.ended = asyncio.Event()
        """Set when the connection has ended."""

    async def answer_to(self, request: Awaitable[Any], wanted: str) -> Any:
        """The answer to a request that is no call.

        `wanted`: what the server was to do, as our sentence tells it ("list its tools"). Raises
        ProtocolCallError, ServerError, LimitReached.
        """
        work = asyncio.ensure_future(self.unless_lost(request))
        try:
            return await self.in_time(work, self._connection.open_calls.may_be_held_up, wanted)
        finally:
            # Its time has passed, or nobody waits any more.
            work.cancel()

    async def in_time(
        self, work: asyncio.Task[Any], standing_still: Callable[[], bool], wanted: str
    ) -> Any:
        """What this work comes to. Raises LimitReached when the server's time passed first."""
        settings = self._connection.settings
        if await wait_within(work, settings.tool_timeout_sec, standing_still):
            return await work
        raise LimitReached(
            f"The server {settings.name} did not {wanted} within "
            f"{in_seconds(settings.tool_timeout_sec)} "
            f"({settings.key('tool_timeout_sec')} allows more)."
        )

    async def unless_lost(self, work: Awaitable[Any]) -> Any:
        """What this work comes to.

        Raises ServerError when the server refused it over HTTP or the connection was lost.
        """
        from elicit_tui.host.session import Gone, TransportRefused

        try:
            return await work
        except TransportRefused as error:
            # So the SDK tells of HTTP 404 to a session that it had.
            if not str(error).startswith("Session terminated"):
                raise ServerError(self._refusal(error)) from None
            sentence = (
                f"The server {self._connection.name} no longer knows our session, as after a "
                "restart of its own (HTTP 404); connect to it anew."
            )
            self._connection.lose(sentence)
            raise ServerError(sentence) from None
        except Gone:
            await self._let_lifecycle_tell()
            raise self._lost() from None

    async def _let_lifecycle_tell(self) -> None:
        """Wait until the lifecycle has found whether only an answer was lost, or the connection."""
        from elicit_tui.host.session import Gone

        ended = asyncio.ensure_future(self.ended.wait())
        alive = asyncio.ensure_future(self._connection.alive())
        try:
            await asyncio.wait(
                (ended, alive), timeout=END_KNOWN_SECONDS, return_when=asyncio.FIRST_COMPLETED
            )
            # The connection is lost for good, and its lifecycle is just finding out why. Its
            # sentence is worth a moment: it has the exit code and the last words.
            if alive.done() and isinstance(alive.exception(), Gone):
                await asyncio.wait((ended,), timeout=END_KNOWN_SECONDS)
        finally:
            for task in (ended, alive):
                task.cancel()
            await asyncio.gather(ended, alive, return_exceptions=True)

    def _refusal(self, error: Exception) -> str:
        from elicit_tui.host.faults import status_reason, transport_reason

        if (wanted := self._connection.login_refusal) is not None:
            return wanted
        status = self._connection.http_refusal
        reason = status_reason(status) if status else transport_reason(str(error))
        what = "could not answer" if status and status >= 500 else "refused the request"
        return f"The server {self._connection.name} {what}: {reason}."

    def _lost(self) -> ServerError:
        if self._connection.failure is not None:
            return ServerError(self._connection.failure)
        return ServerError(
            f"The server {self._connection.name} broke off its answer; whether it did the work is "
            "not known."
        )
