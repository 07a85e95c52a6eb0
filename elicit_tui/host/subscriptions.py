"""What a server is to tell by itself: that its lists changed, that a resource was updated.

In the handshake era it tells of its lists unasked, and `resources/subscribe` names a resource
(spec: 2025-11-25, server/resources). In the modern era one `subscriptions/listen` asks for all of
it and stays open (spec: 2026-07-28, basic/utilities/subscriptions).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from elicit_tui.errors import ProtocolCallError, ServerError
from elicit_tui.host.awaiting import doubling_pauses
from elicit_tui.host.events import LISTS, HostEvent, ListChanged, ResourceUpdated

if TYPE_CHECKING:
    from elicit_tui.host.session import Session

FIRST_PAUSE_SECONDS: Final = 1.0
LONGEST_PAUSE_SECONDS: Final = 60.0


class Subscriptions:
    """What one connection wants to be told; the server's word comes as events of the host."""

    def __init__(self, server: str, emit: Callable[[HostEvent], None]) -> None:
        self._server = server
        self._emit = emit
        self._lists = False
        self._uris: dict[str, None] = {}
        self._stream: asyncio.Task[None] | None = None
        self._tells_of_lists = False
        self._one_at_a_time = asyncio.Lock()

    @property
    def lists_are_watched(self) -> bool:
        """Whether a stream is open that tells of changed lists (modern era)."""
        return self._tells_of_lists

    async def watch_lists(self, session: Session) -> None:
        """Be told of changed lists. Raises what `Session.request` does."""
        self._lists = True
        if session.wire.protocol.listening:
            await self._listen_anew(session)

    async def subscribe(self, session: Session, uri: str) -> None:
        """Be told when this resource is another than before. Raises what `request` does."""
        if not session.wire.protocol.listening:
            await session.request("resources/subscribe", {"uri": uri})
            return
        is_told_already = uri in self._uris
        self._uris[uri] = None
        try:
            await self._listen_anew(session)
        except BaseException:  # also when cancelled: nobody waits for it; handed on
            if not is_told_already:
                self._uris.pop(uri, None)
            raise

    async def unsubscribe(self, session: Session, uri: str) -> None:
        """Be told no more of this resource. Raises what `request` does."""
        if not session.wire.protocol.listening:
            await session.request("resources/unsubscribe", {"uri": uri})
        elif uri in self._uris:
            del self._uris[uri]
            await self._listen_anew(session)

    def end(self) -> None:
        """The connection is over."""
        if self._stream is not None:
            self._stream.cancel()

    async def _listen_anew(self, session: Session) -> None:
        """Replace the open stream by one with what is wanted now; the older one ends after it."""
        async with self._one_at_a_time:
            before = self._stream
            # The new stream opens before the one before ends: nothing is missed between the two.
            if self._notifications:
                open_now = asyncio.Event()
                stream = asyncio.ensure_future(self._listen(session, open_now))
                opened = asyncio.ensure_future(open_now.wait())
                try:
                    await asyncio.wait((stream, opened), return_when=asyncio.FIRST_COMPLETED)
                    if not open_now.is_set():
                        # It ended before it was open: raises why.
                        await stream
                except BaseException:  # also when cancelled: no stream is left open; handed on
                    stream.cancel()
                    raise
                finally:
                    opened.cancel()
                stream.add_done_callback(_looked_at)
                self._stream = stream
            else:
                self._stream = None
            if before is not None:
                before.cancel()

    @property
    def _notifications(self) -> dict[str, Any]:
        wanted: dict[str, Any] = {}
        if self._lists:
            wanted.update({f"{kind}ListChanged": True for kind in LISTS})
        if self._uris:
            wanted["resourceSubscriptions"] = list(self._uris)
        return wanted

    async def _listen(self, session: Session, opened: asyncio.Event) -> None:
        """Hold the stream open, and open it again when it ends: ever later unless it held."""
        pauses = doubling_pauses(FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS)
        while True:
            began, wanted = time.monotonic(), self._notifications
            try:
                await session.listen(wanted, partial(self._opened, opened, wanted))
            except (ProtocolCallError, ServerError):
                # Somebody waits for the first opening only; what fails later is tried again.
                if not opened.is_set():
                    raise
            # A stream that ended without being acknowledged must not be waited for.
            opened.set()
            self._tells_of_lists = False
            # One that held, and was cut as by a proxy, is opened again as soon as the first.
            if time.monotonic() - began > LONGEST_PAUSE_SECONDS:
                pauses = doubling_pauses(FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS)
            await asyncio.sleep(next(pauses))
            self._tell_of_what_may_have_changed()

    def _opened(self, opened: asyncio.Event, wanted: Mapping[str, Any]) -> None:
        self._tells_of_lists = f"{LISTS[0]}ListChanged" in wanted
        opened.set()

    def _tell_of_what_may_have_changed(self) -> None:
        """Nothing is told again of the time in which no stream was open."""
        if self._lists:
            for kind in LISTS:
                self._emit(ListChanged(self._server, kind))
        for uri in self._uris:
            self._emit(ResourceUpdated(self._server, uri))


def _looked_at(stream: asyncio.Task[None]) -> None:
    """An end nobody waited for is no warning of its own: the connection tells of its end."""
    if not stream.cancelled():
        stream.exception()
