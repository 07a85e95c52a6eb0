"""A secret that stands in a configuration is in no error, no record and no list."""

from __future__ import annotations

import json
from pathlib import Path

from elicit_tui.paths import state_directory
from tests.cli.running import run
from tests.servers.scripts import form, scripted

SECRET = "hunter2secret"

MISPLACED = f"""
[mcp_servers.headers]
url = "https://127.0.0.1:9/"
http_headers = "Bearer {SECRET}"
[mcp_servers.environment]
command = "x"
env = "API_TOKEN={SECRET}"
args = "--token {SECRET}"
[mcp_servers.tools]
command = "x"
tools = "{SECRET}"
[[hooks]]
event = "Asked"
command = "curl -H {SECRET}"
"""
IN_THE_PLACE_OF_A_NAME = f"""
[mcp_servers.token]
url = "https://127.0.0.1:9/"
bearer_token_env_var = "Bearer {SECRET}"
"""
CANNOT_START = f"""
[mcp_servers.command]
command = "API_TOKEN={SECRET} srv"
[mcp_servers.header]
url = "https://127.0.0.1:9/"
http_headers = {{ "Authorization: Bearer {SECRET}" = "x" }}
[mcp_servers.address]
url = "https://me:{SECRET}@127.0.0.1:9/mcp?api_key={SECRET}"
"""


def told(directory: Path, config: str, *command: str) -> str:
    """All that a command tells of this configuration, its log file included."""
    file, log = directory / "config.toml", directory / "log"
    file.write_text(config)
    done = run("--config", str(file), "--log-file", str(log), *command)
    assert done.code in (2, 4), done.stderr
    return done.stdout + done.stderr + (log.read_text() if log.exists() else "")


def test_a_value_in_the_wrong_place_is_told_by_its_key_alone(tmp_path: Path) -> None:
    said = told(tmp_path, MISPLACED, "config", "check")
    for key in ("http_headers", "env", "args", "tools", "hooks[1].command"):
        assert f"{key}: must be a" in said, said
    assert SECRET not in said
    said = told(tmp_path, IN_THE_PLACE_OF_A_NAME, "config", "check")
    assert "bearer_token_env_var: must be the name of an environment variable" in said
    assert SECRET not in said


def test_a_server_that_cannot_be_used_is_told_without_its_secrets(tmp_path: Path) -> None:
    said = told(tmp_path, CANNOT_START, "tools")
    assert "The command API_TOKEN=*** srv of the server command was not found" in said
    assert "The header Authorization… of the server header cannot be sent" in said
    assert "The server address cannot be used" in said
    assert SECRET not in said


def test_a_secret_among_a_servers_arguments_is_in_no_record(tmp_path: Path) -> None:
    command, *arguments = scripted(tmp_path, {"t": [{"ask": form("Name?")}]})
    table = f"command = {json.dumps(command)}\nargs = {json.dumps([*arguments, '--token', SECRET])}"
    config = tmp_path / "config.toml"
    config.write_text(f"[mcp_servers.s]\n{table}\n")
    assert run("--config", str(config), "call", "s", "t").code == 0
    exported = json.loads(run("history", "export").stdout)
    assert exported["address"].endswith("--token ***")
    ledger = state_directory().glob("ledger.sqlite3*")
    assert SECRET.encode() not in b"".join(file.read_bytes() for file in ledger)
