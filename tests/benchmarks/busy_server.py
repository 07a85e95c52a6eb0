"""A raw server (revision 2025-11-25) that gives the console much to hold: one tool for each kind.

    python busy_server.py COUNT

`questions` asks COUNT of them at once, `result` answers with COUNT characters in lines of a
hundred, `rows` with as many in a list of like objects, `log` writes COUNT lines of log before it
answers.
"""

from __future__ import annotations

import json
import sys
from typing import Any

COUNT = int(sys.argv[1])
FORM = {"type": "object", "properties": {"colour": {"type": "string"}}}
LINE = "x" * 99 + "\n"


def send(**message: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")


def answer(identifier: Any, text: str) -> None:
    send(id=identifier, result={"content": [{"type": "text", "text": text}]})


def questions(call: Any) -> None:
    for number in range(COUNT):
        params = {"message": f"Question {number}?", "requestedSchema": FORM}
        send(id=f"q{number}", method="elicitation/create", params=params)


def result(call: Any) -> None:
    count = COUNT // len(LINE)
    lines = "".join(f"this is line {number} ".ljust(99, "x") + "\n" for number in range(count))
    answer(call, f"the first line\n{lines}line {count} is the last")


def rows(call: Any) -> None:
    row = {"host": "host 0000000", "address": "10.0.0.1", "note": "x" * 40}
    count = COUNT // (len(json.dumps(row)) + 2)
    answer(call, json.dumps([{**row, "host": f"host {number:07}"} for number in range(count)]))


def log(call: Any) -> None:
    for number in range(COUNT):
        data = f"line {number}: {LINE.strip()}"
        send(method="notifications/message", params={"level": "info", "data": data})
    answer(call, "all is logged")


TOOLS = {"questions": questions, "result": result, "rows": rows, "log": log}


def results(method: str) -> dict[str, Any]:
    if method == "initialize":
        return {
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}, "logging": {}},
            "serverInfo": {"name": "busy", "version": "1"},
        }
    if method == "tools/list":
        return {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in TOOLS]}
    return {}


def main() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        method = message.get("method")
        if method == "tools/call":
            TOOLS[message["params"]["name"]](message["id"])
        elif method and "id" in message:
            send(id=message["id"], result=results(method))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
