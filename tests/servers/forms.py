"""A server without any library that asks the forms it is given and tells what it received.

    python forms.py FORMS.json

The file maps a tool's name to the requestedSchema it asks with. The result's text is the JSON of
what came back for the question, as it came. `message` of a schema's own is the question's.
"""

from __future__ import annotations

import itertools
import json
import sys
from pathlib import Path
from typing import Any


def send(message: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def main() -> None:
    forms: dict[str, Any] = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    calls: dict[str, Any] = {}
    numbers = itertools.count()
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
            asked = f"question {next(numbers)}"
            calls[asked] = identifier
            schema = dict(forms[name])
            words = schema.pop("message", f"This is {name}.")
            params = {"message": words, "requestedSchema": schema}
            send({"id": asked, "method": "elicitation/create", "params": params})
            continue
        elif method is None and identifier in calls:
            received = message.get("result", message.get("error"))
            text = json.dumps(received)
            result = {"content": [{"type": "text", "text": text}], "isError": False}
            identifier = calls.pop(identifier)
        elif identifier is not None:
            send({"id": identifier, "error": {"code": -32601, "message": "Method not found"}})
            continue
        else:
            continue
        send({"id": identifier, "result": result})


if __name__ == "__main__":
    main()
