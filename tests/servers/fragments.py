"""A server that answers each request with a given fragment of JSON text (revision 2025-11-25).

    fragments.py FILE

FILE is JSON: by a request's method, or "tools/call NAME", the text of `"result": …` or
`"error": …`. A text before a line break is a message of its own, sent first. An empty text ends
the server.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

FRAGMENTS = {
    "initialize": '"result": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}, '
    '"prompts": {}, "resources": {"subscribe": true}, "completions": {}, "logging": {}}, '
    '"serverInfo": {"name": "fragments", "version": "1"}}',
    "tools/list": '"result": {"tools": []}',
    "prompts/list": '"result": {"prompts": [{"name": "p"}]}',
    "resources/list": '"result": {"resources": [{"uri": "memo://1", "name": "one"}]}',
    "resources/templates/list": '"result": {"resourceTemplates": []}',
    **json.loads(Path(sys.argv[1]).read_text()),
}

for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message or "method" not in message:
        continue
    method = message["method"]
    key = f"{method} {message['params']['name']}" if method == "tools/call" else method
    first, _, fragment = FRAGMENTS.get(key, '"result": {}').rpartition("\n")
    if not fragment:
        break
    answer = f'{{"jsonrpc": "2.0", "id": {json.dumps(message["id"])}, {fragment}}}\n'
    sys.stdout.write(f"{first}\n{answer}" if first else answer)
    sys.stdout.flush()
