"""`gateway install` and `uninstall` on configurations as six agents write them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import tomli

from elicit_tui import paths
from elicit_tui.cli.dispatch import dispatch
from elicit_tui.config import load
from elicit_tui.config.importing import jsonc
from elicit_tui.gateway.agents import known_agents
from elicit_tui.gateway.install import changes
from elicit_tui.gateway.install.places import installable, own_file
from elicit_tui.gateway.install.snippet import NAME
from tests.cli.terminal import Terminal

FILES = Path(__file__).parent / "agent_files"
AGENTS = sorted(installable())
SECRETS = (
    "ghp_0123456789abcdefABCDEF0123456789abcd",
    "ctx7sk-0f8b1a1f-4d6c-2b9e-5f0c-0b7e3f7a4d0f",
    "BSAabcdefghijklmnopqrstuvwxyz",
)
SPELLINGS: dict[str, Callable[[bytes], bytes]] = {
    "as it is": lambda raw: raw,
    "CRLF": lambda raw: raw.replace(b"\n", b"\r\n"),
    "byte order mark": lambda raw: b"\xef\xbb\xbf" + raw,
    "no last line end": lambda raw: raw.rstrip(b"\n"),
    "empty": lambda raw: b"",
    "blank": lambda raw: b"\n\n",
}


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


@pytest.fixture(params=AGENTS)
def agents_file(request: pytest.FixtureRequest) -> Installed:
    return installed(request.param)


def installed(agent: str) -> Installed:
    return Installed(agent, own_file(known_agents()[agent]))


def fixture_of(agent: str) -> bytes:
    return next(FILES.glob(f"{agent}.*")).read_bytes()


def our_config() -> Path:
    return paths.config_file()


@pytest.fixture(autouse=True)
def configured(sealed_machine: Path) -> None:
    """One server of ours, so that the gateway has something to serve."""
    folder = sealed_machine / ".config" / "elicit-tui"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text('[mcp_servers.mine]\ncommand = "true"\n')
    (folder / "config.toml").chmod(0o600)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_what_is_installed_is_uninstalled_byte_for_byte(
    agents_file: Installed, spelling: str
) -> None:
    before = agents_file.has(SPELLINGS[spelling](fixture_of(agents_file.agent)), 0o640)
    ours = our_config().read_bytes()
    assert agents_file.runs("install", "mine", "--yes") == 0
    entry = agents_file.servers[NAME]
    assert entry["args"][-2:] == ["gateway", "mine"]
    assert Path(entry["command"]).is_absolute()
    after = agents_file.path.read_bytes()
    assert after.startswith(b"\xef\xbb\xbf") == before.startswith(b"\xef\xbb\xbf")
    if spelling == "CRLF":
        assert after.count(b"\n") == after.count(b"\r\n")
    assert agents_file.path.stat().st_mode & 0o777 == 0o640
    assert agents_file.runs("uninstall", "--yes") == 0
    assert agents_file.path.read_bytes() == before
    assert agents_file.path.stat().st_mode & 0o777 == 0o640
    assert our_config().read_bytes() == ours


@pytest.mark.parametrize("spelling", ["as it is", "CRLF", "byte order mark", "no last line end"])
def test_every_line_of_the_agents_own_stays_where_it_was(
    agents_file: Installed, spelling: str
) -> None:
    before = agents_file.has(SPELLINGS[spelling](fixture_of(agents_file.agent)))
    agents_file.runs("install", "--yes")
    after = agents_file.path.read_bytes()
    if b"\n" not in before:
        assert after.startswith(before[:-2])
        return
    lines = iter(line.rstrip(b",\r\n") for line in after.splitlines())
    # In order, each of them: an iterator only goes on.
    assert all(line.rstrip(b",\r\n") in lines for line in before.splitlines())


def test_a_file_that_was_not_there_is_made_and_removed_again(agents_file: Installed) -> None:
    agents_file.path.parent.mkdir(parents=True, exist_ok=True)
    assert agents_file.runs("install", "--yes") == 0
    assert list(agents_file.servers) == [NAME]
    assert agents_file.path.stat().st_mode & 0o777 == 0o600
    agents_file.runs("uninstall", "--yes")
    assert not agents_file.path.exists()


def test_what_was_taken_over_is_put_back_byte_for_byte(agents_file: Installed) -> None:
    before = agents_file.has(fixture_of(agents_file.agent))
    ours = our_config().read_bytes()
    assert agents_file.runs("install", "--take-over", "--yes") == 0
    moved = set(tomli.loads(our_config().read_text())["mcp_servers"]) - {"mine"}
    assert moved
    assert not moved & set(agents_file.servers)
    # Once more changes nothing, and forgets nothing.
    assert agents_file.runs("install", "--yes") == 0
    assert not moved & set(agents_file.servers)
    agents_file.runs("uninstall", "--yes")
    assert agents_file.path.read_bytes() == before
    assert our_config().read_bytes() == ours
    assert list((paths.state_directory() / "gateway" / "installed").iterdir()) == []


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


def test_what_comes_back_is_not_readable_by_others_where_it_was_not_before() -> None:
    codex = installed("codex")
    codex.has(fixture_of("codex"))
    codex.runs("install", "--take-over", "--yes")
    codex.path.chmod(0o644)
    codex.runs("uninstall", "--yes")
    assert codex.path.stat().st_mode & 0o077 == 0


STAYING = {
    "the open folder": ({"command": "x", "args": ["${workspaceFolder}/a"]}, "folder that is open"),
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
    assert "shop-db stays where it is: it belongs to the project /home/me/work/shop" in (
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


def test_what_was_touched_in_between_is_kept(agents_file: Installed) -> None:
    agents_file.has(fixture_of(agents_file.agent))
    before = agents_file.servers
    agents_file.runs("install", "--take-over", "--yes")
    if agents_file.agent == "codex":
        with agents_file.path.open("a") as file:
            file.write('\n[mcp_servers.later]  # mine\ncommand = "later"\n')
    else:
        text = agents_file.path.read_text()
        key = known_agents()[agents_file.agent].servers_key
        place = text.rindex(f'"{key}"')
        at = text.index("{", place) + 1
        text = text[:at] + '/* mine */ "later": {"command": "later"}, ' + text[at:]
        agents_file.path.write_text(text)
    with our_config().open("a") as file:
        file.write('\n[mcp_servers.afterwards]\ncommand = "true"\n')
    agents_file.runs("uninstall", "--yes")
    assert agents_file.servers == {**before, "later": {"command": "later"}}
    assert "mine" in agents_file.path.read_text()
    ours = tomli.loads(our_config().read_text())["mcp_servers"]
    assert list(ours) == ["mine", "afterwards"]


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


def test_an_entry_made_by_hand_comes_back(agents_file: Installed) -> None:
    by_hand = (
        b'[mcp_servers.elicit-tui]\ncommand = "mine"\n'
        if agents_file.agent == "codex"
        else json.dumps(
            {known_agents()[agents_file.agent].servers_key: {NAME: {"command": "mine"}}}
        ).encode()
    )
    agents_file.has(by_hand)
    agents_file.runs("install", "--yes")
    assert agents_file.servers[NAME]["command"] != "mine"
    agents_file.runs("uninstall", "--yes")
    assert agents_file.path.read_bytes() == by_hand


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
    "text",
    [
        'mcp_servers = { a = { command = "x" } }\n',
        '[mcp_servers]\nelicit-tui = { command = "x" }\n',
        "mcp_servers = 1\n",
        "[mcp_servers\n",
    ],
)
def test_toml_in_a_way_that_is_not_understood_is_left_alone(text: str) -> None:
    codex = installed("codex")
    codex.has(text.encode())
    assert codex.runs("install", "--yes") == 2
    assert codex.path.read_text() == text


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


def test_it_is_told_when_the_agent_starts_only_chosen_servers(
    capsys: pytest.CaptureFixture[str],
) -> None:
    gemini = installed("gemini-cli")
    gemini.has(b'{"mcp": {"allowed": ["github"]}}')
    gemini.runs("install", "--yes")
    assert "only the servers in mcp.allowed are started" in capsys.readouterr().err


def test_our_configuration_may_begin_with_a_mark_and_is_extended_all_the_same() -> None:
    ours = b"\xef\xbb\xbf" + our_config().read_bytes().replace(b"\n", b"\r\n")
    our_config().write_bytes(ours)
    codex = installed("codex")
    codex.has(fixture_of("codex"))
    assert codex.runs("install", "--take-over", "--yes") == 0
    after = our_config().read_bytes()
    assert after.startswith(ours)
    assert after.count(b"\n") == after.count(b"\r\n")
    codex.runs("uninstall", "--yes")
    assert our_config().read_bytes() == ours


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


def test_an_agent_that_is_not_there_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert installed("cursor").runs("install", "--yes") == 2
    assert "is Cursor installed?" in capsys.readouterr().err


def test_nothing_is_written_without_a_yes(capsys: pytest.CaptureFixture[str]) -> None:
    cursor = installed("cursor")
    before = cursor.has(fixture_of("cursor"))
    assert cursor.runs("install") == 2
    told = capsys.readouterr()
    assert "Nothing was written" in told.err
    assert '+    "elicit-tui": {' in told.out.splitlines()
    assert cursor.path.read_bytes() == before
    assert not paths.state_directory().joinpath("gateway").exists()


@pytest.mark.parametrize(("typed", "written"), [("n\n", False), ("y\n", True)])
def test_a_person_is_asked(typed: str, written: bool) -> None:
    cursor = installed("cursor")
    before = cursor.has(fixture_of("cursor"))
    with Terminal(["gateway", "install", "cursor", "mine"]) as terminal:
        terminal.wait_for("Write this? [y/N]")
        terminal.type(typed)
        terminal.wait_for("✓ Cursor has the gateway now" if written else "Nothing was written.")
    assert (cursor.path.read_bytes() != before) == written


def test_a_file_that_changes_while_its_person_reads_is_not_overwritten(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cursor = installed("cursor")
    cursor.has(fixture_of("cursor"))
    monkeypatch.setattr(
        "elicit_tui.cli.gateway_install._agreed", lambda *_: bool(cursor.has(b'{"a": 1}'))
    )
    assert cursor.runs("install") == 2
    assert "was changed meanwhile; nothing was written" in capsys.readouterr().err
    assert cursor.path.read_bytes() == b'{"a": 1}'


def test_when_one_of_two_files_cannot_be_written_neither_is_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cursor = installed("cursor")
    before = cursor.has(fixture_of("cursor"))
    ours = our_config().read_bytes()
    replace = paths.replace_file

    def full(path: Path, content: bytes, mode: int = 0o600) -> None:
        if path == cursor.path:
            raise OSError(28, "No space left on device", str(path))
        replace(path, content, mode)

    monkeypatch.setattr(changes, "replace_file", full)
    assert cursor.runs("install", "--take-over", "--yes") == 2
    assert cursor.path.read_bytes() == before
    assert our_config().read_bytes() == ours


def test_the_entry_leads_to_the_same_configuration_and_store(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    cursor = installed("cursor")
    cursor.has(fixture_of("cursor"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    chosen = tmp_path / "my.toml"
    chosen.write_text('[mcp_servers.there]\ncommand = "true"\n')
    assert dispatch(
        ["--config", str(chosen), "gateway", "install", "cursor", "there", "--yes"]
    ) == 0  # fmt: skip
    entry = cursor.servers[NAME]
    assert entry["args"][-4:] == ["--config", str(chosen), "gateway", "there"]
    assert entry["env"] == {"XDG_STATE_HOME": str(tmp_path / "state")}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["install", "nobody"], "takes an agent: claude-code"),
        (["install", "goose"], "gateway snippet goose"),
        (["install", "cursor", "nothing"], "There is no server 'nothing'"),
        (["install"], "takes an agent"),
        (["mine", "--yes"], "--yes goes with gateway install"),
    ],
)
def test_what_cannot_be_meant_is_told(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert dispatch(["gateway", *words]) == 2
    assert said in capsys.readouterr().err


def test_a_gateway_that_would_serve_nothing_is_not_installed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    our_config().unlink()
    cursor = installed("cursor")
    cursor.has(fixture_of("cursor"))
    assert cursor.runs("install", "--yes") == 2
    assert "give --take-over to move those of Cursor" in capsys.readouterr().err
    assert cursor.runs("install", "demo", "--yes") == 0


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
