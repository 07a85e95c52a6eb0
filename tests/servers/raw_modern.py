"""The cases of raw.py that ask as servers do since 2026-07-28: in rounds of a result."""

from __future__ import annotations

import os
import sys
import time
from typing import Any

from cases import GOOD, MALFORMED
from raw_either import either_call
from raw_talk import HEARD, REQUESTS, answers, ask, finish, question, send


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
