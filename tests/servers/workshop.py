"""A server with something of everything: gated tools, prompts, resources, progress, log lines.

    workshop.py [stdio|http] [MARK]

MARK stands in the description of its tool `delete`, so that a second start can differ. Each real
call of `delete` appends a line to the file in WORKSHOP_LOG.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import mcp_types as types
from asking import built, serve_http
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged

MARK = sys.argv[2] if len(sys.argv) > 2 else "as ever"
ONE = {"type": "object", "properties": {"value": {"type": "string"}}, "required": ["value"]}
PASSWORD = {"type": "object", "properties": {"password": {"type": "string"}}}
BUS = InMemorySubscriptionBus()
DANGEROUS = types.ToolAnnotations(destructive_hint=True, read_only_hint=False)


def tool(name: str, **more: Any) -> types.Tool:
    return types.Tool(name=name, input_schema={"type": "object"}, **more)


async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
    return types.ListToolsResult(
        tools=[
            tool("delete", description=f"deletes for good ({MARK})", annotations=DANGEROUS),
            tool("then_slow", description="asks, then works for long"),
            tool("redefine", description="changes what `delete` says of itself"),
            tool("wipe"),
            tool("password"),
            tool("steps", description="says how far it is"),
            tool("logs", description="writes two lines of log"),
            tool("sum", output_schema={"type": "object"}),
            tool("fails"),
            tool("plain"),
        ]
    )


def text(value: str, **more: Any) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=value)], **more)


async def call_tool(context: Any, params: types.CallToolRequestParams) -> Any:
    match params.name:
        case "wipe":
            question = "Really drop the database customers? This cannot be undone."
            return await spelled(await by_asking(context, params, question))
        case "password":
            return await spelled(await by_asking(context, params, "Your password?", PASSWORD))
        case "then_slow":
            answer = await by_asking(context, params, "Begin?")
            if not isinstance(answer, types.InputRequiredResult):
                await asyncio.sleep(60)
            return await spelled(answer)
        case "redefine":
            await redefine(context)
            return text("another definition")
        case "delete":
            return delete(params.arguments)
        case "steps":
            steps = int((params.arguments or {}).get("steps", 3))
            for step in range(1, steps + 1):
                await context.session.report_progress(step, steps, f"step {step}")
            return text("three steps")
        case "logs":
            for level in ("debug", "error"):
                await context.session.send_log_message(
                    level, {"said": level}, "inside", related_request_id=context.request_id
                )
            return text("logged")
        case "sum":
            return text("3", structured_content={"sum": 3})
        case "fails":
            return text("it went wrong", is_error=True)
    return text("plain answer")


async def redefine(context: Any) -> None:
    global MARK
    MARK = "not as ever"
    if context.protocol_version == "2026-07-28":
        await BUS.publish(ToolsListChanged())
    else:
        await context.session.send_tool_list_changed()


def delete(arguments: Any) -> types.CallToolResult:
    with Path(os.environ["WORKSHOP_LOG"]).open("a") as log:
        log.write(f"deleted {arguments}\n")
    return text("deleted")


async def by_asking(
    context: Any, params: types.CallToolRequestParams, message: str, schema: dict[str, Any] = ONE
) -> Any:
    """The answer to one question, in this connection's era; a round where one is needed."""
    asked = {"mode": "form", "message": message, "requestedSchema": schema}
    if context.protocol_version != "2026-07-28":
        return await context.session.elicit_form(
            message, schema, related_request_id=context.request_id
        )
    if params.input_responses:
        return params.input_responses["q"]
    request = types.ElicitRequest.model_validate({"method": "elicitation/create", "params": asked})
    return types.InputRequiredResult(input_requests={"q": request}, request_state="asked")


async def spelled(answer: Any) -> Any:
    if isinstance(answer, types.InputRequiredResult):
        return answer
    return text(f"{answer.action} {answer.content}")


async def list_prompts(context: Any, params: Any) -> types.ListPromptsResult:
    argument = types.PromptArgument(name="who", required=True)
    return types.ListPromptsResult(prompts=[types.Prompt(name="greet", arguments=[argument])])


async def get_prompt(context: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:
    who = (params.arguments or {}).get("who", "nobody")
    content = types.TextContent(type="text", text=f"Say hello to {who}.")
    return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=content)])


async def list_resources(context: Any, params: Any) -> types.ListResourcesResult:
    return types.ListResourcesResult(resources=[types.Resource(uri="memo://first", name="first")])


async def list_resource_templates(context: Any, params: Any) -> types.ListResourceTemplatesResult:
    template = types.ResourceTemplate(uri_template="memo://by-number/{number}", name="memo")
    return types.ListResourceTemplatesResult(resource_templates=[template])


async def read_resource(
    context: Any, params: types.ReadResourceRequestParams
) -> types.ReadResourceResult:
    content = types.TextResourceContents(uri=params.uri, text=f"text of {params.uri}")
    return types.ReadResourceResult(contents=[content])


async def completion(context: Any, params: types.CompleteRequestParams) -> types.CompleteResult:
    values = [each for each in ("Ada", "Alan", "Grace") if each.startswith(params.argument.value)]
    return types.CompleteResult(completion=types.Completion(values=values, total=len(values)))


async def subscribe_resource(
    context: Any, params: types.SubscribeRequestParams
) -> types.EmptyResult:
    await context.session.send_resource_updated(params.uri)
    return types.EmptyResult()


async def unsubscribe_resource(context: Any, params: Any) -> types.EmptyResult:
    return types.EmptyResult()


subscriptions_listen = ListenHandler(BUS)


def build() -> Server[Any]:
    return built("workshop", globals(), version="1", instructions="Delete nothing without need.")


async def serve(server: Server[Any]) -> None:
    async with stdio_server() as streams:
        await server.run(*streams, server.create_initialization_options())


def main() -> None:
    if sys.argv[1:2] == ["http"]:
        serve_http(build())
    else:
        asyncio.run(serve(build()))


if __name__ == "__main__":
    main()
