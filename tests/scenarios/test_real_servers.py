"""Scenarios of servers on the SDKs that authors use, over both transports, in both eras."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.running import SECONDS
from tests.forks import ready_python
from tests.installing import NODE, PYTHON, needs_node, needs_python
from tests.scenarios.runs import BOOKS, LONG, failures, outcome_of, scenarios, ways

HERE = Path(__file__).parent
NODE_PROGRAM = NODE / "node_modules" / "node" / "bin" / "node"
FASTMCP_PROGRAM = PYTHON / ".venv" / "bin" / "python"
EVERYTHING = NODE / "node_modules/@modelcontextprotocol/server-everything/dist/index.js"
ERAS = ("2025-11-25", "2026-07-28")

SERVERS = [
    pytest.param((*ready_python(), HERE / "table_server.py"), id="Python SDK"),
    pytest.param((FASTMCP_PROGRAM, PYTHON / "table_server.py"), id="FastMCP", marks=needs_python),
    pytest.param((NODE_PROGRAM, NODE / "table_server.mjs"), id="TypeScript SDK", marks=needs_node),
]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def listening(command: Sequence[str | Path], port: int, **env: str) -> Iterator[None]:
    """A process that listens on this port while the block runs."""
    process = subprocess.Popen(
        [str(word) for word in command],
        env={**os.environ, **env},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
    )
    try:
        end = time.monotonic() + SECONDS
        while True:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert process.poll() is None
            assert time.monotonic() < end
            time.sleep(0.02)
        yield
    finally:
        process.terminate()
        process.wait(SECONDS)


@contextmanager
def over_http(command: Sequence[str | Path], name: str, **env: str) -> Iterator[str]:
    """A server over streamable HTTP while the block runs: `NAME=URL`.

    `{port}` in the command, or in the environment, is the port that it shall listen on.
    """
    port = free_port()
    words = [str(word).format(port=port) for word in command]
    with listening(words, port, **{key: value.format(port=port) for key, value in env.items()}):
        yield f"{name}=http://127.0.0.1:{port}/mcp"


@pytest.mark.timeout(LONG)
@pytest.mark.parametrize("server", SERVERS)
def test_over_stdio_it_passes_in_both_eras(tmp_path: Path, server: tuple[Path, ...]) -> None:
    # Each way is a process of its own here; FastMCP's are slow to start.
    branches = [] if FASTMCP_PROGRAM in server else ["--branches"]
    command = f"table={' '.join(map(str, server))}"
    file = scenarios(tmp_path, BOOKS)
    ended = outcome_of(file, "--eras", "both", *branches, server=command, seconds=LONG)
    assert ended.code == 0, failures(ended) + ended.stderr
    for era in ERAS:
        for way in ("accept", "decline", "cancel", "deadline") if branches else ("accept",):
            assert ways(ended)[f"{way} {era}"]


@pytest.mark.timeout(LONG)
@pytest.mark.parametrize("server", SERVERS)
def test_over_http_it_passes_in_every_way_and_refuses_what_is_wrong(
    tmp_path: Path, server: tuple[Path, ...]
) -> None:
    options = ("--eras", "both", "--branches", "--answers-gone-wrong")
    with over_http((*server, "{port}"), "table") as address:
        file = scenarios(tmp_path, BOOKS)
        ended = outcome_of(file, *options, server=address, seconds=LONG)
    assert ended.code == 0, failures(ended) + ended.stderr
    tried = {way.lower() for way in ways(ended)}
    for era in ERAS:
        assert {f"decline {era}", f"guests is missing {era}"} <= tried
    assert {run["protocolVersion"] for run in ended.document["runs"]} == set(ERAS)


@needs_node
@pytest.mark.timeout(LONG)
@pytest.mark.parametrize("transport", ["stdio", "streamableHttp"])
def test_server_everything_asks_and_ends_in_every_way(tmp_path: Path, transport: str) -> None:
    text = BOOKS.replace('"table"', '"everything"').replace('"/booked" = true', "")
    text = text.replace('"book"', '"trigger-elicitation-request"').replace("For how many*", "*")
    text = text.replace(
        "content = { guests = 3 }",
        'use_defaults = true\ncontent = { name = "Ada" }\ndespite = ["*"]',
    )
    file = scenarios(tmp_path, text)
    command = ("node", EVERYTHING, transport)
    if transport == "stdio":
        server = f"everything={' '.join(map(str, command))}"
        ended = outcome_of(file, "--branches", server=server, seconds=LONG)
    else:
        with over_http(command, "everything", PORT="{port}") as address:
            ended = outcome_of(file, "--branches", server=address, seconds=LONG)
    assert ended.code == 0, failures(ended) + ended.stderr
    (tool,) = ended.document["coverage"]
    assert set(tool["branches"].values()) == {"passed"}
