"""How the store stands in Redis: its keys, the scripts that change them, a question as a hash.

et:{SESSION}:session      hash    there while the session lives
et:{SESSION}:questions    zset    ids by when they were put
et:{SESSION}:q:ID         hash    one question; `version` is another one after each change,
                              `number` tells in which order they were put
et:{SESSION}:grants       hash    what is allowed, and since when
et:{index}:meta           hash    version of this layout, a name for this life of Redis, key id
et:{index}:sessions       hash    session → process and agent
et:{index}:ended          zset    sessions that ended within the hour
et:{index}:processes      hash    process → what it is
et:{index}:beats          zset    process → when it last said that it lives
et:{index}:log            stream  N-0 → session, question
et:{index}:number         string  N

The calls of agents are in `redis_calls`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from typing import Any, Final, TypeVar, get_args, get_type_hints

from elicit_tui.errors import StoreError
from elicit_tui.store.living import is_same_process, machine_id
from elicit_tui.store.nouns import noun_of
from elicit_tui.store.redis_server import LuaScript
from elicit_tui.store.store import Role
from elicit_tui.store.transitions import StoredQuestion

Noun = TypeVar("Noun")

LAYOUT: Final = 1
META, SESSIONS, ENDED = "et:{index}:meta", "et:{index}:sessions", "et:{index}:ended"
PROCESSES, BEATS = "et:{index}:processes", "et:{index}:beats"
LOG, NUMBER = "et:{index}:log", "et:{index}:number"

_MOST: Final = 1e11
"""No time, number or size of ours is as large."""

_NOTE: Final = """
local function note(log, number, session, question)
  local time = redis.call('TIME')
  redis.call('SET', number, time[1] .. string.format('%06d', time[2]), 'NX')
  redis.call('INCR', number)
  local id = redis.call('GET', number) .. '-0'
  local done = redis.pcall('XADD', log, 'MAXLEN', '~', 10000, id, 's', session, 'q', question)
  if done.err then
    redis.call('DEL', log)
    redis.call('XADD', log, id, 's', session, 'q', question)
  end
end
"""
READ: Final = LuaScript("return {redis.call('TIME'), redis.call('HGETALL', KEYS[1])}", "no-writes")
"""KEYS: question."""
CREATE: Final = LuaScript(
    _NOTE
    + """
if redis.call('EXISTS', KEYS[1]) == 1 then return 'there' end
if redis.call('EXISTS', KEYS[3]) == 0 then return 'ended' end
local time = redis.call('TIME')
local put = time[1] .. string.format('%06d', time[2])
redis.call('HSET', KEYS[1], 'version', put, 'number', put, unpack(ARGV, 3))
redis.call('ZADD', KEYS[2], put, ARGV[2])
if KEYS[4] then note(KEYS[4], KEYS[5], ARGV[1], ARGV[2]) end
return 'done'
"""
)
"""KEYS: question, questions, session[, log, number]; ARGV: session, question, column, value…

The last two keys are given where all are on one node, here and in `CHANGE`.
"""
CHANGE: Final = LuaScript(
    _NOTE
    + """
if redis.call('HGET', KEYS[1], 'version') ~= ARGV[1] then return 0 end
local time, set = redis.call('TIME'), tonumber(ARGV[4])
local version = time[1] .. string.format('%06d', time[2])
redis.call('HSET', KEYS[1], 'version', version, unpack(ARGV, 6, 5 + set))
if #ARGV > 5 + set then redis.call('HDEL', KEYS[1], unpack(ARGV, 6 + set)) end
if ARGV[5] ~= '0' then redis.call('PEXPIRE', KEYS[1], ARGV[5]) end
if KEYS[2] then note(KEYS[2], KEYS[3], ARGV[2], ARGV[3]) end
return 1
""",
    "allow-oom",
)
"""KEYS: question[, log, number]; ARGV: version, session, question, how many words are to be set,
milliseconds until Redis drops it (0: never), column, value…, columns to be removed…

Its versions are times, so that one that a lost write had is not given again.
"""
NOTE: Final = LuaScript(_NOTE + "note(KEYS[1], KEYS[2], ARGV[1], ARGV[2])", "allow-oom")
"""KEYS: log, number; ARGV: session, question."""
LAST: Final = LuaScript(
    """
local time = redis.call('TIME')
redis.call('SET', KEYS[1], time[1] .. string.format('%06d', time[2]), 'NX')
return redis.call('GET', KEYS[1])
""",
    "allow-oom",
)
"""KEYS: number.

Tells the number of the last change; a Redis that began anew goes on from a higher one.
"""
BEAT: Final = LuaScript(
    """
local time = redis.call('TIME')
redis.call('HSETNX', KEYS[3], 'layout', ARGV[3])
redis.call('HSETNX', KEYS[3], 'life', ARGV[4])
redis.call('HSETNX', KEYS[3], 'key', ARGV[5])
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('ZADD', KEYS[2], time[1] .. '.' .. string.format('%06d', time[2]), ARGV[1])
return {time, redis.call('HGETALL', KEYS[3]), redis.call('HGETALL', KEYS[1]),
        redis.call('ZRANGE', KEYS[2], 0, -1, 'WITHSCORES')}
""",
    "allow-oom",
)
"""KEYS: processes, beats, meta; ARGV: process, what it is, layout, name for a new life, key id."""
PRESENT: Final = LuaScript(
    """
return {redis.call('TIME'), redis.call('HGETALL', KEYS[1]),
        redis.call('ZRANGE', KEYS[2], 0, -1, 'WITHSCORES')}
""",
    "no-writes",
)
"""KEYS: processes, beats."""
LEAVE: Final = LuaScript(
    "redis.call('HDEL', KEYS[1], ARGV[1]); redis.call('ZREM', KEYS[2], ARGV[1])", "allow-oom"
)
"""KEYS: processes, beats; ARGV: process."""
BEGIN: Final = LuaScript("redis.call('HSETNX', KEYS[1], 'process', ARGV[1])", "allow-oom")
"""KEYS: session; ARGV: process."""
REGISTER: Final = LuaScript(
    "redis.call('HSET', KEYS[1], ARGV[1], ARGV[2]); redis.call('ZREM', KEYS[2], ARGV[1])",
    "allow-oom",
)
"""KEYS: sessions, ended; ARGV: session, process and agent."""
END: Final = LuaScript("redis.call('DEL', KEYS[1], KEYS[2])", "allow-oom")
"""KEYS: session, its grants."""
UNREGISTER: Final = LuaScript(
    """
local time = redis.call('TIME')
if redis.call('HDEL', KEYS[1], ARGV[1]) == 1 then redis.call('ZADD', KEYS[2], time[1], ARGV[1]) end
""",
    "allow-oom",
)
"""KEYS: sessions, ended; ARGV: session."""
GRANT: Final = LuaScript(
    """
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('HSETNX', KEYS[2], ARGV[1], ARGV[2])
return 1
"""
)
"""KEYS: session, its grants; ARGV: grant, since when."""
DROP: Final = LuaScript(
    """
redis.call('DEL', KEYS[1])
redis.call('ZREM', KEYS[2], ARGV[1])
""",
    "allow-oom",
)
"""KEYS: question, questions; ARGV: question."""
FORGET: Final = LuaScript("redis.call('ZREM', KEYS[1], ARGV[1])", "allow-oom")
"""KEYS: ended; ARGV: session."""
REVOKE: Final = LuaScript("return redis.call('HDEL', KEYS[1], unpack(ARGV))", "allow-oom")
"""KEYS: grants; ARGV: grant…"""

PROBE: Final = LuaScript(
    """
local lacks, key = {}, KEYS[1]
local function try(...)
  local done = redis.pcall(...)
  if type(done) == 'table' and done.err then table.insert(lacks, (...)) end
end
try('TIME') try('EXISTS', key) try('SET', key, 1) try('GET', key) try('INCR', key) try('DEL', key)
try('HSET', key, 'a', 1) try('HSETNX', key, 'b', 1) try('HGET', key, 'a') try('HGETALL', key)
try('HKEYS', key) try('PEXPIRE', key, 1000) try('HDEL', key, 'a') redis.pcall('DEL', key)
try('ZADD', key, 1, 'a') try('ZRANGE', key, 0, -1) try('ZREM', key, 'a') redis.pcall('DEL', key)
try('XADD', key, '*', 'a', 1) redis.pcall('DEL', key)
return lacks
"""
)
"""KEYS: one that is nobody's.

Tells which commands this user may not send.
"""

_READERS: Final[Mapping[Any, Callable[[bytes], Any]]] = {bytes: bytes, int: int, float: float}
"""How a column is read that is no text."""


def _reader(kind: Any) -> Callable[[bytes], Any]:
    """How a column of this type is read, with `None` beside it or without."""
    found = (_READERS[part] for part in (kind, *get_args(kind)) if part in _READERS)
    return next(found, bytes.decode)


_COLUMNS: Final = {name: _reader(kind) for name, kind in get_type_hints(StoredQuestion).items()}


@dataclass(frozen=True)
class Process:
    """A process as the others see it."""

    life: str
    number: int
    began: float
    machine: str
    role: Role
    last_key_at: float | None
    beat_at: float

    @property
    def is_here(self) -> bool:
        """Whether it is, or was, a process of this machine."""
        return self.machine == machine_id()

    def lives(self, at: float, limit: float) -> bool:
        """Whether it lives: on this machine the system knows, elsewhere its beats tell."""
        if self.is_here:
            return is_same_process(self.number, self.began)
        return at - self.beat_at <= limit


def key(session: str, name: str) -> str:
    """A key of a session; what stands in braces decides its node."""
    return f"et:{{{session}}}:{name}"


def pairs(reply: Any) -> dict[bytes, bytes]:
    """What HGETALL returns, by a script or by itself."""
    return (
        dict(reply)
        if isinstance(reply, Mapping)
        else dict(zip(reply[::2], reply[1::2], strict=True))
    )


def json_object(text: bytes) -> dict[str, Any]:
    """Reads a JSON object; an empty one where it is none."""
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return read if isinstance(read, dict) else {}


def name_in(word: bytes) -> str:
    """A name as it stands in Redis; what nobody of ours wrote there is one that leads nowhere."""
    return word.decode("utf-8", "replace")


def number_in(columns: Mapping[bytes, bytes]) -> int:
    """In which order a question was put."""
    try:
        return int(columns.get(b"number", b"0"))
    except ValueError:
        return 0


def whole(kind: type[Noun], /, **values: Any) -> Noun | None:
    """A noun of these values; None where they are not of its types, as another writer's may be."""
    try:
        made = noun_of(kind, values)
    except StoreError:
        return None
    numbers = [value for value in values.values() if isinstance(value, (int, float))]
    return made if all(0 <= number < _MOST for number in numbers) else None


def columns_of(question: StoredQuestion) -> dict[str, Any]:
    """A question as the fields of a hash; what is None stands in none."""
    return {
        part.name: repr(value) if isinstance(value, float) else value
        for part in fields(StoredQuestion)
        if (value := getattr(question, part.name)) is not None
    }


def question_in(columns: Mapping[bytes, bytes]) -> StoredQuestion | None:
    """The question in the fields of a hash; None where there is none, or none of ours."""
    try:
        found = {
            name: None if (word := columns.get(name.encode())) is None else read(word)
            for name, read in _COLUMNS.items()
        }
    except ValueError:
        return None
    optional = {part.name for part in fields(StoredQuestion) if part.default is not MISSING}
    given = {name: v for name, v in found.items() if v is not None or name not in optional}
    return whole(StoredQuestion, **given)


def processes_in(about: Any, beats: Sequence[bytes]) -> list[Process]:
    """The processes that said that they live, with when they last did."""
    beat_at = dict(zip(beats[::2], map(float, beats[1::2]), strict=True))
    found = []
    for life, text in pairs(about).items():
        said = {**json_object(text), "life": name_in(life), "beat_at": beat_at.get(life, 0.0)}
        if (process := whole(Process, **said)) is not None:
            found.append(process)
    return found
