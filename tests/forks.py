"""Processes of Python programs that need not start from nothing: forks of one that is loaded."""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path

from tests.nursery import NEW_SESSION, hand_over, number

PATIENCE = 60
NURSERY = Path(__file__).with_name("nursery.py")
COMMAND = (sys.executable, "-m", "elicit_tui")

NOT_OURS = (
    *("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"),
    *("CI", "NO_COLOR", "FORCE_COLOR", "COLORTERM", "EDITOR", "VISUAL", "BROWSER"),
    *("TMUX", "STY", "DISPLAY", "WAYLAND_DISPLAY"),  # Nothing is put on the developer's clipboard.
)
"""Variables that no test and no fork inherits from the developer's machine."""
SHARED = {
    "--forks": "TESTS_FORKS",
    "--servers": "TESTS_FORKS_OF_SERVERS",
    "--modules": "TESTS_FORKS_OF_MODULES",
}
"""Where one nursery serves all processes of the tests, the variable with its socket."""
_forks = ExitStack()
"""What this process of the tests started for itself; closed at its end."""


def hear_signals() -> None:
    """Ignore no signal that ends a process.

    Those that are started inherit what is ignored here: a run under nohup, or in the background of
    a script, must not make them deaf.
    """
    for name in ("SIGINT", "SIGHUP", "SIGTERM"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


@contextmanager
def forks_of(
    *program: str | Path,
    python: str | Path = sys.executable,
    env: Mapping[str, str] | None = None,
) -> Iterator[list[str]]:
    """The words that start a fork of this program, while the block runs.

    `python`: the interpreter with what the program needs; `env`: the program's, while it loads.
    """
    # A socket's name has to be short.
    with tempfile.TemporaryDirectory() as place:
        socket = Path(place, "forks")
        nursery = subprocess.Popen(
            [python, *program, socket], stdin=subprocess.DEVNULL, start_new_session=True, env=env
        )
        try:
            end = time.monotonic() + PATIENCE
            while not socket.exists():
                assert nursery.poll() is None
                assert time.monotonic() < end
                time.sleep(0.02)
            yield _started_by(socket)
        finally:
            if nursery.poll() is None:
                os.killpg(nursery.pid, signal.SIGKILL)
            nursery.wait(PATIENCE)


@cache
def ready_elicit_tui() -> Sequence[str]:
    """The words that run `elicit-tui` without a start of its own, where processes can fork."""
    if not hasattr(os, "fork"):
        return COMMAND
    return _nursery("--forks")


@cache
def ready_python() -> Sequence[str]:
    """The words that run one of our servers with the SDK as `python SERVER`, at once."""
    if not hasattr(os, "fork"):
        return (sys.executable,)
    return _nursery("--servers")


@cache
def ready_modules() -> Sequence[str]:
    """The words that run one of the nursery's modules as `python -m MODULE`, at once."""
    if not hasattr(os, "fork"):
        return (sys.executable, "-m")
    return _nursery("--modules")


@cache
def _nursery(what: str) -> Sequence[str]:
    shared = os.environ.get(SHARED.get(what, ""))
    if shared:
        return _started_by(shared)
    return _forks.enter_context(forks_of(NURSERY, what))


def _started_by(nursery: str | Path) -> list[str]:
    return [sys.executable, "-S", str(NURSERY), str(nursery)]


@contextmanager
def shared_forks() -> Iterator[dict[str, str]]:
    """The variables by which all processes of the tests share nurseries, while the block runs."""
    sealed = {name: value for name, value in os.environ.items() if name not in NOT_OURS}
    with ExitStack() as stack:
        sealed["HOME"] = stack.enter_context(tempfile.TemporaryDirectory())
        sealed["TERM"] = "xterm-256color"
        yield {
            variable: stack.enter_context(forks_of(NURSERY, what, env=sealed))[-1]
            for what, variable in SHARED.items()
        }


@cache
def ready_client() -> Sequence[str]:
    """The words that run the conformance suite's client of our host, before its URL."""
    if not hasattr(os, "fork"):
        return (sys.executable, "-m", "tests.conformance.client")
    return _nursery("--client")


class Fork:
    """`elicit-tui` on the terminal that is its standard input, as `Popen` would start it."""

    session = NEW_SESSION

    def __init__(
        self, arguments: Sequence[str], environment: Mapping[str, str], streams: Sequence[int]
    ) -> None:
        self._nursery = socket.socket(socket.AF_UNIX)
        self._nursery.connect(self._ready()[-1])
        told = (f"{name}={value}" for name, value in environment.items())
        handed = b"".join(stream.to_bytes(4, sys.byteorder) for stream in streams)
        hand_over(self._nursery, arguments, told, str(Path.cwd()), handed, self.session)
        self.pid = number(self._nursery)
        self.returncode: int | None = None

    def _ready(self) -> Sequence[str]:
        return ready_elicit_tui()

    def poll(self) -> int | None:
        """How it ended; None while it runs."""
        if self.returncode is None and select.select([self._nursery], [], [], 0)[0]:
            self.returncode = number(self._nursery)
            self._nursery.close()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None and not select.select([self._nursery], [], [], timeout)[0]:
            raise subprocess.TimeoutExpired("elicit-tui", timeout or 0)
        code = self.poll()
        assert code is not None
        return code

    def send_signal(self, number_of: int) -> None:
        if self.poll() is None:
            with suppress(ProcessLookupError):  # It has ended, and this was not told yet.
                os.kill(self.pid, number_of)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)


class ModuleFork(Fork):
    """`python -m MODULE ARGUMENT…`, one of the nursery's modules, with text pipes."""

    session = ""

    def __init__(self, module: str, *arguments: str) -> None:
        reads, told = os.pipe()
        heard, writes = os.pipe()
        super().__init__((module, *arguments), os.environ, (reads, writes, 2))
        os.close(reads)
        os.close(writes)
        self.stdin = os.fdopen(told, "w")
        self.stdout = os.fdopen(heard)

    def _ready(self) -> Sequence[str]:
        return ready_modules()

    def communicate(self, said: str = "", timeout: float | None = None) -> str:
        """Say this, and nothing more; all that it told since, when it has ended."""
        told = ""
        with suppress(BrokenPipeError):
            if not self.stdin.closed:
                self.stdin.write(said)
            self.stdin.close()
        if not self.stdout.closed:
            told = self.stdout.read()
        self.stdout.close()
        self.wait(timeout)
        return told


def end_forks() -> None:
    """End what was started for the tests of this process."""
    _forks.close()
