"""A raw server (revision 2025-11-25) whose one tool asks COUNT questions in one burst.

The call answers once every question has its answer, and tells how many of each kind came.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from typing import Any

COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
SCHEMA = {"type": "object", "properties": {"colour": {"type": "string"}}}


def send(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")


def question(number: int) -> dict[str, Any]:
    params = {"message": f"Question {number}?", "requestedSchema": SCHEMA}
    return {"id": f"q{number}", "method": "elicitation/create", "params": params}


def results(method: str, params: dict[str, Any]) -> dict[str, Any]:
    if method == "initialize":
        return {
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "flooding", "version": "1"},
        }
    if method == "tools/list":
        return {"tools": [{"name": "flood", "inputSchema": {"type": "object"}}]}
    return {}


def main() -> None:
    call = None
    answers: Counter[str] = Counter()
    for line in sys.stdin:
        message = json.loads(line)
        method = message.get("method")
        if method == "tools/call":
            call = message["id"]
            for number in range(COUNT):
                send(question(number))
        elif method and "id" in message:
            send({"id": message["id"], "result": results(method, message.get("params", {}))})
        elif str(message.get("id", "")).startswith("q"):
            answers[message.get("result", {}).get("action", "error")] += 1
            if sum(answers.values()) == COUNT:
                text = json.dumps(dict(answers))
                send({"id": call, "result": {"content": [{"type": "text", "text": text}]}})
        sys.stdout.flush()


if __name__ == "__main__":
    main()
