"""One request of an agent and its connection: what is told of it, in what order and how much."""

from __future__ import annotations

import asyncio
import sys
from types import SimpleNamespace
from typing import Any

import mcp_types as types
import pytest
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import ResourceUpdated, ToolsListChanged

from elicit_tui.elicitation.eras import EXTENSION
from elicit_tui.gateway import agent as agent_module
from elicit_tui.gateway.agent import (
    ANSWERED,
    GONE,
    MOST_OF_A_NAME,
    PROGRESS_BURST,
    AgentRequest,
    Notification,
    SessionAudience,
)
from elicit_tui.gateway.requester import ClientSilent
from tests.gateway.world import HANDSHAKE, MODERN, WAIT, settled

pytestmark = pytest.mark.anyio

HALF = "\ud800"


class Connection:
    """The SDK's session with an agent, which keeps what it is sent."""

    def __init__(self) -> None:
        self.client_params: Any = None
        self.client_capabilities: Any = None
        self.sent: list[dict[str, Any]] = []
        self.of: list[Any] = []
        self.reads = asyncio.Event()
        self.reads.set()
        self.answer: Any = None

    async def send_notification(self, notification: Any, related_request_id: Any = None) -> None:
        await self.reads.wait()
        self.sent.append(notification.model_dump())
        self.of.append(related_request_id)

    async def send_request(self, request: Any, kind: Any, metadata: Any) -> Any:
        self.of.append(metadata.related_request_id)
        if isinstance(self.answer, Exception):
            raise self.answer
        self.sent.append(request.params.model_dump(by_alias=True, exclude_none=True))
        return self.answer


def request(
    era: str = HANDSHAKE, meta: Any = None, http: Any = None, connection: Connection | None = None
) -> AgentRequest:
    """`http`: the scope of a request that came over HTTP."""
    context: Any = SimpleNamespace(
        protocol_version=era,
        params={"_meta": meta} if meta is not None else None,
        meta=meta,
        session=connection or Connection(),
        request=None if http is None else SimpleNamespace(scope=http),
        request_id="r1",
    )
    return AgentRequest(context, 5.0)


@pytest.fixture
def still(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock for the pace of progress, which stands still until a test moves it."""
    moment = [100.0]
    monkeypatch.setattr(agent_module, "time", SimpleNamespace(monotonic=lambda: moment[0]))
    return moment


def progressed(connection: Connection) -> list[Any]:
    return [each["params"]["progress"] for each in connection.sent]


# Progress


async def test_how_far_a_call_is_goes_to_its_own_request_and_never_back() -> None:
    here = Connection()
    asked = request(meta={"progressToken": "t"}, connection=here)
    asked.progress(1.0, 4.0, "one")
    asked.progress(1.0, None, None)
    asked.progress(0.5, None, None)
    asked.progress(2.0, None, None)
    await asked.flushed()
    first, *others = [each["params"] for each in here.sent]
    assert first == {"progressToken": "t", "progress": 1.0, "total": 4.0, "message": "one"}
    assert all(each.keys() == {"progressToken", "progress"} for each in others)
    values = progressed(here)
    assert values == sorted(set(values))
    assert values[-1] == 2.0
    assert values[2] < 1.001
    assert here.of == ["r1"] * 4


async def test_a_server_at_the_largest_number_makes_no_line_that_is_no_json() -> None:
    here = Connection()
    asked = request(meta={"progressToken": 1}, connection=here)
    for value in (sys.float_info.max, sys.float_info.max, int(sys.float_info.max)):
        asked.progress(value, None, None)
    asked.tick(None, "waiting")
    await asked.flushed()
    assert progressed(here) == [sys.float_info.max]


async def test_who_asked_for_no_progress_has_none() -> None:
    for meta in (None, {}, {"other": 1}):
        here = Connection()
        asked = request(meta=meta, connection=here)
        assert not asked.has_token
        asked.progress(1.0, None, None)
        asked.tick(None, "waiting")
        await asked.flushed()
        assert here.sent == []
    assert request(meta={"progress_token": 0}).has_token


async def test_a_tick_is_a_hair_above_what_was_said_last() -> None:
    here = Connection()
    asked = request(meta={"progressToken": 1}, connection=here)
    asked.tick(None, "waiting")
    asked.progress(3.0, 9.0, None)
    asked.tick(9.0, "waiting")
    await asked.flushed()
    first, three, last = progressed(here)
    assert 0 < first < 0.001
    assert three == 3.0
    assert 3.0 < last < 3.001
    assert here.sent[-1]["params"]["message"] == "waiting"
    assert here.sent[-1]["params"]["total"] == 9.0


async def test_of_what_comes_too_fast_the_newest_is_passed_on_a_moment_later(
    still: list[float],
) -> None:
    here = Connection()
    asked = request(meta={"progressToken": 1}, connection=here)
    for value in range(1, PROGRESS_BURST + 20):
        asked.progress(float(value), None, None)
    await settled()
    assert progressed(here) == [float(value) for value in range(1, PROGRESS_BURST + 1)]
    end = asyncio.get_running_loop().time() + WAIT
    while len(here.sent) == PROGRESS_BURST:
        assert asyncio.get_running_loop().time() < end
        await asyncio.sleep(0.01)
    assert progressed(here)[PROGRESS_BURST:] == [float(PROGRESS_BURST + 19)]
    still[0] += 0.2
    for value in (100.0, 101.0, 102.0, 103.0):
        asked.progress(value, None, None)
    await settled()
    assert progressed(here)[-2:] == [100.0, 101.0]
    # What waits for its moment leaves before the answer, and once.
    await asked.flushed()
    await asked.flushed()
    assert progressed(here)[-2:] == [101.0, 103.0]


async def test_after_a_long_silence_no_more_than_a_burst_passes(still: list[float]) -> None:
    here = Connection()
    asked = request(meta={"progressToken": 1}, connection=here)
    still[0] += 10_000
    for value in range(1, PROGRESS_BURST + 3):
        asked.progress(float(value), None, None)
    await settled()
    assert len(here.sent) == PROGRESS_BURST


async def test_of_a_request_that_was_cancelled_nothing_is_told_any_more(
    still: list[float],
) -> None:
    here, other = Connection(), Connection()
    asked, later = (request(meta={"progressToken": 1}, connection=it) for it in (here, other))
    for of_one in (asked, later):
        for value in range(1, PROGRESS_BURST + 20):
            of_one.progress(float(value), None, None)
    await settled()
    asked.over()
    asked.tick(None, "later")
    # What the one would still have told, the other tells after it.
    end = asyncio.get_running_loop().time() + WAIT
    while len(other.sent) == PROGRESS_BURST:
        assert asyncio.get_running_loop().time() < end
        await asyncio.sleep(0.01)
    assert len(here.sent) == PROGRESS_BURST


async def test_what_is_told_leaves_in_order_before_the_answer_and_in_bounds(
    monkeypatch: pytest.MonkeyPatch, still: list[float]
) -> None:
    monkeypatch.setattr(agent_module, "MOST_UNSENT", 3)
    here = Connection()
    here.reads.clear()
    asked = request(MODERN, {"progressToken": 1, types.LOG_LEVEL_META_KEY: "info"}, None, here)
    for value in range(1, 6):
        asked.progress(float(value), None, None)
    flushing = asyncio.ensure_future(asked.flushed())
    await settled()
    assert not flushing.done()
    here.reads.set()
    await asyncio.wait_for(flushing, WAIT)
    assert progressed(here) == [1.0, 2.0, 3.0]
    asked.log("info", None, "again")
    await asked.flushed()
    assert here.sent[-1]["method"] == "notifications/message"


# Log lines


@pytest.mark.parametrize(
    ("era", "wanted", "passes"),
    [
        (MODERN, "warning", ["warning", "error", "emergency"]),
        (MODERN, "debug", ["debug", "warning", "error", "emergency", "loud"]),
        (MODERN, "no level", []),
        (MODERN, None, []),
        (HANDSHAKE, "debug", []),
    ],
)
async def test_a_request_has_the_lines_of_its_call_from_the_level_it_wants(
    era: str, wanted: str | None, passes: list[str]
) -> None:
    here = Connection()
    asked = request(era, {types.LOG_LEVEL_META_KEY: wanted} if wanted else {}, None, here)
    for level in ("debug", "warning", "error", "emergency", "loud"):
        asked.log(level, "s/logger", level)
    await asked.flushed()
    assert [each["params"]["data"] for each in here.sent] == passes
    assert all(each["params"]["logger"] == "s/logger" for each in here.sent)
    assert "loud" not in [each["params"]["level"] for each in here.sent]


async def test_a_line_that_is_nested_too_deep_says_so() -> None:
    here = Connection()
    asked = request(MODERN, {types.LOG_LEVEL_META_KEY: "debug"}, None, here)
    deep: Any = []
    for _ in range(200):
        deep = [deep]
    asked.log("info", None, deep)
    await asked.flushed()
    assert here.sent[0]["params"] == {"level": "info", "data": "(nested too deep)"}


def test_over_http_half_a_character_is_replaced_and_on_a_pipe_nothing_is() -> None:
    for http, shown in ((True, "\ufffd"), (False, HALF)):
        assert Notification("x", {"a": HALF}, http=http).model_dump()["params"] == {"a": shown}
    assert Notification("x").model_dump() == {"method": "x"}


async def test_what_a_request_over_http_is_told_everybody_can_read() -> None:
    here = Connection()
    meta = {types.LOG_LEVEL_META_KEY: "debug", "progressToken": 1}
    asked = request(MODERN, meta, {}, here)
    asked.log("info", None, HALF)
    asked.progress(1.0, None, HALF)
    await asked.flushed()
    assert here.sent[0]["params"]["data"] == "\ufffd"
    assert here.sent[1]["params"]["message"] == "\ufffd"


# Who it is, and when it is over


async def test_who_asks_is_known_in_bounds_and_by_what_its_client_can_do() -> None:
    here = Connection()
    assert request(connection=here).agent.name is None
    info = types.Implementation(name="a" * 300, version=HALF)
    here.client_params = SimpleNamespace(client_info=info)
    here.client_capabilities = types.ClientCapabilities(elicitation=None)
    asked = request(connection=here)
    assert asked.agent.name == "a" * MOST_OF_A_NAME
    assert (asked.agent.version, asked.agent.modes) == ("\ufffd", frozenset())
    elicitation = types.ElicitationCapability()
    here.client_capabilities = types.ClientCapabilities(elicitation=elicitation)
    assert request(connection=here).agent.modes == {"form"}
    here.client_params = SimpleNamespace(client_info=None)
    assert request(connection=here).agent.name is None


@pytest.mark.parametrize("era", [HANDSHAKE, MODERN])
async def test_a_client_knows_tasks_where_this_very_request_says_so(era: str) -> None:
    known = {types.CLIENT_CAPABILITIES_META_KEY: {"extensions": {EXTENSION: {}}}}
    assert request(era, known).knows_tasks is (era == MODERN)
    assert request(era, known).era == ("modern" if era == MODERN else "handshake")
    for meta in ({}, {types.CLIENT_CAPABILITIES_META_KEY: {}}, "no object", None):
        context: Any = SimpleNamespace(protocol_version=era, params={"_meta": meta})
        assert not agent_module.knows_tasks(context)


async def test_only_over_http_it_is_known_when_a_client_hung_up_and_when_its_answer_has_left() -> (
    None
):
    async def work() -> None:
        """What is done once the answer has left."""

    gone, after = asyncio.Event(), list[Any]()
    over_http = request(http={GONE: gone, ANSWERED: after})
    assert (over_http.http, over_http.gone) == (True, gone)
    assert over_http.when_answered(work)
    assert after == [work]
    on_a_pipe = request()
    assert (on_a_pipe.http, on_a_pipe.gone) == (False, None)
    assert not on_a_pipe.when_answered(work)
    bare = request(http={})
    assert (bare.http, bare.gone, bare.when_answered(work)) == (True, None, False)
    assert on_a_pipe.arrived == 5.0


# The agent's own client


async def test_a_client_is_asked_by_a_form_or_a_page_and_its_answer_comes_as_it_is() -> None:
    here = Connection()
    asked = request(connection=here)
    here.answer = types.ElicitResult(action="accept", content={"a": "x"})
    form = {"mode": "form", "message": "?", "requestedSchema": {"type": "object", "properties": {}}}
    assert await asked.elicit(form) == {"action": "accept", "content": {"a": "x"}}
    here.answer = types.ElicitResult(action="decline")
    page = {"mode": "url", "message": "?", "url": "https://a.example", "elicitationId": "1"}
    assert await asked.elicit(page) == {"action": "decline"}
    assert here.sent == [form, page]
    assert here.of == ["r1", "r1"]


@pytest.mark.parametrize("error", [MCPError(-32601, "no"), RuntimeError("closed")])
async def test_a_client_that_cannot_be_asked_is_silent(error: Exception) -> None:
    here = Connection()
    here.answer = error
    with pytest.raises(ClientSilent):
        await request(connection=here).elicit({"mode": "form", "message": "?"})
    with pytest.raises(ClientSilent):
        await request(connection=here).elicit({"mode": "url", "message": "no page"})


# The connection as a whole


async def test_before_its_handshake_an_agent_is_told_nothing_and_then_what_it_is_owed() -> None:
    here = Connection()
    audience = SessionAudience(listed=True)
    audience.log("error", "s", "unheard")
    audience.list_changed("tools")
    audience.list_changed("prompts")
    audience.list_changed("tools")
    await settled()
    assert here.sent == []
    audience.connected(here)
    audience.list_changed("resources")
    await settled()
    assert [each["method"] for each in here.sent] == [
        "notifications/tools/list_changed",
        "notifications/prompts/list_changed",
        "notifications/resources/list_changed",
    ]
    fresh, unlisted = Connection(), SessionAudience()
    unlisted.list_changed("tools")
    unlisted.connected(fresh)
    await settled()
    assert fresh.sent == []


async def test_who_begins_to_listen_is_told_what_nobody_has_heard() -> None:
    audience, heard = SessionAudience(listed=True), list[Any]()
    audience.list_changed("tools")
    await settled()
    stop = audience.bus.subscribe(heard.append)
    assert heard == [ToolsListChanged()]
    audience.resource_updated("a:b")
    await settled()
    assert heard[1:] == [ResourceUpdated("a:b")]
    stop()
    audience.list_changed("prompts")
    await settled()
    assert len(heard) == 2


async def test_a_session_has_the_lines_from_the_level_that_was_set() -> None:
    here, audience = Connection(), SessionAudience()
    audience.connected(here, http=True)
    audience.log("debug", "s", 1)
    audience.log("info", "s", HALF)
    audience.set_level("error")
    audience.log("warning", None, 3)
    audience.log("error", None, 4)
    audience.resource_updated(f"a:{HALF}")
    await settled()
    assert [each["params"] for each in here.sent] == [
        {"level": "info", "logger": "s", "data": "\ufffd"},
        {"level": "error", "data": 4},
        {"uri": "a:\ufffd"},
    ]


async def test_a_connection_that_broke_costs_nobody_the_next_line() -> None:
    here, audience = Connection(), SessionAudience()

    async def broken(notification: Any, related_request_id: Any = None) -> None:
        raise RuntimeError("closed")

    whole, here.send_notification = here.send_notification, broken  # type: ignore[method-assign]
    audience.connected(here)
    audience.log("error", "s", "lost")
    await settled()
    here.send_notification = whole  # type: ignore[method-assign]
    audience.log("error", "s", "heard")
    await settled()
    assert [each["params"]["data"] for each in here.sent] == ["heard"]
