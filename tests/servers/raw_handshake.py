"""The cases of raw.py that ask as servers do up to 2025-11-25: by requests of their own."""

from __future__ import annotations

import sys
import time
from typing import Any

from cases import GOOD, MALFORMED
from raw_either import either_call
from raw_talk import BURST, HEARD, LATE, answers, ask, finish, send


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
    elif name in ("page_and_form", "page_and_death"):
        page = {"mode": "url", "message": "Visit", "url": "https://example.com/"}
        listed = [{**page, "elicitationId": "page"}, {**GOOD, "mode": "form"}]
        if HEARD.count("tools/call") > 1:
            if name == "page_and_death":
                sys.exit(9)
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
