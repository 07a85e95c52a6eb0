"""The fastest server that Python allows, with one tool: what an agent's start is measured by.

Started as `python -S -E`: without the SDK, and with nothing that a site adds.
"""

import json
import sys

for line in sys.stdin:
    asked = json.loads(line)
    method, known = asked.get("method"), asked.get("id")
    if known is None:
        continue
    if method == "initialize":
        answer = {
            "result": {
                "protocolVersion": asked["params"]["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "fast", "version": "1"},
            }
        }
    elif method == "tools/list":
        answer = {"result": {"tools": [{"name": "fast", "inputSchema": {"type": "object"}}]}}
    elif method == "ping":
        answer = {"result": {}}
    else:
        answer = {"error": {"code": -32601, "message": "Method not found"}}
    print(json.dumps({"jsonrpc": "2.0", "id": known, **answer}), flush=True)
