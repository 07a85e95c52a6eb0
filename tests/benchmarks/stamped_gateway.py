"""The gateway with a time stamp at each stage of a call, for `tests.benchmarks.stages`.

python -m tests.benchmarks.stamped_gateway STAMPS ARGUMENT…: the stamps go to the file STAMPS at the
end, as a list of [name, seconds]. The product itself has none of this.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from elicit_tui.cli import run
from elicit_tui.gateway.mcp_server import RequestMiddleware
from elicit_tui.gateway.passing import ServerCalls
from elicit_tui.gateway.stdio import AgentRead, AgentWrite
from elicit_tui.host.connection import Connection
from elicit_tui.host.gate import ToolGate
from elicit_tui.host.session import Session
from elicit_tui.host.stdio import StdioRead, StdioWrite
from elicit_tui.host.wire import Wire

STAMPS: list[tuple[str, float]] = []


def side(end: object) -> str:
    """Which of the two pipes an end belongs to."""
    return "agent" if isinstance(end, (AgentRead, AgentWrite)) else "server"


def stamp(name: str) -> None:
    """It is there now."""
    STAMPS.append((name, time.perf_counter()))


def stamped(owner: Any, method: str, *, before: str = "", after: str = "") -> None:
    """Stamp where this method begins or ends; `{}` in a name is the side of the pipe."""
    inner: Callable[..., Any] = getattr(owner, method)

    async def coroutine(self: Any, *arguments: Any, **more: Any) -> Any:
        if before:
            stamp(before.format(side(self)))
        result = await inner(self, *arguments, **more)
        if after:
            stamp(after.format(side(self)))
        return result

    def plain(self: Any, *arguments: Any, **more: Any) -> Any:
        result = inner(self, *arguments, **more)
        stamp(after.format(side(self)))
        return result

    is_coroutine = inner.__code__.co_flags & 0x80
    setattr(owner, method, coroutine if is_coroutine else plain)


stamped(StdioRead, "_fill", after="{} came")
stamped(StdioRead, "_next", after="{} read")
stamped(RequestMiddleware, "__call__", before="dispatched", after="answered")
stamped(ServerCalls, "made", before="held")
stamped(Connection, "call", before="connected", after="ended")
stamped(ToolGate, "passed", after="passed")
stamped(StdioWrite, "_write", before="{} spelled")
stamped(Wire, "inbound", after="judged")
stamped(Session, "send", after="woken")
stamped(AgentWrite, "send", before="enveloped")

if __name__ == "__main__":
    try:
        code = run(sys.argv[2:])
    finally:
        Path(sys.argv[1]).write_text(json.dumps(STAMPS))
    sys.exit(code)
