"""Which connection of a gateway over HTTP gives place when there are too many: no network."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from uvicorn import Config
from uvicorn.server import ServerState

from elicit_tui.gateway import connections
from elicit_tui.gateway.connections import TOKEN, BoundedConnection
from tests.gateway.world import settled

pytestmark = pytest.mark.anyio


class Transport:
    """A connection that somebody opened; also the socket of it."""

    def __init__(self) -> None:
        self.options: list[tuple[int, int, int]] = []
        self.closed = False

    def get_extra_info(self, name: str) -> Any:
        return self if name == "socket" else None

    def setsockopt(self, *option: int) -> None:
        self.options.append(option)  # type: ignore[arg-type]

    def getpeername(self) -> tuple[str, int]:
        return "127.0.0.1", 1

    getsockname = getpeername

    def close(self) -> None:
        self.closed = True

    def is_closing(self) -> bool:
        return self.closed


Connect = Callable[..., BoundedConnection]


@pytest.fixture
def connect(monkeypatch: pytest.MonkeyPatch) -> Connect:
    """Opens a connection where there may be three."""
    monkeypatch.setattr(connections, "MOST_CONNECTIONS", 3)
    state = ServerState()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        raise AssertionError("nobody asks anything")

    def connected(*, token: bool = False, busy: bool = False) -> BoundedConnection:
        loop = asyncio.get_running_loop()
        made = BoundedConnection(Config(app, log_config=None), state, {}, loop)
        opened: Any = Transport()
        made.connection_made(opened)
        if token:
            made.scope = {TOKEN: "token"}  # type: ignore[typeddict-item]
        if busy:
            cycle: Any = SimpleNamespace(response_complete=False)
            made.cycle = cycle
        return made

    return connected


def closed(*opened: BoundedConnection) -> list[bool]:
    return [one.transport.is_closing() for one in opened]


async def test_as_many_as_may_be_stay_and_each_more_costs_the_oldest_of_nobody(
    connect: Connect,
) -> None:
    first, second, third = connect(token=True), connect(busy=True), connect()
    assert closed(first, second, third) == [False, False, False]
    fourth = connect()
    assert closed(first, second, third, fourth) == [False, True, False, False]
    # The second, which is being closed, gives no place any more.
    fifth = connect(token=True, busy=True)
    assert closed(first, third, fourth, fifth) == [False, True, False, False]


async def test_where_all_show_a_token_the_oldest_idle_one_gives_place_and_where_none_idles_the_new(
    connect: Connect,
) -> None:
    busy, idle = connect(token=True, busy=True), connect(token=True)
    another = connect(token=True, busy=True)
    connect(token=True, busy=True)
    assert closed(busy, idle, another) == [False, True, False]
    newest = connect()
    assert closed(busy, another, newest) == [False, False, True]


async def test_an_answer_does_not_wait_to_fill_its_packets(connect: Connect) -> None:
    opened: Any = connect().transport
    assert opened.options == [(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)]


async def test_who_asks_nothing_in_time_is_closed_and_who_waits_for_an_answer_is_not(
    connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "REQUEST_SECONDS", 0)
    silent, asks = connect(), connect(busy=True)
    await settled()
    assert closed(silent, asks) == [True, False]
    # Once it is answered it may bring another request, and no longer than that.
    answered: Any = asks.cycle
    answered.response_complete = True
    asks.on_response_complete()
    assert closed(asks) == [False]
    await settled()
    assert closed(asks) == [True]


async def test_the_time_for_the_next_request_begins_with_the_answer(connect: Connect) -> None:
    asks = connect()
    first = asks._waiting
    asks.on_response_complete()
    assert first is not None
    assert first.cancelled()
    second = asks._waiting
    assert second is not None
    asks.connection_lost(None)
    assert second.cancelled()
