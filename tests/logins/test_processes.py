"""Processes that share one login: many that renew it at once, and one that dies while it does."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.logins.browser import LoginServer, called, kept_whole, run_async, shelf

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

GOOD = {"text": "read_it done", "asked": 0}


class Workers:
    """tests/logins/worker.py."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def call(
        self, server: LoginServer, processes: int, dies_at: str | None = None
    ) -> tuple[list[Any], list[int]]:
        """How the calls of so many processes ended, and with what exit status."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        port = int(server.origin.rpartition(":")[2])
        asked = {"env": dict(os.environ), "port": port, "processes": processes, "dies_at": dies_at}
        print(json.dumps(asked), file=self._process.stdin, flush=True)
        results = []
        while "ends" not in (told := json.loads(self._process.stdout.readline())):
            results.append(told)
        return results, told["ends"]


@contextmanager
def started() -> Iterator[Workers]:
    root = Path(__file__).parents[2]
    command = [sys.executable, "-m", "tests.logins.worker"]
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=root, **pipes) as process:
        bound = threading.Timer(120, process.kill)
        bound.start()
        try:
            yield Workers(process)
        finally:
            bound.cancel()
            process.kill()


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    with started() as workers:
        yield workers


def has_ended() -> None:
    """The token that is kept is of no use any more."""
    shelf().save(replace(kept_whole(), expires_at=time.time() - 5))


def test_ten_processes_whose_token_has_ended_make_one_request_and_ten_good_calls(
    server: LoginServer, workers: Workers
) -> None:
    run_async(called(server))
    has_ended()
    server.change(token_delay=0.3)
    assert workers.call(server, 10) == ([GOOD] * 10, [0] * 10)
    assert server.asked[3:] == [f"refresh {server.url}"]


@pytest.mark.parametrize(
    ("at", "ways", "asked"),
    [
        ("before", {"rotates": False}, 0),
        ("in", {"rotates": True, "grace": 60.0}, 0),
        ("before", {"rotates": True}, 1),
        ("in", {"rotates": True}, 1),
    ],
    ids=["no rotation", "rotation with a grace", "rotation", "rotation in the save"],
)
def test_a_process_that_is_killed_before_it_saved_a_renewal_costs_at_most_one_new_login(
    server: LoginServer, workers: Workers, at: str, ways: dict[str, Any], asked: int
) -> None:
    server.reset(**ways)
    run_async(called(server))
    has_ended()
    before = kept_whole()
    other = shelf().save(
        replace(before, issuer="https://other.example", server_url="https://o/mcp")
    )
    assert workers.call(server, 1, dies_at=at) == ([], [-signal.SIGKILL])
    assert server.asked[3:] == [f"refresh {server.url}"]
    assert shelf().read(before.key) == before
    assert len(run_async(called(server)).person.asked) == asked
    assert shelf().read(other.key) == other
    assert ("reuse" in server.asked) == bool(asked)
