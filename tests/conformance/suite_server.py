"""A server that offers what the suite's server scenarios look for, by the names that they use.

    python -m tests.conformance.suite_server http      its first line is the port

It speaks both eras. Sampling and roots are not here: the gateway offers neither.
"""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    PromptsListChanged,
    ToolsListChanged,
)

from tests.servers import tasking
from tests.servers.asking import built, serve_http

MODERN = "2026-07-28"
KEY = "user_name"
"""Of every question: one scenario looks for it."""
PNG = base64.b64encode(
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00"
    b"\x1f\x15\xc4\x89\x00\x00\x00\nIDATx\x9cc\x00\x01\x00\x00\x05\x00\x01\r\n-\xb4"
    b"\x00\x00\x00\x00IEND\xaeB`\x82"
).decode()
WAV = base64.b64encode(
    b"RIFF$\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00@\x1f\x00\x00@\x1f\x00\x00"
    b"\x01\x00\x08\x00data\x00\x00\x00\x00"
).decode()
BUS = InMemorySubscriptionBus()

Block = types.ContentBlock
Result = types.CallToolResult


def text(value: str) -> types.TextContent:
    return types.TextContent(type="text", text=value)


IMAGE = types.ImageContent(type="image", data=PNG, mime_type="image/png")
AUDIO = types.AudioContent(type="audio", data=WAV, mime_type="audio/wav")


def embedded(uri: str, kind: str, content: str) -> types.EmbeddedResource:
    inside = types.TextResourceContents(uri=uri, mime_type=kind, text=content)
    return types.EmbeddedResource(type="resource", resource=inside)


CONTENT: Mapping[str, list[Block]] = {
    "test_simple_text": [text("This is a simple text response for testing.")],
    "test_reconnection": [text("Nothing was closed meanwhile.")],
    "test_image_content": [IMAGE],
    "test_audio_content": [AUDIO],
    "test_embedded_resource": [
        embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")
    ],
    "test_multiple_content_types": [
        text("Multiple content types test:"),
        IMAGE,
        embedded(
            "test://mixed-content-resource",
            "application/json",
            json.dumps({"test": "data", "value": 123}),
        ),
    ],
    "json_schema_2020_12_tool": [text("called")],
    "test_header_parameter": [text("called")],
}


def strings(*names: str) -> dict[str, Any]:
    fields = {name: {"type": "string"} for name in names}
    return {"type": "object", "properties": fields, "required": list(names)}


def choices(word: str, values: str) -> list[dict[str, str]]:
    return [
        {"const": f"{values}{number}", "title": f"{nth} {word}"}
        for number, nth in enumerate(("First", "Second", "Third"), 1)
    ]


OPTIONS = ["option1", "option2", "option3"]
DEFAULTS = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {
            "type": "string",
            "enum": ["active", "inactive", "pending"],
            "default": "active",
        },
        "verified": {"type": "boolean", "default": True},
    },
}
ENUMS = {
    "type": "object",
    "properties": {
        "untitledSingle": {"type": "string", "enum": OPTIONS},
        "titledSingle": {"type": "string", "oneOf": choices("Option", "value")},
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": OPTIONS}},
        "titledMulti": {"type": "array", "items": {"anyOf": choices("Choice", "value")}},
    },
}
OK = {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}

QUESTIONS: Mapping[str, list[tuple[str, dict[str, Any]]]] = {
    # What each tool asks, one round after the other.
    "test_elicitation": [("Please answer", strings("username", "email"))],
    "test_elicitation_sep1034_defaults": [("Please look over the defaults", DEFAULTS)],
    "test_elicitation_sep1330_enums": [("Please choose", ENUMS)],
    "test_input_required_result_elicitation": [("What is your name?", strings("name"))],
    "test_input_required_result_request_state": [("Please confirm", OK)],
    "test_input_required_result_tampered_state": [("Please confirm", OK)],
    "test_input_required_result_capabilities": [("What is your name?", strings("name"))],
    "test_input_required_result_multi_round": [
        ("Step 1: What is your name?", strings("name")),
        ("Step 2: What is your favorite color?", strings("color")),
    ],
    "test_streaming_elicitation": [("What is your name?", strings("name"))],
}

ARGUMENTS: Mapping[str, dict[str, Any]] = {
    "test_elicitation": strings("message"),
    "json_schema_2020_12_tool": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {"address": {"$anchor": "addressDef", **strings("street", "city")}},
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": False,
    },
    "test_header_parameter": {
        "type": "object",
        "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
        "required": ["region"],
    },
}


async def logs(context: Any, params: Any) -> Result:
    for line in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await context.session.send_log_message(
            "info", line, "suite", related_request_id=context.request_id
        )
    return Result(content=[text("logged")])


async def progress(context: Any, params: Any) -> Result:
    for done in (0, 50, 100):
        await context.session.report_progress(done, 100)
    return Result(content=[text("done")])


async def fails(context: Any, params: Any) -> Result:
    wrong = text("This tool intentionally returns an error for testing")
    return Result(content=[wrong], is_error=True)


CHANGES = {"tools": 0, "prompts": 0}


async def changes_tools(context: Any, params: Any) -> Result:
    CHANGES["tools"] += 1
    await BUS.publish(ToolsListChanged())
    return Result(content=[text("changed")])


async def changes_prompts(context: Any, params: Any) -> Result:
    CHANGES["prompts"] += 1
    await BUS.publish(PromptsListChanged())
    return Result(content=[text("changed")])


ACTIONS: Mapping[str, Callable[[Any, Any], Awaitable[Result]]] = {
    "test_tool_with_logging": logs,
    "test_logging_tool": logs,
    "test_tool_with_progress": progress,
    "test_error_handling": fails,
    "test_trigger_tool_change": changes_tools,
    "test_trigger_prompt_change": changes_prompts,
}


TASKS = ("slow_compute", "failing_job", "protocol_error_job", "confirm_delete", "multi_input")
"""What `tests/servers/tasking.py` has for the scenarios of tasks, and `greet`, which is none."""


async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
    tools = [
        types.Tool(
            name=name,
            description=f"for {name} ({CHANGES['tools']})",
            input_schema=ARGUMENTS.get(name, {"type": "object"}),
        )
        for name in (*CONTENT, *QUESTIONS, *ACTIONS, *TASKS, "test_tool_with_task", "greet")
    ]
    return types.ListToolsResult(tools=tools)


async def call_tool(context: Any, params: types.CallToolRequestParams) -> Any:
    if params.name in CONTENT:
        return Result(content=CONTENT[params.name])
    if params.name in ACTIONS:
        return await ACTIONS[params.name](context, params)
    answer = await answered(context, params, QUESTIONS[params.name])
    if isinstance(answer, types.InputRequiredResult):
        return answer
    return Result(content=[text(f"action={answer.action}, content={json.dumps(answer.content)}")])


async def answered(
    context: Any, params: Any, questions: list[tuple[str, dict[str, Any]]]
) -> types.InputRequiredResult | types.ElicitResult:
    """The last answer, in this connection's era; a round where one is needed."""
    if context.protocol_version != MODERN:
        for message, schema in questions:
            answer = await context.session.elicit_form(
                message, schema, related_request_id=context.request_id
            )
        return answer
    number = int(params.request_state or -1) + 1
    if number == len(questions):
        return params.input_responses[KEY]
    message, schema = questions[number]
    asked = {"mode": "form", "message": message, "requestedSchema": schema}
    request = types.ElicitRequest.model_validate({"method": "elicitation/create", "params": asked})
    return types.InputRequiredResult(input_requests={KEY: request}, request_state=str(number))


PROMPTS: Mapping[str, tuple[str, ...]] = {
    "test_simple_prompt": (),
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
    "test_prompt_with_image": (),
    "test_input_required_result_prompt": (),
}


async def list_prompts(context: Any, params: Any) -> types.ListPromptsResult:
    prompts = [
        types.Prompt(
            name=name,
            description=f"for {name} ({CHANGES['prompts']})",
            arguments=[types.PromptArgument(name=each, required=True) for each in arguments],
        )
        for name, arguments in PROMPTS.items()
    ]
    return types.ListPromptsResult(prompts=prompts)


async def get_prompt(context: Any, params: types.GetPromptRequestParams) -> Any:
    given = params.arguments or {}
    content: list[Any]
    match params.name:
        case "test_prompt_with_arguments":
            said = f"arg1='{given.get('arg1')}', arg2='{given.get('arg2')}'"
            content = [text(f"Prompt with arguments: {said}")]
        case "test_prompt_with_embedded_resource":
            inside = "Embedded resource content for testing."
            content = [
                embedded(given["resourceUri"], "text/plain", inside),
                text("Please process the embedded resource above."),
            ]
        case "test_prompt_with_image":
            content = [IMAGE, text("Please analyze the image above.")]
        case "test_input_required_result_prompt":
            asked = [("What context should the prompt use?", strings("context"))]
            answer = await answered(context, params, asked)
            if isinstance(answer, types.InputRequiredResult):
                return answer
            content = [text(f"In this context: {answer.content}")]
        case _:
            content = [text("This is a simple prompt for testing.")]
    messages = [types.PromptMessage(role="user", content=each) for each in content]
    return types.GetPromptResult(messages=messages)


KINDS = {
    "test://static-text": "text/plain",
    "test://static-binary": "image/png",
    "test://watched-resource": "text/plain",
}
TEMPLATE = "test://template/{id}/data"


async def list_resources(context: Any, params: Any) -> types.ListResourcesResult:
    resources = [
        types.Resource(uri=uri, name=uri, description=f"at {uri}", mime_type=kind)
        for uri, kind in KINDS.items()
    ]
    return types.ListResourcesResult(resources=resources)


async def list_resource_templates(context: Any, params: Any) -> types.ListResourceTemplatesResult:
    template = types.ResourceTemplate(
        uri_template=TEMPLATE,
        name="template",
        description="by its id",
        mime_type="application/json",
    )
    return types.ListResourceTemplatesResult(resource_templates=[template])


async def read_resource(context: Any, params: Any) -> types.ReadResourceResult:
    uri = str(params.uri)
    content: types.TextResourceContents | types.BlobResourceContents
    if uri == "test://static-binary":
        content = types.BlobResourceContents(uri=uri, mime_type="image/png", blob=PNG)
    elif uri.startswith("test://template/"):
        number = uri.split("/")[3]
        said = {"id": number, "templateTest": True, "data": f"Data for ID: {number}"}
        content = types.TextResourceContents(
            uri=uri, mime_type="application/json", text=json.dumps(said)
        )
    else:
        said = "This is the content of the static text resource."
        content = types.TextResourceContents(uri=uri, mime_type="text/plain", text=said)
    return types.ReadResourceResult(contents=[content])


async def completion(context: Any, params: types.CompleteRequestParams) -> types.CompleteResult:
    return types.CompleteResult(completion=types.Completion(values=["paris", "park"], total=2))


async def subscribe_resource(context: Any, params: Any) -> types.EmptyResult:
    return types.EmptyResult()


unsubscribe_resource = subscribe_resource
subscriptions_listen = ListenHandler(BUS)


def build() -> Server[Any]:
    server = built("suite-server", globals(), version="1")
    server.extensions = {tasking.EXTENSION: {}}
    server.middleware = [tasking.answer]
    return server


if __name__ == "__main__":
    assert sys.argv[1:] == ["http"]
    serve_http(build())
