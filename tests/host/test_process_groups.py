"""A server's process and its group: started early or not, told to end, ended, and forgotten."""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.elicitation.settings import ServerSettings, Settings
from elicit_tui.errors import ServerError
from elicit_tui.host import ending, launch
from elicit_tui.host.ending import close_pipes, end_process
from elicit_tui.host.launch import ServerProcess, launch_servers, start_process

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")

WAIT = 20
STUBBORN = "trap '' TERM; echo ready; while :; do sleep 0.05; done"


@pytest.fixture
def started() -> Iterator[list[ServerProcess]]:
    """What a test starts, which ends with it."""
    processes: list[ServerProcess] = []
    yield processes
    for process in processes:
        process.kill()
        process.popen.wait(WAIT)
        process.forget()
        close_pipes(process)


def shell(started: list[ServerProcess], line: str, **more: Any) -> ServerProcess:
    process = start_process(ServerSettings("s", command="sh", args=("-c", line), **more))
    started.append(process)
    return process


def ends(process: ServerProcess, seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ending, "GRACE_SECONDS", seconds)
    asyncio.run(asyncio.wait_for(end_process(process), WAIT))


def gone(process: ServerProcess) -> bool:
    end = time.monotonic() + WAIT
    while process.group_alive():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


# Ending


def test_who_ends_with_its_input_is_sent_nothing_and_forgotten(
    started: list[ServerProcess], monkeypatch: pytest.MonkeyPatch
) -> None:
    process = shell(started, "cat; exit 3")
    assert process in launch._running
    assert (process.exit_code(), process.group_alive()) == (None, True)
    ends(process, WAIT, monkeypatch)
    assert (process.exit_code(), process.was_told_to_end) == (3, False)
    assert process not in launch._running


def test_who_does_not_is_told_and_who_does_not_listen_is_killed(
    started: list[ServerProcess], monkeypatch: pytest.MonkeyPatch
) -> None:
    process = shell(started, "sleep 60")
    ends(process, 0.2, monkeypatch)
    assert (process.exit_code(), process.was_told_to_end) == (-signal.SIGTERM, True)
    deaf = shell(started, STUBBORN)
    assert deaf.stdout.read(6) == b"ready\n"
    ends(deaf, 0.2, monkeypatch)
    assert (deaf.exit_code(), deaf.was_told_to_end) == (-signal.SIGKILL, True)
    assert gone(deaf)
    assert deaf not in launch._running


def test_a_child_that_outlives_its_server_is_ended_and_is_no_word_to_the_server(
    started: list[ServerProcess], monkeypatch: pytest.MonkeyPatch
) -> None:
    process = shell(started, "(trap '' TERM; echo ready; while :; do sleep 0.05; done) & exit 0")
    assert process.popen.wait(WAIT) == 0
    assert process.stdout.read(6) == b"ready\n"
    assert process.group_alive()
    ends(process, 0.2, monkeypatch)
    assert gone(process)
    assert not process.was_told_to_end


def test_what_could_not_be_ended_is_remembered_for_our_own_end(
    started: list[ServerProcess], monkeypatch: pytest.MonkeyPatch
) -> None:
    process = shell(started, "sleep 60")
    with monkeypatch.context() as helpless:
        helpless.setattr(ServerProcess, "_signal", lambda self, number: None)
        ends(process, 0.05, helpless)
    assert process in launch._running
    launch._end_all()
    assert gone(process)
    assert process.popen.wait(WAIT) == -signal.SIGKILL


def test_a_group_of_somebody_else_or_of_zombies_is_nothing_to_wait_for(
    started: list[ServerProcess], monkeypatch: pytest.MonkeyPatch
) -> None:
    process = shell(started, "exit 0")
    process.popen.wait(WAIT)
    assert not process.group_alive()

    def not_ours(group: int, number: int) -> None:
        raise PermissionError

    monkeypatch.setattr(launch.os, "killpg", not_ours)
    assert not process.group_alive()
    process.terminate()
    monkeypatch.setattr(launch.os, "killpg", lambda group, number: None)
    assert process.group_alive() is not sys.platform.startswith("linux")


def test_pipes_are_closed_once_more_without_harm(started: list[ServerProcess]) -> None:
    process = shell(started, "exit 0")
    process.popen.wait(WAIT)
    for _ in "12":
        close_pipes(process)
    assert all(pipe.closed for pipe in (process.stdin, process.stdout, process.stderr))


# Starting


def test_a_server_leads_a_group_of_its_own_and_starts_where_it_is_told(
    started: list[ServerProcess], tmp_path: Path
) -> None:
    process = shell(started, 'pwd; echo "$REGION"; ps -o pgid= -p $$', cwd=str(tmp_path))
    assert process.name == "s"
    where, region, group = process.stdout.read().decode().splitlines()
    assert (Path(where), region, int(group)) == (tmp_path, "", process.pid)
    told = shell(started, 'echo "$REGION"; echo loud >&2', env={"REGION": "eu"})
    assert (told.stdout.read(), told.stderr.read()) == (b"eu\n", b"loud\n")


def test_what_may_not_run_is_not_launched_and_what_cannot_be_started_is_told(
    started: list[ServerProcess],
) -> None:
    runs = {"command": "sh", "args": ("-c", "cat")}
    servers: dict[str, dict[str, Any]] = {
        "runs": runs,
        "remote": {"url": "https://a.example"},
        "refused": {**runs, "refused": "Not allowed."},
        "lacks": {**runs, "missing": ("TOKEN",)},
        "lost": {"command": "no-such-command-anywhere"},
    }
    owner = Settings(servers={name: ServerSettings(name, **how) for name, how in servers.items()})
    launched = launch_servers(owner, [*servers, "unknown"])
    running = launched["runs"]
    assert isinstance(running, ServerProcess)
    started.append(running)
    assert running.group_alive()
    assert launched.keys() == {"runs", "lost"}
    lost = launched["lost"]
    assert isinstance(lost, ServerError)
    assert lost.code == "not_started"


def test_why_a_server_did_not_start_is_said_without_what_looks_like_a_secret() -> None:
    secret = "sk-live-" + "a1B2" * 8
    with pytest.raises(ServerError) as raised:
        start_process(ServerSettings("s", command=f"/nowhere/{secret}\x1b"))
    assert secret not in str(raised.value)
    assert "\x1b" not in str(raised.value)
    with pytest.raises(ServerError, match=r"could not be started \(mcp_servers.s.command\): "):
        start_process(ServerSettings("s", command="sh", args=("a\0b",)))
