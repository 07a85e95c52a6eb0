"""An HTTP server that greets properly, in both eras, and fails at the first tool call.

python breaking.py http 500 | 404 | 401 | reset | stop | html | 202
"""

from __future__ import annotations

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

HOW = sys.argv[2]
INFO = {"name": "breaking", "version": "0"}


def greeting(method: str) -> dict[str, Any] | None:
    if method == "initialize":
        return {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": INFO}
    if method == "server/discover":
        return {
            "resultType": "complete",
            "supportedVersions": ["2026-07-28"],
            "capabilities": {"tools": {}},
            "ttlMs": 0,
            "cacheScope": "private",
        }
    if method == "tools/list":
        return {"resultType": "complete", "tools": [], "ttlMs": 0, "cacheScope": "private"}
    if method == "ping":
        return {}
    return None


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        return

    def do_GET(self) -> None:
        self.answer(405, "text/plain", b"")

    do_DELETE = do_GET

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "id" not in message:
            self.answer(202, "text/plain", b"")
            return
        result = greeting(message["method"])
        if result is not None:
            body = {"jsonrpc": "2.0", "id": message["id"], "result": result}
            self.answer(200, "application/json", json.dumps(body).encode())
        else:
            self.fail()

    def fail(self) -> None:
        if HOW == "reset":
            self.close_connection = True
            self.connection.close()
        elif HOW == "stop":
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            self.wfile.write(b': a beginning\n\nevent: message\ndata: {"json')
            self.close_connection = True
        elif HOW == "html":
            self.answer(200, "text/html", b"<html>")
        else:
            self.answer(int(HOW), "text/plain", b"no")

    def answer(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def main() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
