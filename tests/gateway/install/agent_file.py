"""One agent's own configuration file in a test's home."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elicit_tui import paths
from elicit_tui.cli.dispatch import dispatch
from elicit_tui.gateway.agents import Agent, known_agents
from elicit_tui.gateway.install.document import read_document
from elicit_tui.gateway.install.places import installable, own_file

FILES = Path(__file__).parents[1] / "agent_files"


AGENTS = sorted(installable())


@dataclass
class Installed:
    """One agent's file in this test's home."""

    agent: str
    path: Path

    def has(self, raw: bytes, mode: int = 0o600) -> bytes:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_bytes(raw)
        self.path.chmod(mode)
        return raw

    def runs(self, command: str, *more: str) -> int:
        return dispatch(["gateway", command, self.agent, *more])

    @property
    def servers(self) -> dict[str, Any]:
        text = self.path.read_text("utf-8-sig")
        document = read_document(self.known, text.encode(), "file")
        return dict(document.servers)

    @property
    def known(self) -> Agent:
        return known_agents()[self.agent]

    def written(self, servers: dict[str, Any]) -> bytes:
        """A file of this agent with these servers and nothing else."""
        document = read_document(self.known, b"", "file")
        for name, entry in servers.items():
            document = document.with_entry(name, entry)
        return document.as_bytes()


def installed(agent: str) -> Installed:
    return Installed(agent, own_file(known_agents()[agent]))


def fixture_of(agent: str) -> bytes:
    return next(FILES.glob(f"{agent}.*")).read_bytes()


def our_config() -> Path:
    return paths.config_file()
