"""What was typed before a prompt was there answers nothing that decides, at a terminal."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Iterator
from typing import TextIO

import pytest

from elicit_tui.responders import typed_lines
from elicit_tui.responders.typed_lines import InputGone, Lines

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform == "win32", reason="terminals of POSIX"),
]


class Terminal:
    """A terminal whose keys a test presses."""

    def __init__(self) -> None:
        self.keyboard, screen = os.openpty()
        self.stream: TextIO = os.fdopen(screen, encoding="utf-8")

    def types(self, text: str) -> None:
        os.write(self.keyboard, text.encode())


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    one, before = Terminal(), threading.enumerate()
    yield one
    os.close(one.keyboard)
    # One that still reads ends with the keyboard; the next test may have the same descriptor.
    for thread in threading.enumerate():
        if thread not in before:
            thread.join(10)
    one.stream.close()


async def soon(work: asyncio.Future[str | None] | asyncio.Task[str | None]) -> str | None:
    return await asyncio.wait_for(work, 30)


async def test_what_was_typed_before_is_thrown_away_and_what_comes_after_is_read(
    terminal: Terminal,
) -> None:
    lines = Lines(terminal.stream)
    terminal.types("first\nyes\n")
    assert await soon(asyncio.ensure_future(lines.next())) == "first"
    lines.discard()  # What was read already, and what the terminal still holds.
    terminal.types("no\n")
    assert await soon(asyncio.ensure_future(lines.next())) == "no"


async def test_what_is_typed_while_it_is_waited_for_a_moment_of_rest_is_thrown_away(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(typed_lines, "QUIET_SECONDS", 1.0)
    lines = Lines(terminal.stream)
    terminal.types("yes\n")
    rest = asyncio.ensure_future(lines.quiet())
    await asyncio.sleep(0)
    terminal.types("yes\n")
    await asyncio.wait_for(rest, 30)
    terminal.types("no\n")
    assert await soon(asyncio.ensure_future(lines.next())) == "no"


async def test_a_pipe_is_read_as_it_is() -> None:
    end, written = os.pipe()
    with os.fdopen(end, encoding="utf-8") as stream:
        os.write(written, b"yes\nno\n")
        os.close(written)
        lines = Lines(stream)
        await asyncio.wait_for(lines.quiet(), 30)
        assert [await lines.next() for _ in "abc"] == ["yes", "no", None]


@pytest.mark.parametrize("kind", ["pipe", "file"])
async def test_an_input_that_fails_is_told_from_one_that_ends(
    monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    read = os.read
    end, written = os.pipe()
    with (
        os.fdopen(end, encoding="utf-8") as pipe,
        open(os.devnull, encoding="utf-8") as file,  # noqa: PTH123, ASYNC230
    ):
        stream = pipe if kind == "pipe" else file

        def broken(descriptor: int, most: int) -> bytes:
            if descriptor == stream.fileno():
                raise OSError("It is on a disk that is gone.")
            return read(descriptor, most)

        os.close(written)
        monkeypatch.setattr(typed_lines.os, "read", broken)
        with pytest.raises(InputGone, match="a disk that is gone"):
            await soon(asyncio.ensure_future(Lines(stream).next()))


@pytest.mark.parametrize("by_thread", [False, True])
@pytest.mark.parametrize("thrown_away", [False, True])
async def test_who_ended_the_input_of_one_question_can_answer_the_next(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, by_thread: bool, thrown_away: bool
) -> None:
    def none(*_: object) -> None:
        raise NotImplementedError  # As the loop of Windows, where a thread reads.

    if by_thread:
        monkeypatch.setattr(asyncio.get_running_loop(), "add_reader", none)
    lines = Lines(terminal.stream)
    terminal.types("one\n")
    assert await soon(asyncio.ensure_future(lines.next())) == "one"
    # A thread that reads holds up no end of the program.
    assert (lines._thread is not None and lines._thread.daemon) is by_thread
    terminal.types("\x04")
    if thrown_away:
        if by_thread:
            assert lines._arrived is not None
            ahead = await asyncio.wait_for(lines._arrived.get(), 30)
            lines._arrived.put_nowait(ahead)
        lines.discard()
    else:
        assert await soon(asyncio.ensure_future(lines.next())) is None
    terminal.types("two\n")
    assert await soon(asyncio.ensure_future(lines.next())) == "two"


@pytest.mark.parametrize("given_up", [False, True])
async def test_an_input_is_watched_only_while_a_line_is_waited_for(
    terminal: Terminal, given_up: bool
) -> None:
    waits = asyncio.ensure_future(Lines(terminal.stream).next())
    await asyncio.sleep(0)
    if given_up:
        waits.cancel()
        await asyncio.wait({waits}, timeout=30)
    else:
        terminal.types("one\n")
        assert await soon(waits) == "one"
    assert not asyncio.get_running_loop().remove_reader(terminal.stream.fileno())
