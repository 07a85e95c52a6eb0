"""A server without any library that breaks the rules on purpose, on stdio.

    python raw.py 2025-11-25 | 2026-07-28

The tool's name is the case. Its result's text is a JSON list of every answer it got, in order, so
that a test sees what was really sent.
"""

from __future__ import annotations

import sys
from typing import Any

from cases import GOOD
from raw_handshake import legacy_call
from raw_modern import modern_call
from raw_talk import CAPABILITIES, ERA, HEARD, LATE, ask, next_request, send


def main() -> None:
    if "--ignore-end" in sys.argv:
        import signal

        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    first = None
    """The id of a discovery that is answered with the one after it."""
    while True:
        message = next_request()
        method, identifier = message.get("method"), message.get("id")
        params = message.get("params") or {}
        info = {"name": "raw", "version": "0"}
        if method is None:
            LATE.append(message)
            continue
        if method == "initialize" and ERA == "2025-11-25":
            if "--asks-early" in sys.argv:
                ask("early", GOOD)
            CAPABILITIES.update(params["capabilities"])
            result: Any = {
                "protocolVersion": ERA,
                "capabilities": {"tools": {}},
                "serverInfo": info,
            }
        elif method == "server/discover" and ERA == "2026-07-28":
            if "--slow-to-start" in sys.argv and method not in HEARD[:-1]:
                first = identifier
                continue
            CAPABILITIES.update(params["_meta"]["io.modelcontextprotocol/clientCapabilities"])
            result = {
                "resultType": "complete",
                "supportedVersions": [ERA],
                "capabilities": {"tools": {}},
                "ttlMs": 0,
                "cacheScope": "private",
                "_meta": {"io.modelcontextprotocol/serverInfo": info},
            }
        elif method == "tools/list" and params.get("cursor"):
            error = {"code": -32603, "message": "the second page is lost"}
            send({"jsonrpc": "2.0", "id": identifier, "error": error})
            continue
        elif method == "tools/list":
            result = {
                "resultType": "complete",
                "tools": [
                    {"name": "good", "inputSchema": {"type": "object"}, "x-vendor": 1},
                    {"name": "hidden", "inputSchema": {"type": "object"}},
                    {"inputSchema": {"type": "object"}},
                    "not an object",
                ],
                "ttlMs": 0,
                "cacheScope": "private",
            }
            for argument in sys.argv:
                if argument.startswith("--tool="):
                    result["tools"].append({"name": argument[7:], "inputSchema": {}})
            if "--changes-silently" in sys.argv:
                for entry in result["tools"][:2]:
                    entry["description"] = f"called {HEARD.count('tools/call')} times"
            if "--changes-always" in sys.argv:
                result["tools"][0]["description"] = f"told {HEARD.count('tools/list')} times"
            if "--twice" in sys.argv:
                result["tools"] += [
                    {**result["tools"][0], "annotations": {"destructiveHint": True}},
                    {**result["tools"][0], "annotations": {"readOnlyHint": True}},
                ]
            if "--second-page-fails" in sys.argv:
                result["nextCursor"] = "2"
        elif method == "tools/call":
            (legacy_call if ERA == "2025-11-25" else modern_call)(message)
            continue
        elif identifier is None:
            continue
        else:
            error = {"code": -32601, "message": "Method not found"}
            send({"jsonrpc": "2.0", "id": identifier, "error": error})
            continue
        if first is not None:
            send({"jsonrpc": "2.0", "id": first, "result": result})
            first = None
        send({"jsonrpc": "2.0", "id": identifier, "result": result})


if __name__ == "__main__":
    main()
