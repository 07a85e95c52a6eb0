"""The store on Redis: several machines, one person's inbox.

Redis replicates behind its own back: a server that takes over may lack the last writes, one that
starts anew may be empty. Who asked puts its questions again then, under their ids.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from datetime import datetime
from operator import attrgetter
from typing import Final, TypeVar

from elicit_tui.elicitation import new_id, now
from elicit_tui.errors import SecretError, StoreError, StoreTooNew
from elicit_tui.store import redis_layout as layout
from elicit_tui.store import redis_scripts as scripts
from elicit_tui.store import transitions
from elicit_tui.store.living import PRESENCE_SECONDS, machine_id, started_at
from elicit_tui.store.redis_calls import RedisCalls
from elicit_tui.store.redis_layout import Process, json_object, key, name_in, pairs
from elicit_tui.store.redis_questions import BACKSTOP_SECONDS, LOOK_SECONDS, RedisQuestions
from elicit_tui.store.redis_server import (
    RedisAddress,
    RedisServer,
)
from elicit_tui.store.redis_tokens import RedisTokens
from elicit_tui.store.store import Asker, AskingProcess, Grant, Role
from elicit_tui.store.transitions import StoredQuestion

_Self = TypeVar("_Self", bound="RedisStore")

DEAD_SECONDS: Final = 60.0
"""How long after its last beat a process of another machine counts as dead, to who looked on."""
LONG_DEAD_SECONDS: Final = 600.0
"""The same to who has just come: it cannot know whether Redis itself was away."""
WATCHED_SECONDS: Final = 20.0
"""So long a dead one's last beat is seen by our own clock: a living one would send another."""


@asynccontextmanager
async def server_at(url: str) -> AsyncIterator[RedisServer]:
    """The Redis at an address, whatever is wrong with it, as long as this is open."""
    server = RedisServer(RedisAddress.read(url))
    server.patience_sec = 0.0
    try:
        await server.open()
        yield server
    finally:
        await server.close()


async def lacking_rights(server: RedisServer) -> tuple[str, ...]:
    """The commands that this user of Redis may not send."""
    lacks = await server.run(scripts.PROBE, [key(f"check-{new_id()}", "probe")])
    return tuple(dict.fromkeys(name.decode() for name in lacks))


class RedisStore(RedisQuestions):
    """A `Store` on Redis; `warnings` of its server are for the owner."""

    def __init__(
        self, address: RedisAddress, role: Role, secret: bytes, clock: Callable[[], datetime]
    ) -> None:
        super().__init__(address, role, secret, clock)
        # With its number it tells this process from a later one with that number.
        self._began = started_at(os.getpid()) or time.time()
        self._last_key_at: float | None = None
        self.secret_is_the_first = True
        """Whether what was first sealed here was sealed with the same secret."""
        self._redis_life: bytes | None = None
        """Another one: Redis began anew, without what it had."""
        self._restored_after, self._restored_at = 0, 0.0
        """As many interruptions there were when what this process asks was last put again."""
        self._beat_at, self._beats_since = 0.0, 0.0
        """The last beat of this process, and the first one after which none was late."""
        self._beats_seen: dict[str, tuple[float, float]] = {}
        """The last beat of each process, with when this one first saw it, by its own clock."""
        self.tokens = RedisTokens(self.server, self._sealer)
        self.calls = RedisCalls(
            self.server,
            self._life,
            self._secrets,
            self._present,
            self._is_dead,
            self._seconds,
        )

    @classmethod
    async def open(
        cls: type[_Self],
        url: str,
        role: Role,
        *,
        secret: bytes | None,
        clock: Callable[[], datetime] = now,
    ) -> _Self:
        """The store at a `redis://`, `rediss://` or `unix://` address.

        Raises StoreError for one that cannot be used: too old, about to drop what waits, out of
        reach, or without a secret.
        """
        if secret is None:
            raise SecretError(
                "A store on Redis needs a secret of yours, the same on every machine: `elicit-tui"
                " store secret` prints a fresh one for store.secret_env or store.secret_file."
            )
        store = cls(RedisAddress.read(url), role, secret, clock)
        try:
            await store.server.open()
            store.server.must_serve()
            # Also finds out whether a newer version wrote it, and with which secret it was first
            # sealed.
            await store._beat()
        except BaseException:
            await store.server.close()
            raise
        return store

    async def close(self) -> None:
        """Give everything back; the sessions of this process end."""
        if self._closed:
            return
        # The end is tried once: a run that ends does not wait for a Redis that is away.
        self.server.patience_sec = 0.0
        try:
            await self._end_process(self._life)
        except StoreError:
            pass  # Others see from its beats, or from the system, that this process is gone.
        finally:
            self._closed = True
            await self.server.close()

    # Sessions and processes

    async def begin(self, asker: Asker) -> None:
        """Begin a session in this process."""
        self._refuse_when_closed()
        # Before it is told, so that what Redis loses in between is put again.
        self._sessions[asker.session] = asker
        await self._begin(asker)

    async def _begin(self, asker: Asker) -> None:
        about = json.dumps({"process": self._life, "agent": asker.agent})
        keys = [layout.SESSIONS, layout.ENDED]
        # In the index first. A session that stands there alone is ended by whoever sweeps; one that
        # stands nowhere would be found by nobody.
        await self.server.run(scripts.REGISTER, keys, asker.session, about)
        await self.server.run(scripts.BEGIN, [key(asker.session, "session")], self._life)

    async def end(self, session: str) -> None:
        """End a session."""
        self._sessions.pop(session, None)
        await self._end_session(session)

    async def _end_session(self, session: str) -> None:
        # First the session itself: nothing new comes to it while its questions end.
        await self.server.run(scripts.END, [key(session, "session"), key(session, "grants")])
        (ids,) = await self.server.all_of([("ZRANGE", key(session, "questions"), "0", "-1")])
        # Learned before they are changed: `_change` finds a question's session in what is known.
        await self._fetch_all([(session, name_in(name)) for name in ids])
        for name in ids:
            await self._change(name_in(name), transitions.abandon)
        await self.server.run(scripts.UNREGISTER, [layout.SESSIONS, layout.ENDED], session)

    async def _end_process(self, life: str) -> None:
        """End the sessions of a process, and open again what it had claimed."""
        (sessions,) = await self.server.all_of([("HGETALL", layout.SESSIONS)])
        for name, about in pairs(sessions).items():
            if json_object(about).get("process") == life:
                await self._end_session(name_in(name))
        # Only what this process has seen: a claim ends by its lease in any case.
        for known in tuple(self._known.values()):
            if known.state == "claimed" and known.holder_life == life:
                await self._change(known.id, lambda one, at: transitions.release(one, life))
        await self.server.run(scripts.LEAVE, [layout.PROCESSES, layout.BEATS], life)

    async def heartbeat(self, last_key: datetime | None = None) -> None:
        """Say that this process lives, put again what Redis lost, and end what dead ones left."""
        self._refuse_when_closed()
        if last_key is not None:
            # All times in the store are the server's: see `_seconds`.
            self._last_key_at = last_key.timestamp() - self._ahead
        await self.server.is_there()
        await self._sweep()

    async def _sweep(self) -> None:
        at, processes = await self._beat()
        self._swept_at = time.monotonic()
        await self._restore()
        self._note_beat(at)
        for process in processes:
            # Nobody rules here. Any process that looks may end what a dead one left, and several
            # may do so at once: each step may happen twice.
            if process.life != self._life and self._is_dead(process, at):
                await self._end_process(process.life)
        await self._clear_away(at)

    async def _beat(self) -> tuple[float, list[Process]]:
        about = {
            "number": os.getpid(),
            "began": self._began,
            "machine": machine_id(),
            "role": self._role,
            "last_key_at": self._last_key_at,
        }
        reply = await self.server.run(
            scripts.BEAT,
            [layout.PROCESSES, layout.BEATS, layout.META],
            self._life,
            json.dumps(about),
            layout.LAYOUT,
            new_id(),
            self._sealer().key_id,
        )
        at, meta = self._seconds(reply[0]), pairs(reply[1])
        if layout.figures_in(meta.get(b"layout")) > layout.LAYOUT:
            raise StoreTooNew(
                f"The store {self.server.address.shown} was written by a newer version of"
                " elicit-tui."
            )
        self.secret_is_the_first = meta.get(b"key") == self._sealer().key_id.encode()
        # Another name for this life of Redis than at the last beat: it began anew, and may be
        # empty. That counts like a lost connection, after which everything of ours is looked at and
        # put again.
        if meta[b"life"] != self._redis_life:
            if self._redis_life is not None:
                self.server.interruptions += 1
            self._redis_life = meta[b"life"]
        return at, self._watched(layout.processes_in(reply[2], reply[3]))

    def _note_beat(self, at: float) -> None:
        # This process was late itself, as after a sleep, or Redis was: it looks on since now only.
        if at - self._beat_at >= DEAD_SECONDS / 2:
            self._beats_since = at
        self._beat_at = at

    @property
    def _dead_after(self) -> float:
        """How old the last beat of a dead process is.

        After Redis itself was away nobody has beaten for long, so only who looked on may tell.
        """
        looked_on = self._beat_at - self._beats_since >= DEAD_SECONDS
        return DEAD_SECONDS if looked_on else LONG_DEAD_SECONDS

    def _watched(self, processes: list[Process]) -> list[Process]:
        """The same processes, after a look at whose beat is another than before."""
        moment, before = time.monotonic(), self._beats_seen
        self._beats_seen = {}
        for process in processes:
            now_first = (process.beat_at, moment)
            seen = before.get(process.life, now_first)
            same = seen[0] == process.beat_at
            self._beats_seen[process.life] = seen if same else now_first
        return processes

    def _is_dead(self, process: Process, at: float) -> bool:
        """Whether it has ended: its last beat is old, and stays so under our own eyes.

        By the age alone everybody else would be dead once the clock of Redis is put forward.
        """
        if process.lives(at, self._dead_after):
            return False
        _, since = self._beats_seen[process.life]
        return process.is_here or time.monotonic() - since >= WATCHED_SECONDS

    async def _restore(self) -> None:
        """Put again what this process asks and Redis lost, if it may have lost anything."""
        interruptions = self.server.interruptions
        late = time.monotonic() - self._restored_at >= LOOK_SECONDS
        if interruptions == self._restored_after and not late:
            return
        for asker in tuple(self._sessions.values()):
            await self._begin(asker)
        # Not those of others: who asks is the only one that knows what it has put.
        mine = [known for known in self._known.values() if known.session in self._sessions]
        lists = [("ZRANGE", key(session, "questions"), "0", "-1") for session in self._sessions]
        replies = await self.server.all_of(
            [*(("HGETALL", key(one.session, f"q:{one.id}")) for one in mine), *lists]
        )
        listed = {name_in(name) for names in replies[len(mine) :] for name in names}
        for known, reply in zip(mine, replies, strict=False):
            columns = pairs(reply)
            there = layout.question_at(known.session, known.id, columns)
            if _is_lost(there, known):
                # As it is known by now: it may have changed while this waited.
                await self._restore_one(self._known.get(known.id, known))
            elif there is not None and known.id not in listed:
                number = layout.number_in(columns)
                keys = [key(known.session, "questions"), *self._same_node]
                await self.server.run(scripts.LIST, keys, number, known.session, known.id)
                await self._noted(known.session, known.id)
        await self.calls.restore(lost=interruptions != self._restored_after)
        self._restored_after, self._restored_at = interruptions, time.monotonic()

    async def _restore_one(self, known: StoredQuestion) -> None:
        _, there, version = await self._fetch(known.session, known.id)
        if not _is_lost(there, known):
            return  # It changed meanwhile.
        # Only who asks puts a question again, from what it saw last. A claim or an answer that was
        # lost with Redis is not made up: the question is open again, and is answered once more.
        again = known if known.state == "settled" else transitions.opened_again(known)
        if there is None:
            # Found there after all, somebody was faster, which is well.
            await self._create(known.session, known.id, lambda found, at: found or again)
        else:
            await self._set(there, version, again)

    async def _clear_away(self, at: float) -> None:
        """End leases that ran out, and forget what was kept long enough."""
        for known in tuple(self._known.values()):
            if transitions.lapse(known, at) != known:
                await self._change(known.id, transitions.lapse)
            elif transitions.kept_long_enough(known, at):
                session, name = known.session, known.id
                keys = [key(session, f"q:{name}"), key(session, "questions")]
                await self.server.run(scripts.DROP, keys, name)
                del self._known[name]
        # Names with the time of their end, one after the other.
        (ended,) = await self.server.all_of([("ZRANGE", layout.ENDED, "0", "-1", "WITHSCORES")])
        for name, score in zip(ended[::2], ended[1::2], strict=True):
            if float(score) <= at - BACKSTOP_SECONDS:
                await self.server.run(scripts.FORGET, [layout.ENDED], name)

    async def _present(self) -> tuple[float, list[Process]]:
        self._refuse_when_closed()
        reply = await self.server.run(scripts.PRESENT, [layout.PROCESSES, layout.BEATS])
        return self._seconds(reply[0]), self._watched(layout.processes_in(reply[1], reply[2]))

    async def somebody_is_there(self) -> bool:
        """Whether a key was pressed in a living console or inbox within ten minutes."""
        at, processes = await self._present()
        # The short limit: who asks must not wait for a console that may be dead.
        return any(
            process.role == "answerer"
            and process.last_key_at is not None
            and process.last_key_at >= at - PRESENCE_SECONDS
            and process.lives(at, DEAD_SECONDS)
            for process in processes
        )

    async def asking_processes(self) -> tuple[AskingProcess, ...]:
        """The living processes that ask, of both roles, on every machine."""
        at, processes = await self._present()
        return tuple(
            AskingProcess(process.number, process.role, process.machine)
            for process in processes
            # The long limit: nobody is hidden who may be alive.
            if process.role != "answerer" and process.lives(at, LONG_DEAD_SECONDS)
        )

    # Grants

    async def grant(self, grant: Grant) -> None:
        """Remember that a tool is allowed for a session that lives."""
        at, _ = await self._present()
        field = json.dumps([grant.server, grant.tool, grant.process, grant.definition])
        keys = [key(grant.session, "session"), key(grant.session, "grants")]
        if not await self.server.run(scripts.GRANT, keys, field, at):
            raise StoreError("The session that it was allowed for has ended.")

    async def grants(self, session: str | None = None) -> tuple[Grant, ...]:
        """What is allowed, oldest first."""
        self._refuse_when_closed()
        (sessions,) = await self.server.all_of([("HGETALL", layout.SESSIONS)])
        about = {name_in(name): json_object(text) for name, text in pairs(sessions).items()}
        names = [name for name in about if session in (None, name)]
        held = await self.server.all_of([("HGETALL", key(name, "grants")) for name in names])
        grants = []
        for name, columns in zip(names, held, strict=True):
            for field, at in pairs(columns).items():
                # Whoever can write there may have put anything: it allows nothing.
                with suppress(ValueError, TypeError, OverflowError, RecursionError):  # not ours
                    server, tool, process, definition = map(str, json.loads(field))
                    granted_at, agent = self._moment(float(at)), about[name].get("agent")
                    agent = agent if isinstance(agent, str) else None
                    grants.append(Grant(name, server, tool, process, definition, agent, granted_at))
        return tuple(sorted(grants, key=attrgetter("granted_at", "server", "tool")))

    async def revoke(
        self, server: str | None = None, tool: str | None = None, session: str | None = None
    ) -> int:
        """Take back what matches each of these that is given."""
        taken = 0
        for grant in await self.grants(session):
            if server in (None, grant.server) and tool in (None, grant.tool):
                field = json.dumps([grant.server, grant.tool, grant.process, grant.definition])
                keys = [key(grant.session, "grants")]
                taken += await self.server.run(scripts.REVOKE, keys, field)
        return taken


def _is_lost(there: StoredQuestion | None, known: StoredQuestion) -> bool:
    """Whether what stands there lacks what this process has put, or how it ended."""
    if known.state == "settled":
        # Settled and gone was cleared away; settled and open again was lost.
        return there is not None and there.state != "settled"
    return there is None or transitions.is_behind(there, known)
