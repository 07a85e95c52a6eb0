"""A model that follows a script, on loopback, for each of the usual interfaces.

It calls the one tool that it is told to, goes on with `elicit_resume` as long as it reads that it
is to, and then says what it read. It answers OpenAI's responses and chat completions, Anthropic's
messages and Gemini's generateContent, streamed or whole.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODEL = "scripted"
DONE = "The script ends here."
_GO_ON = ("Waiting for a person", "Still waiting", "The tool still runs")
_RESUME = re.compile(r"elicit_resume with id (\w+)")


@dataclass
class Turn:
    """One request of the agent to its model."""

    path: str
    tools: tuple[str, ...]
    """The names of the tools that it was offered."""
    results: tuple[str, ...]
    """What its tools returned so far, as the model reads it."""
    told: str = ""
    """What it was told last (Anthropic's messages): a person's words, or how a task ended."""


@dataclass
class Call:
    name: str
    arguments: dict[str, Any]
    namespace: str | None = None


@dataclass
class ScriptedModel:
    """What it was asked, and what it does next."""

    wanted: str = "asking__one"
    arguments: dict[str, Any] = field(default_factory=lambda: {"tag": "from-the-agent"})
    turns: list[Turn] = field(default_factory=list)
    port: int = 0
    changed: threading.Condition = field(default_factory=threading.Condition)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def work(self) -> list[Turn]:
        """The turns of the work itself: agents also ask for titles and the like, without tools."""
        return [turn for turn in self.turns if turn.tools]

    def next(self, turn: Turn, spelt: dict[str, Call]) -> Call | str:
        """The call that it makes now, or what it says."""
        with self.changed:
            self.turns.append(turn)
            self.changed.notify_all()
        if not turn.tools:
            return "A title"
        if not turn.results:
            wanted = _ending(spelt, self.wanted)
            if wanted is not None:
                return Call(wanted.name, self.arguments, wanted.namespace)
            return f"{DONE} There is no tool {self.wanted}."
        last = turn.results[-1]
        resume = _RESUME.search("\n".join(turn.results))
        tool = _ending(spelt, "elicit_resume")
        goes_on = any(said in last for said in _GO_ON)
        if resume is not None and goes_on and tool is not None:
            return Call(tool.name, {"id": resume[1]}, tool.namespace)
        return f"{DONE} {last}"


def _ending(spelt: dict[str, Call], name: str) -> Call | None:
    return next((call for whole, call in spelt.items() if whole.endswith(name)), None)


@contextmanager
def scripted_model(**more: Any) -> Iterator[ScriptedModel]:
    """The model, listening as long as this is open."""
    model = ScriptedModel(**more)

    class Handler(_Handler):
        script = model

    server = _Server(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    model.port = server.server_address[1]
    serving = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    serving.start()
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """An agent that is killed leaves its connections open."""


class _Handler(BaseHTTPRequestHandler):
    script: ScriptedModel
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: the agents' own output is read."""

    def do_GET(self) -> None:
        self._json({"object": "list", "data": [{"id": MODEL, "object": "model"}]})

    def do_HEAD(self) -> None:
        self._json({})

    def do_POST(self) -> None:
        body = self._body()
        path = self.path.partition("?")[0]
        try:
            asked = json.loads(body or b"{}")
        except ValueError:
            asked = {}
        if path.endswith("/responses"):
            self._events(_responses(self.script, path, asked), asked.get("stream", False))
        elif path.endswith("/chat/completions"):
            self._events(_chat(self.script, path, asked), asked.get("stream", False))
        elif path.endswith("/messages"):
            self._events(_messages(self.script, path, asked), asked.get("stream", False))
        elif "enerateContent" in path:
            self._events(_gemini(self.script, path, asked), "stream" in path)
        elif path.endswith("count_tokens"):
            self._json({"input_tokens": 10})
        else:
            self._json({})

    def _body(self) -> bytes:
        if self.headers.get("transfer-encoding", "").lower() == "chunked":
            read = b""
            while size := int(self.rfile.readline().split(b";")[0], 16):
                read += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return read
        return self.rfile.read(int(self.headers.get("content-length", 0)))

    def _json(self, value: Any) -> None:
        self._write("application/json", json.dumps(value).encode())

    def _events(self, answer: tuple[Any, list[tuple[str | None, Any]]], stream: bool) -> None:
        whole, events = answer
        if not stream:
            self._json(whole)
            return
        lines = "".join(
            f"{f'event: {name}' + chr(10) if name else ''}data: "
            f"{value if isinstance(value, str) else json.dumps(value)}\n\n"
            for name, value in events
        )
        self._write("text/event-stream", lines.encode())

    def _write(self, kind: str, body: bytes) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


def _text_of(value: Any) -> str:
    """What a model reads of a result, whichever way it is laid out."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(_text_of(each) for each in value)
    if isinstance(value, dict) and isinstance(value.get("text"), str):
        return str(value["text"])
    return json.dumps(value)


Answer = tuple[Any, list[tuple[str | None, Any]]]


def _responses(script: ScriptedModel, path: str, asked: dict[str, Any]) -> Answer:
    spelt: dict[str, Call] = {}
    for tool in asked.get("tools", []):
        if tool.get("type") == "namespace":
            for inner in tool.get("tools", []):
                name = f"{tool['name']}{inner['name']}"
                spelt[name] = Call(inner["name"], {}, tool["name"])
        elif "name" in tool:
            spelt[tool["name"]] = Call(tool["name"], {})
    given = asked.get("input", [])
    results = [
        _text_of(item.get("output"))
        for item in (given if isinstance(given, list) else [])
        if item.get("type") in ("function_call_output", "mcp_tool_call_output")
    ]
    made = script.next(Turn(path, tuple(spelt), tuple(results)), spelt)
    number = len(script.turns)
    if isinstance(made, Call):
        item: dict[str, Any] = {
            "type": "function_call",
            "id": f"fc_{number}",
            "call_id": f"call_{number}",
            "name": made.name,
            "arguments": json.dumps(made.arguments),
            "status": "completed",
        }
        if made.namespace is not None:
            item["namespace"] = made.namespace
    else:
        item = {
            "type": "message",
            "id": f"msg_{number}",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": made, "annotations": []}],
        }
    usage = {
        "input_tokens": 1,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 1,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 2,
    }
    whole = {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": 1,
        "model": MODEL,
        "status": "completed",
        "output": [item],
        "usage": usage,
    }
    begun = {**whole, "status": "in_progress", "output": []}
    events: list[tuple[str | None, Any]] = [
        ("response.created", {"type": "response.created", "response": begun}),
        (
            "response.output_item.added",
            {"type": "response.output_item.added", "output_index": 0, "item": item},
        ),
        (
            "response.output_item.done",
            {"type": "response.output_item.done", "output_index": 0, "item": item},
        ),
        ("response.completed", {"type": "response.completed", "response": whole}),
    ]
    if not isinstance(made, Call):
        delta = {
            "type": "response.output_text.delta",
            "item_id": item["id"],
            "output_index": 0,
            "content_index": 0,
            "delta": made,
        }
        events.insert(2, ("response.output_text.delta", delta))
    return whole, events


def _chat(script: ScriptedModel, path: str, asked: dict[str, Any]) -> Answer:
    names = [tool["function"]["name"] for tool in asked.get("tools") or [] if "function" in tool]
    spelt = {name: Call(name, {}) for name in names}
    results = [
        _text_of(message.get("content"))
        for message in asked.get("messages", [])
        if message.get("role") == "tool"
    ]
    made = script.next(Turn(path, tuple(names), tuple(results)), spelt)
    number = len(script.turns)
    base = {"id": f"chatcmpl-{number}", "created": 1, "model": MODEL}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    if isinstance(made, Call):
        function = {"name": made.name, "arguments": json.dumps(made.arguments)}
        called = [{"index": 0, "id": f"call_{number}", "type": "function", "function": function}]
        message: dict[str, Any] = {"role": "assistant", "content": None, "tool_calls": called}
        reason = "tool_calls"
    else:
        message = {"role": "assistant", "content": made}
        reason = "stop"
    whole = {
        **base,
        "object": "chat.completion",
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": usage,
    }
    chunk = {**base, "object": "chat.completion.chunk"}
    events: list[tuple[str | None, Any]] = [
        (None, {**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]}),
        (
            None,
            {
                **chunk,
                "choices": [{"index": 0, "delta": {}, "finish_reason": reason}],
                "usage": usage,
            },
        ),
        (None, "[DONE]"),
    ]
    return whole, events


def _messages(script: ScriptedModel, path: str, asked: dict[str, Any]) -> Answer:
    names = [tool["name"] for tool in asked.get("tools", []) if "name" in tool]
    spelt = {name: Call(name, {}) for name in names}
    results = [
        _text_of(block.get("content"))
        for message in asked.get("messages", [])
        if isinstance(message.get("content"), list)
        for block in message["content"]
        if block.get("type") == "tool_result"
    ]
    messages = asked.get("messages", [])
    told = _text_of(messages[-1].get("content")) if messages else ""
    made = script.next(Turn(path, tuple(names), tuple(results), told), spelt)
    number = len(script.turns)
    usage = {"input_tokens": 1, "output_tokens": 1}
    base = {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": asked.get("model", MODEL),
        "stop_sequence": None,
        "usage": usage,
    }
    if isinstance(made, Call):
        block: dict[str, Any] = {
            "type": "tool_use",
            "id": f"toolu_{number}",
            "name": made.name,
            "input": made.arguments,
        }
        opened = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(made.arguments)}
        reason = "tool_use"
    else:
        block = {"type": "text", "text": made}
        opened = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": made}
        reason = "end_turn"
    whole = {**base, "content": [block], "stop_reason": reason}
    begun = {**base, "content": [], "stop_reason": None}
    events: list[tuple[str | None, Any]] = [
        ("message_start", {"type": "message_start", "message": begun}),
        (
            "content_block_start",
            {"type": "content_block_start", "index": 0, "content_block": opened},
        ),
        ("content_block_delta", {"type": "content_block_delta", "index": 0, "delta": delta}),
        ("content_block_stop", {"type": "content_block_stop", "index": 0}),
        (
            "message_delta",
            {
                "type": "message_delta",
                "delta": {"stop_reason": reason, "stop_sequence": None},
                "usage": usage,
            },
        ),
        ("message_stop", {"type": "message_stop"}),
    ]
    return whole, events


def _gemini(script: ScriptedModel, path: str, asked: dict[str, Any]) -> Answer:
    names = [
        function["name"]
        for tool in asked.get("tools", [])
        for function in tool.get("functionDeclarations", [])
    ]
    spelt = {name: Call(name, {}) for name in names}
    results = [
        _text_of(part["functionResponse"].get("response", {}).get("output", part))
        for content in asked.get("contents", [])
        for part in content.get("parts", [])
        if "functionResponse" in part
    ]
    made = script.next(Turn(path, tuple(names), tuple(results)), spelt)
    part: dict[str, Any] = (
        {"functionCall": {"name": made.name, "args": made.arguments}}
        if isinstance(made, Call)
        else {"text": made}
    )
    whole = {
        "candidates": [
            {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
        ],
        "usageMetadata": {
            "promptTokenCount": 1,
            "candidatesTokenCount": 1,
            "totalTokenCount": 2,
        },
        "modelVersion": MODEL,
    }
    return whole, [(None, whole)]
