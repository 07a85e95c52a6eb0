"""How the servers of raw.py read and write their lines, and what they heard."""

from __future__ import annotations

import json
import os
import sys
import time
from collections import deque
from pathlib import Path
from typing import Any

ERA = sys.argv[1]
NOTES = next((Path(each[8:]) for each in sys.argv if each.startswith("--notes=")), None)
"""Where the methods that were heard stand too, for a test that looks on from outside."""
BURST = int(os.environ.get("BURST", "10000"))


def send(message: Any) -> None:
    line = message if isinstance(message, bytes) else json.dumps(message).encode()
    sys.stdout.buffer.write(line + b"\n")
    sys.stdout.buffer.flush()


REQUESTS: deque[Any] = deque()
"""What came while an answer was waited for: this server does one thing at a time."""
LATE: list[Any] = []
"""Answers that came after the call that asked."""
HEARD: list[str] = []
"""The methods of all requests and notifications, in order."""
CAPABILITIES: dict[str, Any] = {}
"""What the client said that it can do."""


def receive() -> Any:
    line = sys.stdin.buffer.readline()
    if not line:
        if "--ignore-end" in sys.argv:
            time.sleep(60)
        sys.exit(0)
    message = json.loads(line)
    if "method" in message:
        HEARD.append(message["method"])
        if NOTES is not None:
            with NOTES.open("a") as notes:
                print(message["method"], file=notes)
    return message


def next_request() -> Any:
    return REQUESTS.popleft() if REQUESTS else receive()


def ask(identifier: Any, params: Any) -> None:
    send({"jsonrpc": "2.0", "id": identifier, "method": "elicitation/create", "params": params})


def answers(count: int) -> list[Any]:
    """The next answers; a notification of ours, such as cancelled, is kept too."""
    got: list[Any] = []
    while len(got) < count:
        message = receive()
        if "method" in message and "id" in message:
            REQUESTS.append(message)
        else:
            got.append(message)
    return got


def finish(identifier: Any, got: Any) -> None:
    result: dict[str, Any] = {
        "content": [{"type": "text", "text": json.dumps(got)}],
        "isError": False,
    }
    if ERA == "2026-07-28":
        result["resultType"] = "complete"
    send({"jsonrpc": "2.0", "id": identifier, "result": result})


def question(params: Any) -> Any:
    return {"method": "elicitation/create", "params": params}
