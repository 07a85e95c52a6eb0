"""The front: an agent's first messages, well formed or hostile, before the SDK is there."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from elicit_tui.elicitation.settings import GatewaySettings, ServerSettings, Settings
from elicit_tui.gateway.catalogue import Catalogue, CatalogueFiles
from elicit_tui.gateway.doctor_files import DoctorFiles, DoctorRequest
from elicit_tui.gateway.front import HANDSHAKE_REVISIONS, MOST_ANSWERED_BYTES, MOST_BYTES, Front
from elicit_tui.gateway.offers import LISTS, SessionOffers
from elicit_tui.gateway.opening import open_session, remember_catalogues
from elicit_tui.gateway.session import Session
from elicit_tui.gateway.stdio import file_streams, serve
from tests.gateway.http_world import INITIALIZE, MODERN_META
from tests.gateway.world import (
    HANDSHAKE,
    WAIT,
    MovedClock,
    PersonAtOtherTerminal,
    asking,
    in_memory,
    workshop,
)
from tests.host.world import SERVERS

pytestmark = pytest.mark.anyio

TOOL = {"name": "find", "inputSchema": {"type": "object"}, "x-own": 1.10}
KNOWN = Catalogue([TOOL], [{"name": "greet"}], [{"uri": "a://b"}], instructions="Be kind.")
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def front(*unseen: str, gateway: GatewaySettings | None = None, **known: Catalogue) -> Front:
    names = [*known, *unseen]
    servers = {name: ServerSettings(name, command="x") for name in names}
    offered = SessionOffers(servers, prefix=True)
    for name, catalogue in (known or {"docs": KNOWN}).items():
        offered.servers = {**offered.servers, name: ServerSettings(name, command="x")}
        offered.put(name, catalogue)
    return Front(offered, gateway or GatewaySettings())


def line(message: Any) -> bytes:
    return json.dumps(message).encode() + b"\n"


def asks(method: str, number: Any = 2, /, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def modern(method: str, number: Any = 2, /, **params: Any) -> dict[str, Any]:
    return asks(method, number, **params, _meta=MODERN_META)


def answers(text: bytes) -> list[dict[str, Any]]:
    return [json.loads(each) for each in text.splitlines()]


# The same as without it


@asynccontextmanager
async def without_a_front(settings: Settings, files: CatalogueFiles) -> AsyncIterator[Any]:
    """Asks the SDK's server over a session, message by message, and returns raw answers."""

    @asynccontextmanager
    async def open_one(*shown: object) -> AsyncIterator[Session]:
        person = PersonAtOtherTerminal()
        names = list(settings.servers)
        async with open_session(
            settings, names, person, clock=MovedClock(), files=files
        ) as session:
            yield session

    async with in_memory(open_one) as streams, streams as (read, write):

        async def ask(message: dict[str, Any]) -> dict[str, Any] | None:
            await write.send(SessionMessage(jsonrpc_message_adapter.validate_python(message)))
            if "id" not in message:
                return None
            while True:
                answer = await asyncio.wait_for(read.receive(), WAIT)
                body: dict[str, Any] = answer.message.model_dump(by_alias=True, exclude_unset=True)
                if body.get("id") == message["id"]:
                    return body

        yield ask


CAPABILITIES: Mapping[str, Any] = {
    "roots": {"listChanged": True},
    "sampling": {},
    "elicitation": {"form": {"applyDefaults": True}},
    "tasks": {"list": {}, "requests": {"elicitation": {"create": {}}}},
    "experimental": {"own": {"at": 1}},
    "not of the protocol": 3,
}
CONVERSATIONS: Mapping[str, list[dict[str, Any]]] = {
    **{
        version: [
            asks(
                "initialize",
                protocolVersion=version,
                capabilities=CAPABILITIES,
                clientInfo={"name": "claude-code", "title": "C", "version": "1"},
            ),
            INITIALIZED,
            asks("ping", "a"),
            *(asks(method, number) for number, method in enumerate(LISTS)),
        ]
        for version in (*HANDSHAKE_PROTOCOL_VERSIONS, "1999-01-01")
    },
    "2026-07-28": [
        modern("server/discover"),
        *(modern(method, number) for number, method in enumerate(LISTS)),
    ],
    "2026-07-28 without discover": [modern("tools/list", "x")],
}


@pytest.mark.parametrize("conversation", CONVERSATIONS.values(), ids=CONVERSATIONS)
@pytest.mark.parametrize("allowed", ["never", "allow"])
async def test_it_answers_as_the_session_does(
    tmp_path: Path, conversation: list[dict[str, Any]], allowed: Any
) -> None:
    files = CatalogueFiles(tmp_path)
    server = ServerSettings("docs", command="sleep", args=("60",))
    files.write(server, KNOWN)
    settings = Settings(
        servers={"docs": server},
        gateway=GatewaySettings(ask_via="console", agent_answers=allowed),
    )
    offered = SessionOffers.remembered(settings, ["docs"], files)
    early = Front(offered, settings.gateway)
    got = answers(b"".join(early.read(line(each)) for each in conversation))
    async with without_a_front(settings, files) as ask:
        wanted = [await ask(each) for each in conversation]
    assert got == [each for each in wanted if each is not None]


def test_it_knows_the_sdks_revisions() -> None:
    assert HANDSHAKE_REVISIONS == HANDSHAKE_PROTOCOL_VERSIONS
    assert MODERN_PROTOCOL_VERSIONS == ("2026-07-28",)


# What it does not answer is kept as it came


DEEP = b"[" * 60_000
NOT_ANSWERED: Mapping[str, bytes] = {
    "half a line": line(INITIALIZE)[:-20],
    "no JSON": b"initialize\n",
    "a batch": line([INITIALIZE, INITIALIZE]),
    "invalid UTF-8": line(INITIALIZE).replace(b"raw", b"r\xffw"),
    "no number that JSON has": line(INITIALIZE).replace(b'"raw"', b"NaN"),
    "nested deep": b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": ' + DEEP + b"\n",
    "a long line": line({**INITIALIZE, "params": {**INITIALIZE["params"], "x": "y" * 70_000}}),
    "no version of JSON-RPC": line({**INITIALIZE, "jsonrpc": "1.0"}),
    "an id that is none": line({**INITIALIZE, "id": True}),
    "an id that is a fraction": line({**INITIALIZE, "id": 1.5}),
    "no id": line({key: INITIALIZE[key] for key in ("jsonrpc", "method", "params")}),
    "a method that is a number": line({**INITIALIZE, "method": 1}),
    "params in a list": line({**INITIALIZE, "params": []}),
    "an answer as well": line({**INITIALIZE, "result": {}}),
    "no client": line(asks("initialize", protocolVersion=HANDSHAKE, capabilities={})),
    "a client without a name": line(
        asks("initialize", protocolVersion=HANDSHAKE, capabilities={}, clientInfo={"version": "1"})
    ),
    "capabilities that are none": line(
        {**INITIALIZE, "params": {**INITIALIZE["params"], "capabilities": {"elicitation": 3}}}
    ),
    **{
        f"a capability of another kind: {odd}": line(
            {**INITIALIZE, "params": {**INITIALIZE["params"], "capabilities": odd}}
        )
        for odd in (
            {"elicitation": {"form": True}},
            {"elicitation": {"url": None}},
            {"roots": {"listChanged": {"a": True}}},
            {"sampling": {"tools": True}},
            {"tasks": {"list": True}},
            {"tasks": {"requests": {"elicitation": {"create": True}}}},
            {"experimental": {"x": 1}},
        )
    },
    "a progress token that is none": line(
        {**INITIALIZE, "params": {**INITIALIZE["params"], "_meta": {"progressToken": []}}}
    ),
    "a level of no log": line(
        asks("server/discover", _meta={**MODERN_META, "io.modelcontextprotocol/logLevel": "loud"})
    ),
    "both eras at once": line(
        {**INITIALIZE, "params": {**INITIALIZE["params"], "_meta": MODERN_META}}
    ),
    "a list before initialize": line(asks("tools/list")),
    "a revision of no era": line(
        asks("tools/list", _meta={**MODERN_META, "io.modelcontextprotocol/protocolVersion": "3"})
    ),
    "discover without an envelope": line(asks("server/discover")),
    "a cursor": line(modern("tools/list", cursor="x")),
    "a call": line(modern("tools/call", name="docs__find")),
    "a cancellation": line({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {}}),
    "blank lines": b"\n\r\n",
}


@pytest.mark.parametrize("sent", NOT_ANSWERED.values(), ids=NOT_ANSWERED)
def test_what_is_not_plain_is_kept_for_the_session_as_it_came(sent: bytes) -> None:
    early = front()
    assert early.read(sent) == b""
    assert early.handover().unread == sent
    assert not early.handover().answered


def test_a_call_is_kept_and_the_list_behind_it_answered() -> None:
    early = front()
    early.read(line(INITIALIZE))
    call = line(asks("tools/call", 5, name="docs__find"))
    listed = early.read(line(INITIALIZED) + call + line(asks("tools/list", 6)))
    assert [answer["id"] for answer in answers(listed)] == [6]
    replayed, *kept = early.handover().unread.splitlines(keepends=True)
    assert kept == [line(INITIALIZED), call]
    assert json.loads(replayed)["params"] == INITIALIZE["params"]
    assert {json.loads(replayed)["id"]} == early.handover().answered
    assert early.handover().listed


def test_both_eras_at_once_on_one_pipe_go_to_the_session() -> None:
    early = front()
    early.read(line(INITIALIZE))
    assert early.read(line(modern("tools/list"))) == b""
    assert early.read(line(asks("tools/list"))) != b""
    early.read(line(modern("server/discover")))
    assert early.read(line(asks("tools/list"))) == b""
    assert early.read(line(modern("tools/list"))) != b""


def test_a_message_may_come_byte_by_byte() -> None:
    early = front()
    sent = line(INITIALIZE) + line(asks("tools/list"))
    got = b"".join(early.read(sent[at : at + 1]) for at in range(len(sent)))
    assert [answer["id"] for answer in answers(got)] == [1, 2]


def test_ten_megabytes_are_not_read_here() -> None:
    early = front()
    read = 0
    while not early.is_full:
        early.read(b"x" * 65_536)
        read += 65_536
    assert read <= MOST_BYTES + 65_536
    assert len(early.handover().unread) == read


def test_of_an_agent_that_asks_and_does_not_read_not_all_answers_are_kept_here() -> None:
    early = front()
    listing = line(asks("tools/list"))
    early.read(line(INITIALIZE))
    answered = sum(len(early.read(listing * 100)) for _ in range(200))
    assert answered < MOST_ANSWERED_BYTES + 1_000_000
    assert early.handover().unread.endswith(listing)


@pytest.mark.parametrize("levels", [200, 600, 900])
def test_what_is_nested_deep_costs_the_agent_nothing_but_the_early_answer(levels: int) -> None:
    nested = b"[" * levels + b"1.10" + b"]" * levels
    sent = line({**INITIALIZE, "params": {**INITIALIZE["params"], "x": 0}})
    sent = sent.replace(b'"x": 0', b'"x": ' + nested)
    early = front()
    assert early.read(sent) == b""
    assert early.handover().unread == sent


def test_a_doctor_that_died_keeps_no_list_from_an_agent(tmp_path: Path) -> None:
    request = DoctorRequest("crush", 1.0, 1.0, "nonce")
    files = DoctorFiles("crush")
    with files.asking(request):
        assert front().read(line(modern("tools/list"))) == b""
        os.utime(files.request_file, (1, 1))
        assert front().read(line(modern("tools/list"))) != b""


def test_a_list_waits_for_a_server_that_was_never_seen() -> None:
    early = front("new", docs=KNOWN)
    assert early.read(line(modern("tools/list"))) == b""


def test_two_starts_never_hand_over_the_same_id() -> None:
    ids = set()
    for _ in range(2):
        early = front()
        early.read(line(INITIALIZE) + line(modern("server/discover")))
        ids |= early.handover().answered
    assert len(ids) == 4


# The process


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

    def let_load(self) -> None:
        self._fifo.write_text("")

    def ends(self) -> bytes:
        out, _ = self.process.communicate(timeout=WAIT * 3)
        return out


async def test_the_first_turn_has_its_tools_before_the_sdk_is_there_and_goes_on_without_a_seam(
    tmp_path: Path,
) -> None:
    server = f"{sys.executable} {SERVERS / 'workshop.py'} stdio"
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


# A client that begins anew


@asynccontextmanager
async def on_pipes(
    *servers: ServerSettings, client: str = "console", **more: Any
) -> AsyncIterator[Any]:
    """A session on two pipes in this process: sends messages, and returns what next has an id.

    With a method it returns the next notification of that; `more`: as `open_session` has it.
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
            open_session(settings, names, person, clock=MovedClock(), **more) as session,
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


# What was listed from memory and is another one by now


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
