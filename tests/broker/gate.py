"""A tool whose call is approved, and faces that approve it."""

from __future__ import annotations

from typing import Any

from elicit_tui.broker import Broker
from elicit_tui.elicitation import (
    Call,
    Deadline,
    Outcome,
    Question,
    Scope,
    ServerIdentity,
    accept,
    decline,
)
from elicit_tui.elicitation.settings import (
    ElicitationLimits,
    ElicitationSettings,
    Rule,
    ServerSettings,
    Settings,
)

SERVER = ServerIdentity("s", "stdio", "s")


DROP: dict[str, Any] = {"name": "drop", "annotations": {"destructiveHint": True}}


def settings_with(policy: Any = "on-request", **server: Any) -> Settings:
    elicitation = ElicitationSettings(limits=ElicitationLimits(0, 0))
    rules = (Rule("accept", server="s", content={}), Rule("decline"))
    known = {"s": ServerSettings("s", command="x", elicitations="decline", **server)}
    return Settings(approval_policy=policy, elicitation=elicitation, rules=rules, servers=known)


def call() -> Call:
    return Call("tools/call", "drop", {"table": "users"})


async def approve(broker: Broker, definition: Any = DROP, process: str = "pid 1") -> Outcome | None:
    return await broker.approve(SERVER, call(), definition, process)


def answers(scope: Scope | None) -> Any:
    """A face in a few careless lines: it looks at nothing."""

    class Face:
        asked = 0

        async def respond(self, question: Question, deadline: Deadline) -> Outcome:
            Face.asked += 1
            if scope is None:
                return decline("user", "No.")
            return accept("user", "Yes.", {"made": "up"}, scope=scope)

    return Face()
