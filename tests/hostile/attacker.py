"""A hostile MCP server on stdio that attacks the host's parser, memory and patience.

    python attacker.py ATTACK [2026-07-28]

One attack a process; `attacks` has them by kind.
"""

from __future__ import annotations

import sys

from attacks import CALLS, LISTS, MODERN, STARTS, TOOL, done, listed
from attacks.wire import receive, send

INFO = {"name": "attacker", "version": "1"}


def main() -> None:
    attack = sys.argv[1]
    modern = MODERN in sys.argv
    while True:
        message = receive()
        method = message.get("method")
        if "id" not in message or method is None:
            continue
        identifier, params = message["id"], message.get("params")
        start = {
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}, "logging": {}},
            "serverInfo": INFO,
            **STARTS.get(attack, {}),
        }
        if method == "initialize" and not modern:
            send({"id": identifier, "result": start})
        elif method == "server/discover" and modern:
            send(
                {
                    "id": identifier,
                    "result": {
                        "supportedVersions": [MODERN],
                        "resultType": "complete",
                        "ttlMs": 0,
                        "cacheScope": "private",
                        **start,
                    },
                }
            )
        elif method == "tools/list":
            build = LISTS.get(attack, listed([TOOL]))
            more = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"} if modern else {}
            send({"id": identifier, "result": {**build(params), **more}})
        elif method == "tools/call":
            CALLS.get(attack, done)(message)
        elif method == "ping":
            send({"id": identifier, "result": {}})
        else:
            send({"id": identifier, "error": {"code": -32601, "message": "Method not found"}})


if __name__ == "__main__":
    main()
