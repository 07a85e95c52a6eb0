"""`gateway install` and `uninstall`: the files that are left alone, and why."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from elicit_tui import paths
from elicit_tui.cli.dispatch import dispatch
from elicit_tui.errors import ConfigError, UsageError
from elicit_tui.gateway.agents import known_agents
from elicit_tui.gateway.install import places, undoing
from elicit_tui.gateway.install.gateway_entry import NAME
from elicit_tui.gateway.install.places import FoundFile, look, own_file
from tests.gateway.install.agent_file import (
    Installed,
    fixture_of,
    installed,
    our_config,
)

ODD = {
    "no JSON": (b'{"mcpServers": {', "is not JSON"),
    "a key twice": (b'{"mcpServers": {"a": {}, "a": {}}}', "stands in it twice"),
    "the table twice": (b'{"mcpServers": {}, "mcpServers": {}}', "stands in it twice"),
    "a list": (b'{"mcpServers": []}', "is no table of servers"),
    "an array": (b"[]", "is no object"),
    "UTF-16": ('{"mcpServers": {}}'.encode("utf-16"), "is not UTF-8 text"),
    "too deep": (b'{"a": ' * 100_000, "is not JSON"),
    "TOML": (b"mcpServers = 1", "is not JSON"),
}


@pytest.mark.parametrize("kind", ODD)
def test_what_is_not_understood_is_left_alone(
    kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    raw, why = ODD[kind]
    cursor = installed("cursor")
    cursor.has(raw)
    for command in ("install", "uninstall"):
        assert cursor.runs(command, "--yes") == 2
        said = capsys.readouterr().err
        assert why in said
        assert "left as it is" in said
        assert cursor.path.read_bytes() == raw


@pytest.mark.parametrize(
    ("agent", "text"),
    [
        ("continue", "mcpServers: {}\n"),
        ("continue", "mcpServers: 1\n"),
        ("continue", "mcpServers: [1]\n"),
        (
            "continue",
            "mcpServers:\n  - name: a\n    command: x\n  - name: a\n    command: y\n",
        ),
        ("continue", "mcpServers:\n  - command: x\n"),
        ("codex", 'mcp_servers = { a = { command = "x" } }\n'),
        ("codex", '[mcp_servers]\nelicit-tui = { command = "x" }\n'),
        ("codex", "mcp_servers = 1\n"),
        ("codex", "[mcp_servers\n"),
    ],
)
def test_servers_in_a_shape_that_is_not_understood_are_left_alone(agent: str, text: str) -> None:
    theirs = installed(agent)
    theirs.has(text.encode())
    assert theirs.runs("install", "--yes") == 2
    assert theirs.path.read_text() == text


def test_an_agent_without_a_file_on_this_system_is_told_how_to_name_one() -> None:
    with pytest.raises(UsageError, match="no known file on this system; give it with --file"):
        own_file(replace(known_agents()["cursor"], place={"plan 9": "~/mcp"}))


def test_a_file_that_is_named_needs_no_place_that_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    config, file = our_config().absolute(), tmp_path / "mcp.json"
    file.write_text("{}")
    monkeypatch.setenv("HOME", "not absolute")
    words = ["--config", str(config), "gateway", "install", "cursor", "--file", str(file), "--yes"]
    dispatch(words)
    assert "the place of" not in capsys.readouterr().err


def test_links_are_refused_wherever_they_stand_below_the_home(
    agents_file: Installed, sealed_machine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    elsewhere = sealed_machine / "dotfiles"
    elsewhere.mkdir()
    real = elsewhere / agents_file.path.name
    real.write_bytes(fixture_of(agents_file.agent))
    agents_file.path.parent.mkdir(parents=True, exist_ok=True)
    agents_file.path.symlink_to(real)
    assert agents_file.runs("install", "--yes") == 2
    agents_file.path.unlink()
    if agents_file.path.parent != sealed_machine:
        agents_file.path.parent.rmdir()
        agents_file.path.parent.symlink_to(elsewhere)
        assert agents_file.runs("install", "--yes") == 2
    assert "is a symbolic link" in capsys.readouterr().err
    assert real.read_bytes() == fixture_of(agents_file.agent)


def test_what_is_no_file_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    cursor = installed("cursor")
    cursor.path.parent.mkdir()
    os.mkfifo(cursor.path)
    assert cursor.runs("install", "--yes") == 2
    assert "is not a file" in capsys.readouterr().err


def test_a_file_with_a_second_name_is_refused(
    sealed_machine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cursor = installed("cursor")
    before = cursor.has(fixture_of("cursor"))
    (sealed_machine / "second.json").hardlink_to(cursor.path)
    assert cursor.runs("install", "--yes") == 2
    assert "a second name" in capsys.readouterr().err
    assert cursor.path.read_bytes() == before


def test_a_file_that_is_read_only_stays_so(capsys: pytest.CaptureFixture[str]) -> None:
    cursor = installed("cursor")
    before = cursor.has(fixture_of("cursor"), 0o400)
    assert cursor.runs("install", "--yes") == 2
    assert "is read-only" in capsys.readouterr().err
    assert cursor.path.read_bytes() == before


def test_our_own_configuration_is_no_agents(capsys: pytest.CaptureFixture[str]) -> None:
    assert dispatch(["gateway", "install", "codex", "--yes", "--file", str(our_config())]) == 2
    assert "is our own configuration" in capsys.readouterr().err


def test_an_agent_that_is_not_there_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert installed("cursor").runs("install", "--yes") == 2
    assert "is Cursor installed?" in capsys.readouterr().err


@pytest.mark.parametrize("note", ["", "{", "[]", '{"agent": "cursor"}', '{"taken": 1}'])
def test_a_damaged_note_of_what_was_installed_says_what_to_do(
    note: str, capsys: pytest.CaptureFixture[str]
) -> None:
    cursor = installed("cursor")
    cursor.has(fixture_of("cursor"))
    cursor.runs("install", "--yes")
    after = cursor.path.read_bytes()
    (kept,) = paths.state_directory().joinpath("gateway", "installed").glob("cursor-*.json")
    kept.write_text(note)
    capsys.readouterr()
    assert cursor.runs("uninstall", "--yes") == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "Remove it: then uninstall takes out the gateway's entry" in said
    assert ".copy" in said
    assert cursor.path.read_bytes() == after
    kept.unlink()
    assert cursor.runs("uninstall", "--yes") == 0
    assert NAME not in cursor.servers


@pytest.mark.parametrize("more", [0, 1, 5])
def test_a_file_that_is_too_large_is_left_and_never_taken_for_its_first_part(
    tmp_path: Path, more: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (places, undoing):
        monkeypatch.setattr(module, "LARGEST_FILE", 1_000)
    file, content = tmp_path / "mcp.json", b" " * (1_000 + more)
    file.write_bytes(content)
    found = FoundFile(file, content)
    if not more:
        assert look(file).content == content
        assert undoing.own_document(found).text == content.decode()
        return
    with pytest.raises(ConfigError, match="it is larger than"):
        look(file)
    with pytest.raises(ConfigError, match="it is too large"):
        undoing.own_document(found)
