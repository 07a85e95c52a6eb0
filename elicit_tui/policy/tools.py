"""Whether a tool may be called: by the owner's lists and modes, and the tool's own hints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from elicit_tui.elicitation.outcome import cancel, decline
from elicit_tui.elicitation.settings import ServerSettings, Settings
from elicit_tui.elicitation.spelling import dotted
from elicit_tui.policy.decision import Decision, ends
from elicit_tui.policy.sentences import flag_told, granted, layer_of, told, who_can_change
from elicit_tui.text import neutral_line

STEP = "tool call"


def approval_mode(server: ServerSettings, tool: str) -> tuple[str, str]:
    """The key and value of the approval mode that holds for a tool."""
    own = server.tools.get(tool)
    if own is not None and own.approval_mode is not None:
        return dotted("mcp_servers", server.name, "tools", tool, "approval_mode"), own.approval_mode
    key = dotted("mcp_servers", server.name, "default_tools_approval_mode")
    return key, server.default_tools_approval_mode


def needs_definition(server: ServerSettings, tool: str) -> bool:
    """Whether what the tool says of itself has a part in the decision."""
    offered = server.refused is None and server.offers_tool(tool)
    return offered and approval_mode(server, tool)[1] != "approve"


def needs_confirmation(mode: str, definition: Mapping[str, Any] | None) -> str | None:
    """Why this approval mode wants a confirmation, or None (spec: Tool annotations).

    The hints are the server's own words: only a literal `true` calms, anything that is not
    a plain no alarms, silence does not ask in `auto`, and a tool that its server does not list
    (`definition` is None) is silent.
    """
    if mode == "prompt":
        return "every call of it is confirmed"
    said = (definition or {}).get("annotations")
    hints = said if isinstance(said, Mapping) else {}
    read_only = hints.get("readOnlyHint") is True
    destructive = hints.get("destructiveHint") not in (None, False)
    if mode == "writes" and not read_only:
        return "it does not say that it only reads"
    if mode == "auto" and destructive and not read_only:
        return "it says that it is destructive"
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
    unlisted = _unlisted(settings, server, tool)
    if unlisted is not None:
        return unlisted
    shown = neutral_line(tool, 80)
    key, mode = approval_mode(server, tool)
    layer = layer_of(settings, key)
    setting = told(key, mode, layer)
    remedy = dotted("mcp_servers", server.name, "tools", tool, "approval_mode")
    way = who_can_change(settings, remedy, f'{remedy} = "approve" would allow it without asking.')
    why = needs_confirmation(mode, definition)
    if why is None:
        return Decision(STEP, f"{shown} may be called: {setting}.", key, layer)
    wants = f"{shown} needs a confirmation ({why}; {setting})"
    if not granted(settings).tool_calls:
        flag, sentence, flag_layer = flag_told(settings, "tool_calls")
        reason = f"{wants}, and {sentence} lets no confirmation be asked. {way}"
        refused = decline("policy", reason, key=flag, layer=flag_layer)
        wanted = 'approval_policy = "on-request"' if flag == "approval_policy" else f"{flag} = true"
        change = who_can_change(settings, flag, f"{wanted} would let it be confirmed.")
        return ends(STEP, refused, f"{way} {change}")
    if allowed:
        return Decision(STEP, f"{shown} was allowed for this session.", key, layer, way)
    if nobody is not None:
        reason = f"{wants}, and {nobody}. {way}"
        return ends(STEP, cancel("nobody", reason, key=key, layer=layer), way)
    return Decision(STEP, f"{wants}.", key, layer, way, asks=True)


def _unlisted(settings: Settings, server: ServerSettings, tool: str) -> Decision | None:
    """What the owner's lists, or the administrator, say against it."""
    if server.refused is not None:
        key = dotted("mcp_servers", server.name)
        return _refused(server.refused, key, "managed", None)
    if server.offers_tool(tool):
        return None
    name = "disabled_tools" if tool in server.disabled_tools else "enabled_tools"
    key = dotted("mcp_servers", server.name, name)
    layer = layer_of(settings, key)
    listed = "lists it" if name == "disabled_tools" else "does not list it"
    way = who_can_change(settings, key, f"Changing {key} would allow it.")
    reason = f"{neutral_line(tool, 80)} may not be called: {key} ({layer}) {listed}. {way}"
    return _refused(reason, key, layer, way)


def _refused(reason: str, key: str, layer: Any, change: str | None) -> Decision:
    return ends(STEP, decline("policy", reason, key=key, layer=layer), change)
