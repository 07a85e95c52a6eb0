"""One agent's own configuration file in a test's home."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli

from elicit_tui import paths
from elicit_tui.cli.dispatch import dispatch
from elicit_tui.config.importing import jsonc
from elicit_tui.gateway.agents import known_agents
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
        values = tomli.loads(text) if self.agent == "codex" else jsonc.loads(text)
        servers: dict[str, Any] = values[known_agents()[self.agent].servers_key]
        return servers


def installed(agent: str) -> Installed:
    return Installed(agent, own_file(known_agents()[agent]))


def fixture_of(agent: str) -> bytes:
    return next(FILES.glob(f"{agent}.*")).read_bytes()


def our_config() -> Path:
    return paths.config_file()
