"""A server whose results are checked: an outputSchema that they break or keep, images, an error.

python odd_results.py
"""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from elicit_tui.demo.conversation import Conversation, DemoTool, ToolResult
from elicit_tui.demo.json_rpc import INTERNAL_ERROR, JsonRpcError, JsonRpcStdio
from elicit_tui.demo.server import DemoServer

PIXEL = base64.b64encode(b"\x89PNG\r\n\x1a\n and so on").decode()
SCHEMA = {"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]}


@dataclass(frozen=True)
class Promising(DemoTool):
    """A tool with an outputSchema."""

    def as_json(self) -> dict[str, Any]:
        return {**super().as_json(), "outputSchema": SCHEMA, "execution": {"taskSupport": "never"}}


@dataclass(frozen=True)
class Open(DemoTool):
    """A tool that takes arguments that it does not name."""

    def as_json(self) -> dict[str, Any]:
        schema = {"type": "object", "properties": {}, "additionalProperties": True}
        return {**super().as_json(), "inputSchema": schema}


@dataclass(frozen=True)
class WithImage(ToolResult):
    """A reply with an image, a file and a broken part."""

    def as_json(self) -> dict[str, Any]:
        files = [
            {"type": "image", "mimeType": "image/png", "data": PIXEL},
            {
                "type": "resource",
                "resource": {"uri": "x:/../../etc/passwd", "mimeType": "../sh", "blob": "aGk="},
            },
            {"type": "audio", "mimeType": "audio/wav", "data": "no base64!"},
        ]
        return {"content": files, "isError": False}


async def keeps(talk: Conversation, arguments: Mapping[str, Any]) -> ToolResult:
    return ToolResult("three", {"count": 3})


async def breaks(talk: Conversation, arguments: Mapping[str, Any]) -> ToolResult:
    return ToolResult("three", {"count": "three"})


async def leaves_out(talk: Conversation, arguments: Mapping[str, Any]) -> ToolResult:
    return ToolResult("three")


async def fails(talk: Conversation, arguments: Mapping[str, Any]) -> ToolResult:
    return ToolResult("no", is_error=True)


async def draws(talk: Conversation, arguments: Mapping[str, Any]) -> ToolResult:
    return WithImage("")


async def cannot_ask(talk: Conversation, arguments: Mapping[str, Any]) -> ToolResult:
    raise JsonRpcError(INTERNAL_ERROR, "Handler returned an invalid result")


async def takes_all(talk: Conversation, arguments: Mapping[str, Any]) -> ToolResult:
    return ToolResult(json.dumps(dict(arguments)))


async def logs_json(talk: Conversation, arguments: Mapping[str, Any]) -> ToolResult:
    talk.log("info", json.dumps({"msg": "half of it is done", "left": 4}))
    return ToolResult("done")


async def serve() -> None:
    promising = [Promising(run.__name__, "", "", run) for run in (keeps, breaks, leaves_out, fails)]
    others = [DemoTool(run.__name__, "", "", run) for run in (draws, cannot_ask, logs_json)]
    others.append(Open("takes_all", "", "", takes_all))
    risky = replace(others[0], name="risky", destructive=True)
    tools = {tool.name: tool for tool in (*promising, *others, risky)}
    await DemoServer(JsonRpcStdio(), tools).run()


if __name__ == "__main__":
    asyncio.run(serve())
