"""`gateway status`: who is connected, with which servers, and what waits."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from elicit_tui import paths
from elicit_tui.cli.dispatch import dispatch
from elicit_tui.gateway import connected
from elicit_tui.gateway.connected import (
    KEPT_SECONDS,
    MOST_NOTES,
    NoteOfSession,
    session_notes,
)
from elicit_tui.gateway.requester import AgentInfo
from elicit_tui.host.events import ServerStateChanged
from elicit_tui.store import note_folder
from tests.gateway.front_messages import modern
from tests.gateway.http_world import MODERN_META, many_agents
from tests.gateway.test_clients import ClientForms, called, via
from tests.gateway.test_front_process import on_pipes
from tests.gateway.world import ERAS, MODERN, WAIT, asking, until, workshop, world

pytestmark = pytest.mark.anyio


def told(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert dispatch([*words]) == 0
    written = capsys.readouterr()
    return written.out + written.err


def test_before_any_agent_it_says_what_to_look_at(
    capsys: pytest.CaptureFixture[str], sealed_machine: Path
) -> None:
    assert "`elicit-tui gateway doctor AGENT` looks" in told(capsys, "gateway", "status")


async def test_an_agent_is_told_of_while_it_is_there_and_after(
    capsys: pytest.CaptureFixture[str], sealed_machine: Path
) -> None:
    forms = ClientForms(silent=True)
    mine = {"elicitation_callback": forms, "client_info": called("codex-mcp-client")}
    async with world(asking(), gateway=via("client"), client=mine) as here:
        call = here.begins("asking__one")
        await asyncio.wait_for(forms.someone_asked.wait(), WAIT)
        lines = await asyncio.to_thread(told, capsys, "gateway", "status")
        assert "● codex-mcp-client 1, over stdio in " in lines
        assert "    asking ready" in lines
        assert "forms of its own: form, url" in lines
        assert "asked in its own client for " in lines
        command = [sys.executable, "-m", "elicit_tui", "inbox", "list"]
        listed = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True)
        assert "codex-mcp-client: asked in its own client for " in listed.stderr
        (note,) = paths.state_directory().joinpath("gateway", "sessions").iterdir()
        assert note.stat().st_mode & 0o777 == 0o600
        assert "A value" not in note.read_text()
        forms.goes_on.set()
        await call
    lines = await asyncio.to_thread(told, capsys, "gateway", "status")
    assert "○ codex-mcp-client 1" in lines
    assert ", ended " in lines
    assert "asked in" not in lines


async def test_an_agent_that_has_only_begun_is_told_of_in_the_modern_era_too(
    sealed_machine: Path,
) -> None:
    async with on_pipes(workshop()) as ask:
        await ask(modern("server/discover"))
        (note,) = session_notes()
        assert note.agent == MODERN_META["io.modelcontextprotocol/clientInfo"]["name"]
        assert note.alive


def noted(name: str, **values: object) -> None:
    folder = paths.state_directory() / "gateway" / "sessions"
    folder.mkdir(parents=True, exist_ok=True)
    note = {"session": name, "process": os.getpid(), "since": "2026-11-24T04:00:00.000Z", **values}
    (folder / f"{name}.json").write_text(json.dumps(note))


@pytest.mark.parametrize("era", ERAS)
async def test_an_agent_over_http_is_told_of_as_that(sealed_machine: Path, era: str) -> None:
    async with many_agents() as gateway, gateway.raw(gateway.tokens.add("agent")) as client:
        if era == MODERN:
            await gateway.modern(client, "tools/list")
        else:
            await gateway.begin(client)
        await until(lambda: bool(session_notes()))
        (note,) = session_notes()
        assert (note.transport, note.agent) == ("http", "raw")


def kept(*servers: str) -> NoteOfSession:
    return NoteOfSession("a session", Path("/work"), servers)


def test_nothing_is_noted_of_an_agent_that_said_nothing_yet(sealed_machine: Path) -> None:
    kept().on_host_event(ServerStateChanged("web", "ready"))
    assert session_notes() == []


@pytest.mark.parametrize("http", [True, False])
def test_a_client_is_noted_as_what_it_calls_itself_last_and_as_it_comes(
    sealed_machine: Path, http: bool
) -> None:
    note = kept()
    for name, version in (("probe", "0"), ("codex", "2")):
        note.known_as(AgentInfo(name, version, frozenset({"form"})), http=http)
    (seen,) = session_notes()
    assert (seen.agent, seen.version, seen.forms) == ("codex", "2", ("form",))
    assert (seen.transport, seen.directory) == ("http" if http else "stdio", "/work")


def test_how_each_server_stands_is_noted_beside_the_others(sealed_machine: Path) -> None:
    note = kept("web", "shop", "silent")
    note.on_host_event(ServerStateChanged("web", "ready"))
    note.known_as(AgentInfo("codex"), http=False)
    note.on_host_event(ServerStateChanged("shop", "failed", "It has no key."))
    (seen,) = session_notes()
    assert {name: (each.state, each.failure) for name, each in seen.servers.items()} == {
        "web": ("ready", None),
        "shop": ("failed", "It has no key."),
        "silent": ("starting", None),
    }


def test_a_note_that_cannot_be_written_costs_the_session_nothing(
    sealed_machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*given: object) -> None:
        raise OSError("The disk is full.")

    monkeypatch.setattr(note_folder, "replace_file", fails)
    note = kept()
    note.known_as(AgentInfo("codex"), http=False)
    note.end()
    assert session_notes() == []


def test_a_gateway_that_was_killed_is_not_taken_for_the_process_that_has_its_number(
    capsys: pytest.CaptureFixture[str], sealed_machine: Path
) -> None:
    noted("a", agent="codex", written=time.time() - 24 * 3600)
    assert "its process is gone" in told(capsys, "gateway", "status")


def test_notes_are_bounded_and_what_is_broken_or_old_costs_nobody_the_others(
    sealed_machine: Path,
) -> None:
    now = time.time()
    for number in range(MOST_NOTES + 5):
        noted(f"n{number}", written=now - 100 - number, ended="2026-11-24T04:00:00.000Z")
    noted("old", written=now - KEPT_SECONDS - 200, ended="2026-11-24T04:00:00.000Z")
    (connected.NOTES.path / "broken.json").write_text("{")
    newest = [f"n{number}" for number in range(MOST_NOTES)]
    assert [note.session for note in session_notes()] == newest
    assert not (connected.NOTES.path / "old.json").exists()


@pytest.mark.parametrize(
    "damaged",
    [
        {"since": "?"},
        {"since": "2026-11-24T04:00:00"},
        {"ended": "long ago"},
        {"process": -1},
        {"in_client": [{"server": "paint", "tool": None, "since": ""}]},
    ],
)
@pytest.mark.parametrize("words", [("gateway", "status"), ("inbox", "list")])
def test_a_note_that_says_no_time_or_no_process_ends_no_list(
    capsys: pytest.CaptureFixture[str],
    sealed_machine: Path,
    damaged: dict[str, object],
    words: tuple[str, str],
) -> None:
    noted("whole", agent="codex", written=time.time())
    path = connected.NOTES.path / "whole.json"
    whole = json.loads(path.read_bytes())
    (path.with_name("damaged.json")).write_text(json.dumps({**whole, **damaged}))
    assert told(capsys, *words)
    assert [note.session for note in session_notes()] == ["whole"]


def test_no_note_is_removed_of_an_agent_that_is_there(sealed_machine: Path) -> None:
    now = time.time()
    for number in range(MOST_NOTES + 2):
        noted(f"n{number}", written=now)
    assert len(session_notes()) == MOST_NOTES + 2
    # One for whom nothing has changed for a week.
    assert len(session_notes(clock=lambda: now + KEPT_SECONDS + 1)) == MOST_NOTES + 2


def test_what_an_agent_calls_itself_cannot_act_on_the_terminal(
    capsys: pytest.CaptureFixture[str], sealed_machine: Path
) -> None:
    noted("a", agent="x\x1b[2J\nfake", version="\u202e", written=time.time())
    lines = told(capsys, "gateway", "status")
    assert "\x1b" not in lines
    assert "\u202e" not in lines
    assert "␛[2J⏎fake" in lines
