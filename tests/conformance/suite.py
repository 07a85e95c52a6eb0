"""Brings the official suite and the Node it needs, and runs single scenarios of it."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tests.forks import ready_client

PACKAGE = "@modelcontextprotocol/conformance"
VERSION = "0.2.0-alpha.12"
NODE_MAJOR = 22
ROOT = Path(__file__).parent.parent.parent
SCENARIO_SECONDS = 90

WITH_TOKEN = Path(__file__).parent / "with_token.mjs"

_RESULT = re.compile(r"server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z")
_LISTED = re.compile(r"^\s+- (\S+) \[([^\]]+)\]", re.MULTILINE)


class CannotRun(Exception):
    """The suite could not be brought; says what is missing."""


@dataclass(frozen=True)
class Check:
    """One check of a server scenario."""

    id: str
    status: str
    said: str

    @property
    def passed(self) -> bool:
        """A warning is about what a server should do, and counts as much as a failure."""
        return self.status not in ("FAILURE", "WARNING")


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

    def scenarios(self, side: Literal["client", "server"]) -> dict[str, tuple[str, ...]]:
        """Every scenario for clients, or for servers, with the revisions that it exists for."""
        listed = self._run("list", f"--{side}").stdout
        return {name: tuple(versions.split(",")) for name, versions in _LISTED.findall(listed)}

    def passes(self, scenario: str, revision: str) -> tuple[bool, str]:
        """Whether our client passes one scenario, and what the suite said."""
        with tempfile.TemporaryDirectory() as results:
            done = self._run(
                "client",
                "--command",
                shlex.join(ready_client()),
                "--scenario",
                scenario,
                # An extension stands beside the revisions.
                *(() if revision == "extension" else ("--spec-version", revision)),
                "--timeout",
                str(SCENARIO_SECONDS * 1000),
                "-o",
                results,
            )
        return done.returncode == 0, done.stdout + done.stderr

    def of_server(
        self, url: str, token: str, revision: str, scenario: str | None = None
    ) -> dict[str, list[Check]]:
        """What every server scenario of a revision, in one run, found; by scenario.

        `scenario`: this one alone, as an extension's are run.
        """
        all_of_it = ("--suite", "all", "--spec-version", revision)
        chosen = all_of_it if scenario is None else ("--scenario", scenario)
        found = {}
        with tempfile.TemporaryDirectory() as results:
            self._run(
                *("server", "--url", url, *chosen, "-o", results),
                node_options=("--import", str(WITH_TOKEN)),
                environment={"GATEWAY_TOKEN": token},
            )
            for path in sorted(Path(results).glob("server-*/checks.json")):
                named = _RESULT.fullmatch(path.parent.name)
                assert named is not None, path
                checks = json.loads(path.read_bytes())
                found[named[1]] = [
                    Check(check["id"], check["status"], str(check.get("errorMessage") or ""))
                    for check in checks
                ]
        return found

    def _run(
        self,
        *arguments: str,
        node_options: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.node, *node_options, str(self.script), *arguments],
            cwd=ROOT,
            env={**os.environ, "NO_COLOR": "1", **(environment or {})},
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
