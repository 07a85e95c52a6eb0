"""A server that answers calls with tasks (2026-07-28, SEP-2663), as it should and as it should not.

    tasking.py          stdio
    tasking.py http     streamable HTTP on 127.0.0.1; its first line is the port

Each tool is a way that a task can go, told by `STEPS`: what it is at each look. What it heard is
told by the tool `heard`, which is no task.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

EXTENSION = "io.modelcontextprotocol/tasks"
WHEN = "2026-11-28T00:00:00.000Z"
ONE = {"type": "object", "properties": {"value": {"type": "string"}}, "required": ["value"]}
LOOSE = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "confirm": {"type": "boolean"}},
}
SURE = {
    "type": "object",
    "properties": {"confirm": {"type": "boolean"}},
    "required": ["confirm"],
}

Fields = dict[str, Any]
WORKING: Fields = {"status": "working"}


def text(value: str, **more: Any) -> Fields:
    return {"content": [{"type": "text", "text": value}], **more}


def done(value: str = "done", **more: Any) -> Fields:
    return {"status": "completed", "result": text(value, **more)}


def question(message: str, schema: Fields = ONE) -> Fields:
    params = {"mode": "form", "message": message, "requestedSchema": schema}
    return {"method": "elicitation/create", "params": params}


def asks(**requests: Any) -> Fields:
    return {"status": "input_required", "inputRequests": requests}


class Task:
    """One task; `steps` tells what it is at each look, the last one for ever."""

    def __init__(self, name: str, arguments: Fields) -> None:
        self.name = name
        self.arguments = arguments
        self.begun = time.monotonic()
        self.answers: Fields = {}
        self.cancelled = False
        self.steps = STEPS[name](self)
        self.last: Fields = WORKING

    def look(self) -> Fields:
        self.last = next(self.steps, self.last)
        return self.last

    def answered(self, *keys: str) -> bool:
        return all(key in self.answers for key in keys)

    @property
    def told(self) -> str:
        return json.dumps(self.answers, sort_keys=True)


def steps(*fields: Fields) -> Callable[[Task], Iterator[Fields]]:
    return lambda task: iter(fields)


def until_cancelled(task: Task) -> Iterator[Fields]:
    while not task.cancelled:
        yield WORKING
    yield {"status": "cancelled"}


def computes(task: Task) -> Iterator[Fields]:
    seconds = float(task.arguments.get("seconds", 0))
    while time.monotonic() < task.begun + seconds and not task.cancelled:
        yield {**WORKING, "statusMessage": "computing"}
    yield {"status": "cancelled"} if task.cancelled else done("computed")


def asks_once(*keys: str, schema: Fields = ONE) -> Callable[[Task], Iterator[Fields]]:
    def asking(task: Task) -> Iterator[Fields]:
        while not task.answered(*keys) and not task.cancelled:
            left = [key for key in keys if key not in task.answers]
            open_ = {key: question(f"{key}?", schema) for key in left}
            yield asks(**open_)
        yield {"status": "cancelled"} if task.cancelled else done(task.told)

    return asking


def books(task: Task) -> Iterator[Fields]:
    """Books after a yes in an accept, and never else."""
    while not task.answered("sure"):
        yield asks(sure=question("Book a table for two?", SURE))
    answer = task.answers["sure"]
    yes = answer["action"] == "accept" and answer["content"].get("confirm") is True
    yield done("Booked." if yes else "Not booked.")


def books_anyway(task: Task) -> Iterator[Fields]:
    """Asks, and books whatever the answer is."""
    while not task.answered("sure"):
        yield asks(sure=question("Book a table for two?", SURE))
    yield done("Booked.")


def asks_again(task: Task) -> Iterator[Fields]:
    """The same key is there still, long after it was answered."""
    while not task.answered("value"):
        yield asks(value=question("value?"))
    for _ in range(3):
        yield asks(value=question("something else?"))
    yield done(task.told)


def stubborn(task: Task) -> Iterator[Fields]:
    while not task.cancelled:
        yield WORKING
    yield WORKING
    yield done("finished all the same")


def asks_for_ever(task: Task) -> Iterator[Fields]:
    number = 0
    while True:
        number += 1
        yield asks(**{f"q{number}": {"method": "elicitation/create", "params": {}}})


def greets(task: Task) -> Iterator[Fields]:
    yield WORKING
    yield done(f"hello {task.told}")


def vanishes(task: Task) -> Iterator[Fields]:
    """Its time to live is over after the first look."""
    yield {**WORKING, "ttlMs": 1}
    TASKS.pop(next(key for key, each in TASKS.items() if each is task))


def dies(task: Task) -> Iterator[Fields]:
    """The server dies of the second look."""
    yield WORKING
    os._exit(1)


STEPS: Mapping[str, Callable[[Task], Iterator[Fields]]] = {
    "simple": steps({**WORKING, "statusMessage": "half\x1b[2J way"}, done()),
    "at_once": steps(done()),
    "is_error": steps(WORKING, done("no such file", isError=True)),
    "fails": steps(WORKING, {"status": "failed", "error": {"code": -32050, "message": "broken"}}),
    "for_ever": until_cancelled,
    "stubborn": stubborn,
    "deaf": steps(WORKING),
    "asks": asks_once("value"),
    "asks_two": asks_once("first", "second"),
    "asks_again": asks_again,
    "asks_for_ever": asks_for_ever,
    "books": books,
    "books_anyway": books_anyway,
    "takes_back": steps(
        asks(value=question("value?")), asks(value=question("value?")), WORKING, WORKING, done()
    ),
    "ends_while_asking": steps(asks(value=question("value?")), done("never mind")),
    "samples": steps(
        asks(bad={"method": "sampling/createMessage", "params": {}}, value=question("value?"))
    ),
    "cancels_itself": steps(WORKING, {"status": "cancelled"}),
    "odd_state": steps({"status": "sleeping"}),
    "no_state": steps({}),
    "no_result": steps({"status": "completed"}),
    "odd_result": steps({"status": "completed", "result": "done"}),
    "odd_error": steps(done("x", isError="yes")),
    "no_error": steps({"status": "failed"}),
    "task_in_task": steps({"status": "completed", "result": {"resultType": "task", "taskId": "x"}}),
    "odd_requests": steps({"status": "input_required", "inputRequests": ["value"]}),
    "another": steps({**WORKING, "taskId": "another"}),
    "vanishes": vanishes,
    "dies": dies,
    "no_id": steps(WORKING),
    "at_once_again": steps(*[{**WORKING, "pollIntervalMs": 0}] * 3, done()),
    "next_year": steps({**WORKING, "pollIntervalMs": 1e13}, done()),
    "odd_interval": steps({**WORKING, "pollIntervalMs": "soon"}, done()),
    # As the official suite calls them:
    "slow_compute": computes,
    "failing_job": steps(WORKING, done("the job failed", isError=True)),
    "protocol_error_job": steps(
        WORKING, {"status": "failed", "error": {"code": -32603, "message": "it crashed"}}
    ),
    "confirm_delete": asks_once("confirm", schema=LOOSE),
    "multi_input": asks_once("first", "second", schema=LOOSE),
    "test_tool_with_task": greets,
}
TASKS: dict[str, Task] = {}
HEARD: list[tuple[str, str | None]] = []
"""Each request about a task: its method, and the header that names the task (HTTP)."""


TOOLS = (*STEPS, "greet", "heard")


async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
    tools = [types.Tool(name=name, input_schema={"type": "object"}) for name in TOOLS]
    return types.ListToolsResult(tools=tools)


def shown(identifier: str, task: Task, fields: Fields) -> Fields:
    return {
        "taskId": "" if task.name == "no_id" else identifier,
        "createdAt": WHEN,
        "lastUpdatedAt": WHEN,
        "ttlMs": None,
        "pollIntervalMs": 20,
        **fields,
    }


def declared(params: Mapping[str, Any]) -> bool:
    told = params["_meta"].get("io.modelcontextprotocol/clientCapabilities", {})
    return EXTENSION in told.get("extensions", {})


def call(params: Mapping[str, Any]) -> Fields:
    name, arguments = params["name"], params.get("arguments") or {}
    if name == "heard":
        return text(json.dumps(HEARD))
    if name == "greet":
        return text(f"Hello, {arguments.get('name')}!")
    if name == "test_tool_with_task" and "inputResponses" not in params:
        requests = {"user_name": question("What is your name?", LOOSE)}
        return {"resultType": "input_required", "inputRequests": requests, "requestState": "1"}
    if not declared(params):
        needed = {"requiredCapabilities": {"extensions": {EXTENSION: {}}}}
        raise MCPError(types.MISSING_REQUIRED_CLIENT_CAPABILITY, "Tasks are needed.", needed)
    task, identifier = Task(name, arguments), f"task-{len(TASKS)}"
    task.answers.update(params.get("inputResponses") or {})
    TASKS[identifier] = task
    return {"resultType": "task", **shown(identifier, task, WORKING)}


def about(context: Any, params: Mapping[str, Any]) -> Fields:
    header = context.request.headers.get("mcp-name") if context.request is not None else None
    HEARD.append((context.method, header))
    identifier = params["taskId"]
    if identifier not in TASKS:
        raise MCPError(types.INVALID_PARAMS, "Task not found")
    task = TASKS[identifier]
    if context.method == "tasks/get":
        return shown(identifier, task, task.look())
    if context.method == "tasks/update":
        for key, answer in params["inputResponses"].items():
            task.answers.setdefault(key, answer)
    else:
        task.cancelled = True
    return {}


async def answer(context: Any, call_next: Any) -> Any:
    """The middleware of a server with these tools; other tools are its own."""
    if context.method == "tools/call" and context.params["name"] in TOOLS:
        return {"resultType": "complete", **call(context.params)}
    if context.method in ("tasks/get", "tasks/update", "tasks/cancel"):
        return {"resultType": "complete", **about(context, context.params)}
    return await call_next(context)


async def never(context: Any, params: Any) -> Any:
    raise NotImplementedError


def build() -> Server[Any]:
    server: Server[Any] = Server("tasking", on_list_tools=list_tools, on_call_tool=never)
    server.extensions = {EXTENSION: {}}
    server.middleware = [answer]
    return server


async def serve(server: Server[Any]) -> None:
    async with stdio_server() as streams:
        await server.run(*streams, server.create_initialization_options())


if __name__ == "__main__":
    if sys.argv[1:2] == ["http"]:
        from asking import serve_http

        serve_http(build())
    else:
        asyncio.run(serve(build()))
