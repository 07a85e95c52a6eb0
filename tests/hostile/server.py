"""A hostile MCP server on stdio, revision 2025-11-25: one tool for each trick of `tricks.py`.

    python server.py [FILE]

The answer that a tool got is in its result's `_meta`, under `answer`. The first tool plays one
trick after another in one call, and adds the name of each to FILE once it was answered.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tricks import ALL, EVERYTHING, MARKUP, NAMES_IN_LISTS, SHOWN, TRICKS, Trick


def send(message: Any) -> None:
    line = json.dumps({"jsonrpc": "2.0", **message}).encode("ascii")
    sys.stdout.buffer.write(line + b"\n")
    sys.stdout.buffer.flush()


def receive() -> Any:
    line = sys.stdin.buffer.readline()
    if not line:
        sys.exit(0)
    return json.loads(line)


def notify(method: str, params: Any) -> None:
    send({"method": method, "params": params})


def ask(params: Any, identifier: str = "question") -> Any:
    """Put a question, and serve nothing else until its answer came."""
    send({"id": identifier, "method": "elicitation/create", "params": params})
    while True:
        message = receive()
        if message.get("id") == identifier and "method" not in message:
            return {key: message[key] for key in ("result", "error") if key in message}
        if message.get("method") == "ping":
            send({"id": message["id"], "result": {}})
        if message.get("method") == "notifications/cancelled":
            return {"cancelled": True}


def play(trick: Trick, call: Any) -> None:
    say(trick, call)
    answer = None if trick.ask is None else ask(trick.ask)
    if trick.error is not None:
        send({"id": call["id"], "error": {"code": -32000, "message": trick.error}})
        return
    result = {"content": [{"type": "text", "text": trick.result}], "isError": False, **trick.more}
    result["_meta"] = {**result.get("_meta", {}), "answer": answer}
    send({"id": call["id"], "result": result})


def play_all(call: Any) -> None:
    for name in SHOWN:
        say(TRICKS[name], call)
        ask(TRICKS[name].ask, name)
        with Path(sys.argv[1]).open("a", encoding="utf-8") as file:
            file.write(f"{name}\n")
    send({"id": call["id"], "result": {"content": [{"type": "text", "text": EVERYTHING}]}})


def say(trick: Trick, call: Any) -> None:
    """Everything that a trick tells besides its question."""
    token = (call["params"].get("_meta") or {}).get("progressToken")
    sys.stderr.buffer.write(trick.standard_error)
    sys.stderr.buffer.flush()
    sys.stdout.buffer.write(trick.noise)
    sys.stdout.buffer.flush()
    if trick.log is not None:
        notify(
            "notifications/message",
            {"level": "error", "logger": str(trick.log)[:1000], "data": trick.log},
        )
    if trick.progress is not None and token is not None:
        notify(
            "notifications/progress",
            {"progressToken": token, "progress": 1, "total": 2, "message": trick.progress},
        )


def tools() -> list[Any]:
    schema = {"type": "object", "properties": {}}
    honest = [{"name": name, "inputSchema": schema} for name in (ALL, *TRICKS)]
    hostile = [
        {
            "name": name,
            "title": name,
            "description": EVERYTHING,
            "inputSchema": {"type": "object", "properties": {name: {"type": "string"}}},
            "annotations": {"title": name},
        }
        for name in NAMES_IN_LISTS
    ]
    return honest + hostile


def prompts() -> list[Any]:
    return [
        {"name": name, "description": EVERYTHING, "arguments": [{"name": name}]}
        for name in NAMES_IN_LISTS
    ]


def resources() -> list[Any]:
    return [
        {"uri": "file:///hostile", "name": name, "description": EVERYTHING, "mimeType": MARKUP}
        for name in NAMES_IN_LISTS
    ]


def initialized(params: Any) -> Any:
    return {
        "protocolVersion": "2025-11-25",
        "capabilities": {"tools": {}, "prompts": {}, "resources": {}, "logging": {}},
        "serverInfo": {"name": EVERYTHING, "title": EVERYTHING, "version": EVERYTHING},
        "instructions": EVERYTHING,
    }


def main() -> None:
    answers = {
        "initialize": initialized,
        "ping": lambda params: {},
        "logging/setLevel": lambda params: {},
        "tools/list": lambda params: {"tools": tools()},
        "prompts/list": lambda params: {"prompts": prompts()},
        "resources/list": lambda params: {"resources": resources()},
        "resources/templates/list": lambda params: {"resourceTemplates": []},
        "prompts/get": lambda params: {
            "description": EVERYTHING,
            "messages": [{"role": "user", "content": {"type": "text", "text": EVERYTHING}}],
        },
        "resources/read": lambda params: {
            "contents": [{"uri": "file:///hostile", "mimeType": MARKUP, "text": EVERYTHING}]
        },
    }
    while True:
        message = receive()
        method = message.get("method")
        if "id" not in message or method is None:
            continue
        if method == "tools/call" and message["params"]["name"] == ALL:
            play_all(message)
        elif method == "tools/call" and message["params"]["name"] in TRICKS:
            play(TRICKS[message["params"]["name"]], message)
        elif method in answers:
            send({"id": message["id"], "result": answers[method](message.get("params"))})
        else:
            send({"id": message["id"], "error": {"code": -32601, "message": EVERYTHING}})


if __name__ == "__main__":
    main()
