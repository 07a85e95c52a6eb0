"""A server on the SDK that offers everything but questions, in both eras.

python whole.py            stdio
python whole.py http       streamable HTTP on 127.0.0.1; its first line is the port
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

import mcp_types as types
from asking import built, run
from mcp.server.lowlevel.server import Server
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ResourceUpdated,
    ToolsListChanged,
)

BUS = InMemorySubscriptionBus()
CANCELLED: list[str] = []


def text(value: str, **more: Any) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=value)], **more)


async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
    names = ("echo", "touch", "say", "hang", "cancelled")
    return types.ListToolsResult(
        tools=[types.Tool(name=name, input_schema={"type": "object"}) for name in names]
    )


async def call_tool(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
    if params.name == "echo":
        return text(json.dumps(params.arguments), structured_content={"got": params.arguments})
    if params.name == "touch":
        await touch(context)
    elif params.name == "say":
        await context.session.send_log_message(
            "warning", "here it is", related_request_id=context.request_id
        )
    elif params.name == "hang":
        try:
            await context.session.report_progress(1, 2)
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            CANCELLED.append("hang")
            raise
    elif params.name == "cancelled":
        return text(json.dumps(CANCELLED))
    return text("done")


async def touch(context: Any) -> None:
    """Say that the tools and one resource are others now, as each era does."""
    if context.protocol_version == "2026-07-28":
        await BUS.publish(ToolsListChanged())
        await BUS.publish(ResourceUpdated(uri="memory://note"))
    else:
        await context.session.send_tool_list_changed()
        if "memory://note" in SUBSCRIBED:
            await context.session.send_resource_updated("memory://note")


SUBSCRIBED: set[str] = set()


async def subscribe_resource(
    context: Any, params: types.SubscribeRequestParams
) -> types.EmptyResult:
    SUBSCRIBED.add(str(params.uri))
    return types.EmptyResult()


async def unsubscribe_resource(
    context: Any, params: types.UnsubscribeRequestParams
) -> types.EmptyResult:
    SUBSCRIBED.discard(str(params.uri))
    return types.EmptyResult()


async def list_prompts(context: Any, params: Any) -> types.ListPromptsResult:
    return types.ListPromptsResult(prompts=[types.Prompt(name="echo")])


async def get_prompt(context: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:
    said = types.TextContent(type="text", text=json.dumps(params.arguments))
    return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=said)])


async def list_resources(context: Any, params: Any) -> types.ListResourcesResult:
    return types.ListResourcesResult(resources=[types.Resource(uri="memory://note", name="note")])


async def list_resource_templates(context: Any, params: Any) -> types.ListResourceTemplatesResult:
    template = types.ResourceTemplate(uri_template="memory://{name}", name="by name")
    return types.ListResourceTemplatesResult(resource_templates=[template])


async def read_resource(context: Any, params: Any) -> types.ReadResourceResult:
    return types.ReadResourceResult(
        contents=[types.TextResourceContents(uri=params.uri, text="a note")]
    )


async def completion(context: Any, params: types.CompleteRequestParams) -> types.CompleteResult:
    before = (params.context.arguments or {}) if params.context is not None else {}
    values = [f"{params.argument.value}!", *sorted(before)]
    return types.CompleteResult(completion=types.Completion(values=values, total=2, has_more=False))


async def set_logging_level(context: Any, params: types.SetLevelRequestParams) -> types.EmptyResult:
    return types.EmptyResult()


subscriptions_listen = ListenHandler(BUS)


def build() -> Server[Any]:
    return built("whole-server", globals(), instructions="Use me well.")


if __name__ == "__main__":
    run(build())
