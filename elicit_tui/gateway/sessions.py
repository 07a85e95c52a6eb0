"""The sessions of a gateway over HTTP: each with servers of its own, warm while it lives."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import field
from typing import Final

from elicit_tui.dataclass import dataclass
from elicit_tui.errors import ElicitTuiError
from elicit_tui.gateway.agent_session import AgentSession
from elicit_tui.gateway.clock import Clock
from elicit_tui.store.store import Token

WEEK_SECONDS: Final = 7 * 24 * 3600.0
HUNG_UP_SECONDS: Final = 600.0
"""How long a session is kept whose client hung up the stream on which it listens, if it is owed
nothing: on this machine that is an agent that has ended."""
LOOK_SECONDS: Final = 2.0
"""How often idle and revoked ones are looked for."""
MOST_SESSIONS: Final = 100
"""Of all tokens together: each is a set of server processes."""
MOST_SESSIONS_OF_ONE: Final = 50
"""Of one token, so that no agent takes the others' places."""
MOST_UNOPENED: Final = 20
"""Handshakes of one token after which nothing came; the oldest gives place to a newer one."""

OpenSession = Callable[[Token, str], AbstractAsyncContextManager[AgentSession]]
"""Opens the session with this key for the agent that shows this token."""

_Key = tuple[Token, str]


class TooManySessions(ElicitTuiError):
    """So many sessions are open that no other one is begun."""

    def __init__(self, most: int) -> None:
        super().__init__(f"{most} sessions are open here already. End one first.")


@dataclass(eq=False)
class _SessionEntry:
    ready: asyncio.Future[AgentSession]
    over: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None
    last_request: float = 0.0
    hung_up: bool = False
    """Whether its client hung up the stream on which it listens, and said nothing since."""
    was_idle: bool = False
    """Whether it ends because nobody used it: who comes meanwhile gets the next one."""

    @property
    def is_owed(self) -> bool:
        """Whether its agent may come back for a call, as it may as long as this is not known."""
        return not self.ready.done() or self.ready.result().held_calls.owed


class Sessions:
    """Opens a session when its first request comes, and ends it when it is over.

    A key is the Mcp-Session-Id, or in the modern era one for all of a token; each is known only
    together with its token.
    """

    def __init__(
        self,
        open_one: OpenSession,
        clock: Clock,
        idle_seconds: float,
        ended: Callable[[Token, str], None] = lambda token, key: None,
    ) -> None:
        """`idle_seconds`: without a request for so long a session ends; `ended` is told of it."""
        self._open_one = open_one
        self._clock = clock
        self._idle = idle_seconds if idle_seconds > 0 else WEEK_SECONDS
        self._ended = ended
        self._entries: dict[_Key, _SessionEntry] = {}
        self._unopened: dict[_Key, float] = {}
        """What a handshake began and no request opened yet, oldest first, with its time."""
        self._requests: Counter[_Key] = Counter()
        """How many are being answered."""

    async def get(self, token: Token, key: str) -> AgentSession:
        """The session of this key, opened if need be.

        Raises TooManySessions, and what kept the session from opening (StoreError).
        """
        entry = self._entries.get((token, key))
        while entry is not None and entry.was_idle and entry.task is not None:
            # Its servers are ended first: the next ones may want what they hold.
            await asyncio.wait((entry.task,))
            entry = self._entries.get((token, key))
        if entry is None:
            of_one = sum(owner == token for owner, _ in self._entries)
            if of_one >= MOST_SESSIONS_OF_ONE:
                raise TooManySessions(MOST_SESSIONS_OF_ONE)
            if len(self._entries) >= MOST_SESSIONS:
                raise TooManySessions(MOST_SESSIONS)
            entry = _SessionEntry(asyncio.get_running_loop().create_future())
            self._entries[(token, key)] = entry
            self._unopened.pop((token, key), None)
            entry.task = asyncio.ensure_future(self._live(entry, (token, key)))
        entry.last_request = self._clock.time()
        # Others wait for the same session: one request that is cancelled leaves it to them.
        return await asyncio.shield(entry.ready)

    def begun(self, token: Token, key: str) -> None:
        """Note that a handshake gave this key out; its first request opens the session."""
        self._unopened[(token, key)] = self._clock.time()
        of_one = [begun for begun in self._unopened if begun[0] == token]
        for oldest in of_one[:-MOST_UNOPENED]:
            self._forget(oldest)

    def under_way(self, token: Token) -> int:
        """How many requests of a token are being answered."""
        return sum(number for (owner, _), number in self._requests.items() if owner == token)

    def arrived(self, token: Token, key: str) -> None:
        """Count a request of this session that is here."""
        self._requests[(token, key)] += 1
        entry = self._entries.get((token, key))
        if entry is not None:
            entry.last_request, entry.hung_up = self._clock.time(), False

    def left(self, token: Token, key: str, *, hung_up: bool = False) -> None:
        """Count a request of this session no more: it was answered, or its client hung up.

        `hung_up`: it was the stream on which the client listens, and the client closed it.
        """
        self._requests[(token, key)] -= 1
        if not self._requests[(token, key)]:
            # Else a key would stay for each session that there ever was.
            del self._requests[(token, key)]
        entry = self._entries.get((token, key))
        if entry is not None:
            entry.last_request = self._clock.time()
            entry.hung_up = entry.hung_up or hung_up

    def _forget(self, key: _Key) -> None:
        """End what was begun and never opened."""
        del self._unopened[key]
        self._ended(*key)

    async def _live(self, entry: _SessionEntry, key: _Key) -> None:
        """One task for one session: what it opens must be closed by the same task."""
        try:
            # What it opens has scopes of cancellation, which only the task that entered them may
            # leave.
            async with self._open_one(*key) as session:
                entry.ready.set_result(session)
                await entry.over.wait()
        except Exception as error:  # whatever kept it from opening, its requests raise
            if not entry.ready.done():
                # Its requests raise it; raised here as well it would be an error that nobody looks
                # at.
                entry.ready.set_exception(error)
                return
            raise
        finally:
            self._entries.pop(key, None)
            self._ended(*key)

    def end(self, token: Token, key: str) -> None:
        """End a session, as its client wishes."""
        self._unopened.pop((token, key), None)
        entry = self._entries.get((token, key))
        if entry is not None:
            entry.over.set()

    def end_all_of(self, token: Token) -> None:
        """End the sessions of a revoked token at once."""
        for key, entry in self._entries.items():
            if key[0] == token:
                entry.over.set()
        for key in tuple(self._unopened):
            if key[0] == token:
                self._forget(key)

    @property
    def tokens(self) -> frozenset[Token]:
        """The tokens that have a session."""
        return frozenset(token for token, _ in (*self._entries, *self._unopened))

    async def sweep(self, valid: Callable[[], frozenset[Token]]) -> None:
        """For ever: end what is idle, and what belongs to a token that is no longer valid."""
        while True:
            await self._clock.sleep(LOOK_SECONDS)
            for token in self.tokens - valid():
                self.end_all_of(token)
            now = self._clock.time()
            for key, entry in tuple(self._entries.items()):
                given_up = entry.hung_up and not entry.is_owed
                kept = min(HUNG_UP_SECONDS, self._idle) if given_up else self._idle
                if not self._requests[key] and entry.last_request < now - kept:
                    entry.was_idle = True
                    entry.over.set()
            for key, begun in tuple(self._unopened.items()):
                if not self._requests[key] and begun < now - self._idle:
                    self._forget(key)

    async def close(self) -> None:
        """End every session, each to its end."""
        tasks = [entry.task for entry in self._entries.values() if entry.task is not None]
        for entry in tuple(self._entries.values()):
            entry.over.set()
        with suppress(asyncio.CancelledError):
            await asyncio.gather(*tasks, return_exceptions=True)
