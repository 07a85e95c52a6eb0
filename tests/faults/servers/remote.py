"""A raw streamable-HTTP server with one fault; it prints its port.

    python remote.py NOTES NAME WHEN FAULT

WHEN is `start` (every request meets the fault) or `call` (only `tools/call` does). The file
`NAME.received` in the directory NOTES gets every message that was sent.
"""

from __future__ import annotations

import json
import socket
import struct
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

NOTES, NAME, WHEN, FAULT = Path(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
OVER = threading.Event()
CALLED = threading.Event()
ANSWERED = threading.Event()
FORM = {"type": "object", "properties": {"name": {"type": "string"}}}
QUESTION = {
    "jsonrpc": "2.0",
    "id": "q",
    "method": "elicitation/create",
    "params": {"message": "What is your name?", "requestedSchema": FORM},
}
NOTING = threading.Lock()


def result_of(method: str) -> dict[str, Any]:
    if method == "initialize":
        return {
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "remote", "version": "0"},
        }
    if method == "tools/list":
        return {"tools": [{"name": FAULT, "inputSchema": {"type": "object"}}]}
    return {"content": [{"type": "text", "text": "done"}]}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        with NOTING, (NOTES / f"{NAME}.received").open("ab") as notes:
            notes.write(body + b"\n")
        message = json.loads(body)
        method = message.get("method", "")
        if WHEN == "start" or method == "tools/call":
            self.fault(message)
        elif "id" not in message or not method:
            if message.get("id") == "behind":
                ANSWERED.set()
            self.reply(202, b"")
        else:
            answer = {"jsonrpc": "2.0", "id": message["id"], "result": result_of(method)}
            self.reply(200, json.dumps(answer).encode())

    def do_GET(self) -> None:
        if FAULT != "breaks_an_event":
            self.reply(405, b"")
            return
        CALLED.wait()
        ping = {"jsonrpc": "2.0", "id": "behind", "method": "ping"}
        batch, behind = json.dumps([QUESTION]).encode(), json.dumps(ping).encode()
        self.stream(batch + b"\n\nevent: message\ndata: " + behind + b"\n\n")
        ANSWERED.wait()

    def do_DELETE(self) -> None:
        self.reply(405, b"")

    def fault(self, message: dict[str, Any]) -> None:
        if FAULT.isdecimal():
            self.reply(int(FAULT), b"<h1>Sorry \x1b[31m</h1>", "text/html")
        elif FAULT == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close_connection = True
            self.connection.close()
        elif FAULT in ("stops", "falls_silent"):
            self.stream(b'{"jsonrpc": "2.0", "id"')
            if FAULT == "falls_silent":
                OVER.wait()
        elif FAULT == "breaks_an_event":
            CALLED.set()
            ANSWERED.wait()
            answer = {"jsonrpc": "2.0", "id": message["id"], "result": result_of("tools/call")}
            self.reply(200, json.dumps(answer).encode())
        elif FAULT == "asks_and_stops":
            self.stream(json.dumps(QUESTION).encode() + b"\n\n")
            while not (NOTES / f"{NAME}.go").exists():
                OVER.wait(0.01)
        else:
            OVER.wait()

    def stream(self, data: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(b"event: message\ndata: " + data)
        self.wfile.flush()
        self.close_connection = True

    def reply(self, status: int, body: bytes, kind: str = "application/json") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        if WHEN != "start" and status == 200:
            self.send_header("Mcp-Session-Id", "the-session")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *values: Any) -> None:
        """Its requests are of no interest."""


def main() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
