"""What every test of `install` stands on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gateway.install.agent_file import AGENTS, Installed, installed


@pytest.fixture(params=AGENTS)
def agents_file(request: pytest.FixtureRequest) -> Installed:
    return installed(request.param)


@pytest.fixture(autouse=True)
def nothing_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    """What an agent's file becomes needs no server; `test_remembered` starts one."""
    monkeypatch.setattr("elicit_tui.cli.gateway.install.fetch_catalogues", lambda *given: None)


@pytest.fixture(autouse=True)
def configured(sealed_machine: Path) -> None:
    """One server of ours, so that the gateway has something to serve."""
    folder = sealed_machine / ".config" / "elicit-tui"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text('[mcp_servers.mine]\ncommand = "true"\n')
    (folder / "config.toml").chmod(0o600)
