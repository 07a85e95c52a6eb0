"""Which requests of an agent are answered here, what is refused, and how errors are worded."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import mcp_types as types
import pytest
from mcp.shared.exceptions import MCPError

from elicit_tui.elicitation.eras import EXTENSION
from elicit_tui.errors import ElicitTuiError, ProtocolCallError, StoreError
from elicit_tui.gateway.agent import GONE
from elicit_tui.gateway.mcp_server import RequestMiddleware
from elicit_tui.gateway.passing import Unknown
from elicit_tui.gateway.tasks import UnknownTask
from elicit_tui.gateway.telling import NOT_VISITED
from tests.gateway.world import HANDSHAKE, MODERN, WAIT, settled

pytestmark = pytest.mark.anyio

KNOWN = SimpleNamespace(client_info=None)
ON_TASKS = {types.CLIENT_CAPABILITIES_META_KEY: {"extensions": {EXTENSION: {}}}}


class AnySession:
    """A session that gives, or raises, one and the same for whatever it is asked."""

    def __init__(self, gives: Any = None) -> None:
        self.gives = gives
        self.asked: list[tuple[Any, ...]] = []
        self.clock = SimpleNamespace(time=lambda: 0.0)
        self.passing = self.tasks = self.audience = self.note = self

    async def _give(self, *asked: Any) -> Any:
        self.asked.append(asked)
        if isinstance(self.gives, Exception):
            raise self.gives
        return {} if self.gives is None else self.gives

    async def call_tool(self, name: str, arguments: Any, request: Any) -> Any:
        if self.gives == "never":
            try:
                await asyncio.Event().wait()
            finally:
                self.asked.append(("given up",))
        return await self._give("call_tool", name, arguments)

    async def get_prompt(self, name: str, arguments: Any, request: Any) -> Any:
        return await self._give("get_prompt", name, arguments)

    async def read_resource(self, uri: str, request: Any) -> Any:
        return await self._give("read_resource", uri)

    async def complete(self, params: Any) -> Any:
        return await self._give("complete", params)

    async def subscribe(self, uri: str) -> Any:
        return await self._give("subscribe", uri)

    async def unsubscribe(self, uri: str) -> Any:
        return await self._give("unsubscribe", uri)

    def set_level(self, level: str) -> None:
        self.asked.append(("level shown", level))

    async def set_log_level(self, level: str) -> Any:
        return await self._give("level", level)

    async def get(self, task: Any) -> Any:
        return await self._give("task", task)

    async def update(self, task: Any, responses: Any) -> Any:
        return await self._give("update", task, responses)

    async def cancel(self, task: Any) -> Any:
        return await self._give("cancel", task)

    async def offers(self, request: Any) -> Any:
        await self._give("offers")
        return SimpleNamespace(tools=[{"name": "t"}], prompts=[], resources=[], templates=[])


async def answered(
    session: Any,
    method: str,
    params: Any = None,
    /,
    *,
    era: str = HANDSHAKE,
    tasks: bool = True,
    request: Any = None,
    **more: Any,
) -> Any:
    """What a request is answered; "the SDK" where it is left to that."""

    async def session_of(context: Any) -> Any:
        if isinstance(session, Exception):
            raise session
        return session

    async def sdk(context: Any) -> Any:
        return "the SDK"

    meta = {} if era == HANDSHAKE else ON_TASKS
    context: Any = SimpleNamespace(
        method=method,
        params=params,
        meta=meta,
        protocol_version=era,
        request_id=1,
        request=request,
        session=SimpleNamespace(client_params=KNOWN, client_capabilities=None),
    )
    vars(context).update(more)
    if isinstance(params, dict):
        params["_meta"] = meta
    return await RequestMiddleware(session_of, tasks=tasks)(context, sdk)


async def refusal(session: Any, method: str, params: Any = None, /, **more: Any) -> tuple[Any, ...]:
    with pytest.raises(MCPError) as raised:
        await answered(session, method, params, **more)
    return raised.value.error.code, raised.value.error.message, raised.value.error.data


@pytest.mark.parametrize(
    ("method", "params", "why"),
    [
        ("tools/list", {"cursor": "2"}, "Unknown cursor: the list has one page."),
        ("tools/call", {}, "name is missing."),
        ("tools/call", {"name": 5}, "name is missing."),
        ("tools/call", {"name": "t", "arguments": ["a"]}, "arguments is no object."),
        ("prompts/get", {"name": "p", "arguments": "a"}, "arguments is no object."),
        ("resources/read", {}, "uri is missing."),
        ("resources/subscribe", {"uri": 5}, "uri is missing."),
        ("resources/unsubscribe", {}, "uri is missing."),
        ("logging/setLevel", {"level": "loud"}, "level is none of the protocol's."),
        ("completion/complete", ["a"], "Invalid request parameters"),
        ("tools/call", {"name": "t", "inputResponses": []}, "inputResponses is no object of"),
        ("tools/call", {"name": "t", "inputResponses": {"a": 1}}, "inputResponses is no object of"),
    ],
)
async def test_what_has_no_meaning_is_refused_before_anybody_is_asked(
    method: str, params: Any, why: str
) -> None:
    session = AnySession()
    code, message, _ = await refusal(session, method, params)
    assert (code, session.asked) == (types.INVALID_PARAMS, [])
    assert message.startswith(why)


async def test_an_update_of_a_task_has_answers() -> None:
    session = AnySession()
    refused = await refusal(session, "tasks/update", {"taskId": "t"}, era=MODERN)
    assert refused[:2] == (types.INVALID_PARAMS, "inputResponses is missing.")
    assert session.asked == []


@pytest.mark.parametrize(
    ("method", "params", "asked"),
    [
        ("tools/list", {}, [("offers",)]),
        ("tools/call", {"name": "t", "arguments": {"a": 1}}, [("call_tool", "t", {"a": 1})]),
        ("tools/call", {"name": "t", "inputResponses": {}}, [("call_tool", "t", {})]),
        ("prompts/get", {"name": "p"}, [("get_prompt", "p", {})]),
        ("resources/read", {"uri": "a:1"}, [("read_resource", "a:1")]),
        ("resources/subscribe", {"uri": "a:1"}, [("subscribe", "a:1")]),
        ("resources/unsubscribe", {"uri": "a:1"}, [("unsubscribe", "a:1")]),
        ("logging/setLevel", {"level": "info"}, [("level shown", "info"), ("level", "info")]),
    ],
)
async def test_what_has_a_meaning_goes_to_the_session(method: str, params: Any, asked: Any) -> None:
    session = AnySession()
    assert "resultType" not in await answered(session, method, params)
    assert session.asked == asked


async def test_who_speaks_the_modern_era_has_its_envelope_and_nobody_else() -> None:
    session = AnySession({"resultType": "task", "content": []})
    params = {"name": "t"}
    assert await answered(session, "tools/call", params) == {"content": []}
    assert (await answered(session, "tools/call", params, era=MODERN))["resultType"] == "task"
    kept = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
    listed = await answered(AnySession(), "tools/list", {}, era=MODERN)
    assert listed == {"tools": [{"name": "t"}], **kept}
    assert await answered(AnySession(), "resources/read", {"uri": "a:1"}, era=MODERN) == kept


@pytest.mark.parametrize(
    ("method", "how"),
    [
        ("ping", {}),
        ("tools/call", {"request_id": None}),
        ("tools/call", {"session": SimpleNamespace(client_params=None)}),
        ("logging/setLevel", {"era": MODERN}),
        ("resources/subscribe", {"era": MODERN}),
        ("tasks/get", {}),
        ("tasks/get", {"era": MODERN, "tasks": False}),
    ],
)
async def test_what_an_era_does_not_have_or_comes_too_early_is_left_to_the_sdk(
    method: str, how: Any
) -> None:
    session = AnySession()
    assert await answered(session, method, {"name": "t", "level": "info"}, **how) == "the SDK"
    assert session.asked == []


VISIT = {"elicitations": [{"url": "https://a.example"}]}


@pytest.mark.parametrize(
    ("raised", "told"),
    [
        (ProtocolCallError(-5, "no", {"a": 1}), (-5, "no", {"a": 1})),
        (ProtocolCallError(-32042, "visit", VISIT), (types.INTERNAL_ERROR, NOT_VISITED, None)),
        (Unknown("Unknown tool: t"), (types.INVALID_PARAMS, "Unknown tool: t", None)),
        (UnknownTask(), (types.INVALID_PARAMS, "Unknown task.", None)),
        (ElicitTuiError("It went away."), (types.INTERNAL_ERROR, "It went away.", None)),
    ],
)
async def test_an_error_is_told_as_what_it_is(raised: Exception, told: Any) -> None:
    assert await refusal(AnySession(raised), "tools/call", {"name": "t"}) == told


async def test_a_resource_that_is_not_there_has_the_code_of_its_era() -> None:
    session = AnySession(Unknown("Unknown resource: a:1"))
    for era, code in ((HANDSHAKE, -32002), (MODERN, types.INVALID_PARAMS)):
        refused = await refusal(session, "resources/read", {"uri": "a:1"}, era=era)
        assert refused == (code, "Unknown resource: a:1", {"uri": "a:1"})


async def test_why_there_is_no_session_is_told_with_the_first_answer() -> None:
    none = StoreError("The store cannot be reached.")
    assert await answered(none, "notifications/initialized", {}, request_id=None) == "the SDK"
    refused = await refusal(none, "tools/call", {"name": "t"})
    assert refused == (types.INTERNAL_ERROR, "The store cannot be reached.", None)


async def test_what_is_no_json_is_refused_over_http_alone() -> None:
    params = {"name": "t", "arguments": {"a": float("nan")}}
    assert await answered(AnySession(), "tools/call", params) == {}
    http = SimpleNamespace(scope={}, headers={})
    refused = await refusal(AnySession(), "tools/call", params, request=http)
    assert refused[:2] == (types.INVALID_PARAMS, "params is no JSON that others can read.")


async def test_a_call_is_given_up_when_its_client_hangs_up() -> None:
    session, gone = AnySession("never"), asyncio.Event()
    http = SimpleNamespace(scope={GONE: gone}, headers={})
    call = asyncio.ensure_future(refusal(session, "tools/call", {"name": "t"}, request=http))
    await settled()
    gone.set()
    refused = await asyncio.wait_for(call, WAIT)
    assert refused[:2] == (types.CONNECTION_CLOSED, "The client hung up.")
    assert session.asked == [("given up",)]
