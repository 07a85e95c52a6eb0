"""A server that writes down every run of its tool, so that a test can count them.

    python counting.py FILE

The tool `run` asks for a value and says it back. FILE gets a line for each step: `server PID`,
`ran TAG`, `got TAG ACTION VALUE`. As long as FILE.held exists the tool does not come to its end.
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
    "tools/list": {"tools": [{"name": "run", "inputSchema": {"type": "object"}}]},
}


def send(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def note(*words: object) -> None:
    with FILE.open("a") as file:
        print(*words, file=file, flush=True)


def end(call: Any, tag: str, answer: dict[str, Any]) -> None:
    note("got", tag, answer["action"], (answer.get("content") or {}).get("value"))
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
            calls[tag] = identifier
            params = {"message": f"Value for {tag}?", "requestedSchema": SCHEMA}
            send({"id": tag, "method": "elicitation/create", "params": params})
        elif "method" in message and identifier is not None:
            send({"id": identifier, "result": RESULTS.get(message["method"], {})})
        elif "result" in message:
            end(calls[identifier], identifier, message["result"])


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        os._exit(0)
