"""Which Redis serves: of which age, which version of ours, with which words it refuses."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from elicit_tui.errors import StoreError, StoreTooNew
from elicit_tui.store import (
    redis_calls,
    redis_layout,
    redis_scripts,
    redis_server,
    redis_tokens,
)
from elicit_tui.store.redis_scripts import LuaScript
from elicit_tui.store.redis_server import RedisAddress, RedisFacts
from elicit_tui.store.redis_store import RedisStore
from tests.store.redis import SECRET
from tests.store.redis_pair import REDIS_THAT_FAILS, Start

pytestmark = REDIS_THAT_FAILS


async def test_a_redis_of_a_newer_version_is_left_alone(start: Start) -> None:
    redis = start()
    redis.command("HSET", redis_layout.META, "layout", str(redis_layout.LAYOUT + 1))
    with pytest.raises(StoreTooNew, match="was written by a newer version"):
        await RedisStore.open(redis.url, "asker", secret=SECRET)


async def test_a_redis_that_may_drop_what_waits_stops_the_start(start: Start) -> None:
    redis = start("--maxmemory-policy", "allkeys-lru")
    with pytest.raises(StoreError, match="maxmemory-policy is allkeys-lru and must be noeviction"):
        await RedisStore.open(redis.url, "asker", secret=SECRET)


@pytest.mark.parametrize(
    ("kind", "said", "words"),
    [
        ("NoPermissionError", "NOPERM no", "lacks a right that `elicit-tui store check` names"),
        ("ResponseError", "User x can't run this command", "lacks a right"),
        ("AuthenticationError", "x", "does not let this user in"),
        ("ResponseError", "WRONGPASS invalid username-password pair", "does not let this user in"),
        ("ConnectionError", "Authentication required.", "does not let this user in"),
        ("OutOfMemoryError", "command not allowed", "is full: nothing new can wait there"),
        # A script of Redis 6.2 says it so.
        ("ResponseError", "Error running script: -OOM command not allowed", "is full"),
        ("ResponseError", "ERR unknown\x1b", "failed (ERR unknown␛)"),
        ("TimeoutError", "", "does not answer"),
        ("ConnectionError", "Timeout reading from socket", "does not answer"),
        ("ConnectionError", "Connection refused", "cannot be reached (Connection refused)"),
        ("ConnectionError", "", "cannot be reached (ConnectionError)"),
    ],
)
def test_what_a_redis_refuses_is_told_in_words_of_ours(kind: str, said: str, words: str) -> None:
    from redis import exceptions

    error = getattr(exceptions, kind)(said)
    assert redis_server._fault(error).startswith(words)


def test_a_redis_that_is_too_old_is_said_and_one_that_hides_its_policy_serves() -> None:
    server = redis_server.RedisServer(RedisAddress.read("redis://far.example"))
    server.facts = RedisFacts((6, 0, 20), "6.0.20", False, "noeviction")
    with pytest.raises(StoreError, match=r"is Redis 6\.0\.20; 6\.2 or newer is needed"):
        server.must_serve()
    server.facts = RedisFacts((6, 2, 0), "6.2.0", False, None)
    server.must_serve()
    hides, unencrypted = server.warnings
    assert "hides its maxmemory-policy" in hides
    assert "redis://far.example:6379 is not encrypted on its way" in unencrypted
    server.address = RedisAddress.read("unix:///run/redis?db=2")
    server.facts = RedisFacts((7, 0, 0), "7.0.0", False, "noeviction")
    assert not [*server.warnings]
    script = redis_scripts.LuaScript("return 1", "allow-oom")
    assert script.text((6, 2, 14)) == "return 1"
    assert script.text((7, 0)) == "#!lua flags=allow-oom\nreturn 1"
    assert redis_scripts.LuaScript("return 1").text((7, 0)) == "return 1"


def test_nothing_of_redis_is_loaded_where_the_store_is_a_file(tmp_path: Path) -> None:
    show = (
        "import asyncio, sys\n"
        "from elicit_tui.elicitation.settings import Settings, HistorySettings\n"
        "from elicit_tui.runtime import open_store\n"
        "async def main():\n"
        f"    settings = Settings(history=HistorySettings(path={str(tmp_path / 'h.sqlite3')!r}))\n"
        "    async with open_store(settings, 'asker'): pass\n"
        "asyncio.run(main())\n"
        "print([name for name in sys.modules if 'redis' in name])"
    )
    done = subprocess.run([sys.executable, "-c", show], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def a_server(patience: float) -> redis_server.RedisServer:
    server = redis_server.RedisServer(RedisAddress.read("redis://far.example"))
    server.facts = RedisFacts((7, 0, 0), "7.0.0", True, "noeviction")
    server.patience_sec = patience
    return server


@pytest.mark.parametrize(
    ("kind", "passes"),
    [
        *((kind, True) for kind in ("ConnectionError", "TimeoutError", "ReadOnlyError")),
        *((kind, True) for kind in ("TryAgainError", "MasterDownError", "ClusterDownError")),
        *((kind, False) for kind in ("ResponseError", "OutOfMemoryError", "NoPermissionError")),
        ("AuthenticationError", False),
    ],
)
async def test_what_ends_by_itself_is_tried_again_and_counted_and_nothing_else_is(
    kind: str, passes: bool
) -> None:
    from redis import exceptions

    server, tries = a_server(20.0), []

    async def work() -> str:
        tries.append(kind)
        if len(tries) < 3:
            raise getattr(exceptions, kind)("x")
        return "done"

    if passes:
        assert await server.patiently(work) == "done"
        assert (len(tries), server.interruptions) == (3, 2)
        return
    with pytest.raises(StoreError):
        await server.patiently(work)
    assert len(tries) == 1


async def test_what_nobody_waits_for_any_more_does_not_go_on() -> None:
    begun, called_off = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        begun.set()
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            called_off.set()

    waits = asyncio.ensure_future(a_server(20.0).patiently(work))
    await asyncio.wait_for(begun.wait(), 30)
    waits.cancel()
    await asyncio.wait([waits], timeout=30)
    assert waits.cancelled()
    await asyncio.wait_for(called_off.wait(), 30)


async def test_a_redis_that_stays_away_is_tried_ever_more_seldom_and_given_up() -> None:
    from redis import exceptions

    server, tries = a_server(0.6), []

    async def work() -> None:
        tries.append(None)
        raise exceptions.ConnectionError("refused")

    with pytest.raises(StoreError, match="cannot be reached"):
        await server.patiently(work)
    assert 1 < len(tries) <= 5


@pytest.mark.parametrize("module", [redis_scripts, redis_calls, redis_tokens])
def test_where_memory_is_used_up_nothing_new_begins_and_all_else_goes_on(module: object) -> None:
    begin = {redis_scripts: {"CREATE", "GRANT", "PROBE"}, redis_calls: {"BEGIN"}}
    scripts = {name: held for name, held in vars(module).items() if isinstance(held, LuaScript)}
    refused = {name for name, script in scripts.items() if not script.flags}
    assert refused == begin.get(module, {"ADD"})  # type: ignore[call-overload]
    for name in scripts.keys() - refused:
        reads = scripts[name].flags == "no-writes"
        assert scripts[name].text((7, 0)).startswith("#!lua flags=no-writes\n") is reads
        assert scripts[name].text((7, 0)).startswith("#!lua flags=allow-oom\n") is not reads
        assert scripts[name].text((6, 2, 14)) == scripts[name].body
