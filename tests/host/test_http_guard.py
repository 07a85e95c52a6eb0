"""What a remote server sends reaches the SDK whole, but bounded, and without endless pauses."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx2
import pytest

from elicit_tui.errors import ServerError
from elicit_tui.host.http_guard import (
    MEBIBYTE,
    MOST_BYTES,
    GuardedClient,
    Silence,
    _without_odd_pauses,
)

pytestmark = pytest.mark.anyio

STREAM = b'id: 1\nretry: -5\ndata: {"t":"please retry: -5"}\n\nretry: 50\ndata: retry\n\nretry: 1e9'
ENDS = (b"\n", b"\r\n", b"\r")


async def guarded(*chunks: bytes) -> bytes:
    async def sent() -> AsyncIterator[bytes]:
        for chunk in chunks:
            yield chunk

    return b"".join([chunk async for chunk in _without_odd_pauses(sent())])


@pytest.mark.parametrize("end", ENDS, ids=repr)
async def test_messages_are_whole_and_odd_pauses_gone_wherever_a_stream_is_cut(
    end: bytes,
) -> None:
    stream = STREAM.replace(b"\n", end)
    wanted = stream.replace(end + b"retry: -5", end + b": no pause")
    wanted = wanted.replace(b"retry: 1e9", b": no pause")
    for cut in range(len(stream) + 1):
        assert await guarded(stream[:cut], stream[cut:]) == wanted, stream[:cut]
    assert await guarded(*(stream[at : at + 1] for at in range(len(stream)))) == wanted


async def test_a_pause_with_digits_without_end_is_a_comment_to_its_end() -> None:
    assert b"retry" not in await guarded(b"retry: ", *[b"9" * 50] * 20, b"\ndata: x\n\n")


async def test_an_endless_answer_ends_though_messages_come_beside_it() -> None:
    told: list[str] = []
    silence = Silence(told.append)
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        while True:
            sent += MEBIBYTE
            silence.broken()
            yield b" " * MEBIBYTE

    def answer(request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, headers={"content-type": "application/json"}, content=endless())

    async with (
        GuardedClient(silence, transport=httpx2.MockTransport(answer)) as client,
        client.stream("POST", "http://127.0.0.1/mcp") as response,
    ):
        with pytest.raises(ServerError):
            await response.aread()
    assert told == ["sent more than 32 MiB in one answer"]
    assert sent == MOST_BYTES + MEBIBYTE
