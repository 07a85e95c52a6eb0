"""The calls of agents on Redis: one book an owner, changed as a whole or not at all.

et:{OWNER}:calls       hash   id → what stands in clear; `version` is another one after each change
et:{OWNER}:call:ID     hash   the blobs of one call
et:{OWNER}:notes       hash   ID:TIME:NAME → what was left for the process that makes a call
et:{OWNER}:last:ID     string the name of the last change that this process made

Each process keeps its own calls, and puts again what Redis lost of them.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import Any, Final, TypeVar

from elicit_tui.elicitation import new_id
from elicit_tui.errors import StoreError
from elicit_tui.store.calls import BLOBS, PLAIN, UNREAD_SECONDS, KeptCall, MakerState, is_behind
from elicit_tui.store.nouns import whole
from elicit_tui.store.redis_layout import Process, json_object, key, name_in, pairs
from elicit_tui.store.redis_scripts import LuaScript
from elicit_tui.store.redis_server import MOST_TRIES, RedisAway, RedisServer
from elicit_tui.store.sealed_calls import Book, BookChange, MakerSince, Noted, SealedCalls
from elicit_tui.store.sealing import Sealer, Secrets

Result = TypeVar("Result")


# Compares the version first; `take` then hands out one word of ARGV after the other. An empty word
# is a blob that was not looked at: what stands there stays. One that was sent once more, after a
# lost connection, says that it is done: asked again, the rules would answer to their own change.
_CHANGE: Final = """
if redis.call('GET', KEYS[2]) == ARGV[3] then return 1 end
if (redis.call('HGET', KEYS[1], 'version') or '') ~= ARGV[1] then return 0 end
local time = redis.call('TIME')
redis.call('HSET', KEYS[1], 'version', time[1] .. string.format('%06d', time[2]))
redis.call('SET', KEYS[2], ARGV[3], 'PX', KNOWN)
local at, key = 4, 3
local function take() at = at + 1; return ARGV[at - 1] end
for _ = 1, tonumber(ARGV[2]) do
  local id, text, ended = take(), take(), take()
  redis.call('HSET', KEYS[1], id, text)
  for _, name in ipairs({'paused', 'outcome'}) do
    local blob = take()
    if blob ~= '' then redis.call('HSET', KEYS[key], name, blob) end
  end
  if ended == '1' then redis.call('HDEL', KEYS[key], 'paused') end
  redis.call('PEXPIRE', KEYS[key], LIFE)
  key = key + 1
end
while at <= #ARGV do
  redis.call('HDEL', KEYS[1], take())
  redis.call('DEL', KEYS[key])
  key = key + 1
end
redis.call('PEXPIRE', KEYS[1], LIFE)
return 1
""".replace("LIFE", str(int(UNREAD_SECONDS * 1000))).replace("KNOWN", "3600000")
"""KEYS: calls, last, the call of each put, the call of each drop; ARGV: version, how many puts, the
name of the change, of each put its id, text, 1 where it has ended, and blobs `paused` and
`outcome`, then the id of each drop."""
# Beginning needs memory, which Redis may refuse; ending what is there must go on.
BEGIN: Final = LuaScript(_CHANGE)
CHANGE: Final = LuaScript(_CHANGE + " -- goes on where memory is used up", "allow-oom")
BOOK: Final = LuaScript("return {redis.call('TIME'), redis.call('HGETALL', KEYS[1])}", "no-writes")
"""KEYS: calls, or notes."""
LOOK: Final = LuaScript(
    "return {redis.call('HGET', KEYS[1], ARGV[1]), redis.call('HGETALL', KEYS[2])}", "no-writes"
)
"""KEYS: calls, call; ARGV: call."""
# A hash has no order: the time in their names is that of the notes. One that is there already was
# sent once more after a lost connection.
NOTE: Final = LuaScript(
    """
for _, there in ipairs(redis.call('HKEYS', KEYS[1])) do
  if string.sub(there, -#ARGV[2]) == ARGV[2] then return end
end
local time = redis.call('TIME')
local at = time[1] .. string.format('%06d', time[2])
redis.call('HSET', KEYS[1], ARGV[1] .. ':' .. at .. ':' .. ARGV[2], ARGV[3])
redis.call('PEXPIRE', KEYS[1], 3600000)
""",
    "allow-oom",
)
"""KEYS: notes; ARGV: call, name of the note, note."""
TAKE: Final = LuaScript("return redis.call('HDEL', KEYS[1], unpack(ARGV))", "allow-oom")
"""KEYS: notes; ARGV: name of each note."""

Present = Callable[[], Awaitable[tuple[float, list[Process]]]]
"""The server's time, and every process that said that it lives."""


class RedisCalls(SealedCalls):
    """`SealedCalls` on Redis."""

    needs_beats = True

    def __init__(
        self,
        server: RedisServer,
        process: str,
        secrets: Secrets,
        present: Present,
        is_dead: Callable[[Process, float], bool],
        now: Callable[[Sequence[bytes]], float],
    ) -> None:
        """`now`: reads the server's time; `is_dead`: whether a process has ended by then."""
        super().__init__()
        self._server = server
        self.process = process
        self._secrets = secrets
        self._present = present
        self._is_dead = is_dead
        self._now = now
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._away: dict[str, tuple[float, RedisAway]] = {}
        """When a change of an owner's calls was last given up, and why."""
        self._mine: dict[tuple[str, str], KeptCall] = {}
        """The calls of this process with their blobs, until they were read."""

    def _sealer(self) -> Sealer:
        return self._secrets.sealer(lambda: False)  # The owner's own: no key is ever made.

    async def _change(self, owner: str, work: Callable[[Book, BookChange], Result]) -> Result:
        arrived = time.monotonic()
        async with self._turns[owner]:  # This process does not get in its own way.
            # Whoever has waited for its turn as long as Redis is tried, while it was away, is told
            # so: else each of many would try it for as long once more.
            since, error = self._away.get(owner, (arrived, None))
            if error is not None and since > arrived and self._server.is_over(arrived):
                raise error.with_traceback(None)
            try:
                return await self._changed(owner, work, arrived)
            except RedisAway as error:
                self._away[owner] = time.monotonic(), error
                raise

    async def _changed(
        self, owner: str, work: Callable[[Book, BookChange], Result], arrived: float
    ) -> Result:
        maker = None
        for _ in range(MOST_TRIES):
            time_, reply = await self._server.run(BOOK, [key(owner, "calls")], since=arrived)
            columns = pairs(reply)
            there = _book(owner, columns)
            # Who lives costs a look at all processes. It is asked for at most once in a change,
            # and only where another process has a call in this book.
            if maker is None and any(call.process != self.process for call in there.values()):
                maker = await self._maker()
            change = BookChange()
            # No other process has a call here, so that there is nobody to ask about.
            book = Book(owner, self._now(time_), there, maker or self._lives)
            result = work(book, change)
            # Somebody came between: the rules are asked again with what stands there now.
            if await self._carried_out(owner, columns.get(b"version", b""), change):
                return result
        raise StoreError("The calls of this agent are being changed by too many at once.")

    async def _carried_out(self, owner: str, version: bytes, change: BookChange) -> bool:
        if not change.puts and not change.drops:
            return True
        parts: list[Any] = []
        for call in change.puts:
            parts += [call.id, _text(call), int(call.state == "ended")]
            parts += [getattr(call, name) or b"" for name in BLOBS]
        ids = [*(call.id for call in change.puts), *change.drops]
        done = await self._server.run(
            BEGIN if change.begins else CHANGE,
            [
                *(key(owner, name) for name in ("calls", f"last:{self.process}")),
                *(key(owner, f"call:{name}") for name in ids),
            ],
            version,
            len(change.puts),
            new_id(),
            *parts,
            *change.drops,
        )
        if done:
            self._remember(owner, change)
        return bool(done)

    def _remember(self, owner: str, change: BookChange) -> None:
        for call in change.puts:
            if call.process == self.process and call.read_at is None:
                # Its blobs are put together from several changes, each of which knows one.
                before = self._mine.get((owner, call.id), call)
                self._mine[(owner, call.id)] = replace(
                    call,
                    paused=call.paused or before.paused,
                    outcome=call.outcome or before.outcome,
                )
            else:
                self._mine.pop((owner, call.id), None)
        for call_id in change.drops:
            self._mine.pop((owner, call_id), None)

    async def restore(self, *, lost: bool) -> None:
        """Learn which calls of this process were read elsewhere; put the others again if `lost`.

        `lost`: whether Redis may have lost anything since the last time.
        """
        for owner in {owner for owner, _ in self._mine}:
            # Through the book, as another process may have read or dropped it in this moment.
            await self._change(owner, partial(self._restored, owner, lost))

    def _restored(self, owner: str, lost: bool, book: Book, change: BookChange) -> None:
        # As they are by now: one may have changed while this waited for its turn.
        mine = [call for call in self._mine.values() if call.owner == owner]
        for call in mine:
            there = book.calls.get(call.id)
            if there is not None and there.read_at is not None:
                self._mine.pop((owner, call.id), None)
            # Missing alone proves nothing: a call that its agent has read is dropped on purpose.
            # Only after an interruption it may have been lost, as a whole or in its last changes.
            elif lost and (there is None or is_behind(there, call)):
                change.puts.append(call)

    # Who makes a call

    @staticmethod
    def _lives(call: KeptCall, since: float) -> MakerState:
        return "lives"

    async def _maker(self) -> MakerSince:
        at, processes = await self._present()
        by_id = {process.life: process for process in processes}

        def maker(call: KeptCall, since: float) -> MakerState:
            if call.process == self.process:
                return "lives"
            process = by_id.get(call.process)
            if process is None or self._is_dead(process, at):
                # Never heard of is dead as well: it left in order, or Redis has lost it and it is
                # not back.
                return "dead"
            # On this machine the system knows. Elsewhere only a beat after `since` proves that it
            # lives.
            return "lives" if process.is_here or process.beat_at > since else "unsure"

        return maker

    async def _look(self, owner: str, call_id: str) -> tuple[KeptCall, MakerSince] | None:
        keys = [key(owner, "calls"), key(owner, f"call:{call_id}")]
        text, blobs = await self._server.run(LOOK, keys, call_id)
        call = None if text is None else _call(owner, call_id, text)
        if call is None:
            return None
        found = pairs(blobs)
        call = replace(call, paused=found.get(b"paused"), outcome=found.get(b"outcome"))
        return call, self._lives if call.state == "ended" else await self._maker()

    async def _put_note(self, owner: str, call_id: str, seal: Callable[[str], bytes]) -> None:
        blob = seal(self._sealer().key_id)
        # By a name that is made once: sent again after a lost connection it is still one note.
        await self._server.run(NOTE, [key(owner, "notes")], call_id, new_id(), blob)

    async def _take_notes(
        self, owner: str, ids: Sequence[str], opened: Callable[[str, str, bytes], Noted]
    ) -> list[Noted]:
        _, reply = await self._server.run(BOOK, [key(owner, "notes")])
        notes = pairs(reply)
        # Only notes for calls of this process are taken: the others are not ours to read.
        found = {name: _id_of(name) for name in sorted(notes, key=_time_of) if _id_of(name) in ids}
        key_id = self._sealer().key_id
        taken = [opened(call_id, key_id, notes[name]) for name, call_id in found.items()]
        if found:
            await self._server.run(TAKE, [key(owner, "notes")], *found)
        return taken


def _id_of(name: bytes) -> str:
    return name.decode("ascii", "replace").partition(":")[0]


def _time_of(name: bytes) -> bytes:
    return name.partition(b":")[2]


def _text(call: KeptCall) -> str:
    return json.dumps({name: getattr(call, name) for name in PLAIN if name != "owner"})


def _call(owner: str, call_id: str, text: bytes) -> KeptCall | None:
    """The call in a field of the book; None for one of another version."""
    call = whole(KeptCall, **{**json_object(text), "owner": owner})
    return call if call is not None and call.id == call_id else None


def _book(owner: str, columns: Mapping[bytes, bytes]) -> dict[str, KeptCall]:
    read = (_call(owner, name_in(name), text) for name, text in columns.items())
    calls = sorted((call for call in read if call is not None), key=attrgetter("begun_at"))
    return {call.id: call for call in calls}
