"""May a server be started, and a tool of it be called? The owner's settings and its hints say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from elicit_tui.elicitation.outcome import cancel, decline, unsent
from elicit_tui.elicitation.own_questions import hints_of
from elicit_tui.elicitation.settings import (
    APPROVAL_MODES,
    ASK_BEFORE_CALLS,
    ApprovalMode,
    ServerSettings,
    Settings,
)
from elicit_tui.elicitation.toml_spelling import dotted
from elicit_tui.policy.decision import (
    Decision,
    ends,
    layer_of,
    refusal,
    setting_text,
    who_can_change,
)
from elicit_tui.text import quoted, quoted_name

STARTING = "server"
CALLING = "tool call"


def may_run(settings: Settings, server: ServerSettings) -> Decision:
    """Whether a server is started: not refused, nothing missing, enabled; in this order.

    What an administrator refuses is told before what the user could change.
    """
    key = dotted("mcp_servers", server.name)
    layer = layer_of(settings, key)
    if server.refused is not None:
        return ends(STARTING, decline("policy", server.refused, key=key, layer="managed"))
    if server.lack is not None:
        change = f"Setting {', '.join(server.missing)} in the environment would let it start."
        return ends(STARTING, decline("policy", server.lack, key=key, layer=layer), change)
    if not server.enabled:
        key = dotted("mcp_servers", server.name, "enabled")
        layer = layer_of(settings, key)
        sentence = f"{quoted(server.name)} is not started: {setting_text(key, False, layer)}."
        change = who_can_change(settings, key, f"{key} = true would start it.")
        return ends(STARTING, decline("policy", sentence, key=key, layer=layer), change)
    return Decision(STARTING, f"{quoted(server.name)} may run.", key, layer)


def approval_mode(server: ServerSettings, tool: str) -> tuple[str, ApprovalMode]:
    """The key and value of the approval mode that holds for a tool."""
    own = _own_mode(server, tool)
    if own is not None:
        return dotted("mcp_servers", server.name, "tools", tool, "approval_mode"), own
    key = dotted("mcp_servers", server.name, "default_tools_approval_mode")
    return key, server.default_tools_approval_mode


def _own_mode(server: ServerSettings, tool: str) -> ApprovalMode | None:
    own = server.tools.get(tool)
    return own.approval_mode if own is not None else None


def needs_definition(server: ServerSettings, tool: str) -> bool:
    """Whether what the tool says of itself has a part in the decision."""
    # Of a refused tool, and of one that is called without asking, its words are never needed: the
    # list need not be fetched.
    offered = server.refused is None and server.offers_tool(tool)
    return offered and (_own_mode(server, tool) or server.default_tools_approval_mode) != "approve"


def needs_confirmation(mode: str, definition: Mapping[str, Any] | None) -> str | None:
    """Why this approval mode wants a confirmation, said of the tool; or None.

    Spec: Tool annotations. The hints are the server's own words: only a literal `true` calms,
    anything that is not a plain no alarms, silence does not ask in `auto`, and a tool that its
    server does not list (`definition` is None) is silent.
    """
    if mode == "prompt":
        return "is confirmed at every call"
    hints = hints_of(definition or {})
    if mode == "writes" and "read-only" not in hints:
        return "does not say of itself that it only reads"
    if mode == "auto" and "destructive" in hints:
        return "says of itself that it can destroy something"
    return None


def judge_call(
    settings: Settings,
    server: ServerSettings,
    tool: str,
    definition: Mapping[str, Any] | None,
    *,
    allowed: bool,
    nobody: str | None,
) -> Decision:
    """Whether one call goes out, asks a person first, or ends here.

    `allowed`: a person allowed this definition for the session. `nobody`: why no person can
    confirm in this run, in a clause; None when one can.
    """
    # First what nobody may call, then whether anybody has to confirm, then who could.
    unlisted = _unlisted(settings, server, tool)
    if unlisted is not None:
        return unlisted
    tool_name = quoted_name(tool, 80)
    key, mode = approval_mode(server, tool)
    layer = layer_of(settings, key)
    setting = setting_text(key, mode, layer)
    why = needs_confirmation(mode, definition)
    if why is None:
        return Decision(CALLING, f"{tool_name} may be called: {setting}.", key, layer)
    wants = f"{tool_name} {why}, so it needs a confirmation"
    remedy = _remedy(settings, server, tool)
    advice = f"{remedy} Now {setting} holds."
    refused = refusal(settings, "tool_calls")
    if refused is not None:
        reason = f"{wants}, and {refused.setting} lets no confirmation be asked. {advice}"
        change = f"{remedy} {refused.change(settings, 'it be confirmed')}"
        return ends(CALLING, refused.declined(reason), change)
    # After policy: an allowance of a person stands above nothing that the owner forbids.
    if allowed:
        return Decision(CALLING, f"{tool_name} was allowed for this session.", key, layer, remedy)
    if nobody is not None:
        reason = f"{wants}, and {nobody}. {advice}"
        return ends(CALLING, cancel("nobody", reason, key=key, layer=layer), remedy)
    change = f"Change it with “{ASK_BEFORE_CALLS}”, now “{APPROVAL_MODES[mode]}”: {setting}."
    asked = f"{tool_name} {why}, so you are asked first. {who_can_change(settings, key, change)}"
    return Decision(CALLING, asked, key, layer, remedy, asks=True)


def _remedy(settings: Settings, server: ServerSettings, tool: str) -> str:
    """How to have this tool called without asking: by its own key, whichever one holds now."""
    key = dotted("mcp_servers", server.name, "tools", tool, "approval_mode")
    return who_can_change(settings, key, f'{key} = "approve" would allow it without asking.')


def judge_prompt(settings: Settings) -> Decision:
    """Whether a person is asked about what an agent itself wants to do, or this ends here.

    `approval_policy = "never"` refuses nothing to the agent: it asks as it would without us.
    """
    refused = refusal(settings, "tool_calls")
    if refused is None:
        layer = layer_of(settings, "approval_policy")
        return Decision(CALLING, "You are asked in the agent's place.", "approval_policy", layer)
    if settings.approval_policy == "never":
        reason = f"Nobody is asked here: {refused.setting}. The agent asks itself."
        return ends(CALLING, unsent("nobody", reason, key=refused.key, layer=refused.layer))
    return ends(CALLING, refused.declined(), refused.change(settings, "it be confirmed"))


def _unlisted(settings: Settings, server: ServerSettings, tool: str) -> Decision | None:
    """What the owner's lists, or the administrator, say against it."""
    if server.refused is not None:
        key = dotted("mcp_servers", server.name)
        return _refused(server.refused, key, "managed", None)
    # What is in both lists is not offered: the one that disables counts.
    if server.offers_tool(tool):
        return None
    name = "disabled_tools" if tool in server.disabled_tools else "enabled_tools"
    key = dotted("mcp_servers", server.name, name)
    layer = layer_of(settings, key)
    listed = "lists it" if name == "disabled_tools" else "does not list it"
    way = who_can_change(settings, key, f"Changing {key} would allow it.")
    reason = f"{quoted_name(tool, 80)} may not be called: {key} ({layer}) {listed}. {way}"
    return _refused(reason, key, layer, way)


def _refused(reason: str, key: str, layer: Any, change: str | None) -> Decision:
    return ends(CALLING, decline("policy", reason, key=key, layer=layer), change)
