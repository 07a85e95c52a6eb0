"""`gateway install --take-over`: which of an agent's servers move behind the gateway."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
import tomli

from elicit_tui import paths
from elicit_tui.cli.dispatch import dispatch
from elicit_tui.config import load
from elicit_tui.gateway.install.document import read_document
from elicit_tui.gateway.install.gateway_entry import NAME
from tests.gateway.install.agent_file import (
    Installed,
    fixture_of,
    installed,
    our_config,
)

SECRETS = (
    "ghp_0123456789abcdefABCDEF0123456789abcd",
    "ctx7sk-0f8b1a1f-4d6c-2b9e-5f0c-0b7e3f7a4d0f",
    "BSAabcdefghijklmnopqrstuvwxyz",
)


def test_no_secret_reaches_a_file_that_others_can_read_nor_the_screen(
    agents_file: Installed, sealed_machine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    agents_file.has(fixture_of(agents_file.agent))
    agents_file.runs("install", "--take-over", "--yes")
    agents_file.runs("uninstall", "--yes")
    agents_file.runs("install", "--take-over", "--yes")
    readable = [
        path
        for path in sealed_machine.rglob("*")
        if path.is_file() and path.stat().st_mode & 0o077
        and any(secret.encode() in path.read_bytes() for secret in SECRETS)
    ]  # fmt: skip
    assert readable == []
    written = capsys.readouterr()
    assert not any(secret in written.out + written.err for secret in SECRETS)


def test_a_secret_stays_where_it_is_while_others_can_read_our_configuration(
    capsys: pytest.CaptureFixture[str],
) -> None:
    codex = installed("codex")
    codex.has(fixture_of("codex"))
    our_config().chmod(0o644)
    codex.runs("install", "--take-over", "--yes")
    assert "context7" in codex.servers
    assert "context7 stays where it is: it holds a secret" in capsys.readouterr().err


def test_where_no_servers_are_named_the_entry_leads_to_all_and_not_to_the_moved_alone() -> None:
    cursor = installed("cursor")
    cursor.has(cursor.written({"tracker": {"command": "true"}}))
    cursor.runs("install", "--take-over", "--yes")
    assert set(tomli.loads(our_config().read_text())["mcp_servers"]) == {"mine", "tracker"}
    assert cursor.servers[NAME]["args"][-1] == "gateway"


def test_what_its_agent_alone_would_fill_in_stays_with_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    gemini = installed("gemini-cli")
    gemini.has(gemini.written({"tracker": {"command": "true", "env": {"T": "$TOKEN"}}}))
    gemini.runs("install", "--take-over", "mine", "--yes")
    assert "tracker" in gemini.servers
    assert "it has a variable as $NAME" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("agent", "text", "why"),
    [
        ("cursor", "$TOKEN", ""),
        ("cursor", "${TOKEN}", ""),
        ("claude-desktop", "$TOKEN", ""),
        ("claude-desktop", "${TOKEN}", "takes ${…} as it stands"),
    ],
)
def test_a_dollar_keeps_a_server_only_where_it_would_mean_something_else_here(
    agent: str, text: str, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    theirs = Installed(agent, Path.home() / "theirs.json")
    theirs.has(theirs.written({"tracker": {"command": "true", "env": {"T": text}}}))
    theirs.runs("install", "--take-over", "--yes", "--file", str(theirs.path))
    assert ("tracker" in theirs.servers) is bool(why)
    assert why in capsys.readouterr().err


def test_what_comes_back_is_not_readable_by_others_where_it_was_not_before() -> None:
    codex = installed("codex")
    codex.has(fixture_of("codex"))
    codex.runs("install", "--take-over", "--yes")
    codex.path.chmod(0o644)
    codex.runs("uninstall", "--yes")
    assert codex.path.stat().st_mode & 0o077 == 0


def test_a_file_that_others_could_read_before_they_can_read_after_its_servers_came_back() -> None:
    cursor = installed("cursor")
    cursor.has(cursor.written({"tracker": {"command": "true"}}), 0o644)
    our_config().chmod(0o600)
    cursor.runs("install", "--take-over", "--yes")
    assert "tracker" not in cursor.servers
    cursor.runs("uninstall", "--yes")
    assert "tracker" in cursor.servers
    assert cursor.path.stat().st_mode & 0o777 == 0o644


STAYING = {
    "the open folder": ({"command": "x", "args": ["${workspaceFolder}/a"]}, "folder that is open"),
    "the editor's program": ({"command": "${execPath}"}, "${execPath} has no equal here"),
    "an input": ({"command": "x", "env": {"KEY": "${input:key}"}}, "asks for a part of it"),
    "a file of variables": ({"command": "x", "envFile": "/a/.env"}, "a file of variables"),
    "a key of its own": ({"command": "x", "dev": {"watch": "a"}}, "dev has no equal here"),
    "a relative command": ({"command": "./serve"}, "'./serve' is a relative path"),
    "a relative script": ({"command": "node", "args": ["build/index.js"]}, "relative path"),
    "a script beside": ({"command": "python", "args": ["server.py"]}, "relative path"),
    "a relative option": ({"command": "x", "args": ["--db=./data"]}, "'./data' is a relative"),
    "a relative folder": ({"command": "x", "cwd": "sub"}, "'sub' is a relative path"),
    "a default": ({"command": "x", "args": ["${A:-b}"]}, "no default here"),
    "no table": ("npx server", "it is no table"),
    "nothing to start": ({"type": "stdio"}, "neither command nor url"),
    "our own gateway": ({"command": "/bin/elicit-tui", "args": ["gateway"]}, "gateway of ours"),
}


@pytest.mark.parametrize("kind", STAYING)
def test_an_entry_that_cannot_move_is_named_and_left(
    kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    table, why = STAYING[kind]
    vscode = installed("vscode")
    others = {"good": {"type": "stdio", "command": "uvx", "args": ["good"]}}
    vscode.has(json.dumps({"servers": {"odd": table, **others}}, indent=1).encode())
    assert vscode.runs("install", "--take-over", "--yes") == 0
    assert vscode.servers["odd"] == table
    assert "good" not in vscode.servers
    err = capsys.readouterr().err
    assert "✗ odd stays where it is: " in err
    assert why in err


@pytest.mark.parametrize("command", ["/opt/serve", "C:\\tools\\serve.exe", "~/serve"])
def test_a_command_with_its_whole_path_moves_from_any_system(command: str) -> None:
    vscode = installed("vscode")
    vscode.has(json.dumps({"servers": {"odd": {"command": command}}}).encode())
    vscode.runs("install", "--take-over", "--yes")
    assert tomli.loads(our_config().read_text())["mcp_servers"]["odd"]["command"] == command


@pytest.mark.parametrize(
    "args",
    [["--model=org/small"], ["--scope=@org/tools"], ["@org/tools"], ["--at=https://a.example/b"]],
)
def test_what_has_a_slash_and_is_no_path_holds_no_server_back(args: list[str]) -> None:
    vscode = installed("vscode")
    vscode.has(json.dumps({"servers": {"odd": {"command": "x", "args": args}}}).encode())
    vscode.runs("install", "--take-over", "--yes")
    assert tomli.loads(our_config().read_text())["mcp_servers"]["odd"]["args"] == args


def test_names_that_are_taken_or_reserved_stay(capsys: pytest.CaptureFixture[str]) -> None:
    cursor = installed("cursor")
    names = ("mine", "agent", "a\u202eb")
    cursor.has(json.dumps({"mcpServers": {name: {"command": "x"} for name in names}}).encode())
    cursor.runs("install", "--take-over", "--yes")
    assert list(cursor.servers) == [*names, NAME]
    told = capsys.readouterr()
    assert told.err.count("stays where it is") == 3
    assert "\u202e" not in told.err + told.out


def test_the_servers_of_a_project_stay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    claude = installed("claude-code")
    claude.has(fixture_of("claude-code"))
    claude.runs("install", "--take-over", "--yes")
    assert "shop-db stays where it is: it belongs to the project /home/me/code/shop" in (
        capsys.readouterr().err
    )
    shared = tmp_path / "shop" / ".mcp.json"
    shared.parent.mkdir()
    shared.write_text('{"mcpServers": {"db": {"command": "x"}}}')
    project = Installed("claude-code", shared)
    project.runs("install", "--take-over", "--yes", "--file", str(shared))
    assert list(project.servers) == ["db", NAME]
    assert "db stays where it is: it belongs to a project" in capsys.readouterr().err
    project.runs("uninstall", "--yes", "--file", str(shared))
    assert shared.read_text() == '{"mcpServers": {"db": {"command": "x"}}}'


def test_what_was_changed_of_a_moved_server_stays_with_us(
    capsys: pytest.CaptureFixture[str],
) -> None:
    codex = installed("codex")
    codex.has(fixture_of("codex"))
    codex.runs("install", "--take-over", "--yes")
    text = our_config().read_text()
    our_config().write_text(text.replace("startup_timeout_sec = 20", "startup_timeout_sec = 50"))
    codex.runs("uninstall", "--yes")
    assert "context7 was changed since and stays in" in capsys.readouterr().err
    assert "context7" in tomli.loads(our_config().read_text())["mcp_servers"]
    assert "context7" in codex.servers


def test_what_was_moved_elsewhere_is_put_back_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    codex = installed("codex")
    codex.has(fixture_of("codex"))
    codex.runs("install", "--take-over", "--yes")
    other = tmp_path / "other.toml"
    other.write_text('[mcp_servers.there]\ncommand = "true"\n')
    assert dispatch(["--config", str(other), "gateway", "install", "codex", "--yes"]) == 2
    assert "puts them back first" in capsys.readouterr().err


def test_a_server_that_an_administrator_refuses_stays(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    managed = tmp_path / "managed.toml"
    managed.write_text('[managed]\nservers = "only"\n[mcp_servers.theirs]\ncommand = "/bin/true"\n')
    monkeypatch.setattr(paths, "managed_file", lambda: managed)
    monkeypatch.setattr(load, "__defaults__", (None, None, None, None, os.geteuid(), None))
    cursor = installed("cursor")
    cursor.has(b'{"mcpServers": {"a": {"command": "x"}}}')
    cursor.runs("install", "--take-over", "--yes")
    assert "a stays where it is" in capsys.readouterr().err
    assert "a" in cursor.servers


@pytest.mark.parametrize("spelling", [{}, {"indent": 2}, {"separators": (",", ":")}])
def test_an_argument_behind_the_name_of_a_secret_is_not_shown(
    spelling: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    cursor = installed("cursor")
    args = ["--verbose", "--token", "not like any other", "--port", "8080"]
    env = {"API_TOKEN": "likewise"}
    entry = {"mcpServers": {"a": {"command": "x", "args": args, "env": env}}}
    cursor.has(json.dumps(entry, **spelling).encode())
    assert cursor.runs("install", "--take-over", "--yes") == 0
    told = capsys.readouterr()
    assert not any(secret in told.out + told.err for secret in ("not like any other", "likewise"))
    # What goes from their file and what comes into ours.
    assert told.out.count("8080") == 2
    assert cursor.runs("uninstall", "--yes") == 0
    assert "not like any other" not in "".join(capsys.readouterr())
    assert json.loads(cursor.path.read_bytes()) == entry


@pytest.mark.parametrize("agent", ["opencode", "kilo", "goose", "continue", "fast-agent", "cline"])
def test_a_server_moves_out_of_every_way_of_writing_one_and_back(agent: str) -> None:
    theirs = installed(agent)
    before = theirs.has(fixture_of(agent))
    assert theirs.runs("install", "--take-over", "--yes") == 0
    moved = tomli.loads(our_config().read_text())["mcp_servers"]["browser"]
    assert (moved["command"], moved["args"]) == ("npx", ["-y", "@playwright/mcp@latest"])
    assert "browser" not in theirs.servers
    off = tomli.loads(our_config().read_text())["mcp_servers"].get("off")
    assert off is None or off["enabled"] is False
    theirs.path.write_bytes(theirs.path.read_bytes() + b"\n")
    assert theirs.runs("uninstall", "--yes") == 0
    assert NAME not in theirs.servers
    assert set(theirs.servers) == set(read_document(theirs.known, before, "file").servers)
    assert theirs.servers["browser"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("extensions: &all {a: {cmd: x}}\nothers: *all\n", "it uses anchors"),
        ("extensions: [1]\n", "extensions is no table of servers"),
        ("extensions: {a: }\nextensions: {}\n", "found duplicate key"),
        ("extensions:\n\t- a\n", "it is not YAML"),
    ],
)
def test_yaml_that_could_mean_something_else_is_left_alone(
    text: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    goose = installed("goose")
    before = goose.has(text.encode())
    assert goose.runs("install", "--yes") == 2
    assert said in capsys.readouterr().err
    assert goose.path.read_bytes() == before
