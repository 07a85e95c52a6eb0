"""Serves the demo over one connection, in both protocol eras: tools, texts and what completes."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from elicit_tui.demo import texts
from elicit_tui.demo.conversation import FORM_REVISION, Conversation, DemoTool, ToolResult
from elicit_tui.demo.demo_tools import TOOLS
from elicit_tui.demo.json_rpc import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    JsonRpcError,
    JsonRpcStdio,
    Message,
)

HANDSHAKE_REVISIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
MODERN_REVISION = "2026-07-28"
META_VERSION = "io.modelcontextprotocol/protocolVersion"
META_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"

INFORMATION = {"name": "elicit-tui-demo", "title": "The demo server", "version": "1.0"}
CAPABILITIES: Message = {
    "tools": {},
    "prompts": {},
    "resources": {},
    "completions": {},
    "logging": {},
}
INSTRUCTIONS = "Every tool asks a different kind of question. Read demo://guide first."
CACHE = {"ttlMs": 0, "cacheScope": "private"}


class DemoServer:
    """One connection: what the client said about itself, and the calls that run."""

    def __init__(self, wire: JsonRpcStdio, tools: Mapping[str, DemoTool] | None = None) -> None:
        self._wire = wire
        self._tools: Mapping[str, DemoTool] = TOOLS if tools is None else tools
        self._capabilities: Any = {}
        self._revision = HANDSHAKE_REVISIONS[0]
        self._calls: dict[Any, asyncio.Task[None]] = {}
        self._suspended: dict[str, tuple[Conversation, asyncio.Task[ToolResult]]] = {}

    async def run(self) -> None:
        """Serve until the client closes the connection."""
        while (message := await self._wire.receive()) is not None:
            if isinstance(message.get("id"), (str, int)):
                task = asyncio.ensure_future(self._answer(message))
                self._calls[message["id"]] = task
            elif "id" not in message and message["method"] == "notifications/cancelled":
                self._cancel(message.get("params"))

    def _cancel(self, params: Any) -> None:
        called = params.get("requestId") if isinstance(params, Mapping) else None
        task = self._calls.get(called) if isinstance(called, (str, int)) else None
        if task is not None:
            task.cancel()

    async def _answer(self, message: Message) -> None:
        request_id, params = message["id"], message.get("params")
        try:
            params = params if isinstance(params, dict) else {}
            result = await self._dispatch(message["method"], params)
            self._wire.answer(request_id, result)
        except JsonRpcError as error:
            self._wire.refuse(request_id, error)
        except Exception as error:  # noqa: BLE001 - one failing tool must not end the server
            self._wire.refuse(request_id, JsonRpcError(INTERNAL_ERROR, f"The demo broke: {error}"))
        finally:
            self._calls.pop(request_id, None)

    async def _dispatch(self, method: str, params: Message) -> Message:
        meta = params.get("_meta")
        modern = isinstance(meta, Mapping) and meta.get(META_VERSION) == MODERN_REVISION
        if method == "initialize":
            return self._initialize(params)
        if method == "tools/call":
            return await self._call_tool(params, modern)
        if method == "prompts/get":
            result = texts.get_prompt(params.get("name"), params.get("arguments"))
            return {**result, "resultType": "complete"} if modern else result
        if method == "resources/read":
            return _listed(texts.read_resource(params.get("uri")), modern)
        if method == "completion/complete":
            result = texts.complete(params.get("ref"), params.get("argument"))
            return {**result, "resultType": "complete"} if modern else result
        listed = self._listing(method)
        if listed is None:
            raise JsonRpcError(METHOD_NOT_FOUND, "This method is not known here.")
        return _listed(listed, modern) if listed else {}

    def _listing(self, method: str) -> Message | None:
        """The simple requests: what there is, and whether anyone is there."""
        if method == "server/discover":
            return {
                "supportedVersions": [MODERN_REVISION],
                "capabilities": CAPABILITIES,
                "instructions": INSTRUCTIONS,
                "_meta": {"io.modelcontextprotocol/serverInfo": INFORMATION},
            }
        if method == "tools/list":
            return {"tools": [tool.as_json() for tool in self._tools.values()]}
        if method == "prompts/list":
            return {"prompts": texts.list_prompts()}
        if method == "resources/list":
            return {"resources": texts.list_resources()}
        if method == "resources/templates/list":
            return {"resourceTemplates": texts.list_templates()}
        return {} if method in ("ping", "logging/setLevel") else None

    def _initialize(self, params: Message) -> Message:
        wanted = params.get("protocolVersion")
        known = wanted in HANDSHAKE_REVISIONS
        self._revision = str(wanted) if known else HANDSHAKE_REVISIONS[0]
        self._capabilities = params.get("capabilities")
        return {
            "protocolVersion": self._revision,
            "capabilities": CAPABILITIES,
            "serverInfo": INFORMATION,
            "instructions": INSTRUCTIONS,
        }

    async def _call_tool(self, params: Message, modern: bool) -> Message:
        if not modern:
            result = await self._start(params, modern)[1]
            return result.as_json()
        suspended = self._suspended.pop(str(params.get("requestState")), None)
        talk, running = suspended or self._start(params, modern)
        talk.hear(params.get("inputResponses"))
        await _until_it_asks(talk, running)
        if running.done():
            return {**running.result().as_json(), "resultType": "complete"}
        self._suspended[talk.state] = (talk, running)
        return {
            "resultType": "input_required",
            "inputRequests": talk.next_round(),
            "requestState": talk.state,
        }

    def _start(
        self, params: Message, modern: bool
    ) -> tuple[Conversation, asyncio.Task[ToolResult]]:
        tool = self._tools.get(str(params.get("name")))
        if tool is None:
            raise JsonRpcError(INVALID_PARAMS, "There is no such tool.")
        given = params.get("arguments")
        arguments = given if isinstance(given, Mapping) else {}
        missing = [name for name in tool.required if name not in arguments]
        if missing:
            raise JsonRpcError(INVALID_PARAMS, f"Missing argument: {', '.join(missing)}.")
        meta = params.get("_meta")
        meta = meta if isinstance(meta, Mapping) else {}
        talk = Conversation(
            self._wire,
            modern=modern,
            modes=self._modes(meta.get(META_CAPABILITIES) if modern else self._capabilities),
            progress_token=meta.get("progressToken"),
            logs=not modern,
        )
        return talk, asyncio.ensure_future(tool.run(talk, arguments))

    def _modes(self, capabilities: Any) -> tuple[str, ...]:
        """The elicitation modes this client can show (spec: client/elicitation, Capabilities)."""
        declared = capabilities.get("elicitation") if isinstance(capabilities, Mapping) else None
        if not isinstance(declared, Mapping) or self._revision < FORM_REVISION:
            return ()
        return tuple(mode for mode in ("form", "url") if mode in declared) or ("form",)


async def _until_it_asks(talk: Conversation, running: asyncio.Task[ToolResult]) -> None:
    """Wait until the tool is done or waits for answers; questions asked together go together."""
    asked = asyncio.ensure_future(talk.asked.wait())
    await asyncio.wait({asked, running}, return_when=asyncio.FIRST_COMPLETED)
    asked.cancel()
    for _ in range(3):
        await asyncio.sleep(0)


def _listed(result: Message, modern: bool) -> Message:
    """A list or a resource with what the modern revision wants beside it."""
    return {**result, **CACHE, "resultType": "complete"} if modern else result


async def serve() -> None:
    """Run the demo server on standard input and output until the client goes away."""
    await DemoServer(JsonRpcStdio()).run()
