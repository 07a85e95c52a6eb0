"""What an agent does not read is kept in bounds, in number and in bytes."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from elicit_tui.gateway.agent import MOST_UNSENT, MOST_UNSENT_BYTES, SessionAudience
from tests.gateway.world import settled

pytestmark = pytest.mark.anyio


class Reader:
    """An agent's connection that is read only when a test says so."""

    def __init__(self) -> None:
        self.reads = asyncio.Event()
        self.kept = 0
        """Bytes of the notifications that wait to be read."""
        self.number = 0

    async def send_notification(self, notification: Any) -> None:
        size = notification.size
        self.kept, self.number = self.kept + size, self.number + 1
        await self.reads.wait()
        self.kept, self.number = self.kept - size, self.number - 1


@pytest.mark.parametrize("size", [10, 1024 * 1024])
async def test_what_is_not_read_is_bounded_and_what_comes_after_it_was_read_is_told(
    size: int,
) -> None:
    reader, audience = Reader(), SessionAudience()
    audience.connected(reader)
    for _ in range(2 * MOST_UNSENT):
        audience.log("error", "server", "x" * size)
    await settled()
    assert 0 < reader.kept <= MOST_UNSENT_BYTES
    assert reader.number <= MOST_UNSENT
    reader.reads.set()
    await settled()
    assert reader.number == 0
    reader.reads.clear()
    audience.log("error", "server", "x" * size)
    await settled()
    assert reader.number == 1
    reader.reads.set()
    await settled()


async def test_a_single_notification_may_be_larger() -> None:
    reader, audience = Reader(), SessionAudience()
    audience.connected(reader)
    for _ in range(2):
        audience.log("error", "server", "x" * (MOST_UNSENT_BYTES + 1))
    await settled()
    assert reader.number == 1
    reader.reads.set()
    await settled()
