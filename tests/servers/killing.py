"""A server that kills its client, then writes down every answer that had left it.

    python killing.py FILE ORDINAL STEP

It asks one question after the other. STEP says when the client dies: `asked`, as soon as question
ORDINAL is written; `answered`, as soon as its answer is read; or a number, that many microseconds
after the question was written. FILE gets a line for each answer: the question's message, a tab and
the answer as JSON.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

FILE, ORDINAL, STEP = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
SCHEMA = {
    "type": "object",
    "properties": {"environment": {"type": "string"}},
    "required": ["environment"],
}


def send(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def kill() -> None:
    os.kill(os.getppid(), signal.SIGKILL)


def ask(number: int) -> None:
    params = {"message": f"Question {os.getpid()}.{number}", "requestedSchema": SCHEMA}
    send({"id": f"q{number}", "method": "elicitation/create", "params": params})
    if number != ORDINAL:
        return
    if STEP == "asked":
        kill()
    elif STEP != "answered":
        moment = time.perf_counter() + int(STEP) / 1_000_000
        while time.perf_counter() < moment:
            pass
        kill()


def main() -> None:
    """Answer and ask until the pipe ends: what the dead client had written is read to its end."""
    results = {
        "initialize": {
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "killing", "version": "0"},
        },
        "tools/list": {"tools": [{"name": "ask", "inputSchema": {"type": "object"}}]},
    }
    with FILE.open("a") as heard:
        for line in sys.stdin:
            message = json.loads(line)
            identifier = message.get("id")
            if message.get("method") == "tools/call":
                ask(1)
            elif "method" in message and identifier is not None:
                send({"id": identifier, "result": results[message["method"]]})
            elif "result" in message:
                number = int(identifier[1:])
                answer = json.dumps(message["result"])
                heard.write(f"Question {os.getpid()}.{number}\t{answer}\n")
                heard.flush()
                if number == ORDINAL and STEP == "answered":
                    kill()
                ask(number + 1)


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        os._exit(0)
