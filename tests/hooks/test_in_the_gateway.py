"""Hooks behind an agent: the gateway is a process, and the agent speaks to it in JSON."""

from __future__ import annotations

import asyncio
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import elicit_tui.demo
from elicit_tui.elicitation import now
from elicit_tui.elicitation.settings import Settings
from elicit_tui.elicitation.toml_spelling import toml_value
from elicit_tui.runtime import open_store
from elicit_tui.store.store import Waiting
from tests.gateway.processes import BY_ANOTHER
from tests.hooks.test_in_a_run import configured
from tests.hooks.world import answer, command, read

SECONDS = 60


class Agent:
    """An agent's end of the gateway's pipes (revision 2025-11-25)."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._number = 0

    def send(self, method: str, **params: Any) -> int:
        self._number += 1
        self._write({"id": self._number, "method": method, "params": params})
        return self._number

    def _write(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        line = json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"
        self._process.stdin.write(line)
        self._process.stdin.flush()

    def answer_to(self, number: int) -> Any:
        assert self._process.stdout is not None
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            ready, _, _ = select.select([self._process.stdout], [], [], 1)
            if not ready:
                continue
            line = self._process.stdout.readline()
            assert line, "the gateway ended"
            message = json.loads(line)
            if message.get("id") == number and "method" not in message:
                return message["result"]
        raise AssertionError("no answer came")

    def begin(self) -> None:
        capabilities: dict[str, Any] = {}
        info = {"name": "claude-code", "version": "2.1"}
        self.answer_to(
            self.send(
                "initialize",
                protocolVersion="2025-11-25",
                capabilities=capabilities,
                clientInfo=info,
            )
        )
        self._write({"method": "notifications/initialized"})


@contextmanager
def agent(config: Sequence[str], told: Path = Path(os.devnull)) -> Iterator[Agent]:
    """An agent that started `elicit-tui gateway`; what that says on stderr is written to `told`.

    The agent is a process of its own: a child of this process may be its person.
    """
    with (
        told.open("wb") as stderr,
        subprocess.Popen(
            [*BY_ANOTHER, sys.executable, "-m", "elicit_tui", *config, "gateway"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            bufsize=0,
            env=os.environ,
        ) as process,
    ):
        try:
            there = Agent(process)
            there.begin()
            yield there
        finally:
            assert process.stdin is not None
            process.stdin.close()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


async def waiting() -> tuple[Waiting, ...]:
    """What another process sees in the store."""
    async with open_store(Settings(), "answerer") as store:
        return await store.waiting()


def test_a_hook_answers_what_an_agents_tool_asks(tmp_path: Path, log: Path) -> None:
    given = command("answers", log, answer("accept", name="a"))
    accepts = {"event": "Elicitation", "command": given}
    with agent(configured(tmp_path, [accepts])) as there:
        result = there.answer_to(there.send("tools/call", name="s__t", arguments={}))
    sent = json.loads(result["content"][0]["text"])[0]
    assert (sent["action"], sent["content"]) == ("accept", {"name": "a"})
    (told,) = result["_meta"]["dev.elicit-tui/elicitations"]
    assert told["decidedBy"] == "hook"
    assert "hooks[" not in json.dumps(result["_meta"])


def test_a_question_that_waits_is_told_once_and_not_at_all_when_somebody_is_there(
    tmp_path: Path, log: Path
) -> None:
    config = tmp_path / "config.toml"
    demo = Path(elicit_tui.demo.__file__).parent / "__main__.py"
    config.write_text(
        f"[gateway]\nhold_sec = 1\n"
        f"[mcp_servers.demo]\ncommand = {toml_value(sys.executable)}\nargs = ['{demo}']\n"
        f'[[hooks]]\nevent = "Waiting"\ncommand = {toml_value(command("passes", log))}\n'
    )

    async def asked_while_somebody_is_there() -> None:
        async with open_store(Settings(), "answerer") as store:
            await store.heartbeat(last_key=now())
            paused = there.answer_to(there.send("tools/call", name="demo__plan_trip"))
            assert "Waiting for a person" in paused["content"][0]["text"]

    with agent(["--config", str(config)]) as there:
        there.send("tools/call", name="demo__clear_cache")
        until(lambda: len(read(log)) == 1)
        asyncio.run(asked_while_somebody_is_there())
        there.send("tools/call", name="demo__sign_in")
        until(lambda: len(read(log)) == 2)
        first, *meanwhile, page = asyncio.run(waiting())
    told = [one["input"] for one in read(log)]
    assert [one["command"] for one in told] == [
        f"elicit-tui inbox answer {waits.id}" for waits in (first, page)
    ]
    assert told[0]["agent"] == "claude-code"
    assert told[0]["text"] == "claude-code: a question of demo waits"
    assert len(meanwhile) == 2
    assert "cache" not in json.dumps(told)


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + SECONDS
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)
