"""Messages that break the rules of JSON-RPC, or use them against us."""

from __future__ import annotations

from collections.abc import Callable

from .wire import ESC, Call, answer_to, deep, done, fails, form, raw, send


def progress_spoofed(call: Call) -> None:
    for token in (0, 1, 2, 99, "99", call["id"], -1, None, True, 1.5, [1], 10**30):
        send(
            {
                "method": "notifications/progress",
                "params": {"progressToken": token, "progress": 1, "message": ESC},
            }
        )
    mine = (call["params"].get("_meta") or {}).get("progressToken")
    for progress in (ESC, None, -1, 1e308, True, [], {"a": 1}, 10**400):
        send(
            {
                "method": "notifications/progress",
                "params": {
                    "progressToken": mine,
                    "progress": progress,
                    "total": progress,
                    "message": {"a": ESC},
                },
            }
        )
    done(call)


def odd_ids(call: Call) -> None:
    asked = form("Which?")
    for identifier in (1.5, None, True, [], {"a": 1}, -5, 10**40, ESC, "x" * 1_000_000, "", 1e300):
        send({"id": identifier, "method": "elicitation/create", "params": asked})
    send({"id": "last", "method": "elicitation/create", "params": asked})
    answer_to("last")
    done(call)


def odd_answers(call: Call) -> None:
    """Answers to what was never asked, errors without ids, batches, and ours as floats."""
    for identifier in (999, "999", None, 1.5, True, -1, 10**30, [call["id"]]):
        send({"id": identifier, "result": {}})
        send({"id": identifier, "error": {"code": -1, "message": ESC}})
    raw(b"[]")
    raw(b'[{"jsonrpc":"2.0","id":1,"result":{}}]')
    raw(b"null")
    raw(b'"text"')
    raw(b"{}")
    raw(b'{"jsonrpc":"1.0","id":1}')
    done(call)


def odd_methods(call: Call) -> None:
    for method in (ESC, "", "x" * 1_000_000, "sampling/createMessage", "roots/list", "tools/call"):
        send({"id": f"m{method[:20]}", "method": method, "params": {}})
        send({"method": method, "params": {}})
    send({"method": "notifications/message", "params": [1]})
    send({"method": "notifications/cancelled", "params": {"requestId": [1], "reason": ESC}})
    send({"method": "notifications/cancelled", "params": {"requestId": call["id"]}})
    done(call)


ATTACKS: dict[str, Callable[[Call], None]] = {
    "odd_ids": odd_ids,
    "odd_answers": odd_answers,
    "odd_methods": odd_methods,
    "progress_spoofed": progress_spoofed,
    "log_odd": lambda call: (
        [
            send({"method": "notifications/message", "params": params})
            for params in (
                {"level": ESC, "data": ESC},
                {"level": 1, "logger": 2},
                {"level": "info", "data": {ESC: [ESC] * 1000}},
                {"level": "info", "data": "A" * 10_000_000},
                {"level": "info", "data": list(range(500_000))},
            )
        ],
        raw(
            b'{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":'
            + deep(900)
            + b"}}"
        ),
        done(call),
    ),
    "error_of_10_megabytes": fails(-32000, (ESC + "word ") * 500_000, ESC),
    "errors_odd": fails(ESC, [ESC], ESC),
    "error_code_huge": fails(10**300, ESC),
    "error_code_float": fails(1.5, ESC),
    "plain": done,
}
