"""`bridge install|uninstall|doctor`: our hooks in an agent's own file, and all else as it was."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.cli.bridge_install import QUICK_MS, _measured_hook
from elicit_tui.cli.dispatch import dispatch
from elicit_tui.gateway.agents import known_agents
from elicit_tui.gateway.bridge import BRIDGED
from elicit_tui.gateway.bridge.hook_entries import hook_checks
from elicit_tui.gateway.install.places import hooks_file, shown_path
from elicit_tui.paths import state_directory

BEFORE = b"""{
  "model": "opus",
  "hooks": {
    "PermissionRequest": [
      { "matcher": "Bash", "hooks": [{ "type": "command", "command": "audit" }] }
    ],
    "Stop": [{ "hooks": [{ "type": "command", "command": "ring the bell" }] }]
  },
  "permissions": { "allow": ["Bash(ls:*)"] }
}
"""
SPELLINGS = {
    "hooks of others": BEFORE,
    "no hooks": b'{"model":"opus"}',
    "empty": b"{}\n",
    "Windows": BEFORE.replace(b"\n", b"\r\n"),
    "nothing": b"",
}


@pytest.fixture(params=sorted(BRIDGED))
def agent(request: pytest.FixtureRequest) -> str:
    key: str = request.param
    file_of(key).parent.mkdir(parents=True, exist_ok=True)
    return key


def file_of(agent: str) -> Path:
    return hooks_file(known_agents()[agent])


def has(agent: str, raw: bytes, mode: int = 0o644) -> None:
    file_of(agent).write_bytes(raw)
    file_of(agent).chmod(mode)


def ours(agent: str) -> dict[str, Any]:
    """Our hooks, by the event that they are for."""
    events = json.loads(file_of(agent).read_text())["hooks"]
    return {
        event: hook
        for event, entries in events.items()
        for entry in entries
        for hook in entry["hooks"]
        if "elicit" in hook["command"]
    }


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_install_adds_its_hooks_and_uninstall_puts_back_every_byte(
    agent: str, spelling: str
) -> None:
    raw = SPELLINGS[spelling]
    has(agent, raw)
    assert dispatch(["bridge", "install", agent, "--yes"]) == 0
    hooks = ours(agent)
    assert tuple(hooks) == known_agents()[agent].hook_events or set(hooks) == set(
        known_agents()[agent].hook_events
    )
    for hook in hooks.values():
        words = shlex.split(hook["command"])
        assert words[-2:] == ["bridge", agent]
        assert Path(words[0]).is_absolute()
        assert hook["timeout"] > 50
    after = file_of(agent).read_bytes()
    assert dispatch(["bridge", "install", agent, "--yes"]) == 0
    assert file_of(agent).read_bytes() == after
    assert dispatch(["bridge", "uninstall", agent, "--yes"]) == 0
    assert file_of(agent).read_bytes() == raw
    assert file_of(agent).stat().st_mode & 0o777 == 0o644
    assert not list((state_directory() / "gateway" / "installed").iterdir())


def test_hooks_that_were_installed_again_for_longer_waits_go_as_if_installed_once(
    agent: str, sealed_machine: Path
) -> None:
    has(agent, BEFORE)
    dispatch(["bridge", "install", agent, "--yes"])
    once = file_of(agent).read_bytes()
    config = sealed_machine / ".config" / "elicit-tui" / "config.toml"
    config.write_text("[bridge]\nhold_sec = 300\n")
    dispatch(["bridge", "install", agent, "--yes"])
    assert file_of(agent).read_bytes() != once
    assert dispatch(["bridge", "uninstall", agent, "--yes"]) == 0
    assert file_of(agent).read_bytes() == BEFORE


def test_a_copy_of_the_file_is_kept_for_its_owner_alone(agent: str) -> None:
    has(agent, BEFORE)
    dispatch(["bridge", "install", agent, "--yes"])
    (copy,) = (state_directory() / "gateway" / "installed").glob("*.copy")
    assert copy.read_bytes() == BEFORE
    assert copy.stat().st_mode & 0o777 == 0o600


def test_a_file_that_was_not_there_is_made_and_removed_again(agent: str) -> None:
    assert dispatch(["bridge", "install", agent, "--yes"]) == 0
    assert file_of(agent).stat().st_mode & 0o777 == 0o600
    dispatch(["bridge", "uninstall", agent, "--yes"])
    assert not file_of(agent).exists()


def test_what_was_written_in_between_is_kept(agent: str) -> None:
    has(agent, BEFORE)
    dispatch(["bridge", "install", agent, "--yes"])
    text = file_of(agent).read_text().replace('"opus"', '"sonnet"')
    file_of(agent).write_text(text)
    dispatch(["bridge", "uninstall", agent, "--yes"])
    left = json.loads(file_of(agent).read_text())
    assert left == {**json.loads(BEFORE), "model": "sonnet"}


def test_an_empty_table_of_hooks_that_stood_there_before_stays(agent: str) -> None:
    has(agent, b'{"hooks": {}, "model": "opus"}')
    dispatch(["bridge", "install", agent, "--yes"])
    file_of(agent).write_text(file_of(agent).read_text().replace('"opus"', '"sonnet"'))
    assert dispatch(["bridge", "uninstall", agent, "--yes"]) == 0
    assert json.loads(file_of(agent).read_text()) == {"hooks": {}, "model": "sonnet"}


def test_without_a_record_of_what_was_installed_our_hooks_still_go(agent: str) -> None:
    has(agent, BEFORE)
    dispatch(["bridge", "install", agent, "--yes"])
    for kept in (state_directory() / "gateway" / "installed").iterdir():
        kept.unlink()
    assert dispatch(["bridge", "uninstall", agent, "--yes"]) == 0
    assert json.loads(file_of(agent).read_text()) == json.loads(BEFORE)


def test_without_a_record_our_hooks_are_put_in_place_of_themselves(agent: str) -> None:
    has(agent, BEFORE)
    dispatch(["bridge", "install", agent, "--yes"])
    once = json.loads(file_of(agent).read_text())
    for kept in (state_directory() / "gateway" / "installed").iterdir():
        kept.unlink()
    assert dispatch(["bridge", "install", agent, "--yes"]) == 0
    assert json.loads(file_of(agent).read_text()) == once


def test_an_agent_that_is_not_there_is_told(agent: str, capsys: pytest.CaptureFixture[str]) -> None:
    file_of(agent).parent.rmdir()
    assert dispatch(["bridge", "install", agent, "--yes"]) == 2
    assert "Another place is given with --file." in capsys.readouterr().err
    assert not file_of(agent).parent.exists()


def test_the_hook_finds_the_same_configuration_and_store_as_its_owner(
    agent: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert dispatch(["bridge", "install", agent, "--yes"]) == 0
    for hook in ours(agent).values():
        assert shlex.split(hook["command"])[:2] == ["env", f"XDG_STATE_HOME={tmp_path}"]


def test_a_hook_that_was_put_beside_ours_stays_where_it_is(agent: str) -> None:
    has(agent, b"")
    dispatch(["bridge", "install", agent, "--yes"])
    document = json.loads(file_of(agent).read_text())
    audit = {"type": "command", "command": "audit"}
    for entries in document["hooks"].values():
        entries[0]["hooks"].append(audit)
    has(agent, json.dumps(document).encode())
    assert dispatch(["bridge", "uninstall", agent, "--yes"]) == 0
    events = json.loads(file_of(agent).read_text())["hooks"]
    left = {event: [entry["hooks"] for entry in entries] for event, entries in events.items()}
    assert left == {event: [[audit]] for event in known_agents()[agent].hook_events}


def test_the_time_limit_is_above_how_long_a_prompt_waits(agent: str, sealed_machine: Path) -> None:
    config = sealed_machine / ".config" / "elicit-tui" / "config.toml"
    config.write_text("[bridge]\nhold_sec = 300\n")
    dispatch(["bridge", "install", agent, "--yes"])
    assert all(hook["timeout"] >= 305 for hook in ours(agent).values())


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"{", "is not JSON"),
        (b'{"a": ' * 100_000, "is not JSON"),
        (b"[]", "is not understood"),
        (b'{"hooks": []}', "is not understood"),
        (b'{"hooks": {"PermissionRequest": {}}}', "is not understood"),
        (b'{"hooks": {}, "hooks": {}}', "stands in it twice"),
        ('{"hooks": {}}'.encode("utf-16"), "is not UTF-8 text"),
    ],
)
def test_a_file_that_is_not_understood_is_left_alone(
    agent: str, raw: bytes, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    has(agent, raw)
    assert dispatch(["bridge", "install", agent, "--yes"]) == 2
    assert why in capsys.readouterr().err
    assert file_of(agent).read_bytes() == raw


def test_a_symbolic_link_is_not_followed(agent: str, tmp_path: Path) -> None:
    real = tmp_path / "real.json"
    real.write_bytes(BEFORE)
    file_of(agent).symlink_to(real)
    assert dispatch(["bridge", "install", agent, "--yes"]) == 2
    assert real.read_bytes() == BEFORE


def test_nothing_is_written_without_a_yes(agent: str, capsys: pytest.CaptureFixture[str]) -> None:
    has(agent, BEFORE)
    assert dispatch(["bridge", "install", agent]) == 2
    assert "Nothing was written" in capsys.readouterr().err
    assert file_of(agent).read_bytes() == BEFORE


def test_doctor_says_what_is_missing_and_what_is_well(
    agent: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "elicit_tui.cli.bridge_install._measured_hook", lambda command: (True, "Quick.")
    )
    assert dispatch(["bridge", "doctor", agent]) == 1
    assert f"`elicit-tui bridge install {agent}`" in capsys.readouterr().out
    dispatch(["bridge", "install", agent, "--yes"])
    capsys.readouterr()
    assert dispatch(["bridge", "doctor", agent]) == 0
    assert "✗" not in capsys.readouterr().out
    text = file_of(agent).read_text().replace('"timeout": 65', '"timeout": 5')
    file_of(agent).write_text(text)
    assert dispatch(["bridge", "doctor", agent]) == 1
    assert "before bridge.hold_sec" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("hook", "more", "told"),
    [
        ({}, {}, []),
        ({"timeout": 51}, {}, []),
        ({"timeout": 50.5}, {}, ["The agent ends it after 50.5 s, before bridge.hold_sec = 50."]),
        ({"timeout": None}, {}, ["The agent ends it after None s, before bridge.hold_sec = 50."]),
        ({}, {"disableAllHooks": True}, ["disableAllHooks is true in {file}: no hook is run."]),
        ({}, {"disableAllHooks": False}, []),
        (
            {"command": f"{sys.executable} -m elicit_tui bridge other"},
            {},
            [
                "It runs another command than this one would write: "
                f"{sys.executable} -m elicit_tui bridge other."
            ],
        ),
        (
            {"command": "env A=b /gone/elicit-tui bridge x"},
            {},
            [
                "It runs another command than this one would write: "
                "env A=b /gone/elicit-tui bridge x.",
                "Its command cannot be started: env A=b /gone/elicit-tui bridge x.",
            ],
        ),
        (
            {"command": "elicit-tui bridge 'x"},
            {},
            [
                "It runs another command than this one would write: elicit-tui bridge 'x.",
                "Its command cannot be started: elicit-tui bridge 'x.",
            ],
        ),
    ],
)
def test_doctor_says_what_is_wrong_with_a_hook_that_stands(
    agent: str, hook: dict[str, Any], more: dict[str, Any], told: list[str]
) -> None:
    command = f"{sys.executable} -m elicit_tui bridge {agent}"
    ours = {"type": "command", "command": command, "timeout": 65}
    events = known_agents()[agent].hook_events
    # Others' stand before it, however they are written, and our one for the other events is well.
    audit = {"type": "command", "command": "audit"}
    hooks: dict[str, list[Any]] = {event: [{"hooks": [audit, ours]}] for event in events}
    others = ["odd", {"hooks": 5}, {"hooks": ["odd", audit]}]
    hooks[events[0]] = [*others, {"hooks": [{**ours, **hook}]}]
    has(agent, json.dumps({"hooks": hooks, **more}).encode())
    found = list(hook_checks(known_agents()[agent], file_of(agent), command, 50.0))
    shown = shown_path(file_of(agent))
    wrong = [check.sentence for check in found if not check.well]
    assert wrong == [sentence.replace("{file}", shown) for sentence in told]
    well = [check.sentence for check in found if check.well]
    assert well == [f"Our hook for {event} stands in {shown}." for event in events]


def test_doctor_runs_the_hook_and_measures_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("elicit_tui.cli.bridge_install.QUICK_MS", 1000 * QUICK_MS)
    file_of("codex").parent.mkdir(parents=True)
    dispatch(["bridge", "install", "codex", "--yes"])
    capsys.readouterr()
    assert dispatch(["bridge", "doctor", "codex"]) == 0
    assert "Where it has nothing to say, the hook takes" in capsys.readouterr().out


@pytest.mark.parametrize("words", [[], ["install"], ["install", "cursor"], ["remove", "codex"]])
def test_a_command_that_is_none_says_what_there_is(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert dispatch(["bridge", *words]) == 2
    assert "install, uninstall or doctor" in capsys.readouterr().err


def test_doctor_says_that_a_hook_cannot_be_started() -> None:
    well, sentence = _measured_hook("/nonexistent/elicit-tui bridge codex")
    assert not well
    assert "No such file" in sentence
