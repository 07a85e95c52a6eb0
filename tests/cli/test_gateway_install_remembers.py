"""After `gateway install` an agent's first turn has its tools."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from elicit_tui.cli.dispatch import dispatch
from elicit_tui.config import load
from elicit_tui.gateway.catalogue import CatalogueFiles
from tests.host.world import SERVERS


def test_install_asks_each_server_once_what_it_offers(
    sealed_machine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = sealed_machine / ".config" / "elicit-tui"
    folder.mkdir(parents=True)
    (sealed_machine / ".cursor").mkdir()
    script = json.dumps(str(SERVERS / "workshop.py"))
    (folder / "config.toml").write_text(
        f"[mcp_servers.workshop]\ncommand = {json.dumps(sys.executable)}\n"
        f'args = [{script}, "stdio"]\n'
        '[mcp_servers.broken]\ncommand = "/nonexistent/server"\n'
    )
    (folder / "config.toml").chmod(0o600)
    assert dispatch(["gateway", "install", "cursor", "--yes"]) == 0
    told = capsys.readouterr().err
    assert "Known for its first turn: workshop." in told
    assert "/nonexistent/server" in told
    servers = load().servers
    kept = CatalogueFiles().read(servers["workshop"])
    assert kept is not None
    assert "plain" in {tool["name"] for tool in kept.tools}
    assert CatalogueFiles().read(servers["broken"]) is None
