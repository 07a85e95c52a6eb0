"""The gateway as the suite's server scenarios meet it: a real one, on HTTP, in a home of its own.

Behind it is a server that offers what the scenarios look for; whoever is asked is the suite's own
client. `hold_sec` is short, since nobody else answers.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

CONFIG = """
[gateway]
ask_via = "client"
hold_sec = 1
prefix = "never"
"""
ROOT = Path(__file__).parent.parent.parent
LISTENING = "elicit-tui: listening on "


@contextmanager
def gateway() -> Iterator[tuple[str, str]]:
    """The URL of a running gateway, and a token for it."""
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        kept = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
        environment = {**kept, "HOME": str(home)}
        folder = home / ".config" / "elicit-tui"
        folder.mkdir(parents=True)
        (folder / "config.toml").write_text(CONFIG)
        port = stack.enter_context(
            _started([sys.executable, "-m", "tests.conformance.suite_server", "http"], environment)
        )
        ours = [sys.executable, "-m", "elicit_tui"]
        token = subprocess.run(
            [*ours, "gateway", "token", "add", "suite"],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        target = f"suite=http://127.0.0.1:{port}/mcp"
        command = [
            *ours,
            "--with",
            target,
            "--protocol",
            "2026-07-28",
            "gateway",
            "--listen",
            "127.0.0.1:0",
            "suite",
        ]
        said = stack.enter_context(_started(command, environment))
        yield said.removeprefix(LISTENING), token.stdout.strip()


@contextmanager
def _started(command: list[str], environment: Mapping[str, str]) -> Iterator[str]:
    """A process while it is needed; the first line that it writes."""
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()
