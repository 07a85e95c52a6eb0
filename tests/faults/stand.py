"""One place for a run under test: its configuration, its servers' notes, what it left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from elicit_tui import paths
from elicit_tui.ledger import Ledger
from elicit_tui.ledger.rows import Row as LedgerRow
from tests.cli.running import COMMAND, Ended, environment, run
from tests.faults.row import Row

SECONDS: Final = 30.0
"""How long anything may take on a machine that is busy with other things."""

SERVERS: Final = Path(__file__).parent / "servers"
OWN_FILES: Final = {
    *(f"{name}.json{end}" for name in ("calls", "console") for end in ("", ".lock")),
    *("call-results", "consoles", "drafts"),
    *(f"ledger.sqlite3{end}" for end in ("", "-wal", "-shm", "-head")),
}
"""All that a run may leave in its state directory."""


def until(true: Callable[[], Any], what: str, seconds: float = SECONDS) -> None:
    """Wait until it is true; fails with `what` when it does not come."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, f"{what} did not come within {seconds:g} seconds"
        time.sleep(0.01)


def runs(pid: int) -> bool:
    """Whether a process still does; one that has ended and waits to be reaped does not."""
    status = Path(f"/proc/{pid}/stat")
    if status.parent.parent.is_dir() and Path("/proc/self/stat").exists():
        try:
            return status.read_text().rpartition(")")[2].split()[0] not in "ZX"
        except OSError:
            return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


class Stand:
    """Servers by name, and the commands that are run on them."""

    def __init__(self, directory: Path) -> None:
        self.notes = directory / "notes"
        self.temporary = directory / "temporary"
        self.config = directory / "config.toml"
        for made in (self.notes, self.temporary):
            made.mkdir()
        self._lines: list[str] = []
        self._remotes: list[subprocess.Popen[str]] = []
        self.environment = environment(TMPDIR=str(self.temporary))

    def setting(self, *lines: str) -> None:
        """Lines of the configuration that stand before the servers."""
        self._lines[:0] = lines

    def faulty(self, fault: str = "none", name: str = "faulty", **keys: Any) -> None:
        """Configure the raw server with one fault; `keys` are keys of its table."""
        arguments = [str(SERVERS / "faulty.py"), str(self.notes), name, fault]
        self.server(name, command=sys.executable, args=arguments, **keys)

    def remote(self, when: str, fault: str, name: str = "faulty", **keys: Any) -> None:
        """Start the raw HTTP server with one fault, and configure it."""
        command = [sys.executable, str(SERVERS / "remote.py"), str(self.notes), name, when, fault]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self._remotes.append(process)
        assert process.stdout is not None
        self.server(name, url=f"http://127.0.0.1:{int(process.stdout.readline())}/mcp", **keys)

    def server(self, name: str, **keys: Any) -> None:
        """Configure any server."""
        self._lines.append(f"[mcp_servers.{name}]")
        self._lines += [f"{key} = {json.dumps(value)}" for key, value in keys.items()]

    def command(self, *arguments: str) -> list[str]:
        """The command line of a run on this stand."""
        return [*COMMAND, *self.arguments(*arguments)]

    def arguments(self, *arguments: str) -> list[str]:
        """The same without the program, for a terminal."""
        self.config.write_text("\n".join(self._lines) + "\n")
        return ["--config", str(self.config), *arguments]

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start a run without a terminal."""
        return subprocess.Popen(
            self.command(*arguments),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env=self.environment,
        )

    def run(self, *arguments: str) -> Called:
        """Run to the end, without a terminal."""
        ended = run(*self.arguments(*arguments), env=self.environment, seconds=SECONDS)
        return Called(ended.code, ended.stdout, ended.stderr)

    def call(self, tool: str, *more: str, server: str = "faulty") -> Called:
        """Run `elicit-tui call SERVER TOOL --output json`."""
        return self.run("call", server, tool, "--output", "json", *more)

    # What the servers saw

    def received(self, name: str = "faulty") -> list[dict[str, Any]]:
        """Every whole message that a server was sent."""
        file = self.notes / f"{name}.received"
        lines = file.read_bytes().split(b"\n")[:-1] if file.exists() else []
        return [json.loads(line) for line in lines]

    def sent(self, name: str = "faulty") -> str:
        """The same in short, in order: methods, and the answers to the server's questions.

        A list that is read again at once is told once: a tool is looked at anew before its call
        where its server would not tell of a change.
        """
        told = (_short(message) for message in self.received(name))
        words = [word for word in told if word]
        again = {n for n, word in enumerate(words) if word == "list" and words[n - 1] == "list"}
        return ", ".join(word for n, word in enumerate(words) if n not in again) or "nothing"

    def pid(self, name: str = "faulty") -> int:
        """A server's process id, once it has started."""
        file = self.notes / f"{name}.pid"
        until(lambda: file.exists() and file.read_text(), f"the process of {name}")
        return int(file.read_text())

    def go(self, *names: str) -> None:
        """Let servers go on that wait for it."""
        for name in names or ("faulty",):
            (self.notes / f"{name}.go").touch()

    # What was left behind

    def rows(self) -> list[LedgerRow]:
        """Every question in the ledger, oldest first; its chain is walked too."""
        file = paths.ledger_file()
        if not file.exists():
            return []
        with closing(Ledger.open(file, create=False)) as ledger:
            assert ledger.verify().problem is None
            return list(ledger.rows())

    def ledger(self) -> str:
        """What became of each question, in short."""
        return ", ".join(f"{row.action or 'no answer'} by {row.decided_by}" for row in self.rows())

    def bears_out(self, row: Row, name: str = "faulty") -> None:
        """What was sent, what is in the ledger and what was left is what the row says."""
        assert self.sent(name) in row.sent.split(" or ")
        assert self.ledger() in row.ledger.split(" or ")
        self.nothing_left()

    def nothing_left(self) -> None:
        """No process of a server, no temporary file, nothing unknown in the state directory."""
        for file in self.notes.glob("*.pid"):
            pid = int(file.read_text())
            until(lambda pid=pid: not runs(pid), f"the end of {file.stem}")
        assert not list(self.temporary.iterdir())
        assert {path.name for path in paths.state_directory().glob("*")} <= OWN_FILES

    def clear_away(self) -> None:
        """End the remote servers, and those that a failed test has left."""
        for process in self._remotes:
            with process:
                process.kill()
        for file in self.notes.glob("*.pid"):
            if runs(int(file.read_text())):
                os.kill(int(file.read_text()), signal.SIGKILL)


SHORT: Final = {
    "initialize": "handshake",
    "notifications/initialized": "",
    "notifications/cancelled": "withdrawal",
    "server/discover": "discovery",
    "subscriptions/listen": "listen",
    "tools/list": "list",
    "tools/call": "call",
}


def _short(message: dict[str, Any]) -> str:
    if "method" in message:
        return SHORT.get(message["method"], message["method"])
    if "error" in message:
        return f"error {message['error']['code']}"
    if "redirect_uris" in message:
        return "client registration"
    result = message["result"]
    return str(result.get("action", "a result"))


class Called(Ended):
    """How `elicit-tui call … --output json` ended."""

    @property
    def elicitations(self) -> list[dict[str, Any]]:
        """The questions of the call, as the document tells them."""
        return list(self.document["elicitations"])

    def says(self, row: Row) -> None:
        """It ended with the row's code and its sentence, or with the result that the row shows."""
        assert self.code == self.document["exitCode"] == row.code, self.stderr
        assert "Traceback" not in self.stderr
        said = [line for line in self.stderr.splitlines() if line.startswith("elicit-tui: ")]
        if row.code == 0:
            assert self.document["result"]["content"][0]["text"] == row.saw
            assert (self.document["error"], said) == (None, [])
        else:
            assert said == [f"elicit-tui: {row.saw}"]
            assert self.document["error"]["message"] == row.saw
