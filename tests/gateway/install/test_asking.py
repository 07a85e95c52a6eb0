"""`gateway install`: what its person reads, and that nothing is written without a yes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from elicit_tui import paths
from elicit_tui.cli.dispatch import dispatch
from elicit_tui.gateway.install import changes
from elicit_tui.gateway.install.gateway_entry import NAME
from tests.cli.terminal import Terminal
from tests.gateway.install.agent_file import (
    fixture_of,
    installed,
    our_config,
)


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
        "elicit_tui.cli.agent_file.agreed_to", lambda *_: bool(cursor.has(b'{"a": 1}'))
    )
    assert cursor.runs("install") == 2
    assert "was changed meanwhile; nothing was written" in capsys.readouterr().err
    assert cursor.path.read_bytes() == b'{"a": 1}'


def test_a_file_that_comes_while_its_person_reads_is_not_overwritten(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cursor = installed("cursor")
    cursor.path.parent.mkdir(parents=True)
    monkeypatch.setattr(
        "elicit_tui.cli.agent_file.agreed_to", lambda *_: bool(cursor.has(b'{"a": 1}'))
    )
    assert cursor.runs("install") == 2
    assert "was changed meanwhile; nothing was written" in capsys.readouterr().err
    assert cursor.path.read_bytes() == b'{"a": 1}'


def test_when_one_of_two_files_cannot_be_written_neither_is_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cursor = installed("cursor")
    before = cursor.has(cursor.written({"tracker": {"command": "true"}}))
    ours = our_config().read_bytes()
    our_config().chmod(0o644)
    replace = paths.replace_file

    def full(path: Path, content: bytes, mode: int = 0o600) -> None:
        if path == cursor.path:
            raise OSError(28, "No space left on device", str(path))
        replace(path, content, mode)

    monkeypatch.setattr(changes, "replace_file", full)
    assert cursor.runs("install", "--take-over", "--yes") == 2
    assert cursor.path.read_bytes() == before
    assert our_config().read_bytes() == ours
    assert our_config().stat().st_mode & 0o777 == 0o644


def test_a_file_that_cannot_be_put_back_is_told_beside_what_failed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cursor = installed("cursor")
    before = cursor.has(cursor.written({"tracker": {"command": "true"}}))
    replace, written = paths.replace_file, set[Path]()

    def full(path: Path, content: bytes, mode: int = 0o600) -> None:
        if path == cursor.path or path in written:
            raise OSError(28, "No space left on device", str(path))
        written.add(path)
        replace(path, content, mode)

    monkeypatch.setattr(changes, "replace_file", full)
    assert cursor.runs("install", "--take-over", "--yes") == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "mcp.json: No space left on device; " in said
    assert "was changed and is not put back: No space left on device" in said
    assert "nothing was changed" not in said
    assert cursor.path.read_bytes() == before


def test_a_note_that_cannot_be_removed_is_told_when_all_is_undone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cursor = installed("cursor")
    before = cursor.has(fixture_of("cursor"))
    cursor.runs("install", "--yes")
    unlink = Path.unlink

    def refused(path: Path, missing_ok: bool = False) -> None:
        if path.parent.name == "installed":
            raise OSError(30, "Read-only file system", str(path))
        unlink(path, missing_ok)

    monkeypatch.setattr(Path, "unlink", refused)
    capsys.readouterr()
    assert cursor.runs("uninstall", "--yes") == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "it is undone, but " in said
    assert "cannot be removed: Read-only file system" in said
    assert cursor.path.read_bytes() == before


def test_ours_is_written_first_so_that_a_death_between_the_files_loses_no_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cursor = installed("cursor")
    cursor.has(cursor.written({"tracker": {"command": "true"}}))
    written: list[Path] = []
    replace = paths.replace_file

    def noted(path: Path, content: bytes, mode: int = 0o600) -> None:
        written.append(path)
        replace(path, content, mode)

    monkeypatch.setattr(changes, "replace_file", noted)
    assert cursor.runs("install", "--take-over", "--yes") == 0
    assert [path for path in written if path in (our_config(), cursor.path)] == [
        our_config(),
        cursor.path,
    ]


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


SECRETS = {"OPENAI": "sk-live-12345678", "PGPASS": "hunter2", "X-Api": "9f8e7d"}


@pytest.mark.parametrize("agent", ["cursor", "codex"])
def test_what_is_secret_by_its_value_or_its_name_is_masked_in_the_difference(
    agent: str, capsys: pytest.CaptureFixture[str]
) -> None:
    ours = installed(agent)
    if agent == "codex":
        lines = "".join(f'{json.dumps(name)} = "{value}"\n' for name, value in SECRETS.items())
        table = f'[mcp_servers.shop]\ncommand = "npx"\n[mcp_servers.shop.env]\n{lines}'
    else:
        table = json.dumps({"mcpServers": {"shop": {"command": "npx", "env": SECRETS}}}, indent=2)
    ours.has(table.encode())
    assert ours.runs("install", "--take-over", "--yes") == 0
    told = capsys.readouterr()
    for name, value in SECRETS.items():
        assert name in told.out
        assert value not in told.out + told.err
    assert "sk-live" not in told.out


def test_an_entry_of_our_name_that_is_not_ours_is_named_before_it_is_replaced(
    capsys: pytest.CaptureFixture[str],
) -> None:
    cursor = installed("cursor")
    before = cursor.has(b'{"mcpServers": {"elicit-tui": {"command": "/opt/other --token=abc"}}}')
    assert cursor.runs("install") == 2
    assert "'elicit-tui' stands there that is not this program's (/opt/other --token=***)" in (
        capsys.readouterr().err
    )
    assert cursor.runs("install", "--yes") == 0
    capsys.readouterr()
    assert cursor.runs("install", "mine", "--yes") == 0
    assert "not this program's" not in capsys.readouterr().err
    assert cursor.runs("uninstall", "--yes") == 0
    assert cursor.path.read_bytes() == before


def test_it_is_told_when_the_agent_starts_only_chosen_servers(
    capsys: pytest.CaptureFixture[str],
) -> None:
    gemini = installed("gemini-cli")
    gemini.has(b'{"mcp": {"allowed": ["github"]}}')
    gemini.runs("install", "--yes")
    assert "only the servers in mcp.allowed are started" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["install", "nobody"], "takes an agent: claude-code"),
        (["install", "zed"], "gateway snippet zed"),
        (["install", "cursor", "nothing"], "There is no server 'nothing'"),
        (["install"], "takes an agent"),
        (["mine", "--yes"], "There is no option '--yes'. (see elicit-tui gateway --help)"),
        (["uninstall", "cursor", "--take-over"], "There is no option '--take-over'"),
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


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ('["run", "--token", "qZ7hunter"]', '["run", "--token", "***"]'),
        ('["--token", "qZ7hunter", "--token", "x"]', '["--token", "***", "--token", "***"]'),
        ("args = ['--api-key', 'qZ7hunter', '-v', 'a']", "args = ['--api-key', '***', '-v', 'a']"),
        ('["--token", "***"]', '["--token", "***"]'),
        ('{"--token": "run", "b": ["c"]}', '{"--token": "***", "b": ["c"]}'),
        ('"NOTES_PASSWORD": "correct horse battery"', '"NOTES_PASSWORD": "***"'),
        ("  NOTES_PASSWORD: correct horse battery", "  NOTES_PASSWORD: ***"),
        ("  - token: correct horse battery", "  - token: ***"),
    ],
)
def test_of_a_secret_behind_its_flag_no_letter_is_shown_and_all_else_as_it_is(
    line: str, shown: str
) -> None:
    change = changes.Change(Path("mcp.json"), None, line.encode(), 0o600)
    assert changes.difference(change)[-1] == f"+{shown}"


def test_a_secret_is_masked_also_where_a_long_line_is_cut_behind_its_name() -> None:
    secret = "-".join(["summer", "house"] * 20)
    before = json.dumps({"a": "x " * 200, "password": secret}).encode()
    after = before[:-1] + b', "b": 1}'
    shown = changes.difference(changes.Change(Path("mcp.json"), before, after, 0o600))
    assert shown[-2].endswith('"password": "***"}')
    assert shown[-1].endswith('"password": "***", "b": 1}')
