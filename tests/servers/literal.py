"""A server that sends exactly the text it is given, in the handshake era or the modern one.

    literal.py ERA FILE

FILE is JSON: the text of each method's result, as a string. `tools/call` of `echo` answers with the
text of the arguments as they came.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

ERA, FILE = sys.argv[1:3]
RESULTS = json.loads(Path(FILE).read_text())
MODERN = '"resultType": "complete", "ttlMs": 0, "cacheScope": "private",'


def result(method: str, line: str) -> str | None:
    if method == "initialize":
        return (
            '{"protocolVersion": "2025-11-25", "capabilities": {"tools": {}, "prompts": {}, '
            '"resources": {}}, "serverInfo": {"name": "literal", "version": "1"}, '
            f'"instructions": {RESULTS["instructions"]}}}'
        )
    if method == "server/discover":
        return (
            f'{{{MODERN} "supportedVersions": ["2026-07-28"], "capabilities": {{"tools": {{}}, '
            f'"prompts": {{}}, "resources": {{}}}}, "instructions": {RESULTS["instructions"]}}}'
        )
    if method == "tools/call":
        name = json.loads(line)["params"]["name"]
        if name == "echo":
            arguments = re.search(r'"arguments":(\{.*?\})', line)
            text = json.dumps(arguments[1] if arguments else "")
            return f'{{"content": [{{"type": "text", "text": {text}}}]}}'
        return str(RESULTS["calls"][name])
    if method == "tools/list":
        cursor = json.loads(line).get("params", {}).get("cursor", "0")
        pages = RESULTS["tools"]
        more = f', "nextCursor": "{int(cursor) + 1}"' if int(cursor) + 1 < len(pages) else ""
        return f'{{"tools": {pages[int(cursor)]}{more}}}'
    return RESULTS.get(method)


for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message or "method" not in message:
        continue
    refuses = message["method"] == "initialize" and ERA == "2026-07-28"
    text = None if refuses else result(message["method"], line)
    if text is None:
        answer = '"error": {"code": -32601, "message": "Method not found"}'
    else:
        if ERA == "2026-07-28" and "resultType" not in text:
            text = text.replace("{", f"{{{MODERN} ", 1)
        answer = f'"result": {text}'
    head = f'"jsonrpc": "2.0", "id": {json.dumps(message["id"])}'
    # One line, whatever the text was laid out in.
    sys.stdout.write(f"{{{head}, {answer}}}".replace("\n", " ") + "\n")
    sys.stdout.flush()
