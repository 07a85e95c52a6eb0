"""What every attack is made of. What costs a megabyte is written as raw bytes: cheap to send."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

ESC = "\x1b[2J\x1b]0;0wned\x07\u202e::error::0wned"
Call = dict[str, Any]


def raw(line: bytes) -> None:
    sys.stdout.buffer.write(line + b"\n")
    sys.stdout.buffer.flush()


def send(message: dict[str, Any]) -> None:
    raw(json.dumps({"jsonrpc": "2.0", **message}).encode("ascii"))


def receive() -> Any:
    line = sys.stdin.buffer.readline()
    if not line:
        sys.exit(0)
    return json.loads(line)


def ask(params: Any, identifier: Any = "question") -> Any:
    send({"id": identifier, "method": "elicitation/create", "params": params})
    return answer_to(identifier)


def answer_to(identifier: Any) -> Any:
    while True:
        message = receive()
        if message.get("id") == identifier and "method" not in message:
            return {key: message[key] for key in ("result", "error") if key in message}


def form(message: Any, properties: Any = None, **more: Any) -> dict[str, Any]:
    properties = {"name": {"type": "string"}} if properties is None else properties
    schema = {"type": "object", "properties": properties, **more}
    return {"mode": "form", "message": message, "requestedSchema": schema}


def done(call: Call, words: str = "done", **more: Any) -> None:
    send({"id": call["id"], "result": {"content": [{"type": "text", "text": words}], **more}})


def asks(*questions: Any) -> Callable[[Call], None]:
    def play(call: Call) -> None:
        answers = [ask(question, f"q{n}") for n, question in enumerate(questions)]
        done(call, json.dumps(answers)[:2000])

    return play


def answers_raw(build: Callable[[bytes], bytes]) -> Callable[[Call], None]:
    """Answers with bytes built around the call's own id."""
    return lambda call: raw(build(json.dumps(call["id"]).encode()))


def notifies(build: Callable[[int], dict[str, Any]], times: int) -> Callable[[Call], None]:
    def play(call: Call) -> None:
        lines = (json.dumps({"jsonrpc": "2.0", **build(n)}) for n in range(times))
        sys.stdout.buffer.write("".join(f"{line}\n" for line in lines).encode())
        sys.stdout.buffer.flush()
        done(call)

    return play


def content(*blocks: Any, **more: Any) -> Callable[[Call], None]:
    return lambda call: send({"id": call["id"], "result": {"content": list(blocks), **more}})


def deep(depth: int) -> bytes:
    return b'{"a":' * depth + b"1" + b"}" * depth


def fails(code: Any, message: Any, data: Any = None) -> Callable[[Call], None]:
    return lambda call: send(
        {"id": call["id"], "error": {"code": code, "message": message, "data": data}}
    )
