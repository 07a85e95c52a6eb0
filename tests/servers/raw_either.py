"""The cases of raw.py that ask nothing, alike in either era: odd results, garbage, sudden ends."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import Any

from raw_talk import CAPABILITIES, HEARD, finish, send


def either_call(call: Any) -> None:
    identifier, name = call["id"], call["params"]["name"]
    if name == "garbage":
        send(b"this is no JSON")
        send(b"\xff\xfe\x00")
        send(b"[1, 2")
        send(b"[]")
        send({"jsonrpc": "2.0", "id": "nobody", "result": {}})
        send({"jsonrpc": "2.0"})
        finish(identifier, "after garbage")
    elif name == "not_a_number":
        send(b'{"jsonrpc":"2.0","id":%d,"result":{"content":[],"n":NaN}}' % identifier)
    elif name == "result_is_a_string":
        send({"jsonrpc": "2.0", "id": identifier, "result": "done"})
    elif name == "odd_is_error":
        odd = call["params"]["arguments"]["is_error"]
        result = {"resultType": "complete", "content": [], "isError": odd}
        send({"jsonrpc": "2.0", "id": identifier, "result": result})
    elif name == "result_without_content":
        send({"jsonrpc": "2.0", "id": identifier, "result": {"resultType": "complete"}})
    elif name == "exact":
        send(
            b'{"jsonrpc":"2.0","id":%d,"result":{"resultType":"complete","content":[],'
            b'"structuredContent":{"big":123456789012345678901234567890,"one":1.0,'
            b'"lone":"\\ud800"},"vendor":{"x":null}}}' % identifier
        )
    elif name == "answers_twice":
        finish(identifier, "first")
        finish(identifier, "second")
    elif name == "hang":
        time.sleep(60)
    elif name == "exit":
        print("cannot go on \x1b[31mred\x1b[0m", file=sys.stderr, flush=True)
        os._exit(3)
    elif name == "half_a_message":
        sys.stdout.buffer.write(b'{"jsonrpc":"2.0","id":%d,"res' % identifier)
        sys.stdout.buffer.flush()
        os._exit(0)
    elif name == "close_stdout":
        os.close(1)
        time.sleep(60)
    elif name == "close_stdin":
        os.close(0)
        time.sleep(60)
    elif name == "flood_stderr":
        for number in range(20_000):
            print(f"line {number} " + "x" * 200, file=sys.stderr)
        finish(identifier, "after the flood")
    elif name == "leave_a_child":
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        finish(identifier, child.pid)
    elif name == "large":
        finish(identifier, "x" * 5_000_000)
    elif name == "environment":
        finish(identifier, dict(os.environ))
    elif name == "heard":
        finish(identifier, HEARD)
    elif name in ("plain", "good"):
        finish(identifier, "plain")
    elif name == "capabilities":
        finish(identifier, CAPABILITIES)
    else:
        error = {"code": -32602, "message": f"unknown tool {name}", "data": {"exact": True}}
        send({"jsonrpc": "2.0", "id": identifier, "error": error})
