"""Whether a tool may be called: by its own hints, the owner's modes and what was allowed before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from elicit_tui.elicitation.settings import Layer, ServerSettings, Settings
from elicit_tui.elicitation.spelling import dotted
from elicit_tui.policy.sentences import flag_told, granted, layer_of, told, who_can_change
from elicit_tui.text import neutral_line


@dataclass(frozen=True)
class ToolGate:
    """`allow`, `ask` a person first, or `deny`: the tool is not called."""

    kind: Literal["allow", "ask", "deny"]
    reason: str
    """One sentence; for a deny it ends with what would allow the call."""
    key: str | None = None
    layer: Layer | None = None
    remedy: str | None = None
    """The key that would allow a denied call."""


@dataclass(frozen=True)
class Allowance:
    """A tool that the person allowed for the session; kept in memory only.

    It holds for this process of the server and this definition of the tool, and ends when one of
    them changes.
    """

    server: str
    tool: str
    definition_digest: str
    process: str


def needs_confirmation(mode: str, annotations: Mapping[str, Any] | None) -> str | None:
    """Why this approval mode wants a confirmation, or None (spec: Tool annotations).

    The hints are the server's own words: only a literal `true` calms, anything that is not
    a plain no alarms, silence does not ask in `auto`.
    """
    hints = annotations if isinstance(annotations, Mapping) else {}
    read_only = hints.get("readOnlyHint") is True
    destructive = hints.get("destructiveHint") not in (None, False)
    if mode == "prompt":
        return "every call of it is confirmed"
    if mode == "writes" and not read_only:
        return "it does not say that it only reads"
    if mode == "auto" and destructive and not read_only:
        return "it says that it is destructive"
    return None


class ToolGates:
    """Decides each call of a tool, and remembers what was allowed for the session."""

    def __init__(self, settings: Settings, *, nobody: str | None) -> None:
        """`nobody`: why no person can confirm in this run, in a clause; None when one can."""
        self._settings = settings
        self._nobody = nobody
        self._allowed: list[Allowance] = []

    @property
    def allowances(self) -> tuple[Allowance, ...]:
        """What is allowed for the session, oldest first."""
        return tuple(self._allowed)

    def allow(self, allowance: Allowance) -> None:
        """Remember one, in place of an older one for the same tool."""
        self.drop(allowance.server, allowance.tool)
        self._allowed.append(allowance)

    def drop(self, server: str, tool: str | None = None) -> None:
        """Revoke what was allowed for a tool, or for all tools of a server."""
        self._allowed = [
            held
            for held in self._allowed
            if held.server != server or (tool is not None and held.tool != tool)
        ]

    def gate(
        self, server: ServerSettings, wanted: Allowance, annotations: Mapping[str, Any] | None
    ) -> ToolGate:
        """Allow, ask or deny one call; an allowance whose binding changed ends here."""
        tool = wanted.tool
        shown = neutral_line(tool, 80)
        unlisted = self._unlisted(server, tool)
        if unlisted is not None:
            return unlisted
        key, mode = approval_mode(server, tool)
        layer = layer_of(self._settings, key)
        setting = told(key, mode, layer)
        why = needs_confirmation(mode, annotations)
        if why is None:
            return ToolGate("allow", f"{shown} may be called: {setting}.", key, layer)
        remedy = dotted("mcp_servers", server.name, "tools", tool, "approval_mode")
        way = who_can_change(
            self._settings, remedy, f'{remedy} = "approve" would allow it without asking.'
        )
        wants = f"{shown} needs a confirmation ({why}; {setting})"
        if not granted(self._settings).tool_calls:
            flag, sentence, flag_layer = flag_told(self._settings, "tool_calls")
            reason = f"{wants}, and {sentence} lets no confirmation be asked. {way}"
            return ToolGate("deny", reason, flag, flag_layer, remedy)
        if self._is_allowed(wanted):
            return ToolGate("allow", f"{shown} was allowed for this session.", key, layer)
        if self._nobody is not None:
            return ToolGate("deny", f"{wants}, and {self._nobody}. {way}", key, layer, remedy)
        return ToolGate("ask", f"{wants}.", key, layer, remedy)

    def _unlisted(self, server: ServerSettings, tool: str) -> ToolGate | None:
        if server.refused is not None:
            key = dotted("mcp_servers", server.name)
            return ToolGate("deny", server.refused, key, "managed")
        if server.offers_tool(tool):
            return None
        name = "disabled_tools" if tool in server.disabled_tools else "enabled_tools"
        key = dotted("mcp_servers", server.name, name)
        layer = layer_of(self._settings, key)
        listed = "lists it" if name == "disabled_tools" else "does not list it"
        way = who_can_change(self._settings, key, f"Changing {key} would allow it.")
        reason = f"{neutral_line(tool, 80)} may not be called: {key} ({layer}) {listed}. {way}"
        return ToolGate("deny", reason, key, layer, key)

    def _is_allowed(self, wanted: Allowance) -> bool:
        if wanted in self._allowed:
            return True
        self.drop(wanted.server, wanted.tool)
        return False


def approval_mode(server: ServerSettings, tool: str) -> tuple[str, str]:
    """The key and value of the approval mode that holds for a tool."""
    own = server.tools.get(tool)
    if own is not None and own.approval_mode is not None:
        return dotted("mcp_servers", server.name, "tools", tool, "approval_mode"), own.approval_mode
    key = dotted("mcp_servers", server.name, "default_tools_approval_mode")
    return key, server.default_tools_approval_mode
