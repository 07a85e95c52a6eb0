"""`call` of a server that answers with a task (SEP-2663): it is followed, and ends as any call."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import SECONDS, Ended, environment, run
from tests.cli.terminal import Terminal
from tests.forks import COMMAND
from tests.host.world import http_server, server_line

ANSWER = '[[answers]]\naction = "accept"\nmessage = "value?"\ncontent = { value = "typed" }\n'
NOT_KNOWN = "whether the tool did its work is not known"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with http_server("tasking.py") as url:
        yield url


@pytest.fixture
def config(url: str, tmp_path: Path) -> Path:
    file = tmp_path / "config.toml"
    file.write_text(f'[mcp_servers.tasking]\nurl = "{url}"\nprotocol = "2026-07-28"\n')
    return file


def call(config: Path, tool: str, *more: str) -> Ended:
    return run("--config", str(config), "call", "tasking", tool, "--output", "json", *more)


def test_its_result_is_that_of_the_call_and_its_status_is_told_as_progress(config: Path) -> None:
    ended = run("--config", str(config), "call", "tasking", "simple")
    assert (ended.code, ended.stdout) == (0, "done\n")
    assert "tasking: progress 1: half" in ended.stderr
    assert "\x1b" not in ended.stderr


@pytest.mark.parametrize(
    ("tool", "code", "error", "words"),
    [
        ("is_error", 1, None, ""),
        ("fails", 1, "-32050", "broken"),
        ("vanishes", 4, "task_lost", NOT_KNOWN),
        ("cancels_itself", 4, "task_cancelled", NOT_KNOWN),
        ("odd_state", 4, "invalid_task", NOT_KNOWN),
        ("task_in_task", 4, "invalid_answer", "task"),
    ],
)
def test_however_it_ends_the_exit_code_says_it(
    config: Path, tool: str, code: int, error: str | None, words: str
) -> None:
    ended = call(config, tool)
    document = ended.document
    assert ended.code == document["exitCode"] == code, ended.stderr
    assert (document["error"] or {}).get("code") == error
    assert words in (document["error"] or {}).get("message", "")
    # A server that answers with tasks is of the right revision.
    assert "--protocol" not in ended.stderr or tool == "task_in_task"


def told(ended: Ended) -> Any:
    """What the server was told by the key of its question."""
    return json.loads(ended.document["result"]["content"][0]["text"])["value"]


def test_what_it_asks_is_answered_declined_or_missing_as_in_any_call(
    config: Path, tmp_path: Path
) -> None:
    answers = tmp_path / "answers.toml"
    answers.write_text(ANSWER)
    ended = call(config, "asks", "--answers", str(answers), "--strict")
    assert ended.code == 0, ended.stderr
    assert told(ended)["content"] == {"value": "typed"}
    ended = call(config, "asks", "--approval-policy", "never")
    assert (ended.code, told(ended)["action"]) == (0, "decline")
    assert [entry["decidedBy"] for entry in ended.document["elicitations"]] == ["policy"]
    answers.write_text(ANSWER.replace("value?", "another?"))
    ended = call(config, "asks", "--answers", str(answers))
    assert (ended.code, told(ended)["action"]) == (3, "cancel")


def test_a_person_at_the_terminal_declines_what_it_asks(config: Path, tmp_path: Path) -> None:
    file = tmp_path / "out.json"
    words = ["--config", str(config), "call", "tasking", "asks", "--plain", "--output", "json"]
    with file.open("wb") as out, Terminal(words, stdout=out) as terminal:
        terminal.answer("\n> ", "/decline")
        assert terminal.end() == 0, terminal.shown
    document = json.loads(file.read_text())
    assert [entry["decidedBy"] for entry in document["elicitations"]] == ["user"]
    assert json.loads(document["result"]["content"][0]["text"])["value"]["action"] == "decline"


def test_a_server_that_dies_in_its_task_leaves_nothing_known() -> None:
    server = f"tasking={server_line('tasking.py')}"
    words = ("--with", server, "--protocol", "2026-07-28", "call", "tasking", "dies")
    ended = run(*words, "--output", "json")
    assert ended.code == ended.document["exitCode"] == 4, ended.stderr
    assert ended.document["error"]["code"] == "server_unavailable"


def test_an_interrupt_cancels_the_task_at_its_server(config: Path) -> None:
    words = ("call", "tasking", "slow_compute", "seconds=60", "--output", "jsonl")
    with subprocess.Popen(
        [*COMMAND, "--config", str(config), *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    ) as process:
        assert process.stdout is not None
        while '"progress"' not in (line := process.stdout.readline()):
            assert line
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=SECONDS)
    assert process.returncode == json.loads(rest.splitlines()[-1])["exitCode"] == 130
    heard = json.loads(call(config, "heard").document["result"]["content"][0]["text"])
    assert heard[-1][0] == "tasks/cancel"
