"""One agent in an empty home, with the gateway as `gateway install` writes it, and a person."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from elicit_tui.gateway.agents import known_agents
from elicit_tui.gateway.install.document import read_document
from elicit_tui.gateway.install.gateway_entry import NAME, entry
from tests.agents.model import DONE, ScriptedModel, scripted_model
from tests.agents.real_agents import RealAgent, claude_in_terminal

if TYPE_CHECKING:
    from tests.agents.terminal import Terminal

ROOT: Final = Path(__file__).parents[2]
ASKING: Final = ROOT / "tests" / "servers" / "asking.py"
FAST: Final = Path(__file__).with_name("fast_server.py")
PATIENCE: Final = 120.0
"""Seconds for one agent to come to its end; most need ten."""

CONFIG: Final = """\
[store]
answer_without_terminal = true
[gateway]
ask_via = "{ask_via}"
hold_sec = {hold}
[mcp_servers.asking]
command = {python}
args = [{server}]
"""


class TooLate(AssertionError):
    """It did not come in time."""


@dataclass
class Bench:
    """The home of one agent, its model, and what belongs to it."""

    agent: RealAgent
    home: Path
    model: ScriptedModel
    environment: dict[str, str]
    started: list[subprocess.Popen[Any]] = field(default_factory=list)
    before: bytes | None = None
    """The agent's configuration before the gateway stood in it."""
    later: float = 0.0
    """Seconds until somebody comes who answers a task."""

    @property
    def file(self) -> Path:
        return next(path for path in self._files() if path.exists() or path.parent.exists())

    def _files(self) -> list[Path]:
        known = known_agents()[self.agent.key]
        own = known.place["any"].replace("${XDG_CONFIG_HOME:-~/.config}", "~/.config")
        while "${" in own:
            start, end = own.index("${"), own.index("}")
            own = own[:start] + own[start:end].partition(":-")[2] + own[end + 1 :]
        return [Path(own.replace("~", str(self.home), 1))]

    # The gateway

    def elicit_tui(self, *words: str) -> str:
        """Run one of our commands in this home; what it wrote to stdout."""
        done = subprocess.run(
            [sys.executable, "-m", "elicit_tui", *words],
            env=self.environment,
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise AssertionError(f"{words}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def configure(self, hold: str = '"auto"', ask_via: str = "auto") -> None:
        folder = self.home / ".config" / "elicit-tui"
        folder.mkdir(parents=True, exist_ok=True)
        python, server = json.dumps(sys.executable), json.dumps(str(ASKING))
        text = CONFIG.format(hold=hold, ask_via=ask_via, python=python, server=server)
        (folder / "config.toml").write_text(text)
        (folder / "config.toml").chmod(0o600)

    def install(self, *, beside: bool = False) -> None:
        """Put the gateway into the agent's file; `beside`: the fast server directly, first."""
        if self.agent.by_snippet:
            snippet = self.elicit_tui("gateway", "snippet", self.agent.key, "asking")
            (self.home / "snippet.py").write_text(snippet)
            return
        if beside:
            known = known_agents()[self.agent.key]
            raw = self.file.read_bytes() if self.file.exists() else b""
            direct = entry(known, [sys.executable, "-S", "-E", str(FAST)], {})
            document = read_document(known, raw, "file").with_entry("direct", direct)
            self.file.write_bytes(document.as_bytes())
        self.before = self.file.read_bytes() if self.file.exists() else None
        self.elicit_tui("gateway", "install", self.agent.key, "asking", "--yes")

    def uninstall(self) -> str:
        """Take it out; how much of the file is as it was."""
        if self.agent.by_snippet:
            return "nothing to undo"
        known = known_agents()[self.agent.key]
        left = dict(read_document(known, self.file.read_bytes(), "file").servers)
        assert left.pop(NAME)
        self.elicit_tui("gateway", "uninstall", self.agent.key, "--yes")
        after = self.file.read_bytes() if self.file.exists() else None
        if after == self.before:
            return "byte for byte"
        # Some agents write into their own file as they run.
        assert dict(read_document(known, after or b"", "file").servers) == left
        return "the entry"

    def waiting(self) -> list[dict[str, Any]]:
        """What waits in the inbox."""
        listed = self.elicit_tui("inbox", "list", "--output", "json")
        found: list[dict[str, Any]] = json.loads(listed)
        return found

    # The agent, and the person

    def starts(self) -> subprocess.Popen[Any]:
        places = {"{home}": str(self.home), "{url}": self.model.url}
        command = list(self.agent.command)
        for place, value in places.items():
            command = [word.replace(place, value) for word in command]
        log = (self.home / "agent.log").open("ab")
        process = subprocess.Popen(
            command,
            env=self.environment,
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        log.close()
        self.started.append(process)
        return process

    @contextmanager
    def in_terminal(self) -> Iterator[Terminal]:
        """The agent in a terminal of its own, whose model has called its tool; not on Windows."""
        from tests.agents.terminal import has_it_call, terminal

        claude_in_terminal(self.home, self.home)
        program = [str(self.agent.path), *self.agent.in_terminal]
        environment = {**self.environment, "TERM": "xterm-256color"}
        with terminal(program, environment, self.home) as started:
            has_it_call(started, self.model, self.until)
            yield started

    @contextmanager
    def person(self) -> Iterator[None]:
        """Somebody who answers whatever comes."""
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.gateway.answerer", "all"],
            env=self.environment,
            cwd=ROOT,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        try:
            assert process.stdout is not None
            assert process.stdout.readline().strip() == b"ready", "nobody came to answer"
            yield
        finally:
            process.kill()
            process.communicate()

    def log(self, started: Terminal | None = None) -> str:
        if started is not None:
            return started.shown.strip()
        path = self.home / "agent.log"
        return path.read_text("utf-8", "replace")[-2000:] if path.exists() else ""

    def until(self, true: Callable[[], bool], what: str, started: Terminal | None = None) -> None:
        """Return as soon as it is so; the model's turns wake it. `started`: what it says there."""
        end = time.monotonic() + PATIENCE
        while not true():
            if time.monotonic() > end:
                raise TooLate(f"{self.agent.key}: {what}; it said:\n{self.log(started)}")
            with self.model.changed:
                self.model.changed.wait(0.2)

    def wait_for_person(self) -> None:
        """Return when somebody comes who answers a task."""
        end = time.monotonic() + self.later
        while (left := end - time.monotonic()) > 0:
            with self.model.changed:
                self.model.changed.wait(left)

    def kill(self, process: subprocess.Popen[Any]) -> None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    # What it does

    @property
    def told(self) -> str:
        """What its model was told last beside results."""
        return self.model.work[-1].told if self.model.work else ""

    @property
    def first_turn(self) -> tuple[str, ...]:
        """The tools of the first turn of the work; empty before it."""
        return self.model.work[0].tools if self.model.work else ()

    def has(self, tool: str) -> bool:
        """Whether the first turn had this tool."""
        return any(name.endswith(tool) for name in self.first_turn)

    @property
    def read(self) -> str:
        """What its model read last from its tools."""
        results = [turn.results for turn in self.model.work if turn.results]
        return results[-1][-1] if results else ""


@contextmanager
def bench(agent: RealAgent, home: Path) -> Iterator[Bench]:
    """The agent with its model, an empty home and nothing else of this machine."""
    home.mkdir(parents=True, exist_ok=True)
    with scripted_model() as model:
        environment = {
            "HOME": str(home),
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "PYTHONPATH": str(ROOT),
            **agent.prepare(home, model.url),
        }
        here = Bench(agent, home, model, environment)
        here.configure()
        try:
            yield here
        finally:
            for process in here.started:
                here.kill(process)


__all__ = ["DONE", "Bench", "TooLate", "bench"]
