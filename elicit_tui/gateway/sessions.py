"""The sessions of a gateway over HTTP: each with servers of its own, warm while it lives."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass, field
from typing import Final

from elicit_tui.errors import ElicitTuiError
from elicit_tui.gateway.clock import Clock
from elicit_tui.gateway.session import Session

WEEK_SECONDS: Final = 7 * 24 * 3600.0
LOOK_SECONDS: Final = 2.0
"""How often idle and revoked ones are looked for."""
MOST_SESSIONS: Final = 100
"""Of all tokens together: each is a set of server processes."""

OpenSession = Callable[[], AbstractAsyncContextManager[Session]]


class TooManySessions(ElicitTuiError):
    """So many sessions are open that no other one is begun."""

    def __init__(self) -> None:
        super().__init__(f"{MOST_SESSIONS} sessions are open here already. End one first.")


@dataclass(eq=False)
class _SessionEntry:
    token: str
    ready: asyncio.Future[Session]
    over: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None
    last_request: float = 0.0
    requests: int = 0


class Sessions:
    """Opens a session when its first request comes, and ends it when it is over.

    A key is the Mcp-Session-Id, or in the modern era the token's name; each is known only together
    with its token.
    """

    def __init__(
        self,
        open_one: OpenSession,
        clock: Clock,
        idle_seconds: float,
        ended: Callable[[str, str], None] = lambda token, key: None,
    ) -> None:
        """`idle_seconds`: without a request for so long a session ends; `ended` is told of it."""
        self._open_one = open_one
        self._clock = clock
        self._idle = idle_seconds if idle_seconds > 0 else WEEK_SECONDS
        self._ended = ended
        self._entries: dict[tuple[str, str], _SessionEntry] = {}

    def __len__(self) -> int:
        return len(self._entries)

    async def get(self, token: str, key: str) -> Session:
        """The session of this key, opened if need be.

        Raises TooManySessions, and what kept the session from opening (StoreError).
        """
        entry = self._entries.get((token, key))
        if entry is None:
            if len(self._entries) >= MOST_SESSIONS:
                raise TooManySessions
            entry = _SessionEntry(token, asyncio.get_running_loop().create_future())
            self._entries[(token, key)] = entry
            entry.task = asyncio.ensure_future(self._live(entry, (token, key)))
        entry.last_request = self._clock.time()
        return await asyncio.shield(entry.ready)

    def arrived(self, token: str, key: str) -> None:
        """A request of this session is here."""
        entry = self._entries.get((token, key))
        if entry is not None:
            entry.requests += 1
            entry.last_request = self._clock.time()

    def left(self, token: str, key: str) -> None:
        """A request of this session was answered, or hung up."""
        entry = self._entries.get((token, key))
        if entry is not None:
            entry.requests = max(0, entry.requests - 1)
            entry.last_request = self._clock.time()

    async def _live(self, entry: _SessionEntry, key: tuple[str, str]) -> None:
        """One task for one session: what it opens must be closed by the same task."""
        try:
            async with self._open_one() as session:
                entry.ready.set_result(session)
                await entry.over.wait()
        except Exception as error:  # whatever kept it from opening, its requests raise
            if not entry.ready.done():
                entry.ready.set_exception(error)
                return
            raise
        finally:
            self._entries.pop(key, None)
            self._ended(*key)

    def end(self, token: str, key: str) -> None:
        """The client ended its session."""
        entry = self._entries.get((token, key))
        if entry is not None:
            entry.over.set()

    def end_all_of(self, token: str) -> None:
        """A token was revoked: its sessions end at once."""
        for (owner, _), entry in self._entries.items():
            if owner == token:
                entry.over.set()

    @property
    def tokens(self) -> frozenset[str]:
        """The names of tokens that have a session."""
        return frozenset(token for token, _ in self._entries)

    async def sweep(self, valid: Callable[[], frozenset[str]]) -> None:
        """For ever: end what is idle, and what belongs to a token that is no longer valid."""
        while True:
            await self._clock.sleep(LOOK_SECONDS)
            for token in self.tokens - valid():
                self.end_all_of(token)
            for entry in tuple(self._entries.values()):
                idle = self._clock.time() - entry.last_request
                if not entry.requests and idle > self._idle:
                    entry.over.set()

    async def close(self) -> None:
        """End every session, each to its end."""
        tasks = [entry.task for entry in self._entries.values() if entry.task is not None]
        for entry in tuple(self._entries.values()):
            entry.over.set()
        with suppress(asyncio.CancelledError):
            await asyncio.gather(*tasks, return_exceptions=True)
