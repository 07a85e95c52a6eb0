"""How a server's process is started and ended."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.elicitation import Call
from elicit_tui.elicitation.settings import ServerSettings
from elicit_tui.errors import ServerError
from elicit_tui.host.launch import (
    FIXED_PATH,
    server_directory,
    server_environment,
    start_process,
)
from tests.host.world import HANDSHAKE, MODERN, python_server, raw_server, text_of, world


def test_the_package_loads_neither_the_sdk_nor_an_event_loop_library() -> None:
    code = (
        "import sys, elicit_tui.host.launch, elicit_tui.host\n"
        "print([name for name in ('mcp', 'mcp_types', 'anyio', 'pydantic') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_server_gets_only_what_it_needs_of_our_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SECRET_OF_OURS", "x")
    monkeypatch.setenv("SHELL", "() { evil; }")
    environment = server_environment(ServerSettings("s", command="x", env={"REGION": "eu"}))
    assert environment["REGION"] == "eu"
    assert environment["HOME"] == os.environ["HOME"]
    assert "SECRET_OF_OURS" not in environment
    assert "SHELL" not in environment


def test_a_managed_command_is_never_looked_up_in_our_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted = tmp_path / "true"
    planted.write_text("#!/bin/sh\nexit 9\n")
    planted.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    process = start_process(ServerSettings("s", command="true", fixed_path=True))
    assert process.popen.wait(10) == 0
    _close(process.popen)
    assert server_environment(ServerSettings("s", fixed_path=True))["PATH"] == FIXED_PATH
    with pytest.raises(ServerError, match="neither absolute"):
        start_process(ServerSettings("s", command="no-such-command", fixed_path=True))
    with pytest.raises(ServerError, match="neither absolute"):
        start_process(ServerSettings("s", command="./true", fixed_path=True))


@pytest.mark.parametrize(
    ("settings", "runs_what_lies_there"),
    [
        ({}, False),
        ({"layer": "managed"}, False),
        ({"fixed_path": True}, False),
        ({"layer": "command line", "fixed_path": True}, False),
        ({"layer": "command line"}, True),
    ],
    ids=["configured", "managed", "allowed", "allowed, by --with", "by --with"],
)
def test_a_cloned_repository_runs_nothing_in_the_place_of_a_configured_server(
    settings: dict[str, Any],
    runs_what_lies_there: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    repository = tmp_path / "cloned"
    repository.mkdir()
    (repository / "my_server.py").write_text("raise SystemExit(9)")
    monkeypatch.chdir(repository)
    server = ServerSettings("s", command=sys.executable, args=("-m", "my_server"), **settings)
    process = start_process(server)
    assert (process.popen.wait(20) == 9) is runs_what_lies_there
    _close(process.popen)


def test_a_server_starts_in_the_persons_home_or_where_its_configuration_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    assert server_directory(ServerSettings("s", command="x")) == str(home)
    assert server_directory(ServerSettings("s", command="x", cwd="/srv")) == "/srv"
    assert server_directory(ServerSettings("s", command="x", fixed_path=True)) == "/"
    assert server_directory(ServerSettings("s", command="x", layer="managed", cwd="/srv")) == "/srv"
    # A home that begins where we were started could be anybody's.
    for unknown in (str(tmp_path / "gone"), "."):
        monkeypatch.setenv("HOME", unknown)
        assert server_directory(ServerSettings("s", command="x")) == "/"


def _close(popen: subprocess.Popen[bytes]) -> None:
    for pipe in (popen.stdin, popen.stdout, popen.stderr):
        assert pipe is not None
        pipe.close()


@pytest.mark.anyio
async def test_no_child_of_a_server_is_left_behind() -> None:
    async with world(raw_server(MODERN)) as here:
        connection = await here.host.connect("raw")
        result = await connection.call(Call("tools/call", "leave_a_child"))
        child = json.loads(text_of(result.result))
        server = connection.process_id
        assert server is not None
        assert _runs(child)
    assert not _runs(child)
    assert not _runs(server)


@pytest.mark.anyio
async def test_a_server_that_ignores_its_end_is_killed() -> None:
    server = raw_server(HANDSHAKE, "--ignore-end")
    async with world(server) as here:
        process_id = (await here.host.connect("raw")).process_id
        assert process_id is not None
    assert not _runs(process_id)


@pytest.mark.anyio
async def test_a_server_that_was_launched_and_never_connected_is_ended() -> None:
    async with world(python_server("raw", "raw.py", HANDSHAKE)) as here:
        here.host.launch(["raw"])
        launched = here.host._launched["raw"]
        assert not isinstance(launched, ServerError)
        assert _runs(launched.pid)
    assert not _runs(launched.pid)


@pytest.mark.anyio
async def test_standard_error_goes_to_the_log_file_as_safe_text(tmp_path: Path) -> None:
    from elicit_tui.host.host import Host

    code = "import sys; print('\\x1b]0;title\\x07 hello', file=sys.stderr); sys.exit(1)"
    server = ServerSettings("loud", command=sys.executable, args=("-c", code))
    log = tmp_path / "logs" / "servers.log"
    async with world(server) as here, Host(here.settings, here.broker, log) as host:
        with pytest.raises(ServerError):
            await host.connect("loud")
    text = log.read_text()
    assert "loud: " in text
    assert "hello" in text
    assert "\x1b" not in text
    assert log.stat().st_mode & 0o777 == 0o600


def test_a_server_ends_when_we_are_killed(tmp_path: Path) -> None:
    code = (
        "import sys, time\n"
        "from elicit_tui.host.launch import start_process\n"
        "from elicit_tui.elicitation.settings import ServerSettings\n"
        f"process = start_process(ServerSettings('raw', command={sys.executable!r}, "
        f"args=({str(Path(__file__).parent.parent / 'servers' / 'raw.py')!r}, {HANDSHAKE!r})))\n"
        "print(process.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as ours:
        assert ours.stdout is not None
        server = int(ours.stdout.readline())
        assert _runs(server)
        ours.kill()
    until = time.monotonic() + 10
    while _runs(server) and time.monotonic() < until:
        time.sleep(0.01)
    assert not _runs(server)


def _runs(pid: int) -> bool:
    """Whether a process runs; one that waits to be reaped by its parent does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not status.exists() or status.read_text().rpartition(")")[2].split()[0] != "Z"
