"""A server on the SDK that speaks both eras and asks every kind of question.

    python asking.py            stdio
    python asking.py http       streamable HTTP on 127.0.0.1; its first line is the port

`ask_*` tools push questions (handshake era); `round_*` tools return rounds (modern era). The same
tool names with a common prefix do the same in either era, so that one test covers both.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping
from typing import Any

import mcp_types as types
from mcp.server.lowlevel.server import Server

FORM = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "title": "Name", "minLength": 1},
        "mail": {"type": "string", "format": "email"},
        "day": {"type": "string", "format": "date"},
        "count": {"type": "integer", "minimum": 1, "maximum": 10},
        "ratio": {"type": "number"},
        "sure": {"type": "boolean"},
        "color": {"type": "string", "enum": ["red", "green"]},
        "size": {
            "type": "string",
            "oneOf": [{"const": "s", "title": "Small"}, {"const": "l", "title": "Large"}],
        },
        "tags": {"type": "array", "items": {"type": "string", "enum": ["a", "b", "c"]}},
    },
    "required": ["name", "count", "sure", "color", "tags"],
}
YES_NO = {"type": "object", "properties": {}}
ONE = {"type": "object", "properties": {"value": {"type": "string"}}, "required": ["value"]}


def form(message: str, schema: dict[str, Any] = ONE) -> dict[str, Any]:
    return {"mode": "form", "message": message, "requestedSchema": schema}


def url(message: str, identifier: str) -> dict[str, Any]:
    return {
        "mode": "url",
        "message": message,
        "url": "https://example.com/authorize",
        "elicitationId": identifier,
    }


QUESTIONS: dict[str, list[list[dict[str, Any]]]] = {
    # Tool name: its rounds, each with the questions asked side by side.
    "everything": [[form("All kinds", FORM)]],
    "confirm": [[form("Go on?", YES_NO)]],
    "page": [[url("Visit this", "page-1")]],
    "two": [[form("First of two"), form("Second of two")]],
    "rounds": [[form("First round")], [form("Second round")]],
    "one": [[form("A value")]],
}


def text(value: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=value)])


async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
    names = [*QUESTIONS, "plain", "slow", "steps", "die", "withdraw", "waiting", "endless"]
    names.append("needs_page")
    return types.ListToolsResult(
        tools=[
            types.Tool(name=name, description=f"asks: {name}", input_schema={"type": "object"})
            for name in names
        ]
    )


async def call_tool(context: Any, params: types.CallToolRequestParams) -> Any:
    modern = context.protocol_version == "2026-07-28"
    name = params.name
    if name == "plain":
        return text("plain answer")
    if name == "slow":
        await asyncio.sleep(30)
        return text("slow answer")
    if name == "steps":
        for step in (1, 2):
            await context.session.report_progress(step, 2, f"step {step}")
        return text("all steps done")
    if name == "die":
        return await die(context, params, modern)
    if name == "needs_page" and not modern:
        return needs_page()
    if name == "waiting" and modern:
        return waiting(params)
    if name == "endless" and modern:
        return types.InputRequiredResult(request_state="again and again")
    if name == "withdraw" and not modern:
        return await withdrawing(context)
    rounds = QUESTIONS[name]
    return by_rounds(params, rounds) if modern else await by_pushing(context, rounds)


async def by_pushing(context: Any, rounds: list[list[dict[str, Any]]]) -> types.CallToolResult:
    answers = []
    for questions in rounds:
        answers += await asyncio.gather(*(push(context, question) for question in questions))
    return text(" | ".join(spelled(answer) for answer in answers))


async def push(context: Any, question: dict[str, Any]) -> types.ElicitResult:
    if question["mode"] == "url":
        answer = await context.session.elicit_url(
            question["message"],
            question["url"],
            question["elicitationId"],
            related_request_id=context.request_id,
        )
        await context.session.send_elicit_complete(question["elicitationId"])
        return answer
    return await context.session.elicit_form(
        question["message"], question["requestedSchema"], related_request_id=context.request_id
    )


def by_rounds(params: types.CallToolRequestParams, rounds: list[list[dict[str, Any]]]) -> Any:
    done = int((params.request_state or "0:").split(":")[0])
    past = (params.request_state or "0:").split(":", 1)[1]
    if params.input_responses:
        past += "".join(
            f" | {spelled(answer)}" for _, answer in sorted(params.input_responses.items())
        )
        done += 1
    if done == len(rounds):
        return text(past.removeprefix(" | "))
    requests = {
        f"q{number}": types.ElicitRequest.model_validate(
            {"method": "elicitation/create", "params": question}
        )
        for number, question in enumerate(rounds[done])
    }
    return types.InputRequiredResult(input_requests=requests, request_state=f"{done}:{past}")


def waiting(params: types.CallToolRequestParams) -> Any:
    seen = int(params.request_state or "0")
    if seen == 3:
        return text("waited three times")
    return types.InputRequiredResult(request_state=str(seen + 1))


async def die(context: Any, params: types.CallToolRequestParams, modern: bool) -> Any:
    """Ask, and be gone before the answer can come."""
    asyncio.get_running_loop().call_later(0.3, os._exit, 7)
    if modern:
        return by_rounds(params, [[form("You will never answer this")]])
    return await by_pushing(context, [[form("You will never answer this")]])


async def withdrawing(context: Any) -> types.CallToolResult:
    try:
        await asyncio.wait_for(push(context, form("Only for a moment")), 0.3)
    except asyncio.TimeoutError:
        return text("withdrawn")
    return text("answered")


_visits = 0


def needs_page() -> types.CallToolResult:
    global _visits
    _visits += 1
    if _visits > 1:
        return text("the page was visited")
    from mcp.shared.exceptions import UrlElicitationRequiredError

    raise UrlElicitationRequiredError(
        [
            types.ElicitRequestURLParams(
                message="Visit this first", url="https://example.com/go", elicitation_id="go-1"
            )
        ]
    )


def spelled(answer: Any) -> str:
    import json

    content = json.dumps(answer.content, sort_keys=True) if answer.content is not None else "-"
    outcome = (answer.meta or {}).get("dev.elicit-tui/outcome", {})
    return f"{answer.action} {content} by {outcome.get('decidedBy')}"


async def list_prompts(context: Any, params: Any) -> types.ListPromptsResult:
    return types.ListPromptsResult(
        prompts=[
            types.Prompt(name="greet", arguments=[types.PromptArgument(name="who", required=True)])
        ]
    )


async def get_prompt(context: Any, params: types.GetPromptRequestParams) -> Any:
    if context.protocol_version == "2026-07-28" and not params.input_responses:
        return types.InputRequiredResult(
            input_requests={
                "how": types.ElicitRequest.model_validate(
                    {"method": "elicitation/create", "params": form("How?")}
                )
            },
            request_state="asked",
        )
    answers = [spelled(answer) for answer in (params.input_responses or {}).values()]
    said = f"hello {(params.arguments or {}).get('who')} {' '.join(answers)}".strip()
    return types.GetPromptResult(
        messages=[
            types.PromptMessage(role="user", content=types.TextContent(type="text", text=said))
        ]
    )


async def list_resources(context: Any, params: Any) -> types.ListResourcesResult:
    return types.ListResourcesResult(
        resources=[types.Resource(uri="memory://note", name="note", mime_type="text/plain")]
    )


async def read_resource(context: Any, params: types.ReadResourceRequestParams) -> Any:
    return types.ReadResourceResult(
        contents=[types.TextResourceContents(uri=params.uri, text="a note")]
    )


HANDLERS = (
    *("list_tools", "call_tool", "list_prompts", "get_prompt", "completion", "set_logging_level"),
    *("list_resources", "list_resource_templates", "read_resource"),
    *("subscribe_resource", "unsubscribe_resource", "subscriptions_listen"),
)
"""What a server may handle, as the SDK calls it."""


def built(name: str, module: Mapping[str, Any], **more: Any) -> Server[Any]:
    """A server of the handlers that a module has under their names."""
    handlers = {f"on_{each}": module[each] for each in HANDLERS if each in module}
    return Server(name, **handlers, **more)


def build() -> Server[Any]:
    return built("asking-server", globals(), version="1.2.3")


def serve_http(server: Server[Any]) -> None:
    import socket

    import uvicorn

    listening = socket.create_server(("127.0.0.1", 0))
    # The connections inherit it; without it each answer takes 40 ms more.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    # Whoever connects from here on is served as soon as the application runs.
    print(listening.getsockname()[1], flush=True)
    application = old_sse(server) if "sse" in sys.argv else server.streamable_http_app()
    config = uvicorn.Config(application, log_level="critical", lifespan="auto")
    uvicorn.Server(config).run(sockets=[listening])


def old_sse(server: Server[Any]) -> Any:
    """The transport of before streamable HTTP: one stream down, posts up."""
    from mcp.server.sse import SseServerTransport
    from starlette.applications import Starlette
    from starlette.responses import Response
    from starlette.routing import Mount, Route

    transport = SseServerTransport("/messages/")

    async def connect(request: Any) -> Response:
        async with transport.connect_sse(request.scope, request.receive, request._send) as streams:
            await server.run(streams[0], streams[1], server.create_initialization_options())
        return Response()

    return Starlette(
        routes=[Route("/mcp", connect), Mount("/messages/", app=transport.handle_post_message)]
    )


def run(server: Server[Any]) -> None:
    """Serve as the command line says."""
    if len(sys.argv) > 1:
        serve_http(server)
        return
    from mcp.server.stdio import stdio_server

    async def serve() -> None:
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    asyncio.run(serve())


if __name__ == "__main__":
    run(build())
