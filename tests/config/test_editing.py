"""A server is written into a person's file, and everything else there stays as it is."""

from __future__ import annotations

import stat
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from elicit_tui import paths
from elicit_tui.config import editing
from elicit_tui.config.editing import (
    BesideTarget,
    approval_mode_of,
    put_server,
    remove_server,
    surroundings_of,
    target_of,
)
from elicit_tui.config.example import write_example
from elicit_tui.errors import ConfigError, ElicitTuiError

MINE = """\
# My own words.
[mcp_servers.deploy]  # the old one
command = "deploy-server"   # from work
args = ["--staging"]
env = { TOKEN = "${TOKEN}" }

[console]
notify = "off"  # it is late
"""


@pytest.fixture(autouse=True)
def no_managed_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(paths, "managed_file", lambda: tmp_path / "managed.toml")


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "config.toml"
    path.write_text(MINE)
    return path


def test_a_server_is_added_at_the_end(mine: Path) -> None:
    put_server(mine, "notes", "npx -y 'notes server'")
    added = '\n[mcp_servers.notes]\ncommand = "npx"\nargs = ["-y", "notes server"]\n'
    assert mine.read_text() == MINE + added
    assert target_of(mine, "notes") == "npx -y 'notes server'"


def test_a_file_that_is_not_there_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "new" / "config.toml"
    put_server(path, "notes", "https://notes.example/mcp")
    assert path.read_text() == '[mcp_servers.notes]\nurl = "https://notes.example/mcp"\n'
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.skipif(sys.platform == "win32", reason="there is no RLIMIT_FSIZE")
@pytest.mark.parametrize(
    "write", [write_example, partial(put_server, name="notes", target="notes-server")]
)
def test_a_disk_that_is_full_leaves_no_half_file(
    tmp_path: Path, write: Callable[[Path], None]
) -> None:
    import resource

    path = tmp_path / "config.toml"
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, hard))
    try:
        with pytest.raises(ConfigError, match="cannot be written"):
            write(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert not path.exists()
    write(path)


def test_a_change_keeps_comments_and_other_keys(mine: Path) -> None:
    put_server(mine, "deploy", "deploy-server --production", enabled=False)
    text = mine.read_text()
    for kept in ("# My own words.", "# the old one", "# from work", "TOKEN", "# it is late"):
        assert kept in text
    assert '"--production"' in text
    assert "--staging" not in text
    assert "enabled = false" in text
    put_server(mine, "deploy", "deploy-server --staging")
    assert mine.read_text() == MINE


SEVERAL = """\
[mcp_servers.old]
command = "old-server"

# Production. Never remove it:
# others use it too.
[mcp_servers.deploy]
command = "deploy-server"

# It is late.
[console]
notify = "off"
"""


@pytest.mark.parametrize("name", ["old", "deploy"])
def test_the_comments_of_what_follows_a_server_stay_there(tmp_path: Path, name: str) -> None:
    path = tmp_path / "config.toml"
    path.write_text(SEVERAL)
    put_server(path, name, f"{name}-server", enabled=False)
    key = f'command = "{name}-server"\n'
    assert path.read_text() == SEVERAL.replace(key, f"{key}enabled = false\n")
    remove_server(path, name)
    table = f"[mcp_servers.{name}]\n{key}"
    assert path.read_text() == SEVERAL.replace(f"{table}\n", "").replace(table, "")


def test_a_server_is_taken_out_alone(mine: Path) -> None:
    remove_server(mine, "deploy")
    text = mine.read_text()
    assert "deploy" not in text
    assert 'notify = "off"  # it is late' in text
    assert target_of(mine, "deploy") is None
    with pytest.raises(ConfigError, match="no server deploy"):
        remove_server(mine, "deploy")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        MINE,
        SEVERAL,
        f"{SEVERAL}\n\n",
        f"{SEVERAL}\n# Behind all.\n",
        '[mcp_servers.a]\r\ncommand = "x"\r\n',
    ],
)
def test_a_server_that_is_added_and_taken_out_again_leaves_the_file_as_it_was(
    tmp_path: Path, text: str
) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(text.encode())
    for _ in range(2):
        put_server(path, "notes", "npx notes", beside=BesideTarget("/srv/notes", {"A": "b"}))
        remove_server(path, "notes")
    assert path.read_bytes().decode() == text


@pytest.mark.parametrize(
    ("name", "target", "why"),
    [
        ("install", "x", "reserved name"),
        ("a", "'", "cannot be split"),
        ("a", "https://", "not an http"),
        ("", "x", "no name of a server"),
        ("deploy", "https://d.example/mcp", "goes with command"),
    ],
)
def test_what_would_be_wrong_is_not_written(mine: Path, name: str, target: str, why: str) -> None:
    with pytest.raises(ElicitTuiError, match=why):
        put_server(mine, name, target)
    assert mine.read_text() == MINE


def test_a_file_that_is_no_toml_is_left_alone(mine: Path) -> None:
    mine.write_text("[mcp_servers\n")
    with pytest.raises(ConfigError, match="TOML"):
        put_server(mine, "notes", "npx notes")
    assert mine.read_text() == "[mcp_servers\n"


def test_a_file_that_was_changed_meanwhile_is_not_written_over(
    mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parse = editing.parse

    def slow(*given: Any) -> Any:
        mine.write_text(f"{MINE}# more\n")
        return parse(*given)

    monkeypatch.setattr(editing, "parse", slow)
    with pytest.raises(ConfigError, match="meanwhile"):
        put_server(mine, "notes", "npx notes")
    assert mine.read_text() == f"{MINE}# more\n"


NOTES = """\
# mine
[mcp_servers.notes]  # the notes
command = "notes"
# where they lie
cwd = "/srv"

[mcp_servers.notes.env]
# which ones
KIND = "all"  # of them
OLD = "1"

[mcp_servers.notes.tools.erase]
approval_mode = "prompt"

# the next one
[mcp_servers.other]
command = "x"
"""


def test_folder_and_environment_are_changed_in_place(mine: Path) -> None:
    mine.write_text(NOTES)
    changed = BesideTarget("/srv/notes", {"KIND": "all", "NEW": "a b"})
    put_server(mine, "notes", "notes", beside=changed)
    text = mine.read_text()
    assert surroundings_of(mine, "notes") == ("/srv/notes", {"KIND": "all", "NEW": "a b"})
    for kept in ("# mine", "# the notes", "# where they lie", "# which ones", "# of them"):
        assert kept in text
    assert "[mcp_servers.notes.tools.erase]" in text
    assert "# the next one\n[mcp_servers.other]" in text
    put_server(mine, "notes", "notes", beside=BesideTarget("", {}))
    assert surroundings_of(mine, "notes") == ("", {})
    put_server(mine, "notes", "notes")
    put_server(mine, "third", "third", beside=BesideTarget("/x", {"A": 'b"c'}))
    assert surroundings_of(mine, "third") == ("/x", {"A": 'b"c'})


def test_a_server_is_renamed_where_it_stands_with_all_its_tables(mine: Path) -> None:
    mine.write_text(NOTES)
    put_server(mine, "my notes", "notes", was="notes")
    assert mine.read_text() == NOTES.replace("mcp_servers.notes", 'mcp_servers."my notes"')
    with pytest.raises(ConfigError, match="there is a server other already"):
        put_server(mine, "other", "notes", was="my notes")
    with pytest.raises(ConfigError, match="there is no server gone"):
        put_server(mine, "new", "notes", was="gone")


@pytest.mark.parametrize(
    "text",
    [
        'mcp_servers = { notes = { command = "notes" } }\n',
        '[mcp_servers]\nnotes.command = "notes"\n',
        '[mcp_servers.notes]\ncommand = "notes"\nargs = ["""\n[mcp_servers.notes]\n"""]\n',
    ],
)
def test_a_name_that_cannot_be_changed_safely_is_left_to_the_person(mine: Path, text: str) -> None:
    mine.write_text(text)
    with pytest.raises(ConfigError, match="lets only you change its name"):
        put_server(mine, "new", "notes", was="notes")
    assert mine.read_text() == text


def test_the_rules_and_hooks_of_a_server_go_with_its_name(mine: Path) -> None:
    ruled = """
[[rules]]
server = "deploy"  # never from there
action = "decline"

[[rules]]
server = "d*"
action = "ask"

[[hooks]]
event = "Resolved"
server = "deploy"
command = ["/usr/bin/true"]
"""
    mine.write_text(MINE + ruled)
    put_server(mine, "rollout[1]", "deploy-server --staging", was="deploy")
    text = mine.read_text()
    assert 'server = "rollout[[]1]"  # never from there\naction = "decline"' in text
    assert 'server = "d*"' in text, "what fits others too is not one server's"
    assert text.count('server = "rollout[[]1]"') == 2
    assert "# My own words." in text


def test_when_a_servers_calls_are_asked_before_is_written_in_place(mine: Path) -> None:
    put_server(mine, "notes", "notes")
    before = mine.read_text()
    put_server(mine, "notes", "notes", beside=BesideTarget(approval_mode="prompt"))
    assert approval_mode_of(mine, "notes") == "prompt"
    assert 'default_tools_approval_mode = "prompt"\n' in mine.read_text()
    put_server(mine, "notes", "notes", beside=BesideTarget(approval_mode="auto"))
    assert approval_mode_of(mine, "notes") == "auto"
    assert mine.read_text() == before
