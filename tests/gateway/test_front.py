"""The front: an agent's first messages, well formed or hostile, before the SDK is there."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from elicit_tui.elicitation.eras import EXTENSION
from elicit_tui.elicitation.settings import GatewaySettings, ServerSettings, Settings
from elicit_tui.gateway.agent_session import AgentSession
from elicit_tui.gateway.catalogue import Catalogue, CatalogueFiles
from elicit_tui.gateway.doctor_files import DoctorFiles, DoctorRequest
from elicit_tui.gateway.front import HANDSHAKE_REVISIONS, MOST_ANSWERED_BYTES, MOST_BYTES, Front
from elicit_tui.gateway.offers import LISTS, SessionOffers
from elicit_tui.gateway.opening import SessionOptions, open_session
from tests.gateway.front_messages import INITIALIZED, TOOL, asks, line, modern
from tests.gateway.http_world import INITIALIZE, MODERN_META
from tests.gateway.world import (
    HANDSHAKE,
    WAIT,
    MovedClock,
    PersonAtOtherTerminal,
    in_memory,
)

pytestmark = pytest.mark.anyio

SHAPED = {**TOOL, "name": "count", "outputSchema": {"type": "object"}}
KNOWN = Catalogue([TOOL, SHAPED], [{"name": "greet"}], [{"uri": "a://b"}], instructions="Be kind.")


def front(*unseen: str, gateway: GatewaySettings | None = None, **known: Catalogue) -> Front:
    names = [*known, *unseen]
    servers = {name: ServerSettings(name, command="x") for name in names}
    offered = SessionOffers(servers, prefix=True)
    for name, catalogue in (known or {"docs": KNOWN}).items():
        offered.servers = {**offered.servers, name: ServerSettings(name, command="x")}
        offered.put(name, catalogue)
    return Front(offered, gateway or GatewaySettings())


def answers(text: bytes) -> list[dict[str, Any]]:
    return [json.loads(each) for each in text.splitlines()]


# The same as without it


@asynccontextmanager
async def without_a_front(settings: Settings, files: CatalogueFiles) -> AsyncIterator[Any]:
    """Asks the SDK's server over a session, message by message, and returns raw answers."""

    @asynccontextmanager
    async def open_one(*shown: object) -> AsyncIterator[AgentSession]:
        person = PersonAtOtherTerminal()
        names = list(settings.servers)
        async with open_session(
            settings, names, person, SessionOptions(clock=MovedClock(), files=files)
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


CLIENT = "io.modelcontextprotocol/clientInfo"
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
            asks("tools/list", "b", cursor=None),
            *(asks(method, number) for number, method in enumerate(LISTS)),
        ]
        for version in (*HANDSHAKE_PROTOCOL_VERSIONS, "1999-01-01")
    },
    "2026-07-28": [
        modern("server/discover"),
        *(modern(method, number) for number, method in enumerate(LISTS)),
    ],
    "2026-07-28 without discover": [modern("tools/list", "x")],
    "2026-07-28 by nobody in particular": [
        asks("tools/list", _meta={key: MODERN_META[key] for key in MODERN_META if key != CLIENT})
    ],
    "2026-07-28 with tasks": [
        asks(
            "tools/list",
            _meta={
                **MODERN_META,
                "io.modelcontextprotocol/clientCapabilities": {"extensions": {EXTENSION: {}}},
            },
        )
    ],
}
OWNERS: Mapping[str, dict[str, Any]] = {
    "as shipped": {},
    "an agent may answer": {"agent_answers": "allow"},
    "no tasks": {"tasks": "never"},
    "an agent on a pipe outwaits its questions": {"wait_sec": 600},
}


@pytest.mark.parametrize("conversation", CONVERSATIONS.values(), ids=CONVERSATIONS)
@pytest.mark.parametrize("owner", OWNERS.values(), ids=OWNERS)
async def test_it_answers_as_the_session_does(
    tmp_path: Path, conversation: list[dict[str, Any]], owner: dict[str, Any]
) -> None:
    files = CatalogueFiles(tmp_path)
    # It says nothing, and ends with its pipe.
    server = ServerSettings("docs", command="sh", args=("-c", "cat > /dev/null"))
    files.write(server, KNOWN)
    settings = Settings(
        servers={"docs": server},
        gateway=GatewaySettings(ask_via="console", **owner),
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


def begins(**params: Any) -> bytes:
    """The handshake, with these of its params in the place of the usual ones."""
    return line({**INITIALIZE, "params": {**INITIALIZE["params"], **params}})


DEEP = b"[" * 60_000
NOT_ANSWERED: Mapping[str, bytes] = {
    "half a line": line(INITIALIZE)[:-20],
    "no JSON": b"initialize\n",
    "a batch": line([INITIALIZE, INITIALIZE]),
    "invalid UTF-8": line(INITIALIZE).replace(b"raw", b"r\xffw"),
    "no number that JSON has": line(INITIALIZE).replace(b'"raw"', b"NaN"),
    "nested deep": b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": ' + DEEP + b"\n",
    "a long line": begins(x="y" * 70_000),
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
    "a client without a version": begins(clientInfo={"name": "a"}),
    "a client with a version that is no text": begins(clientInfo={"name": "a", "version": 1}),
    "a client with icons": begins(clientInfo={"name": "a", "version": "1", "icons": [{"src": 1}]}),
    "a revision that is a number": begins(protocolVersion=20251125),
    "a progress token that is a flag": begins(_meta={"progressToken": True}),
    "a text in the place of _meta": begins(_meta="x"),
    "no capabilities": line(
        asks("initialize", protocolVersion=HANDSHAKE, clientInfo={"name": "a", "version": "1"})
    ),
    **{
        f"a capability of another kind: {odd}": begins(capabilities=odd)
        for odd in (
            [],
            {"elicitation": 3},
            {"elicitation": {"form": True}},
            {"elicitation": {"url": None}},
            {"roots": {"listChanged": {"a": True}}},
            {"sampling": {"tools": True}},
            {"tasks": {"list": True}},
            {"tasks": {"requests": {"elicitation": {"create": True}}}},
            {"experimental": {"x": 1}},
            {"experimental": ["x"]},
            {"extensions": {"x": 1}},
        )
    },
    "a progress token that is none": begins(_meta={"progressToken": []}),
    "a level of no log": line(
        asks("server/discover", _meta={**MODERN_META, "io.modelcontextprotocol/logLevel": "loud"})
    ),
    "both eras at once": begins(_meta=MODERN_META),
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


@pytest.mark.parametrize("odd", [[], "", 0, False])
def test_odd_params_are_the_sessions_to_refuse_also_where_a_request_needs_none(odd: Any) -> None:
    early = front()
    early.read(line(INITIALIZE))
    assert early.read(line({**asks("ping"), "params": odd})) == b""


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


def test_of_messages_that_wait_for_the_session_no_more_than_a_bound_are_read_here() -> None:
    early, call = front(), line(asks("tools/call", name="docs__find", x="y" * 1000))
    for _ in range(MOST_BYTES // len(call)):
        assert not early.is_full
        early.read(call)
    early.read(call)
    assert early.is_full


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


def test_a_list_does_not_wait_for_a_server_that_cannot_be_started() -> None:
    early = front(docs=KNOWN)
    lacks = ServerSettings("lacks", command="x", missing=("TOKEN",))
    early.offered.servers = {**early.offered.servers, "lacks": lacks}
    (listed,) = answers(early.read(line(modern("tools/list"))))
    assert "docs__find" in {tool["name"] for tool in listed["result"]["tools"]}


def test_two_starts_never_hand_over_the_same_id() -> None:
    ids = set()
    for _ in range(2):
        early = front()
        early.read(line(INITIALIZE) + line(modern("server/discover")))
        ids |= early.handover().answered
    assert len(ids) == 4
