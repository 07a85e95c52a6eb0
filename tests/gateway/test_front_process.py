"""The front in its own process: the first turn, a client that begins anew, an old list."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp.shared.message import SessionMessage
from mcp_types import ErrorData, JSONRPCError, JSONRPCResponse

from elicit_tui.elicitation.settings import GatewaySettings, ServerSettings, Settings
from elicit_tui.gateway import stdio
from elicit_tui.gateway.catalogue import Catalogue, CatalogueFiles
from elicit_tui.gateway.connected import session_notes
from elicit_tui.gateway.front import Handover
from elicit_tui.gateway.opening import SessionOptions, open_session, remember_catalogues
from elicit_tui.gateway.stdio import file_streams, serve
from tests.gateway.front_messages import INITIALIZED, TOOL, asks, line, modern
from tests.gateway.http_world import INITIALIZE
from tests.gateway.world import (
    HANDSHAKE,
    WAIT,
    MovedClock,
    PersonAtOtherTerminal,
    asking,
    until,
    workshop,
)
from tests.host.world import server_line

pytestmark = pytest.mark.anyio

BLOCKED = """
import sys
open({fifo!r}).read()
sys.path.remove({folder!r})
del sys.modules["mcp_types"]
import mcp_types
"""


class Gateway:
    """A gateway in a process of its own, whose SDK cannot be loaded before `let_load`."""

    def __init__(self, tmp_path: Path, *arguments: str) -> None:
        folder = tmp_path / "blocking"
        folder.mkdir()
        self._fifo = tmp_path / "fifo"
        os.mkfifo(self._fifo)
        text = BLOCKED.format(fifo=str(self._fifo), folder=str(folder))
        (folder / "mcp_types.py").write_text(text)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "elicit_tui", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(folder)},
        )

    def asks(self, *messages: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(b"".join(map(line, messages)))
        self.process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answer

    async def answers(self, number: int) -> list[dict[str, Any]]:
        """The next so many messages; a gateway that does not write them is killed."""
        try:
            return [
                await asyncio.wait_for(asyncio.to_thread(self.answer), WAIT * 3)
                for _ in range(number)
            ]
        except asyncio.TimeoutError:
            self.process.kill()
            raise

    def let_load(self) -> None:
        self._fifo.write_text("")

    def ends(self) -> bytes:
        out, _ = self.process.communicate(timeout=WAIT * 3)
        return out


async def test_the_first_turn_has_its_tools_before_the_sdk_is_there_and_goes_on_without_a_seam(
    tmp_path: Path,
) -> None:
    server = server_line("workshop.py", "stdio")
    settings = await remembered(server)
    given = ["--with", f"workshop={server}", "gateway", "workshop"]
    gateway = await asyncio.to_thread(Gateway, tmp_path, *given)
    gateway.asks(INITIALIZE, INITIALIZED, asks("tools/list", 2), asks("prompts/list", 3))
    assert gateway.answer()["result"]["serverInfo"]["name"] == "elicit-tui"
    names = [tool["name"] for tool in gateway.answer()["result"]["tools"]]
    assert "workshop__plain" in names
    assert [each["name"] for each in gateway.answer()["result"]["prompts"]] == ["workshop__greet"]
    gateway.asks(asks("tools/call", 4, name="workshop__plain", arguments={}))
    gateway.asks(asks("tools/call", 5, name="workshop__plain", arguments={}))
    gateway.asks(
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}}
    )
    gateway.let_load()
    called = gateway.answer()
    assert (called["id"], called["result"]["content"][0]["text"]) == (4, "plain answer")
    gateway.asks(asks("tools/list", 6))
    again = gateway.answer()
    assert (again["id"], [tool["name"] for tool in again["result"]["tools"]]) == (6, names)
    assert gateway.ends() == b""
    assert settings.servers


async def test_what_an_agent_asks_while_its_session_loads_is_answered_before_that_is_there(
    tmp_path: Path,
) -> None:
    server = server_line("workshop.py", "stdio")
    await remembered(server)
    given = ["--with", f"workshop={server}", "gateway", "workshop"]
    gateway = await asyncio.to_thread(Gateway, tmp_path, *given)
    gateway.asks(INITIALIZE, INITIALIZED)
    for number in (2, 3):
        assert [each["id"] for each in await gateway.answers(1)] == [number - 1]
        gateway.asks(asks("tools/list", number))
    assert [each["id"] for each in await gateway.answers(1)] == [3]
    gateway.let_load()
    assert gateway.ends() == b""


async def test_answers_that_an_agent_has_not_read_when_the_session_begins_are_all_there(
    tmp_path: Path,
) -> None:
    server = server_line("workshop.py", "stdio")
    await remembered(server)
    given = ["--with", f"workshop={server}", "gateway", "workshop"]
    gateway = await asyncio.to_thread(Gateway, tmp_path, *given)
    # More than the pipe holds.
    gateway.asks(INITIALIZE, INITIALIZED, *(asks("tools/list", number) for number in range(2, 90)))
    gateway.asks(asks("tools/call", 90, name="workshop__plain", arguments={}))
    gateway.let_load()
    # The session goes on with what the front could not get rid of.
    await until(lambda: bool(session_notes()))
    answered = await gateway.answers(90)
    assert [each["id"] for each in answered] == list(range(1, 91))
    assert answered[-1]["result"]["content"][0]["text"] == "plain answer"
    assert gateway.ends() == b""


async def test_an_agent_whose_first_list_was_an_old_one_is_told_by_the_session(
    tmp_path: Path,
) -> None:
    server = server_line("workshop.py", "stdio")
    settings = await remembered(server)
    CatalogueFiles().write(settings.servers["workshop"], Catalogue([TOOL]))
    given = ["--with", f"workshop={server}", "gateway", "workshop"]
    gateway = await asyncio.to_thread(Gateway, tmp_path, *given)
    gateway.asks(INITIALIZE, asks("tools/list", 2))
    assert gateway.answer()["id"] == 1
    assert "workshop__find" in {tool["name"] for tool in gateway.answer()["result"]["tools"]}
    gateway.let_load()

    async def ask(listing: dict[str, Any]) -> Any:
        gateway.asks(listing)
        (answer,) = await gateway.answers(1)
        return answer

    await until_live(ask, asks("tools/list", 3))
    told = await ask(INITIALIZED)
    assert told["method"] == "notifications/tools/list_changed"
    gateway.ends()


LOADS = """
import sys
from elicit_tui.elicitation.settings import GatewaySettings
from elicit_tui.errors import ServerError
from elicit_tui.gateway.front import Front, answer_while
from elicit_tui.gateway.offers import SessionOffers

def load():
    raise ServerError("It cannot be started.")

front = Front(SessionOffers({}, prefix=True), GatewaySettings())
before = sys.getswitchinterval()
answer_while(lambda: None, front)
assert sys.getswitchinterval() == before
try:
    answer_while(load, front)
except ServerError as error:
    print(error, file=sys.stderr)
assert sys.getswitchinterval() == before
"""


def test_what_fails_while_it_loads_is_raised_and_the_interpreter_goes_on_as_before() -> None:
    command = [sys.executable, "-c", LOADS]
    ended = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=WAIT * 3
    )
    assert (ended.returncode, ended.stderr) == (0, b"It cannot be started.\n")


async def remembered(command: str) -> Settings:
    """The settings of a run with this server, whose catalogue is known now."""
    from elicit_tui.config import CommandLine, load

    settings = load(CommandLine(with_servers=(f"workshop={command}",)))
    assert await remember_catalogues(settings, ["workshop"], print) == ["workshop"]
    return settings


def test_a_broken_configuration_answers_nothing(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text("[gateway]\nnonsense = 1\n")
    ended = subprocess.run(
        [sys.executable, "-m", "elicit_tui", "--config", str(config), "gateway", "demo"],
        input=line(INITIALIZE),
        capture_output=True,
        check=False,
        timeout=WAIT * 3,
    )
    assert (ended.returncode, ended.stdout) == (2, b"")
    assert b"nonsense" in ended.stderr


@asynccontextmanager
async def on_pipes(
    *servers: ServerSettings, client: str = "console", **more: Any
) -> AsyncIterator[Any]:
    """A session on two pipes in this process: sends messages, and returns what next has an id.

    With a method it returns the next notification of that; `more`: as `SessionOptions` has it.
    """
    to_gateway, from_agent = os.pipe()
    to_agent, from_gateway = os.pipe()
    pipe = os.fdopen(to_agent, "rb")
    settings = Settings(
        servers={server.name: server for server in servers},
        gateway=GatewaySettings(ask_via=client),  # type: ignore[arg-type]
    )
    names = list(settings.servers)
    person = PersonAtOtherTerminal()
    # The gateway's end is closed before ours: whoever still reads there comes to an end.
    with (
        pipe,
        os.fdopen(to_gateway, "rb", 0) as source,
        os.fdopen(from_gateway, "wb", 0) as target,
    ):
        async with (
            file_streams(source, target) as (read, write),
            open_session(
                settings, names, person, SessionOptions(clock=MovedClock(), **more)
            ) as session,
        ):
            serving = asyncio.ensure_future(serve(session, read, write))

            async def ask(*messages: dict[str, Any], told: str | None = None) -> Any:
                os.write(from_agent, b"".join(map(line, messages)))
                while True:
                    text = await asyncio.wait_for(asyncio.to_thread(pipe.readline), WAIT)
                    message = json.loads(text)
                    if message.get("method") == told if told else "id" in message:
                        return message

            try:
                yield ask
            finally:
                os.close(from_agent)
                await asyncio.wait_for(serving, WAIT)


async def test_a_client_that_discovers_and_then_initializes_is_served() -> None:
    async with on_pipes(workshop()) as ask:
        assert (await ask(modern("server/discover")))["result"]["supportedVersions"]
        begun = await ask(INITIALIZE, INITIALIZED)
        assert begun["result"]["protocolVersion"] == HANDSHAKE
        listed = await ask(asks("tools/list", 3))
        assert "workshop__plain" in {tool["name"] for tool in listed["result"]["tools"]}
        again = await ask(modern("server/discover", 4))
        assert again["result"]["supportedVersions"]
        assert (await ask(modern("tools/list", 5)))["result"]["resultType"] == "complete"


async def test_what_is_asked_before_a_client_begins_anew_is_still_answered(
    tmp_path: Path,
) -> None:
    server, files = stale(tmp_path)
    async with on_pipes(server, files=files) as ask:
        first = await ask(
            modern("server/discover", 1), modern("tools/list", 2), {**INITIALIZE, "id": 3}
        )
        second = await ask()
        third = await ask()
        assert {each["id"] for each in (first, second, third)} == {1, 2, 3}
        assert not [each for each in (first, second, third) if "error" in each]


async def test_what_takes_a_moment_is_answered_before_a_client_begins_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stdio, "SETTLE_SECONDS", WAIT)
    async with on_pipes(workshop()) as ask:
        # Of a server that nobody has seen yet, the list waits for that.
        listed = await ask(modern("tools/list", 2), {**INITIALIZE, "id": 3})
        assert listed["id"] == 2
        assert "workshop__plain" in {tool["name"] for tool in listed["result"]["tools"]}
        assert (await ask())["id"] == 3


async def test_a_late_answer_to_an_earlier_beginning_answers_no_new_question() -> None:
    forms = {**INITIALIZE, "params": {**INITIALIZE["params"], "capabilities": {"elicitation": {}}}}
    async with on_pipes(asking(), client="client") as ask:
        await ask(forms)
        question = await ask(INITIALIZED, asks("tools/call", 2, name="asking__one"))
        assert question["method"] == "elicitation/create"
        told = await ask(modern("server/discover", 3))
        while told.get("id") != 3:
            told = await ask()
        told = await ask(forms)
        while told.get("id") != 1:
            told = await ask()
        anew = await ask(INITIALIZED, asks("tools/call", 4, name="asking__confirm"))
        while anew.get("method") != "elicitation/create":
            anew = await ask()
        assert anew["id"] != question["id"]
        late = {
            "jsonrpc": "2.0",
            "id": question["id"],
            "result": {"action": "accept", "content": {}},
        }
        right = {"jsonrpc": "2.0", "id": anew["id"], "result": {"action": "decline"}}
        answered = await ask(late, asks("ping", 8))
        assert answered["id"] == 8
        ended = await ask(right)
        while ended.get("id") != 4:
            ended = await ask()
        assert ended["result"]["content"][0]["text"].startswith("decline")


async def test_of_a_beginning_that_was_answered_the_agent_hears_nothing_more_but_its_refusal() -> (
    None
):
    (to_gateway, from_agent), (to_agent, from_gateway) = os.pipe(), os.pipe()
    handover = Handover(answered=frozenset({"front x"}))
    with (
        os.fdopen(to_agent, "rb", 0) as heard,
        os.fdopen(from_agent, "wb", 0),
        os.fdopen(to_gateway, "rb", 0) as source,
        os.fdopen(from_gateway, "wb", 0) as target,
    ):
        async with file_streams(source, target, handover) as (_, write):
            for identifier in ("front x", 5):
                answer = JSONRPCResponse(jsonrpc="2.0", id=identifier, result={})
                await write.send(SessionMessage(answer))
            line_of_it = await asyncio.wait_for(asyncio.to_thread(heard.read, 4096), WAIT)
            assert json.loads(line_of_it) == {"jsonrpc": "2.0", "id": 5, "result": {}}
            # It was welcomed to what is refused now: to hang up lets it begin again.
            refused = JSONRPCError(
                jsonrpc="2.0", id="front x", error=ErrorData(code=-32602, message="odd")
            )
            await write.send(SessionMessage(refused))
            assert await asyncio.wait_for(asyncio.to_thread(heard.read, 4096), WAIT) == b""


def stale(tmp_path: Path) -> tuple[ServerSettings, CatalogueFiles]:
    """A server, and what is remembered of it: one tool that it has no more."""
    server, files = workshop(), CatalogueFiles(tmp_path)
    files.write(server, Catalogue([TOOL]))
    return server, files


async def until_live(ask: Any, listing: dict[str, Any]) -> None:
    """Return once the live list is there."""
    for _ in range(500):
        names = {tool["name"] for tool in (await ask(listing))["result"]["tools"]}
        if "workshop__plain" in names:
            assert "workshop__find" not in names
            return
        await asyncio.sleep(0.01)
    raise AssertionError


async def test_an_agent_that_was_given_an_old_list_is_told_once_it_can_be(tmp_path: Path) -> None:
    server, files = stale(tmp_path)
    async with on_pipes(server, files=files, listed=True) as ask:
        await ask(INITIALIZE)
        await until_live(ask, asks("tools/list"))
        told = "notifications/tools/list_changed"
        assert (await ask(INITIALIZED, told=told))["method"] == told


async def test_an_agent_of_the_modern_era_is_told_as_soon_as_it_listens(tmp_path: Path) -> None:
    server, files = stale(tmp_path)
    async with on_pipes(server, files=files, listed=True) as ask:
        await until_live(ask, modern("tools/list"))
        told = "notifications/tools/list_changed"
        listen = modern("subscriptions/listen", 9, notifications={"toolsListChanged": True})
        assert (await ask(listen, told=told))["method"] == told
