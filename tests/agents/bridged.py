"""Real agents whose own prompts go through the bridge: `python -m tests.agents.bridged [AGENT…]`.

Each runs in a terminal of its own with a model of ours, in an empty home, with the hooks that
`bridge install` writes; a person in another process answers. It prints what the agent's model read.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from tests.agents.model import ScriptedModel, scripted_model
from tests.agents.real_agents import ALL, claude_in_terminal
from tests.agents.terminal import Terminal, has_it_call, terminal

ROOT: Final = Path(__file__).parents[2]
ASKING: Final = ROOT / "tests" / "servers" / "asking.py"
PATIENCE: Final = 180.0
CONFIG: Final = "[store]\nanswer_without_terminal = true\n[bridge]\nhold_sec = {hold}\n"


class TooLate(AssertionError):
    """It did not come in time."""


class Bridged:
    """One agent's home, its model, and what happens to its prompt."""

    def __init__(self, key: str, home: Path, model: ScriptedModel) -> None:
        self.key = key
        self.home = home
        self.model = model
        self.work = home / "work"
        self.touched = home / "touched"
        self.agent = ALL[key]
        self.environment = {
            "HOME": str(home),
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            "PYTHONPATH": str(ROOT),
        }
        self.prepare = {"claude-code": self._claude, "codex": self._codex}[key]
        self.program: list[str] = []

    def _claude(self) -> None:
        server = {"type": "stdio", "command": sys.executable, "args": [str(ASKING)]}
        (self.home / ".claude").mkdir()
        self.environment |= self.agent.prepare(self.home, self.model.url)
        servers = {"asking": {**server, "alwaysLoad": True}}
        claude_in_terminal(self.home, self.work, mcpServers=servers)
        self.program = [str(self.agent.path), "--permission-mode", "default"]
        self.model.wanted = "Bash"
        self.model.arguments = {"command": f"touch {self.touched}", "description": "touch"}

    def _codex(self) -> None:
        self.agent.prepare(self.home, self.model.url)
        config = self.home / ".codex" / "config.toml"
        head = 'approval_policy = "on-request"\nsandbox_mode = "read-only"\n'
        trust = f'[projects."{self.work}"]\ntrust_level = "trusted"\n'
        config.write_text(head + config.read_text() + trust)
        self.program = [*self.agent.command[: -len(self.agent.arguments)]]
        self.program += ["--dangerously-bypass-hook-trust"]
        self.model.wanted = "exec_command"
        self.model.arguments = {
            "cmd": f"touch {self.touched}",
            "sandbox_permissions": "require_escalated",
            "justification": "May I?",
        }

    def install(self, hold: int = 50) -> None:
        """Our configuration, and the hooks as `bridge install` writes them."""
        self.work.mkdir(parents=True)
        self.prepare()
        folder = self.home / ".config" / "elicit-tui"
        folder.mkdir(parents=True)
        (folder / "config.toml").write_text(CONFIG.format(hold=hold))
        (folder / "config.toml").chmod(0o600)
        command = [sys.executable, "-m", "elicit_tui", "bridge", "install", self.key, "--yes"]
        subprocess.run(command, env=self.environment, cwd=ROOT, capture_output=True, check=True)

    @contextmanager
    def starts(self) -> Iterator[Terminal]:
        """The agent in its terminal, told to call its tool; it is killed at the end."""
        with terminal(self.program, self.environment, self.work) as started:
            has_it_call(started, self.model, self.until)
            yield started

    @contextmanager
    def person(self, what: str) -> Iterator[subprocess.Popen[bytes]]:
        """Somebody who sits at an inbox."""
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.gateway.answerer", what, "there"],
            env=self.environment,
            cwd=ROOT,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        try:
            assert process.stdout is not None
            assert process.stdout.readline().strip() == b"ready"
            yield process
        finally:
            process.kill()
            process.communicate()

    def until(self, true: Callable[[], Any], what: str, started: Terminal) -> None:
        end = time.monotonic() + PATIENCE
        while not true():
            if time.monotonic() > end:
                raise TooLate(f"{self.key}: {what}; its screen:\n{started.shown.strip()}")
            with self.model.changed:
                self.model.changed.wait(0.2)

    @property
    def read(self) -> str:
        """What its model read of its tool."""
        results = [turn.results for turn in self.model.work if turn.results]
        return results[-1][-1] if results else ""

    def history(self) -> list[dict[str, Any]]:
        command = [sys.executable, "-m", "elicit_tui", "history", "list", "--output", "json"]
        done = subprocess.run(
            command, env=self.environment, cwd=ROOT, capture_output=True, check=False
        )
        found: list[dict[str, Any]] = json.loads(done.stdout) if done.returncode == 0 else []
        return found


def answered(here: Bridged) -> str:
    here.install()
    with here.person("all"), here.starts() as started:
        here.until(lambda: here.read, "the tool was not run", started)
    assert here.touched.exists()
    return "ran"


def denied(here: Bridged) -> str:
    here.install()
    with here.person("note"), here.starts() as started:
        here.until(lambda: here.read, "nothing was denied", started)
    assert not here.touched.exists()
    assert "use staging instead" in here.read, here.read
    return "its model read the note"


def nobody_there(here: Bridged) -> str:
    here.install()
    with here.starts() as started:
        here.until(lambda: here.history(), "no hook was run", started)
        here.until(lambda: "1. Yes" in started.shown, "its own prompt does not come", started)
        assert not here.touched.exists()
    assert [row["decidedBy"] for row in here.history()] == ["nobody"]
    return "its own prompt"


def killed(here: Bridged) -> str:
    here.install()
    return _killed_while_it_waits(here)


def _killed_while_it_waits(here: Bridged) -> str:
    with here.person("watch") as somebody, here.starts() as started:
        assert somebody.stdout is not None
        assert somebody.stdout.readline().startswith(b"came")
        started.kill()
        began = time.monotonic()
        assert somebody.stdout.readline().startswith(b"left")
    return f"gone in {time.monotonic() - began:.0f} s"


def answered_there(here: Bridged) -> str:
    """The person answers in the agent's own terminal, which Codex asks only after its hook."""
    here.install(hold=15)
    with here.person("watch") as somebody, here.starts() as started:
        assert somebody.stdout is not None
        assert somebody.stdout.readline().startswith(b"came")
        began = time.monotonic()
        if here.key == "codex":
            assert somebody.stdout.readline().startswith(b"left")
        here.until(lambda: "1. Yes" in started.shown, "its own prompt does not come", started)
        started.types("\r" if here.key == "claude-code" else "y")
        here.until(lambda: here.read, "it was not run", started)
        ran = time.monotonic() - began
        if here.key == "claude-code":
            assert somebody.stdout.readline().startswith(b"left")
    assert here.touched.exists()
    return f"ran after {ran:.0f} s, with hold_sec = 15"


def headless(here: Bridged) -> str:
    """Without a terminal, where the agent would refuse by itself."""
    here.install()
    here.program += ["-p", "Call the tool."]
    with here.person("all"):
        subprocess.run(
            here.program,
            env=here.environment,
            cwd=here.work,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )
    assert here.touched.exists()
    return "ran"


# Questions of a server that the agent starts, which Codex does not pass on


def _has_server_ask(here: Bridged, hold: int = 50) -> None:
    here.install(hold)
    here.program += ["--allowedTools", "mcp__asking__one"]
    here.model.wanted = "mcp__asking__one"
    here.model.arguments = {"tag": "from-the-agent"}


def elicited(here: Bridged) -> str:
    _has_server_ask(here)
    with here.person("all"), here.starts() as started:
        here.until(lambda: here.read, "no answer arrived", started)
    assert 'accept {"value": "given"}' in here.read, here.read
    return "answered"


def elicited_and_declined(here: Bridged) -> str:
    _has_server_ask(here)
    with here.person("note"), here.starts() as started:
        here.until(lambda: here.read, "no answer arrived", started)
    assert "decline" in here.read, here.read
    assert "staging" not in here.read, here.read
    return "declined, and no note reached the server"


def elicited_with_nobody_there(here: Bridged) -> str:
    _has_server_ask(here)
    with here.starts() as started:
        here.until(lambda: here.history(), "no hook was run", started)
        here.until(lambda: "A value" in started.shown, "its own form does not come", started)
    assert [row["decidedBy"] for row in here.history()] == ["nobody"]
    return "its own form"


def elicited_and_killed(here: Bridged) -> str:
    _has_server_ask(here)
    return _killed_while_it_waits(here)


def elicited_and_unanswered(here: Bridged) -> str:
    """Nobody answers in time: its own form comes, and only after its hook."""
    _has_server_ask(here, hold=5)
    with here.person("watch") as somebody, here.starts() as started:
        assert somebody.stdout is not None
        assert somebody.stdout.readline().startswith(b"came")
        began = time.monotonic()
        here.until(lambda: "A value" in started.shown, "its own form does not come", started)
        took = time.monotonic() - began
        assert somebody.stdout.readline().startswith(b"left")
    return f"its own form after {took:.0f} s, with hold_sec = 5"


STEPS: Final = (answered, denied, nobody_there, killed, answered_there)
OF_CLAUDE: Final = (
    *(elicited, elicited_and_declined, elicited_with_nobody_there),
    *(elicited_and_killed, elicited_and_unanswered, headless),
)


def main(names: list[str]) -> int:
    failed = 0
    for key in names or ["claude-code", "codex"]:
        if ALL[key].missing:
            print(f"{key}: not run, {ALL[key].missing}")
            continue
        for step in (*STEPS, *(OF_CLAUDE if key == "claude-code" else ())):
            with (
                tempfile.TemporaryDirectory(prefix="bridged-", ignore_cleanup_errors=True) as home,
                scripted_model() as model,
            ):
                try:
                    said = step(Bridged(key, Path(home) / "home", model))
                except (AssertionError, subprocess.SubprocessError) as error:
                    said, failed = f"FAILED: {error}", failed + 1
            print(f"{key} {ALL[key].version}, {step.__name__}: {said}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
