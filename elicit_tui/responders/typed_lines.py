"""Lines that a person types, without ever blocking the event loop, and what each of them is.

A line is a command or an answer; the two can never be mistaken for each other.
"""

from __future__ import annotations

import asyncio
import os
import threading
from typing import Final, TextIO

from elicit_tui.dataclass import dataclass
from elicit_tui.text import without_controls

READ_BYTES: Final = 65_536
LINE_BYTES: Final = 1_000_000
"""A longer line is handed over in pieces; nobody types that much, and memory stays bounded."""


FLOW_CONTROL: Final = {0x11: None, 0x13: None}
"""Ctrl+Q and Ctrl+S, which people press to go on and to stop: nobody has to be told that they are
never text."""


PASTE_BEGINS: Final = b"\x1b[200~"
PASTE_ENDS: Final = b"\x1b[201~"
"""How a terminal marks what is pasted, where it was told to."""

QUIET_SECONDS: Final = 0.3
"""Nothing typed for so long: whoever types now has seen the prompt."""


class InputGone(Exception):
    """The input failed rather than ended: the terminal is not there any more."""


class Lines:
    """Reads one line at a time from a terminal or a pipe.

    `next` may be cancelled at any moment and loses nothing: what was typed stays for the next
    reader, unless `discard` throws it away.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._buffer = bytearray()
        self.left_out = 0
        """How many control characters the last line had; they are no part of it."""
        self._thread: threading.Thread | None = None
        self._arrived: asyncio.Queue[bytes | OSError] | None = None

    async def next(self) -> str | None:
        """The next line without its end; None at the end of input. Raises InputGone."""
        while True:
            line = self._take_line()
            if line is not None:
                return line
            chunk = await self._chunk()
            if not chunk:
                # The end of the input: what was typed before it without Enter is the last line.
                rest, self._buffer = self._buffer, bytearray()
                return self._decoded(bytes(rest)) if rest else None
            self._buffer += chunk

    def discard(self) -> None:
        """Throw away what was typed before anyone asked for it."""
        self._buffer.clear()
        # What a thread has read already.
        while self._arrived is not None and not self._arrived.empty():
            self._taken(self._arrived.get_nowait())
        if self._stream.isatty():
            _flush_terminal(self._stream.fileno())

    async def quiet(self) -> None:
        """Throw away what a person types ahead, until nothing has come for a moment.

        One paste, or keys pressed before a prompt was read, can so answer nothing that decides.
        A pipe is read as it is. Raises InputGone.
        """
        if not self._stream.isatty():
            return
        while True:
            self.discard()
            try:
                chunk = await asyncio.wait_for(self._chunk(), QUIET_SECONDS)
            except asyncio.TimeoutError:
                break
            if not chunk:
                return
        self.discard()

    def _line_end(self) -> int:
        """Where the first line ends in the buffer, -1: not yet. Pasted line ends end nothing."""
        begin = 0
        while (end := self._buffer.find(b"\n", begin)) >= 0:
            # A line end inside of a paste is text: the paste began before it, and has not ended
            # yet.
            pasted = self._buffer.rfind(PASTE_BEGINS, 0, end)
            if pasted < 0 or self._buffer.rfind(PASTE_ENDS, 0, end) > pasted:
                return end
            begin = self._buffer.find(PASTE_ENDS, end)
            if begin < 0:
                return -1
        return -1

    def _take_line(self) -> str | None:
        end = self._line_end()
        # A line that is too long is cut, so that a pipe without line ends cannot fill memory.
        if end < 0 and len(self._buffer) < LINE_BYTES:
            return None
        cut = end if end >= 0 else LINE_BYTES
        line = bytes(self._buffer[:cut])
        del self._buffer[: cut + 1 if end >= 0 else cut]
        return self._decoded(line)

    def _decoded(self, line: bytes) -> str:
        line = line.replace(PASTE_BEGINS, b"").replace(PASTE_ENDS, b"")
        text = line.decode(self._stream.encoding or "utf-8", "replace").rstrip("\r")
        text, self.left_out = without_controls(text.translate(FLOW_CONTROL))
        return text

    async def _chunk(self) -> bytes:
        if self._thread is None:
            loop = asyncio.get_running_loop()
            readable = asyncio.Event()
            descriptor = self._stream.fileno()
            try:
                loop.add_reader(descriptor, readable.set)
            except (NotImplementedError, PermissionError):
                # Windows' loop watches no console, and no system watches a regular file.
                self._read_in_thread(descriptor)
            else:
                try:
                    await readable.wait()
                finally:
                    loop.remove_reader(descriptor)
                return _read(descriptor)
        assert self._arrived is not None
        arrived = self._taken(await self._arrived.get())
        if isinstance(arrived, OSError):
            raise InputGone(str(arrived)) from arrived
        return arrived

    def _taken(self, arrived: bytes | OSError) -> bytes | OSError:
        """What a thread has read; where that is an end, whoever reads on begins anew.

        A terminal whose input was ended, as by Ctrl+Z, goes on: the next question is answered.
        """
        if not arrived or isinstance(arrived, OSError):
            self._thread = self._arrived = None
        return arrived

    def _read_in_thread(self, descriptor: int) -> None:
        loop = asyncio.get_running_loop()
        arrived: asyncio.Queue[bytes | OSError] = asyncio.Queue()

        def read() -> None:
            chunk: bytes | OSError = b"?"
            while chunk and not isinstance(chunk, OSError):
                try:
                    chunk = os.read(descriptor, READ_BYTES)
                except OSError as error:
                    chunk = error
                try:
                    loop.call_soon_threadsafe(arrived.put_nowait, chunk)
                except RuntimeError:
                    return  # The loop has ended; so has the need for lines.

        self._arrived = arrived
        self._thread = threading.Thread(target=read, daemon=True)
        self._thread.start()


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, READ_BYTES)
    except OSError as error:
        raise InputGone(str(error)) from error


def _flush_terminal(descriptor: int) -> None:
    """Drop what the terminal holds; a system without such terminals has nothing to drop."""
    try:
        import termios
    except ImportError:
        return
    try:
        termios.tcflush(descriptor, termios.TCIFLUSH)
    except termios.error:
        return


PREFIX: Final = "/"
"""A line that begins with it is a command; twice at the beginning, it is a text with one."""

FIELD_HELP: Final = {
    "back": "the field before",
    "NUMBER": "the field with this number",
    "clear": "leave the field out",
    "empty": "answer with an empty text, or with an empty list",
    "default": "go back to the server's default",
    "review": "see what would be sent",
}
REVIEW_HELP: Final = {
    "send": "send exactly this",
    "back": "the last field",
    "NUMBER": "the field with this number",
}
PAGE_HELP: Final = {
    "open": "agree, and open the page in your browser",
    "agree": "agree; you open the page yourself",
}
APPROVAL_HELP: Final = {
    "once": "call the tool, this time; y does the same",
    "session": "call it, and do not ask again in this session",
}
WAITING_HELP: Final = {
    "finished": "you are done on that page",
    "open": "open the page in your browser once more",
}
COMMON_HELP: Final = {
    "decline": "say no",
    "cancel": "say neither yes nor no",
    "raw": "the request as the server sent it",
    "help": "these commands",
}


@dataclass(frozen=True)
class PromptCommand:
    """A command line, such as `/back` or `/2`."""

    word: str

    @property
    def number(self) -> int | None:
        """The field that `/2` names; None for a word."""
        # ASCII digits alone: `int` would read those of all scripts.
        return int(self.word) if self.word.isascii() and self.word.isdigit() else None


def read_line(line: str) -> PromptCommand | str:
    """A command, or the text of an answer (with a doubled `/` made one)."""
    if line.startswith(PREFIX * 2):
        return line[1:]
    if line.startswith(PREFIX):
        return PromptCommand(line[1:].strip().lower()[:40])
    return line


def help_text(*groups: dict[str, str]) -> str:
    """The commands of these groups, one a line."""
    merged = {word: meaning for group in groups for word, meaning in group.items()}
    lines = [f"  /{word:<8} {meaning}" for word, meaning in merged.items()]
    lines.append("  To answer with a text that begins with /, type // at its beginning.")
    return "\n".join(lines)
