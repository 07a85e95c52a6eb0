"""A real gateway and a real inbox on a Redis that dies, forgets, stands still, fills up, refuses.

What the person, the agent, the server and the ledger see agree: no answer counts twice, none is
made up, and nothing typed is lost. The gateway's clock is an hour ahead of the inbox's all along.
The table in docs/several-machines.md says what is shown here; `hurried.py` has seconds for minutes,
and with AS_SHIPPED=1 in the environment everything waits as it does for a user.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from elicit_tui.gateway import telling
from tests.gateway.redis_house import AHEAD, KEEPS, PATIENCE, House, until
from tests.store.redis import RedisProcess, free_ports, needs_redis

if sys.platform == "win32":
    pytest.skip("pseudo-terminals", allow_module_level=True)

from tests.keys import ESCAPE, SEND

pytestmark = needs_redis

MOMENT = 20.0 if os.environ.get("AS_SHIPPED") else 0.7
"""How long Redis stands still and costs nothing: less than it is tried again for."""


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with ExitStack() as stack:
        yield House(tmp_path_factory.mktemp("house"), stack)


@pytest.fixture(autouse=True)
def looks_from_here(house: House) -> None:
    house.inbox.look_from_here()


# Redis fails, and is back in time


Fault = Callable[[House], Iterator[None]]
"""Runs to its first `yield` before the question is put, to its second while somebody types, and to
its end when all is over."""


def it_is_killed_and_remembers(house: House) -> Iterator[None]:
    yield
    house.redis.kill()
    house.redis.start()
    yield


def it_is_killed_and_begins_anew_without_memory(house: House) -> Iterator[None]:
    yield
    house.redis.kill()
    shutil.rmtree(house.redis.folder / "appendonlydir")
    house.redis.start()
    yield


def it_forgets_while_it_runs(house: House) -> Iterator[None]:
    yield
    house.redis.command("FLUSHALL")
    yield


def it_stands_still_for_a_moment(house: House) -> Iterator[None]:
    yield
    house.redis.signal(signal.SIGSTOP)
    time.sleep(MOMENT)
    house.redis.signal(signal.SIGCONT)
    yield


def every_connection_is_cut_and_no_script_is_known(house: House) -> Iterator[None]:
    yield
    house.redis.command("SCRIPT", "FLUSH")
    house.redis.command("CLIENT", "KILL", "TYPE", "normal")
    yield


def its_memory_is_used_up(house: House) -> Iterator[None]:
    yield
    house.redis.command("CONFIG", "SET", "maxmemory", "1")
    yield
    house.redis.command("CONFIG", "SET", "maxmemory", "0")


def it_is_to_drop_what_is_old(house: House) -> Iterator[None]:
    yield
    house.redis.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
    yield
    house.redis.command("CONFIG", "SET", "maxmemory-policy", "noeviction")


def a_replica_takes_its_place_that_never_had_the_question(house: House) -> Iterator[None]:
    primary, (port, spare) = house.redis, free_ports(2)
    primary.command("CONFIG", "SET", "repl-diskless-sync-delay", "0")
    primary.command("CONFIG", "SET", "port", str(port))
    replica = RedisProcess(*KEEPS, "--port", str(spare), "--replicaof", "127.0.0.1", str(port))
    try:
        until(lambda: primary.command("WAIT", "1", "100") == 1, "the replica has no copy")
        replica.command("REPLICAOF", "NO", "ONE")
        yield
        primary.kill()
        replica.socket.rename(primary.socket)
        replica.socket, replica.options, house.redis = primary.socket, KEEPS, replica
        yield
    finally:
        if house.redis is primary:
            replica.end()


FAULTS: tuple[Fault, ...] = (
    it_is_killed_and_remembers,
    it_is_killed_and_begins_anew_without_memory,
    it_forgets_while_it_runs,
    it_stands_still_for_a_moment,
    every_connection_is_cut_and_no_script_is_known,
    its_memory_is_used_up,
    it_is_to_drop_what_is_old,
    a_replica_takes_its_place_that_never_had_the_question,
)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_question_is_answered_once_with_all_that_was_typed_though(
    house: House, fault: Fault
) -> None:
    tag = f"fault-{FAULTS.index(fault)}"
    failing = fault(house)
    next(failing)
    call = house.calls(tag)
    house.types(tag, "a")
    next(failing)
    assert not call.done()
    house.inbox.type("z")
    house.press(SEND, lambda: house.heard(tag), "the answer does not arrive")
    value = house.assert_answered_once(call, tag)
    assert re.fullmatch("a+z", value)
    assert next(failing, None) is None


# Redis stays away


def stands_still(redis: RedisProcess) -> Callable[[], None]:
    redis.signal(signal.SIGSTOP)
    return lambda: redis.signal(signal.SIGCONT)


def is_gone(redis: RedisProcess) -> Callable[[], None]:
    redis.kill()
    return redis.start


@pytest.mark.parametrize(
    ("goes", "sentence"), [(stands_still, "does not answer"), (is_gone, "cannot be reached")]
)
def test_a_question_ends_by_the_store_and_what_was_typed_stays_where(
    house: House, goes: Callable[[RedisProcess], Callable[[], None]], sentence: str
) -> None:
    tag = goes.__name__
    call = house.calls(tag)
    house.types(tag, "a")
    comes_back = goes(house.redis)
    until(lambda: sentence in " ".join(house.inbox.news.split()), "the inbox does not say so")
    assert "'action': 'cancel'" in call.result(PATIENCE)
    assert house.heard(tag) == [["cancel", "None"]]
    row = house.row(tag)
    assert (row.action, row.decided_by, row.content) == ("cancel", "store", None)
    # No tool is called meanwhile: nobody could learn what came of it.
    other = house.calls(f"{tag}-meanwhile", "erase").result(PATIENCE)
    assert sentence in other
    assert telling.NOT_CALLED in other
    assert house.ran(f"{tag}-meanwhile") == 0
    comes_back()
    until(lambda: "Not sent" in house.inbox.news, "what was typed is gone")
    house.inbox.look_from_here()
    house.press(ESCAPE, lambda: "Nothing waits" in house.inbox.news, "it stays")


# Redis, or its owner, refuses


def test_a_full_redis_lets_no_tool_be_called_and_says_so(house: House) -> None:
    house.redis.command("CONFIG", "SET", "maxmemory", "1")
    try:
        told = house.calls("too-much", "erase").result(PATIENCE)
    finally:
        house.redis.command("CONFIG", "SET", "maxmemory", "0")
    assert "is full" in told
    assert telling.NOT_CALLED in told
    assert house.ran("too-much") == 0


@pytest.mark.parametrize("command", [["inbox", "list"], ["gateway", "demo", "--listen"]])
def test_a_redis_that_may_drop_what_waits_stops_every_start(
    house: House, command: list[str]
) -> None:
    if "--listen" in command:
        command = [*command, f"127.0.0.1:{free_ports(1)[0]}"]
    house.redis.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
    try:
        ended = house.command(*command)
    finally:
        house.redis.command("CONFIG", "SET", "maxmemory-policy", "noeviction")
    assert ended.code not in (0, 1)
    assert "maxmemory-policy is allkeys-lru and must be noeviction" in ended.stderr


def test_who_has_another_secret_sees_that_something_waits_and_can_neither_read_nor_end_it(
    house: House,
) -> None:
    call = house.calls("sealed")
    house.types("sealed", "a")
    stranger = {"home": house.new_home("stranger"), "secret": b"x" * 32}
    listed = house.command("inbox", "list", "--output", "json", **stranger)
    (seen,) = listed.document
    assert "sealed with another secret" in json.dumps(seen)
    assert "Value for" not in listed.stdout
    for words in (["answer", seen["id"], "value=theirs"], ["decline", seen["id"]]):
        refused = house.command("inbox", *words, **stranger)
        assert refused.code != 0
    checked = house.command("store", "check", **stranger)
    assert "1 sealed with another secret" in checked.stdout
    house.press(SEND, lambda: house.heard("sealed"), "the answer does not arrive")
    assert "theirs" not in house.assert_answered_once(call, "sealed")


def test_a_right_that_is_taken_away_is_named_and_its_question_goes_on_when_it_is_back(
    house: House,
) -> None:
    call = house.calls("rightless")
    house.types("rightless", "a")
    house.redis.command("ACL", "SETUSER", "default", "-hset")
    try:
        told = house.calls("no-right", "erase").result(PATIENCE)
        checked = house.command("store", "check")
    finally:
        house.redis.command("ACL", "SETUSER", "default", "+hset")
    assert "lacks a right that `elicit-tui store check` names" in told
    assert house.ran("no-right") == 0
    assert "rights   lacks HSET" in checked.stdout
    assert checked.code not in (0, 1)
    house.press(SEND, lambda: house.heard("rightless"), "the answer does not arrive")
    house.assert_answered_once(call, "rightless")


# What all of them rely on


def test_clocks_an_hour_apart_show_each_their_own_time(house: House) -> None:
    call = house.calls("late")
    until(lambda: "Value for late?" in house.inbox.news, "it is not in the list")
    (seen,) = house.command("inbox", "list", "--output", "json").document
    house.types("late", "a")
    house.press(SEND, lambda: house.heard("late"), "the answer does not arrive")
    house.assert_answered_once(call, "late")
    assert abs(seconds_since(seen["askedAt"])) < AHEAD / 2
    assert abs(seconds_since(str(house.row("late").asked_at)) + AHEAD) < AHEAD / 2


def seconds_since(moment: str) -> float:
    from datetime import datetime, timezone

    then = datetime.fromisoformat(moment.replace("Z", "+00:00"))
    return (datetime.now(timezone.utc) - then).total_seconds()


def test_nothing_of_it_can_be_read_in_redis(house: House) -> None:
    with house.redis.overheard() as heard:
        call = house.calls("orchard")
        house.types("orchard", "q")
        dump = house.redis.everything()
        house.press(SEND, lambda: house.heard("orchard"), "the answer does not arrive")
        value = house.assert_answered_once(call, "orchard")
        dump += house.redis.everything()
    wire = b"".join(heard)
    assert b"counting" in wire
    words = (b"orchard", b"Value for", str(house.folder).encode(), b"'value'", b'"value"')
    for place, told in {"dump": dump, "log": house.redis.log, "wire": wire}.items():
        for word in words:
            assert word not in told, (place, word, value)
