"""Brings the official suite and the Node it needs, and runs single scenarios of it."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

PACKAGE = "@modelcontextprotocol/conformance"
VERSION = "0.2.0-alpha.12"
NODE_MAJOR = 22
ROOT = Path(__file__).parent.parent.parent
SCENARIO_SECONDS = 90

_LISTED = re.compile(r"^\s+- (\S+) \[([^\]]+)\]", re.MULTILINE)


class CannotRun(Exception):
    """The suite could not be brought; says what is missing."""


@dataclass(frozen=True)
class Suite:
    """An installed suite."""

    node: str
    script: Path

    @classmethod
    def bring(cls, directory: Path) -> Suite:
        """Install into `directory` through npm, unless it is there. Raises CannotRun."""
        npm = shutil.which("npm")
        if npm is None:
            raise CannotRun("npm is not installed; it brings the suite and the Node it needs.")
        script = directory / "node_modules" / PACKAGE / "dist" / "index.js"
        node = _recent_node()
        own_node = directory / "node_modules" / ".bin" / "node"
        wanted = [] if script.exists() else [f"{PACKAGE}@{VERSION}"]
        if node is None and not own_node.exists():
            wanted.append(f"node@{NODE_MAJOR}")
        if wanted:
            directory.mkdir(parents=True, exist_ok=True)
            done = subprocess.run(
                [npm, "install", "--no-audit", "--no-fund", "--prefix", str(directory), *wanted],
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode != 0:
                raise CannotRun(f"npm could not bring the suite:\n{done.stderr[-2000:]}")
        return cls(node or str(own_node), script)

    def scenarios(self) -> dict[str, tuple[str, ...]]:
        """Every client scenario with the revisions that it exists for."""
        listed = self._run("list", "--client").stdout
        return {name: tuple(versions.split(",")) for name, versions in _LISTED.findall(listed)}

    def passes(self, scenario: str, revision: str) -> tuple[bool, str]:
        """Whether our client passes one scenario, and what the suite said."""
        with tempfile.TemporaryDirectory() as results:
            done = self._run(
                "client",
                "--command",
                f"{shlex.quote(sys.executable)} -m tests.conformance.client",
                "--scenario",
                scenario,
                "--spec-version",
                revision,
                "--timeout",
                str(SCENARIO_SECONDS * 1000),
                "-o",
                results,
            )
        return done.returncode == 0, done.stdout + done.stderr

    def _run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.node, str(self.script), *arguments],
            cwd=ROOT,
            env={**os.environ, "NO_COLOR": "1"},
            capture_output=True,
            text=True,
            check=False,
            timeout=SCENARIO_SECONDS + 30,
        )


def _recent_node() -> str | None:
    node = shutil.which("node")
    if node is None:
        return None
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    major = said.strip().lstrip("v").partition(".")[0]
    return node if major.isdecimal() and int(major) >= NODE_MAJOR else None
