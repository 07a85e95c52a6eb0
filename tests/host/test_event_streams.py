"""Event streams reach the SDK as the server sent them, but for pauses nobody could wait for."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from elicit_tui.host.http_guard import _without_odd_pauses

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
