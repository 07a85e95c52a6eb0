"""A server without any library that ends with an exit code around its result.

python leaving.py

Its tools: `at_once` exits with code 7 right after the result, the others once their input ends;
`drop` asks first, and lets it end well. The text of each result is its name. One looks like `drop`:
it has a Cyrillic letter.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any, Final

TOOLS: Final = ("at_once", "when_closed", "dr\u043ep", "drop", "Москва", "sauber_größe")
QUESTION: Final = {"message": "Which?", "requestedSchema": {"type": "object", "properties": {}}}


def send(message: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def main() -> None:
    code = 7
    for line in sys.stdin:
        message = json.loads(line)
        method, identifier = message.get("method"), message.get("id")
        if method == "initialize":
            info = {"name": "leaving", "version": "0"}
            result: Any = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}}
            send({"id": identifier, "result": {**result, "serverInfo": info}})
        elif method == "tools/list":
            tools = [{"name": name, "inputSchema": {"type": "object"}} for name in TOOLS]
            send({"id": identifier, "result": {"tools": tools}})
        elif method == "tools/call":
            name = message["params"]["name"]
            if name == "drop":
                send({"id": "q", "method": "elicitation/create", "params": QUESTION})
                sys.stdin.readline()
                code = 0
            send({"id": identifier, "result": {"content": [{"type": "text", "text": name}]}})
            if name == "at_once":
                os._exit(code)
    os._exit(code)


if __name__ == "__main__":
    main()
