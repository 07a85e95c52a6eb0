"""What servers write to standard error: kept off every screen, made safe, bounded.

Its end says why a program ended (`last_words`).
"""

from __future__ import annotations

import asyncio
import errno
import os
import re
import stat
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Final

from elicit_tui.elicitation import now, rfc3339
from elicit_tui.errors import UsageError
from elicit_tui.host.launch import ServerProcess
from elicit_tui.paths import create_private
from elicit_tui.text import ci_safe, neutral_line

LINE_CHARACTERS: Final = 2000
LAST_LINES: Final = 20
_LINE_BYTES: Final = 4 * LINE_CHARACTERS
"""What so many characters take at the most, in UTF-8."""
_CHUNK_BYTES: Final = 4 * 1024
"""Read at once: each line in them is told before anything else has its turn."""
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

    def __init__(
        self, path: Path | None, tell: Callable[[str], None] = lambda sentence: None
    ) -> None:
        """`tell`: is told, in a sentence, that a line could not be written; once."""
        self._path = path
        self._tell = tell
        self._failure_told = False
        self._file: IO[bytes] | None = None
        self._written = 0

    def check(self) -> None:
        """See that the file can be written. Raises UsageError."""
        if self._path is not None:
            try:
                _open_or_create(self._path).close()
            except OSError as error:
                raise UsageError(_not_written(self._path, error)) from None

    def write(self, server: str, line: str) -> None:
        """Append one line with its time and server; quietly nothing once the file is full.

        Raises nothing: who reads what a server says must go on, or the server's pipe breaks.
        """
        if self._path is None or self._written > FILE_BYTES:
            return
        stamp = rfc3339(now())
        safe = ci_safe(f"{stamp} {server}: {line}")
        text = f"{safe}\n".encode("utf-8", errors="replace")
        self._written += len(text)
        if self._written > FILE_BYTES:
            text = f"{stamp} elicit-tui: this log is full, nothing more is written\n".encode()
        try:
            if self._file is None:
                self._file = _open_or_create(self._path)
            self._file.write(text)
            self._file.flush()
        except OSError as error:
            if not self._failure_told:
                self._failure_told = True
                self._tell(_not_written(self._path, error))

    def close(self) -> None:
        """Close the file, if it was ever opened."""
        if self._file is not None:
            self._file.close()
            self._file = None


def _open_or_create(path: Path) -> IO[bytes]:
    """A new private file, or the owner's own earlier one; never through a symbolic link."""
    try:
        return create_private(path)
    except FileExistsError:
        # A pipe that nobody reads would be waited for.
        flags = os.O_WRONLY | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
        number = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    # Asked of the open file: what lies under its path may be exchanged at any time.
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise OSError(errno.EINVAL, "it is not a regular file")
    return os.fdopen(number, "ab")


def _not_written(path: Path, error: OSError) -> str:
    return f"The log file {neutral_line(str(path))} cannot be written: {error.strerror}."


class ServerLogReader:
    """Reads one process's standard error to its end, so that the process never waits for us."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self.last: deque[str] = deque(maxlen=LAST_LINES)
        """The last lines, already neutral."""

    async def run(self, process: ServerProcess) -> None:
        """Read until the pipe ends; cancel it when the process has ended."""
        reader = asyncio.StreamReader()
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
