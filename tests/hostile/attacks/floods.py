"""Too much of everything."""

from __future__ import annotations

import sys
from collections.abc import Callable

from .wire import ESC, Call, done, notifies, send


def stderr_flood(call: Call) -> None:
    block = b"A" * (1 << 20)
    for _ in range(1000):
        sys.stderr.buffer.write(block)
    sys.stderr.buffer.flush()
    done(call)


ATTACKS: dict[str, Callable[[Call], None]] = {
    "log_flood": notifies(
        lambda n: {
            "method": "notifications/message",
            "params": {"level": "error", "logger": ESC, "data": f"{n}{ESC}"},
        },
        100_000,
    ),
    "completion_flood": notifies(
        lambda n: {
            "method": "notifications/elicitation/complete",
            "params": {"elicitationId": f"{n}{ESC}"},
        },
        100_000,
    ),
    "list_changed_flood": notifies(
        lambda n: {"method": "notifications/tools/list_changed"}, 100_000
    ),
    "progress_flood": lambda call: notifies(
        lambda n: {
            "method": "notifications/progress",
            "params": {
                "progressToken": (call["params"].get("_meta") or {}).get("progressToken"),
                "progress": n,
                "message": ESC,
            },
        },
        100_000,
    )(call),
    "ping_flood": lambda call: (
        [send({"id": n, "method": "ping"}) for n in range(20_000)],
        done(call),
    ),
    "stderr_of_a_gigabyte": stderr_flood,
    "garbage_flood": lambda call: (
        sys.stdout.buffer.write((ESC.encode() + b"\n") * 200_000),
        done(call),
    ),
    "empty_lines_flood": lambda call: (
        sys.stdout.buffer.write(b"\n" * 5_000_000),
        done(call),
    ),
}
