"""The console in a real terminal: it paints, ends on a signal, and leaves nothing behind."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyte
import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")

PROGRAM = """
import sys
from functools import partial
from elicit_tui.elicitation.settings import ServerSettings, Settings
from elicit_tui.runtime import open_runtime
from elicit_tui.tui import run_console

server = ServerSettings("demo", command=sys.executable, args=("-m", "elicit_tui.demo"))
settings = Settings(servers={"demo": server})
sys.exit(run_console(settings, runtime_factory=partial(open_runtime, settings)))
"""


class Terminal:
    """A program in a pseudo-terminal of its own."""

    def __init__(self, home: Path) -> None:
        import fcntl
        import pty
        import struct
        import termios

        self._main, inner = pty.openpty()
        fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
        self.before = termios.tcgetattr(inner)
        self._inner = inner
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM],
            stdin=inner,
            stdout=inner,
            stderr=inner,
            start_new_session=True,
            env={**os.environ, "HOME": str(home), "TERM": "xterm-256color"},
        )
        self.output = b""

    def press_until(self, keys: bytes, words: str, seconds: float = 40, each: float = 1) -> None:
        """Press these keys, each so many seconds, until these words stand on the screen."""
        screen = pyte.Screen(100, 30)
        stream = pyte.ByteStream(screen)
        end, pressed, fed = time.monotonic() + seconds, 0.0, 0
        while not any(words in line for line in screen.display):
            assert time.monotonic() < end, "\n".join(screen.display)
            if time.monotonic() - pressed > each:
                pressed = time.monotonic()
                self.type(keys)
            if select.select([self._main], [], [], 0.1)[0]:
                self.output += os.read(self._main, 65_536)
            stream.feed(self.output[fed:])
            fed = len(self.output)

    def read_until(self, words: bytes, seconds: float = 40) -> None:
        end = time.monotonic() + seconds
        while words not in self.output:
            assert time.monotonic() < end, self.output[-2_000:]
            if select.select([self._main], [], [], 0.1)[0]:
                self.output += os.read(self._main, 65_536)

    def drain(self, seconds: float = 40) -> int:
        """Read on until the program has ended; its exit code."""
        end = time.monotonic() + seconds
        while self.process.poll() is None:
            assert time.monotonic() < end, self.output[-2_000:]
            if select.select([self._main], [], [], 0.1)[0]:
                self.output += os.read(self._main, 65_536)
        while select.select([self._main], [], [], 0)[0]:
            self.output += os.read(self._main, 65_536)
        return self.process.returncode

    def type(self, keys: bytes) -> None:
        os.write(self._main, keys)

    @property
    def after(self) -> list[object]:
        import termios

        return termios.tcgetattr(self._inner)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(10)
        os.close(self._main)
        os.close(self._inner)


def children_of(pid: int) -> list[int]:
    listed = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False
    )
    return [int(word) for word in listed.stdout.split()]


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    status = Path(f"/proc/{pid}/stat")
    return status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z"


@pytest.mark.parametrize(("ending", "code"), [("SIGTERM", 130), ("SIGHUP", 130), ("ctrl+q", 0)])
def test_the_terminal_is_as_it_was_and_no_server_is_left(
    sealed_machine: Path, ending: str, code: int
) -> None:
    terminal = Terminal(sealed_machine)
    try:
        terminal.read_until(b"book_table")
        servers = children_of(terminal.process.pid)
        assert servers
        if ending == "ctrl+q":
            # A console that is still being painted hears no key.
            terminal.press_until(b"\x03", "Nothing is selected to copy. ^Q leaves.")
            terminal.type(b"\x11")
        else:
            terminal.process.send_signal(getattr(signal, ending))
        assert terminal.drain() == code
        assert b"\x1b[?1049l" in terminal.output
        assert b"Traceback" not in terminal.output
        assert terminal.after == terminal.before
        assert all(gone(pid) for pid in servers)
    finally:
        terminal.close()


def test_keys_in_the_buffer_before_a_question_is_painted_do_not_answer_it(
    sealed_machine: Path,
) -> None:
    terminal = Terminal(sealed_machine)
    try:
        terminal.read_until(b"book_table")
        terminal.type(b"/clear_cache\t")
        terminal.read_until(b"A question without fields")
        # Calls the tool, and goes on with send, decline and send before anything is painted.
        terminal.type(b"\r\x13\x13\x0e\x13")
        terminal.read_until("“demo” asks".encode())
        # What is typed counts from the first painting on. A second one would leave at once.
        terminal.press_until(b"\x11", "Leave elicit-tui?", each=8)
        terminal.type(b"y")
        assert terminal.drain() == 0
        assert b"1 question: 1 cancelled" in terminal.output.partition(b"\x1b[?1049l")[2]
    finally:
        terminal.close()
    import sqlite3

    [ledger] = sealed_machine.rglob("ledger.sqlite3")
    with sqlite3.connect(ledger) as connection:
        bodies = [row[0] for row in connection.execute("SELECT body FROM records")]
    connection.close()
    assert any('"shutdown"' in body for body in bodies)
