"""One Redis, Valkey or cluster as the store uses it: its address, connections, scripts and errors.

Everything is safe to repeat, so what a connection lost is done once more, for up to
`PATIENCE_SECONDS`. redis-py is imported here and nowhere else, when a store needs it.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, TypeVar
from urllib.parse import parse_qs, unquote, urlsplit, urlunsplit

from elicit_tui.dataclass import dataclass
from elicit_tui.errors import StoreError
from elicit_tui.store.redis_layout import read_command
from elicit_tui.store.redis_scripts import CLEAR, LuaScript
from elicit_tui.text import neutral_line

try:
    import redis.asyncio as library
    from redis import exceptions
    from redis.asyncio.retry import Retry
    from redis.backoff import NoBackoff
except ImportError as error:
    # An extra: who opens such a store without it reads how to get it.
    raise StoreError(
        "store.url names a Redis, and redis-py is not installed: pip install 'elicit-tui[redis]'."
    ) from error

Result = TypeVar("Result")

PATIENCE_SECONDS: Final = 30.0
"""How long a Redis that is away is tried again before it counts as unreachable."""
MOST_TRIES: Final = 50
"""Of one change, while others change the same question or call."""
SOCKET_SECONDS: Final = 5.0
BLOCK_SECONDS: Final = 3.0
"""How long one look for a change waits at the server, at most."""
OLDEST_VERSION: Final = (6, 2)
_PAUSES: Final = (0.05, 1.0)
_SCHEMES: Final = ("redis", "rediss", "unix")
_TLS_FILES: Final = ("ssl_ca_certs", "ssl_certfile", "ssl_keyfile")
# What may stand behind the `?` of an address; all else is refused.
_PARAMETERS: Final = {"unix": {"db"}, "redis": set(), "rediss": set(_TLS_FILES)}
_VARIABLE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")

ACL_RIGHTS: Final = (
    "~et:* resetchannels -@all +ping +info +client|setname +cluster|slots"
    " +cluster|shards +command +select +evalsha +eval +time +exists +del +get +set"
    " +incr +pexpire +hget +hgetall +hset +hsetnx +hdel +hkeys"
    " +zadd +zrem +zrange +xadd +xread +xrange"
)
"""What a user of Redis needs, and nothing else, as `ACL SETUSER` takes it."""


@dataclass(frozen=True)
class RedisAddress:
    """`[store] url`, read: where Redis is, and how it is shown without what is secret in it."""

    url: str
    shown: str
    encrypted: bool
    """Whether nobody on the way can read or change what is sent."""

    @classmethod
    def read(cls, text: str, environment: Mapping[str, str] = os.environ) -> RedisAddress:
        """Read an address, `${NAME}` in it from the environment; raises StoreError.

        Its password is best given so. A `rediss://` may name files of its own by `ssl_ca_certs`,
        `ssl_certfile` and `ssl_keyfile`; the server's certificate is checked in any case.
        """
        missing = [name for name in _VARIABLE.findall(text) if not environment.get(name)]
        if missing:
            raise StoreError(f"store.url names ${{{missing[0]}}}, which is not set.")
        url = _VARIABLE.sub(lambda found: environment[found[1]], text)
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError as error:
            raise StoreError("store.url is no address.") from error
        if parts.scheme not in _SCHEMES:
            raise StoreError("store.url begins with redis://, rediss:// or unix://.")
        given = parse_qs(parts.query, keep_blank_values=True)
        # An option that is not known may weaken what is known, such as the check of a certificate.
        unknown = sorted(set(given) - _PARAMETERS[parts.scheme])
        if unknown:
            raise StoreError(f"store.url has the unknown part {neutral_line(unknown[0], 40)!r}.")
        for name in _TLS_FILES:
            if name in given and not Path(given[name][0]).is_file():
                shown = neutral_line(given[name][0], 200)
                raise StoreError(f"store.url names {shown} as {name}, and there is no such file.")
        place = parts.path if parts.scheme == "unix" else f"{host or 'localhost'}:{port or 6379}"
        user = f"{neutral_line(unquote(parts.username), 40)}@" if parts.username else ""
        # What never leaves this machine needs no encryption.
        local = parts.scheme == "unix" or host in (None, "localhost", "127.0.0.1", "::1")
        shown = f"{parts.scheme}://{user}{neutral_line(place, 200)}"
        return cls(urlunsplit(parts), shown, local or parts.scheme == "rediss")


@dataclass(frozen=True)
class RedisFacts:
    """What a Redis says of itself."""

    version: tuple[int, ...]
    named_version: str
    cluster: bool
    policy: str | None
    """Its maxmemory-policy; None where it does not tell."""


class RedisAway(StoreError):
    """It was tried for as long as it is waited for, and was away."""


class RedisServer:
    """The connections of one process to one Redis; everything raises StoreError."""

    def __init__(self, address: RedisAddress) -> None:
        self.address = address
        self.facts: RedisFacts
        self.patience_sec = PATIENCE_SECONDS
        self.interruptions = 0
        """How often a connection was lost, or made; what was seen before may be gone since."""
        self._client: Any = None
        self._watcher: Any = None
        self._sums: dict[LuaScript, tuple[str, str]] = {}

    async def open(self) -> None:
        """Connect, and learn what is at the other end."""
        with self._plain_errors():
            counted = {"redis_connect_func": self._connected}
            options = self._options(SOCKET_SECONDS) | counted
            # A cluster answers to a plain client too: what it is decides what it is spoken to with.
            single = library.Redis.from_url(self.address.url, **options)
            try:
                info = await single.info("server")
                memory = await single.info("memory")
                is_cluster = info.get("redis_mode") == "cluster"
            # Also when cancelled; it is handed on.
            except BaseException:
                await single.aclose()
                raise
            named = str(info.get("valkey_version") or info.get("redis_version", "0"))
            numbers = re.findall(r"\d+", str(info.get("redis_version", "0")))[:3]
            policy = memory.get("maxmemory_policy")
            self.facts = RedisFacts(tuple(map(int, numbers)), named, is_cluster, policy)
            kind: Any = library.Redis
            self._client = single
            if is_cluster:
                await single.aclose()
                kind = library.RedisCluster
                self._client = kind.from_url(self.address.url, **self._options(SOCKET_SECONDS))
            # A blocked read on the connection of all else would hold that up.
            patient = self._options(BLOCK_SECONDS + SOCKET_SECONDS)
            if not is_cluster:
                patient |= counted
            self._watcher = kind.from_url(self.address.url, **patient)

    def _options(self, seconds: float) -> dict[str, Any]:
        return {
            "socket_timeout": seconds,
            "socket_connect_timeout": SOCKET_SECONDS,
            # RESP2, in which every version replies alike.
            "protocol": 2,
            "client_name": "elicit-tui",
            # What is tried again is tried by `patiently`, which knows for how long.
            "retry": Retry(NoBackoff(), 0),
        }

    async def _connected(self, connection: Any) -> None:
        """Count a connection: redis-py makes another one without a word."""
        await connection.on_connect()
        self.interruptions += 1

    def must_serve(self) -> None:
        """Raise StoreError for a Redis that is too old or would drop what waits."""
        if self.facts.version < OLDEST_VERSION:
            raise StoreError(
                f"The store {self.address.shown} is Redis {self.facts.named_version}; 6.2 or newer"
                " is needed."
            )
        if self.facts.policy not in (None, "noeviction"):
            policy = neutral_line(str(self.facts.policy), 40)
            raise StoreError(
                f"The store {self.address.shown} drops what waits when its memory is full:"
                f" maxmemory-policy is {policy} and must be noeviction."
            )

    @property
    def warnings(self) -> Iterator[str]:
        """What its owner should know, each in a sentence."""
        if self.facts.policy is None:
            yield "Redis hides its maxmemory-policy; any but noeviction may drop what waits."
        if not self.address.encrypted:
            yield (
                f"{self.address.shown} is not encrypted on its way: rediss:// is; what is asked and"
                " answered is sealed, names of servers and tools are not."
            )

    async def close(self) -> None:
        """Give the connections back."""
        for client in (self._client, self._watcher):
            if client is not None:
                with suppress(exceptions.RedisError, OSError):
                    await client.aclose()

    # Commands

    async def is_there(self) -> None:
        """Raise StoreError at once while Redis is away."""
        with self._plain_errors():
            try:
                await _called_off_with(self._client.ping())
            except _lost() as error:
                self.interruptions += 1
                # A wrong password stays wrong, and a cluster finds its nodes again by itself.
                if _is_refused(error) or self.facts.cluster:
                    raise
                # A connection that was cut, perhaps; a new one tells.
                await self._client.connection_pool.disconnect(inuse_connections=False)
                await _called_off_with(self._client.ping())

    def is_over(self, since: float) -> bool:
        """Whether one that began then is tried no longer."""
        return time.monotonic() >= since + self.patience_sec

    async def run(
        self, script: LuaScript, keys: Sequence[str], *values: Any, since: float | None = None
    ) -> Any:
        """Run a script, which must be safe to run twice; what it returns.

        `since`: when whoever waits for it began to, by `time.monotonic`.
        """

        async def work() -> Any:
            return await self._typed(keys, lambda: self._evaluated(script, keys, *values))

        return await self.patiently(work, since)

    async def _evaluated(self, script: LuaScript, keys: Sequence[str], *values: Any) -> Any:
        text, sha = self._text_and_sum(script)
        try:
            return await self._client.evalsha(sha, len(keys), *keys, *values)
        # Redis forgets its scripts when it starts anew, and a replica that took over may never have
        # had this one; sent once in full, it is known by its sum again.
        except exceptions.NoScriptError:
            return await self._client.eval(text, len(keys), *keys, *values)

    async def _typed(self, keys: Iterable[str], work: Callable[[], Awaitable[Result]]) -> Result:
        """Do it, and once more without the keys of a wrong type that were in its way."""
        try:
            return await work()
        except exceptions.ResponseError as error:
            if "WRONGTYPE" not in str(error):
                raise
        for key in keys:
            await self._evaluated(CLEAR, [key], *read_command(key))
        self.interruptions += 1  # Something was lost.
        return await work()

    def _text_and_sum(self, script: LuaScript) -> tuple[str, str]:
        if script not in self._sums:
            text = script.text(self.facts.version)
            digest = hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()
            self._sums[script] = text, digest
        return self._sums[script]

    async def all_of(self, commands: Sequence[tuple[str, ...]]) -> list[Any]:
        """Send reading commands together; what each returns, in order."""
        if not commands:
            return []

        async def sent() -> list[Any]:
            pipeline = self._pipeline()
            for command in commands:
                pipeline.execute_command(*command)
            replies: list[Any] = await pipeline.execute()
            return replies

        return await self.patiently(lambda: self._typed([command[1] for command in commands], sent))

    def _pipeline(self) -> Any:
        if self.facts.cluster:
            return self._client.pipeline()
        # Not a transaction: each command reads for itself, and a transaction would hold others up.
        return self._client.pipeline(transaction=False)

    async def stream(self, key: str, since: int, wait_sec: float) -> list[tuple[int, Any]]:
        """The entries of a stream after this number, waiting for one; each with its number.

        Not patient: whoever watches shall learn at once that nothing can be seen.
        """
        # To Redis 0 is for ever.
        milliseconds = max(1, round(min(wait_sec, BLOCK_SECONDS) * 1000)) if wait_sec > 0 else None
        with self._plain_errors():

            async def read() -> Any:
                start = {key: f"{since}-0"}
                return await self._watcher.xread(start, count=1000, block=milliseconds)

            found = await _called_off_with(self._typed([key], read))
            entries = found[0][1] if found else []
            # `MILLISECONDS-SEQUENCE` by Redis; here the first is a number of ours, the second
            # always 0.
            return [(int(bytes(name).partition(b"-")[0]), values) for name, values in entries]

    async def patiently(
        self, work: Callable[[], Awaitable[Result]], since: float | None = None
    ) -> Result:
        """Do it, and once more while Redis is away or changes hands."""
        since = time.monotonic() if since is None else since
        pause, longest = _PAUSES
        while True:
            with self._plain_errors():
                try:
                    return await _called_off_with(work())
                except _passing() as error:
                    # Any failure may have lost something: what this process asks is looked at anew
                    # (`_restore`).
                    self.interruptions += 1
                    if _is_refused(error) or self.is_over(since - pause):
                        raise
                    if isinstance(error, _lost()) and not self.facts.cluster:
                        # The pool may hold more connections to a server that is gone; each would
                        # fail once.
                        await self._client.connection_pool.disconnect(inuse_connections=False)
            # Doubling, so that a Redis that comes back is not met by everybody at once and at full
            # speed.
            await asyncio.sleep(pause)
            pause = min(longest, pause * 2)

    @contextmanager
    def _plain_errors(self) -> Iterator[None]:
        """Turns what redis-py and the system raise into one error of one sentence."""
        try:
            yield
        except (exceptions.RedisError, OSError, asyncio.TimeoutError) as error:
            if isinstance(error, (*_lost(), OSError, asyncio.TimeoutError)):
                self.interruptions += 1
            kind = RedisAway if isinstance(error, _passing()) else StoreError
            failure = kind(f"The store {self.address.shown} {_fault(error)}.")
            failure.place = self.address.shown
            raise failure from error


async def _called_off_with(work: Awaitable[Result]) -> Result:
    """Wait for work of redis-py so that who waits can be cancelled at any moment.

    Where a cancel meets the end of a write, redis-py goes on as if there had been none: before
    Python 3.12 `asyncio.wait_for` forgets it.
    """
    task = asyncio.ensure_future(work)
    try:
        await asyncio.wait([task])
    # Somebody has to look at its end, or Python warns that nobody did.
    except asyncio.CancelledError:
        task.add_done_callback(_let_go)
        task.cancel()
        raise
    return task.result()


def _let_go(task: asyncio.Future[Any]) -> None:
    """Nobody wants to know any more how it ended."""
    if not task.cancelled():
        task.exception()


def _lost() -> tuple[type[Exception], ...]:
    """What says that the connection is lost."""
    return (exceptions.ConnectionError, exceptions.TimeoutError)


def _passing() -> tuple[type[Exception], ...]:
    """What ends by itself when Redis is back or a replica has taken its place."""
    moving = (exceptions.ReadOnlyError, exceptions.TryAgainError, exceptions.MasterDownError)
    return (*_lost(), *moving, exceptions.ClusterDownError)


def _is_refused(error: Exception) -> bool:
    """Whether it is there, and lets nobody in with this name and password."""
    signs = ("NOAUTH", "WRONGPASS", "invalid username-password", "Authentication required")
    message = str(error)
    refused = isinstance(error, exceptions.AuthenticationError)
    return refused or any(sign in message for sign in signs)


def _fault(error: Exception) -> str:
    """What is wrong, to go on after "The store ADDRESS"."""
    message = neutral_line(str(error), 200)
    if isinstance(error, exceptions.NoPermissionError) or "can't run this command" in message:
        return f"lacks a right that `elicit-tui store check` names ({message})"
    if _is_refused(error):
        return "does not let this user in: name and password of store.url are wrong or missing"
    if isinstance(error, exceptions.OutOfMemoryError) or "OOM" in message:
        return "is full: nothing new can wait there until something ends (maxmemory)"
    if isinstance(error, exceptions.ResponseError):
        return f"failed ({message})"
    timeouts = (asyncio.TimeoutError, exceptions.TimeoutError)
    if isinstance(error, timeouts) or message.startswith("Timeout"):
        return "does not answer"
    return f"cannot be reached ({message or type(error).__name__})"
