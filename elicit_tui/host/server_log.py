"""What servers write to standard error: kept off every screen, made safe, bounded.

Its end says why a program ended (`last_words`).
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import stat
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Final

from elicit_tui.elicitation import now, rfc3339
from elicit_tui.errors import ServerError
from elicit_tui.host.launch import ServerProcess
from elicit_tui.paths import create_private
from elicit_tui.text import ci_safe, neutral_line

LINE_CHARACTERS: Final = 2000
LAST_LINES: Final = 20
_LINE_BYTES: Final = 4 * LINE_CHARACTERS
"""What so many characters take at the most, in UTF-8."""
_CHUNK_BYTES: Final = 64 * 1024
FILE_BYTES: Final = 20 * 1024 * 1024
"""A server that floods its log stops here; the file says so."""


_NPM: Final = re.compile(r"npm (?:error|ERR!) ?(?P<text>.*)")
# Lines of npm that say nothing of the reason; the last alternative is a line without words.
_NPM_WITHOUT_REASON: Final = re.compile(
    r"(?:code|syscall|errno|path|cwd|command)\b.*|A complete log .*|\d{3} ?|"
)
# How Node.js ends what it says of an error: its version, a line of the stack, a property of the
# error or the brace behind them.
_NODE: Final = re.compile(r"Node\.js v[\d.]+|\s+at .+|\s+\w+: .+|[^\w]*")
_ERROR: Final = re.compile(r"(?:Uncaught )?\w*Error\b.*")


class LogFile:
    """One file for all servers of a run, made at the first line, 0600; lines are safe text."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._file: IO[bytes] | None = None
        self._written = 0

    def write(self, server: str, line: str) -> None:
        """Append one line with its time and server; quietly nothing once the file is full."""
        if self._path is None or self._written > FILE_BYTES:
            return
        if self._file is None:
            self._file = _open_or_create(self._path)
        stamp = rfc3339(now())
        safe = ci_safe(f"{stamp} {server}: {line}")
        text = f"{safe}\n".encode("utf-8", errors="replace")
        self._written += len(text)
        if self._written > FILE_BYTES:
            text = f"{stamp} elicit-tui: this log is full, nothing more is written\n".encode()
        with contextlib.suppress(OSError):
            self._file.write(text)
            self._file.flush()

    def close(self) -> None:
        """Close the file, if it was ever opened."""
        if self._file is not None:
            self._file.close()
            self._file = None


def _open_or_create(path: Path) -> IO[bytes]:
    """A new private file, or the owner's own earlier one; never through a symbolic link."""
    try:
        try:
            return create_private(path)
        except FileExistsError:
            number = os.open(path, os.O_WRONLY | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0))
    except OSError as error:
        raise ServerError(f"The log file {path} cannot be written: {error.strerror}.") from None
    # Asked of the open file: what lies under its path may be exchanged at any time.
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise ServerError(f"The log file {path} is not a regular file.")
    return os.fdopen(number, "ab")


class ServerLogReader:
    """Reads one process's standard error to its end, so that the process never waits for us."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self.last: deque[str] = deque(maxlen=LAST_LINES)
        """The last lines, already neutral."""

    async def run(self, process: ServerProcess) -> None:
        """Read until the pipe ends; cancel it when the process has ended."""
        reader = asyncio.StreamReader(limit=_CHUNK_BYTES)
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), process.stderr
        )
        partial = b""
        cut = False
        try:
            while chunk := await reader.read(_CHUNK_BYTES):
                *lines, rest = (partial + chunk).split(b"\n")
                # After a cut, all up to the next line break belongs to a line that was told.
                for line in lines:
                    if not cut:
                        self._take(line)
                    cut = False
                partial = b"" if cut else rest
                if len(partial) > _LINE_BYTES:
                    # The rest of so long a line is not kept anywhere.
                    self._take(partial)
                    partial, cut = b"", True
                # One that writes without end must not hold the event loop.
                await asyncio.sleep(0)
        except OSError:
            pass
        finally:
            if partial:
                self._take(partial)
            transport.close()

    def _take(self, line: bytes) -> None:
        """Keep and tell one line, unless it is blank."""
        text = line.decode("utf-8", errors="replace").rstrip()
        if text:
            safe = neutral_line(text, LINE_CHARACTERS)
            self.last.append(safe)
            self._tell(safe)


def last_words(lines: Sequence[str]) -> str | None:
    """The last line, or the one that says why the program ended where that is known.

    Node.js ends with its version or what belongs to an error, npm with the place of its log; both
    said why before.
    """
    npm_lines = [match for line in lines if (match := _NPM.fullmatch(line)) is not None]
    if lines and (npm_lines or _NODE.fullmatch(lines[-1])):
        errors = [line for line in lines if _ERROR.fullmatch(line)]
        reasons = [
            match[0] for match in npm_lines if not _NPM_WITHOUT_REASON.fullmatch(match["text"])
        ]
        if errors or reasons:
            return errors[-1] if errors else reasons[0]
    return lines[-1] if lines else None
