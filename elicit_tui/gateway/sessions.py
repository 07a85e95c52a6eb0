"""The sessions of a gateway over HTTP: each with servers of its own, warm while it lives."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass, field
from typing import Final

from elicit_tui.gateway.clock import Clock
from elicit_tui.gateway.session import Session

WEEK_SECONDS: Final = 7 * 24 * 3600.0
LOOK_SECONDS: Final = 2.0
"""How often idle and revoked ones are looked for."""
MOST_SESSIONS: Final = 100
"""Of all tokens together: each is a set of server processes."""

OpenSession = Callable[[], AbstractAsyncContextManager[Session]]


class TooManySessions(Exception):
    """So many sessions are open that no other one is begun."""


@dataclass(eq=False)
class _Held:
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
        self._held: dict[tuple[str, str], _Held] = {}

    def __len__(self) -> int:
        return len(self._held)

    async def get(self, token: str, key: str) -> Session:
        """The session of this key, opened if need be. Raises TooManySessions."""
        held = self._held.get((token, key))
        if held is None:
            if len(self._held) >= MOST_SESSIONS:
                raise TooManySessions
            held = _Held(token, asyncio.get_running_loop().create_future())
            self._held[(token, key)] = held
            held.task = asyncio.ensure_future(self._live(held, (token, key)))
        held.last_request = self._clock.time()
        return await asyncio.shield(held.ready)

    def arrived(self, token: str, key: str) -> None:
        """A request of this session is here."""
        held = self._held.get((token, key))
        if held is not None:
            held.requests += 1
            held.last_request = self._clock.time()

    def left(self, token: str, key: str) -> None:
        """A request of this session was answered, or hung up."""
        held = self._held.get((token, key))
        if held is not None:
            held.requests = max(0, held.requests - 1)
            held.last_request = self._clock.time()

    async def _live(self, held: _Held, key: tuple[str, str]) -> None:
        """One task for one session: what it opens must be closed by the same task."""
        try:
            async with self._open_one() as session:
                held.ready.set_result(session)
                await held.over.wait()
        except Exception as error:
            if not held.ready.done():
                held.ready.set_exception(error)
                return
            raise
        finally:
            self._held.pop(key, None)
            self._ended(*key)

    def end(self, token: str, key: str) -> None:
        """The client ended its session."""
        held = self._held.get((token, key))
        if held is not None:
            held.over.set()

    def end_all_of(self, token: str) -> None:
        """A token was revoked: its sessions end at once."""
        for (owner, _), held in self._held.items():
            if owner == token:
                held.over.set()

    @property
    def tokens(self) -> frozenset[str]:
        """The names of tokens that have a session."""
        return frozenset(token for token, _ in self._held)

    async def sweep(self, valid: Callable[[], frozenset[str]]) -> None:
        """For ever: end what is idle, and what belongs to a token that is no longer valid."""
        while True:
            await self._clock.sleep(LOOK_SECONDS)
            for token in self.tokens - valid():
                self.end_all_of(token)
            for held in tuple(self._held.values()):
                idle = self._clock.time() - held.last_request
                if not held.requests and idle > self._idle:
                    held.over.set()

    async def close(self) -> None:
        """End every session, each to its end."""
        tasks = [held.task for held in self._held.values() if held.task is not None]
        for held in tuple(self._held.values()):
            held.over.set()
        with suppress(asyncio.CancelledError):
            await asyncio.gather(*tasks, return_exceptions=True)
