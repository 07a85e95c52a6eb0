"""A server without any library, on stdio, that does what a script says (revision 2025-11-25).

    python scripted.py SCRIPT.json

The script: `{"info": {...}, "offers": [CAPABILITY, ...], "tools": {NAME: [STEP, ...]}}`. A step is
one of `{"ask": params}`, `{"withdraw": params, "once": path}` (asked, and taken back once that file
is there), `{"visit": params, "once": path}` (the call fails with this page to be visited first,
which is told as done once that file is there; the next call passes), `{"remove": path}`,
`{"stderr": text}`, `{"error": {...}}`, `{"text": text}`. The result's text is the JSON list of the
answers to the questions, unless a step says otherwise.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

SCRIPT = json.loads(Path(sys.argv[1]).read_text())
INFO = {"name": "scripted", "version": "1", **SCRIPT.get("info", {})}


def send(message: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def receive() -> Any:
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    return json.loads(line)


def put(params: Any, identifier: str) -> None:
    send({"id": identifier, "method": "elicitation/create", "params": params})


def until_there(file: Path) -> None:
    while not file.exists():
        time.sleep(0.02)


def withdraw(identifier: str, once: Path) -> None:
    until_there(once)
    send({"method": "notifications/cancelled", "params": {"requestId": identifier}})


def visit(call: Any, page: Any, once: Path) -> bool:
    """Whether the page was visited before; if not, the call failed."""
    if once.exists():
        return True
    error = {"code": -32042, "message": "Visit", "data": {"elicitations": [page]}}
    send({"id": call, "error": error})
    until_there(once)
    done = {"elicitationId": page["elicitationId"]}
    send({"method": "notifications/elicitation/complete", "params": done})
    return False


def ask(params: Any, identifier: str) -> Any:
    put(params, identifier)
    while True:
        message = receive()
        if message.get("id") == identifier and "method" not in message:
            return message.get("result") or message.get("error")


def call(identifier: Any, steps: list[dict[str, Any]]) -> None:
    answers: list[Any] = []
    text = None
    for number, step in enumerate(steps):
        if "ask" in step:
            answers.append(ask(step["ask"], f"question-{identifier}-{number}"))
        elif "withdraw" in step:
            put(step["withdraw"], f"question-{identifier}-{number}")
            withdraw(f"question-{identifier}-{number}", Path(step["once"]))
        elif "visit" in step:
            if not visit(identifier, step["visit"], Path(step["once"])):
                return
        elif "remove" in step:
            Path(step["remove"]).unlink()
        elif "stderr" in step:
            print(step["stderr"], file=sys.stderr, flush=True)
        elif "error" in step:
            send({"id": identifier, "error": step["error"]})
            return
        else:
            text = step["text"]
    content = [{"type": "text", "text": json.dumps(answers) if text is None else text}]
    send({"id": identifier, "result": {"content": content, "isError": False}})


def main() -> None:
    while True:
        message = receive()
        method, identifier = message.get("method"), message.get("id")
        if identifier is None or method is None:
            continue
        if method == "initialize":
            result: Any = {
                "protocolVersion": "2025-11-25",
                "capabilities": {name: {} for name in SCRIPT.get("offers", ["tools"])},
                "serverInfo": INFO,
            }
        elif method == "tools/list":
            schema = {"type": "object", "properties": {}}
            result = {"tools": [{"name": name, "inputSchema": schema} for name in SCRIPT["tools"]]}
        elif method == "tools/call":
            call(identifier, SCRIPT["tools"][message["params"]["name"]])
            continue
        elif method == "ping":
            result = {}
        else:
            send({"id": identifier, "error": {"code": -32601, "message": "Method not found"}})
            continue
        send({"id": identifier, "result": result})


if __name__ == "__main__":
    main()
