"""`gateway install` and `uninstall`: an agent's file comes back byte for byte."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import tomli

from elicit_tui import paths
from elicit_tui.gateway.install.gateway_entry import NAME, plain_entry
from tests.gateway.install.agent_file import (
    Installed,
    fixture_of,
    installed,
    our_config,
)

SPELLINGS: dict[str, Callable[[bytes], bytes]] = {
    "as it is": lambda raw: raw,
    "CRLF": lambda raw: raw.replace(b"\n", b"\r\n"),
    "byte order mark": lambda raw: b"\xef\xbb\xbf" + raw,
    "no last line end": lambda raw: raw.rstrip(b"\n"),
    "empty": lambda raw: b"",
    "blank": lambda raw: b"\n\n",
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_what_is_installed_is_uninstalled_byte_for_byte(
    agents_file: Installed, spelling: str
) -> None:
    before = agents_file.has(SPELLINGS[spelling](fixture_of(agents_file.agent)), 0o640)
    ours = our_config().read_bytes()
    assert agents_file.runs("install", "mine", "--yes") == 0
    entry = plain_entry(agents_file.known, agents_file.servers[NAME])
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


def test_our_configuration_that_was_made_for_what_moved_goes_again() -> None:
    our_config().unlink()
    cursor = installed("cursor")
    cursor.has(cursor.written({"tracker": {"command": "true"}}))
    assert cursor.runs("install", "--take-over", "--yes") == 0
    assert our_config().exists()
    cursor.runs("uninstall", "--yes")
    assert not our_config().exists()
    assert list(cursor.servers) == ["tracker"]


@pytest.mark.parametrize("moved", [False, True])
def test_a_file_that_was_removed_meanwhile_is_made_again_only_for_what_had_moved(
    moved: bool,
) -> None:
    cursor = installed("cursor")
    cursor.has(cursor.written({"tracker": {"command": "true"}}))
    cursor.runs("install", "--yes", *(["--take-over"] if moved else []))
    cursor.path.unlink()
    assert cursor.runs("uninstall", "--yes") == 0
    assert cursor.path.exists() is moved
    assert not moved or list(cursor.servers) == ["tracker"]


def test_of_our_configuration_a_copy_is_kept_only_where_something_moved_into_it() -> None:
    cursor = installed("cursor")
    cursor.has(cursor.written({"tracker": {"command": "true"}}))
    kept = paths.state_directory() / "gateway" / "installed"
    for more, copies in (([], 0), (["--take-over"], 1)):
        ours = our_config().read_bytes()
        cursor.runs("install", "--yes", *more)
        assert [path.read_bytes() for path in kept.glob("*.config.copy")] == [ours] * copies


def test_an_empty_table_that_stood_there_before_stays() -> None:
    cursor = installed("cursor")
    cursor.has(b'{"mcpServers": {}, "x": 1}')
    cursor.runs("install", "mine", "--yes")
    cursor.path.write_text(cursor.path.read_text().replace('"x": 1', '"x": 2'))
    cursor.runs("uninstall", "--yes")
    assert json.loads(cursor.path.read_text()) == {"mcpServers": {}, "x": 2}


def test_what_was_touched_in_between_is_kept(agents_file: Installed) -> None:
    agents_file.has(fixture_of(agents_file.agent))
    before = agents_file.servers
    agents_file.runs("install", "--take-over", "--yes")
    if agents_file.agent == "codex":
        with agents_file.path.open("a") as file:
            file.write('\n[mcp_servers.later]  # mine\ncommand = "later"\n')
    elif agents_file.known.language == "yaml":
        text = agents_file.path.read_text()
        start = text.index(f"{agents_file.known.servers_path[-1]}:\n")
        key = text.index("\n", start) + 1
        indent = text[key : len(text) - len(text[key:].lstrip())]
        listed = agents_file.known.listed
        later = "- {name: later, command: later}" if listed else "later: {command: later}"
        agents_file.path.write_text(text[:key] + indent + later + " # mine\n" + text[key:])
    else:
        text = agents_file.path.read_text()
        key = agents_file.known.servers_path[-1]
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


def test_an_entry_made_by_hand_comes_back(agents_file: Installed) -> None:
    by_hand = agents_file.written({NAME: {"command": "mine"}})
    agents_file.has(by_hand)
    agents_file.runs("install", "--yes")
    assert agents_file.servers[NAME] != {"command": "mine"}
    agents_file.runs("uninstall", "--yes")
    assert agents_file.path.read_bytes() == by_hand


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
