"""A server without any library that breaks the rules on purpose, on stdio.

    python raw.py 2025-11-25 | 2026-07-28

The tool's name is the case. Its result's text is a JSON list of every answer it got, in order, so
that a test sees what was really sent.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import deque
from pathlib import Path
from typing import Any

from cases import GOOD, MALFORMED

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


def legacy_call(call: Any) -> None:
    identifier, name = call["id"], call["params"]["name"]
    own = (call["params"].get("arguments") or {}).get("id", "q")
    if name in MALFORMED or name == "good_question":
        ask(own, MALFORMED.get(name, GOOD))
        finish(identifier, answers(1))
    elif name == "same_id_twice":
        ask(own, GOOD)
        ask(own, GOOD)
        finish(identifier, answers(2))
    elif name == "ends_while_asking":
        ask(own, GOOD)
        finish(identifier, "over")
        LATE.extend(answers(1))
    elif name == "late":
        finish(identifier, LATE)
    elif name == "no_version":
        send({"id": own, "method": "elicitation/create", "params": GOOD})
        finish(identifier, answers(1))
    elif name == "as_a_notification":
        send({"jsonrpc": "2.0", "method": "elicitation/create", "params": GOOD})
        ask("after", GOOD)
        finish(identifier, answers(1))
    elif name == "withdrawn":
        ask("q", GOOD)
        time.sleep(0.3)
        send(
            {
                "jsonrpc": "2.0",
                "method": "notifications/cancelled",
                "params": {"requestId": "q", "reason": "took too long"},
            }
        )
        finish(identifier, "withdrawn")
    elif name == "withdrawn_late":
        ask("q", GOOD)
        got = answers(1)
        params = {"requestId": "q", "reason": "took too long"}
        send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
        finish(identifier, got)
    elif name == "sampling":
        send(
            {
                "jsonrpc": "2.0",
                "id": "s",
                "method": "sampling/createMessage",
                "params": {"messages": [], "maxTokens": 1},
            }
        )
        send({"jsonrpc": "2.0", "id": "r", "method": "roots/list"})
        finish(identifier, answers(2))
    elif name == "burst":
        for number in range(BURST):
            ask(number, GOOD)
        counted: dict[str, int] = {}
        for answer in answers(BURST):
            key = answer["result"]["_meta"]["dev.elicit-tui/outcome"]["decidedBy"]
            counted[key] = counted.get(key, 0) + 1
        finish(identifier, counted)
    elif name == "early_and_unknown_completion":
        for identity in ("never-seen", "page"):
            send(
                {
                    "jsonrpc": "2.0",
                    "method": "notifications/elicitation/complete",
                    "params": {"elicitationId": identity},
                }
            )
        finish(identifier, [])
    elif name == "pages_for_ever":
        send(
            {
                "jsonrpc": "2.0",
                "id": identifier,
                "error": {
                    "code": -32042,
                    "message": "Visit a page first",
                    "data": {
                        "elicitations": [
                            {
                                "mode": "url",
                                "message": "Visit",
                                "url": "https://example.com/",
                                "elicitationId": "page",
                            }
                        ]
                    },
                },
            }
        )
    elif name == "page_and_form":
        page = {"mode": "url", "message": "Visit", "url": "https://example.com/"}
        listed = [{**page, "elicitationId": "page"}, {**GOOD, "mode": "form"}]
        if HEARD.count("tools/call") > 1:
            finish(identifier, "after the page")
        else:
            error = {"code": -32042, "message": "Visit", "data": {"elicitations": listed}}
            send({"jsonrpc": "2.0", "id": identifier, "error": error})
    elif name in ("only_a_form", "many_pages"):
        page = {"mode": "url", "message": "Visit", "url": "https://example.com/"}
        count = call["params"].get("arguments", {}).get("count", 1)
        listed = [{**page, "elicitationId": f"page {number}"} for number in range(count)]
        if name == "only_a_form":
            listed = [{**GOOD, "mode": "form", "elicitationId": "form"}]
        error = {"code": -32042, "message": "Visit", "data": {"elicitations": listed}}
        send({"jsonrpc": "2.0", "id": identifier, "error": error})
    elif name == "pages_malformed":
        error = {"code": -32042, "message": "Visit", "data": {"elicitations": "soon"}}
        send({"jsonrpc": "2.0", "id": identifier, "error": error})
    elif name == "asks_for_two_calls":
        ask(f"for {call['params']['arguments']['number']}", GOOD)
        finish(identifier, answers(1))
    else:
        either_call(call)


def modern_call(call: Any) -> None:
    identifier, params = call["id"], call["params"]
    name = params["name"]
    requests: dict[str, Any] | None = None
    state: Any = 'st\u00e4te "quoted" \ud83d\ude00'
    if name == "states_for_ever":
        requests = None
    elif name == "asks_for_ever":
        requests = {f"q{len(HEARD)}": question(GOOD)}
        state = "on and on"
    elif name == "asks_then_works" and "inputResponses" in params:
        REQUESTS.extend(answers(1))  # works until it hears that nobody waits any more
        return
    elif "inputResponses" in params or "requestState" in params:
        finish(identifier, [params.get("inputResponses"), params.get("requestState")])
        return
    elif name in MALFORMED:
        requests = {"bad": question(MALFORMED[name]), "good": question(GOOD)}
    elif name == "no_method":
        requests = {"bad": {"params": GOOD}, "good": question(GOOD)}
    elif name == "no_object":
        requests = {"bad": 5, "good": question(GOOD)}
    elif name == "sampling":
        requests = {
            "bad": {"method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 1}},
            "good": question(GOOD),
        }
    elif name == "odd_kind":
        arguments = params["arguments"]
        result = {"resultType": arguments["kind"], "content": [], **arguments.get("with", {})}
        send({"jsonrpc": "2.0", "id": identifier, "result": result})
        return
    elif name == "asks_then_works":
        requests = {"good": question(GOOD)}
    elif name == "neither":
        requests, state = None, None
    elif name == "state_is_a_number":
        requests, state = {"good": question(GOOD)}, 7
    elif name == "pushed":
        ask("q", GOOD)
        finish(identifier, answers(1))
        return
    elif name == "many":
        requests = {str(number): question(GOOD) for number in range(1000)}
    elif name == "die_while_asking":
        requests = {"good": question(GOOD)}
    else:
        either_call(call)
        return
    result: dict[str, Any] = {"resultType": "input_required"}
    if requests is not None:
        result["inputRequests"] = requests
    if state is not None:
        result["requestState"] = state
    send({"jsonrpc": "2.0", "id": identifier, "result": result})
    if name == "die_while_asking":
        time.sleep(0.3)
        print("out of memory", file=sys.stderr, flush=True)
        os._exit(9)


def question(params: Any) -> Any:
    return {"method": "elicitation/create", "params": params}


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


CAPABILITIES: dict[str, Any] = {}


def main() -> None:
    if "--ignore-end" in sys.argv:
        import signal

        signal.signal(signal.SIGTERM, signal.SIG_IGN)
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
        send({"jsonrpc": "2.0", "id": identifier, "result": result})


if __name__ == "__main__":
    main()
