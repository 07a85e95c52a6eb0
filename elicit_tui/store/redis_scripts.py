"""The scripts of the store on Redis: each is one change that nobody comes between, or one look.

Redis runs a script alone, so what a script compares is still so when it sets. Three things hold for
all of them. A script may run twice, for after a lost connection nobody knows whether it ran; that
does no more than one. Versions are the server's time in microseconds, and numbers go on from it: a
Redis that took over without the last writes, or began anew, never gives one again that somebody
still holds. And a cluster wants all keys of a script on one node, as what stands in braces decides;
those of a session and those of the index are on two. So a change and the note of it in the stream
are one script on a single server, and two in a cluster.
"""

from __future__ import annotations

from typing import Final

from elicit_tui.dataclass import dataclass

_VERSION_OF_FLAGS: Final = (7, 0)
"""From here on a script says of itself that it may run where memory is used up."""


@dataclass(frozen=True)
class LuaScript:
    """A Lua script; `flags` are told to Redis where it knows them."""

    body: str
    flags: str = ""

    def text(self, version: tuple[int, ...]) -> str:
        """The script as this version of Redis takes it."""
        knows_flags = version >= _VERSION_OF_FLAGS
        head = f"#!lua flags={self.flags}\n" if self.flags and knows_flags else ""
        return head + self.body


# What stands where the last number should: it goes on from the time where that is none, be it lost,
# of another type, or so large that it could not be counted up.
_NUMBER: Final = """
local function last(number)
  local there = redis.pcall('GET', number)
  if type(there) == 'string' and #there < 18 and string.find(there, '^%d+$') then return there end
  local time = redis.call('TIME')
  local now = time[1] .. string.format('%06d', time[2])
  redis.call('SET', number, now)
  return now
end
"""
# Appends to the stream that all watchers read. Numbers go up one by one, so that who reads 7 after
# 5 knows that something is missing. Where the stream is ahead of them no entry can be added any
# more, and the stream begins anew: whoever watches finds that the numbers do not follow, and looks
# at everything.
_NOTE: Final = (
    _NUMBER
    + """
local function note(log, number, session, question)
  last(number)
  redis.call('INCR', number)
  local id = redis.call('GET', number) .. '-0'
  local done = redis.pcall('XADD', log, 'MAXLEN', '~', 10000, id, 's', session, 'q', question)
  if done.err then
    redis.call('DEL', log)
    redis.call('XADD', log, id, 's', session, 'q', question)
  end
end
"""
)
READ: Final = LuaScript("return {redis.call('TIME'), redis.call('HGETALL', KEYS[1])}", "no-writes")
"""KEYS: question."""
# That it is there already is no error: whoever asked puts its questions again when a connection was
# lost. Without its session it is refused, for nobody would end it.
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
# Compare and set: what `transitions` made of a question is written only over the very version that
# it was made of; whoever was slower reads and asks the rules again. It may run where memory is
# used up, unlike `CREATE`: what waits must be able to end there.
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
LIST: Final = LuaScript(
    _NOTE
    + """
redis.call('ZADD', KEYS[1], ARGV[1], ARGV[3])
if KEYS[2] then note(KEYS[2], KEYS[3], ARGV[2], ARGV[3]) end
""",
    "allow-oom",
)
"""KEYS: questions[, log, number]; ARGV: number, session, question.

Lists one anew whose session has lost its list alone.
"""
NOTE: Final = LuaScript(_NOTE + "note(KEYS[1], KEYS[2], ARGV[1], ARGV[2])", "allow-oom")
"""KEYS: log, number; ARGV: session, question."""
LAST: Final = LuaScript(_NUMBER + "return last(KEYS[1])", "allow-oom")
"""KEYS: number.

Tells the number of the last change; a Redis that began anew goes on from a higher one.
"""
# One way there and back for all that a process has to say and hear. `life` is written by the first
# that comes to an empty Redis: another name there tells the others that all was lost.
BEAT: Final = LuaScript(
    """
local time = redis.call('TIME')
redis.call('HSETNX', KEYS[3], 'layout', ARGV[3])
if not string.find(redis.call('HGET', KEYS[3], 'layout'), '^%d+$') then
  redis.call('HSET', KEYS[3], 'layout', ARGV[3])
end
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
# Nothing can be done with a key that a stranger made another type of: it would hide all that stands
# beside it from everybody, for as long as it is there.
CLEAR: Final = LuaScript(
    """
local done = redis.pcall(unpack(ARGV))
if type(done) == 'table' and done.err and string.find(done.err, 'WRONGTYPE', 1, true) then
  redis.call('DEL', KEYS[1])
end
""",
    "allow-oom",
)
"""KEYS: one of any kind; ARGV: a command that reads it as what it should be.

Removes it where it is of another type; what it held counts as lost.
"""

# `pcall` goes on after a command that is refused, so that the owner is told all that a user lacks.
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
