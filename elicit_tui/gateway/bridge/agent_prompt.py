"""One prompt of an agent as a question of ours; its outcome in the words of the hook."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from elicit_tui.elicitation import (
    Call,
    ElicitationRequest,
    Outcome,
    ServerIdentity,
    prompt_request,
)
from elicit_tui.elicitation.request import AGENT
from elicit_tui.errors import HookError
from elicit_tui.gateway.bridge.hook_input import HookPrompt
from elicit_tui.text import as_name

_RUNS: Final = frozenset(
    {"Bash", "BashOutput", "PowerShell", "shell", "local_shell", "exec_command"}
)
_CHANGES: Final = frozenset({"Edit", "MultiEdit", "NotebookEdit", "Write", "apply_patch"})


def request_of(agent: str, hook: HookPrompt) -> ElicitationRequest:
    """The question. `agent` is its title; raises HookError for a server of a reserved name."""
    if hook.event == "PermissionRequest":
        call = Call("tools/call", hook.name, hook.arguments)
        return prompt_request(agent, call, _asks(agent, hook.name))
    if hook.name == AGENT:
        raise HookError(f"names a server {AGENT!r}, which is a reserved name")
    server = ServerIdentity(hook.name, "stdio", f"a server of {agent}")
    # Whoever waits for the hook cannot be sent an error: what is malformed is declined, as it is
    # in the era of rounds, and a page is only accepted once the person is done on it.
    return ElicitationRequest(
        server, dict(hook.params), era="modern", wire_id=hook.event, handed_to=agent
    )


def _asks(agent: str, tool: str) -> str:
    if tool in _RUNS:
        return f"Let {agent} run a command?"
    if tool in _CHANGES:
        return f"Let {agent} change a file?"
    return f"Let {agent} use {as_name(tool)}?"


def reply_of(hook: HookPrompt, outcome: Outcome) -> Mapping[str, Any] | None:
    """What the agent is given; None: nothing, and it asks by itself."""
    if outcome.action is None:
        return None
    if hook.event == "Elicitation":
        reply: dict[str, Any] = {"hookEventName": hook.event, "action": outcome.action}
        if outcome.action == "accept" and outcome.content is not None:
            reply["content"] = dict(outcome.content)
        return {"hookSpecificOutput": reply}
    # Of an agent's own prompt a cancel is no answer: it asks there.
    if outcome.action == "cancel":
        return None
    decision: dict[str, Any] = {"behavior": "allow"}
    if outcome.action == "decline":
        from elicit_tui.gateway.telling import refusal_text

        decision = {"behavior": "deny", "message": refusal_text(outcome)}
    return {"hookSpecificOutput": {"hookEventName": hook.event, "decision": decision}}
