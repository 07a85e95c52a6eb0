"""A server without any library that asks the forms it is given and tells what it received.

    python forms.py FORMS.json [RECEIVED]

The file maps a tool's name to the requestedSchema it asks with, or to an object with that and a
`message`. The result's text is the JSON of what came back for the question, as it came; a line of
the file RECEIVED is the same. A tool named `twice` asks again as soon as it has an answer, and its
result's text is a list of both.
"""

from __future__ import annotations

import itertools
import json
import sys
from pathlib import Path
from typing import Any

NUMBERS = itertools.count()


def send(message: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def ask(schema: dict[str, Any], message: str) -> str:
    identifier = f"question {next(NUMBERS)}"
    params = {"message": message, "requestedSchema": schema}
    send({"id": identifier, "method": "elicitation/create", "params": params})
    return identifier


def main() -> None:
    forms: dict[str, Any] = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    calls: dict[str, Any] = {}
    for line in sys.stdin:
        message = json.loads(line)
        method, identifier = message.get("method"), message.get("id")
        if method == "initialize":
            result: Any = {
                "protocolVersion": "2025-11-25",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "forms", "version": "0"},
            }
        elif method == "tools/list":
            tools = [{"name": name, "inputSchema": {"type": "object"}} for name in forms]
            result = {"tools": tools}
        elif method == "tools/call":
            name = message["params"]["name"]
            form = {"message": f"This is {name}.", "requestedSchema": forms[name]}
            if "requestedSchema" in forms[name]:
                form = forms[name]
            calls[ask(form["requestedSchema"], form["message"])] = (identifier, name, [])
            continue
        elif method is None and identifier in calls:
            call, name, received = calls.pop(identifier)
            received.append(message.get("result", message.get("error")))
            if len(sys.argv) > 2:
                with Path(sys.argv[2]).open("a", encoding="utf-8") as notes:
                    notes.write(json.dumps(received[-1]) + "\n")
            if name == "twice" and len(received) < 2:
                calls[ask(forms[name], "And again?")] = (call, name, received)
                continue
            text = json.dumps(received if name == "twice" else received[0])
            result = {"content": [{"type": "text", "text": text}], "isError": False}
            identifier = call
        elif identifier is not None:
            send({"id": identifier, "error": {"code": -32601, "message": "Method not found"}})
            continue
        else:
            continue
        send({"id": identifier, "result": result})


if __name__ == "__main__":
    main()
