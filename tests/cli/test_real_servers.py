"""The commands on servers that others wrote and ship."""

from __future__ import annotations

import json
import socket
import subprocess
from pathlib import Path

import pytest

from tests.cli.running import SECONDS, environment, run
from tests.cli.terminal import Terminal
from tests.installing import NODE, needs_node

MODULE = "node_modules/@modelcontextprotocol/server-everything/dist/index.js"
EVERYTHING = NODE / MODULE

pytestmark = needs_node

WITH = ("--with", f"everything=node {EVERYTHING} stdio", "call", "everything")


@pytest.mark.parametrize(
    ("arguments", "mode", "code"),
    [
        (("trigger-elicitation-request",), "form", 0),
        (("trigger-url-elicitation", "url=https://example.com/a"), "url", 0),
        (("trigger-url-elicitation", "url=https://example.com/a", "errorPath=true"), "url", 1),
    ],
)
def test_server_everything_is_declined_by_policy(
    arguments: tuple[str, ...], mode: str, code: int
) -> None:
    ended = run(*WITH, *arguments, "--approval-policy", "never", "--output", "json")
    assert ended.code == ended.document["exitCode"] == code, ended.stderr
    (elicitation,) = ended.document["elicitations"]
    assert elicitation["mode"] == mode
    assert (elicitation["action"], elicitation["decidedBy"]) == ("decline", "policy")


def test_a_person_answers_server_everything_and_it_names_what_was_typed(tmp_path: Path) -> None:
    file = tmp_path / "out.json"
    config = tmp_path / "config.toml"
    config.write_text('[guardian]\non_block = "ask"\n')
    arguments = ["--config", str(config), *WITH, "trigger-elicitation-request", "--plain"]
    with file.open("wb") as out:
        terminal = Terminal([*arguments, "--output", "json"], stdout=out)
        with terminal:
            terminal.wait_for("Field 1 of ")
            terminal.answer("\n> ", "Ada Lovelace")
            terminal.answer("\n> ", "/review")
            # What would pass for a person together is optional here, and stays unset.
            terminal.answer("or /cancel: ", "/send")
            assert terminal.end() == 0, terminal.shown
    document = json.loads(file.read_text())
    (elicitation,) = document["elicitations"]
    assert elicitation["action"] == "accept", terminal.shown
    assert "Ada Lovelace" in json.dumps(document["result"])


def test_over_http_an_entry_with_a_tool_meets_a_question_that_names_no_call(
    tmp_path: Path,
) -> None:
    answers = tmp_path / "answers.toml"
    answers.write_text(
        '[[answers]]\ntool = "trigger-elicitation-request"\nuse_defaults = true\n'
        'content = { name = "Ada Lovelace" }\ndespite = ["*"]\n'
    )
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        ["node", str(EVERYTHING), "streamableHttp"],
        env=environment(PORT=str(port)),
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr is not None
        while "listening" not in process.stderr.readline():
            assert process.poll() is None
        ended = run(
            *("--with", f"everything=http://127.0.0.1:{port}/mcp", "call", "everything"),
            *("trigger-elicitation-request", "--answers", str(answers), "--strict"),
            *("--output", "json"),
        )
    finally:
        process.terminate()
        process.wait(SECONDS)
        process.stderr.close()
    assert ended.code == 0, ended.stderr
    assert ended.document["elicitations"][0]["tool"] == "trigger-elicitation-request"
    assert "Ada Lovelace" in json.dumps(ended.document["result"])
