"""A server that writes down every run of its tool, so that a test can count them.

    python counting.py FILE

The tool `run` asks for a value and says it back; `erase` says that it is destructive. FILE gets a
line for each step: `server PID`, `ran TAG`, `got TAG ACTION VALUE`. As long as FILE.held exists no
tool comes to its end.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

FILE = Path(sys.argv[1])
HELD = FILE.with_name(FILE.name + ".held")
SCHEMA = {
    "type": "object",
    "properties": {"value": {"type": "string"}},
    "required": ["value"],
}
RESULTS = {
    "initialize": {
        "protocolVersion": "2025-11-25",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "counting", "version": "0"},
    },
    "tools/list": {
        "tools": [
            {"name": "run", "inputSchema": {"type": "object"}},
            {
                "name": "erase",
                "inputSchema": {"type": "object"},
                "annotations": {"destructiveHint": True},
            },
        ]
    },
}


def send(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def note(*words: object) -> None:
    with FILE.open("a") as file:
        print(*words, file=file, flush=True)


def end(call: Any, tag: str, answer: object) -> None:
    parent = os.getppid()
    while HELD.exists() and os.getppid() == parent:
        time.sleep(0.01)
    send({"id": call, "result": {"content": [{"type": "text", "text": f"{tag}: {answer}"}]}})


def main() -> None:
    note("server", os.getpid())
    calls: dict[str, Any] = {}
    for line in sys.stdin:
        message = json.loads(line)
        identifier = message.get("id")
        if message.get("method") == "tools/call":
            tag = message["params"]["arguments"]["tag"]
            note("ran", tag)
            if message["params"]["name"] == "erase":
                end(identifier, tag, "erased")
                continue
            calls[tag] = identifier
            params = {"message": f"Value for {tag}?", "requestedSchema": SCHEMA}
            send({"id": tag, "method": "elicitation/create", "params": params})
        elif "method" in message and identifier is not None:
            send({"id": identifier, "result": RESULTS.get(message["method"], {})})
        elif "result" in message:
            answer = message["result"]
            value = (answer.get("content") or {}).get("value")
            note("got", identifier, answer["action"], value)
            end(calls[identifier], identifier, answer)


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        os._exit(0)
