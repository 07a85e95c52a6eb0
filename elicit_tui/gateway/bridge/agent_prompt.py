"""Turns one prompt of an agent into our question, and its outcome into the hook's reply."""

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

_COMMAND_TOOLS: Final = frozenset(
    {"Bash", "BashOutput", "PowerShell", "shell", "local_shell", "exec_command"}
)
_FILE_TOOLS: Final = frozenset({"Edit", "MultiEdit", "NotebookEdit", "Write", "apply_patch"})


def request_of(agent: str, hook: HookPrompt) -> ElicitationRequest:
    """The question that a prompt becomes; `agent`: its title.

    Raises HookError for a server of a reserved name.
    """
    if hook.event == "PermissionRequest":
        call = Call("tools/call", hook.name, hook.arguments)
        return prompt_request(agent, call, _message(agent, hook.name))
    if hook.name == AGENT:
        raise HookError(f"names a server {AGENT!r}, which is a reserved name")
    server = ServerIdentity(hook.name, "stdio", f"a server of {agent}")
    # Whoever waits for the hook cannot be sent an error: what is malformed is declined, as it is
    # in the era of rounds, and a page is only accepted once the person is done on it.
    return ElicitationRequest(
        server, dict(hook.params), era="modern", wire_id=hook.event, handed_to=agent
    )


def _message(agent: str, tool: str) -> str:
    """What the person is asked; agents call their own tools by these names."""
    if tool in _COMMAND_TOOLS:
        return f"Let {agent} run a command?"
    if tool in _FILE_TOOLS:
        return f"Let {agent} change a file?"
    return f"Let {agent} use {as_name(tool)}?"


def reply_of(hook: HookPrompt, outcome: Outcome) -> Mapping[str, Any] | None:
    """What the agent is given; None: nothing, and it asks by itself."""
    if outcome.action is None:
        return None
    if hook.event == "Elicitation":
        answer: dict[str, Any] = {"action": outcome.action}
        if outcome.action == "accept" and outcome.content is not None:
            answer["content"] = dict(outcome.content)
        return {"hookSpecificOutput": {"hookEventName": hook.event, **answer}}
    # Of an agent's own prompt a cancel is no answer: it asks there.
    if outcome.action == "cancel":
        return None
    decision = _decision(outcome)
    return {"hookSpecificOutput": {"hookEventName": hook.event, "decision": decision}}


def _decision(outcome: Outcome) -> Mapping[str, str]:
    if outcome.action != "decline":
        return {"behavior": "allow"}
    # Only here, as an agent waits for this process to start.
    from elicit_tui.gateway.telling import refusal_text

    return {"behavior": "deny", "message": refusal_text(outcome)}
