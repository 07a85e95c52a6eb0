"""Before all questions: may this server be started at all?"""

from __future__ import annotations

from elicit_tui.elicitation.outcome import decline
from elicit_tui.elicitation.settings import ServerSettings, Settings
from elicit_tui.elicitation.spelling import dotted
from elicit_tui.policy.decision import Decision, ends
from elicit_tui.policy.sentences import layer_of, told, who_can_change

STEP = "server"


def may_run(settings: Settings, server: ServerSettings) -> Decision:
    """Whether a server is started: not refused, nothing missing, enabled; in this order."""
    key = dotted("mcp_servers", server.name)
    layer = layer_of(settings, key)
    if server.refused is not None:
        return ends(STEP, decline("policy", server.refused, key=key, layer="managed"))
    if server.missing:
        names = ", ".join(server.missing)
        said = f"{server.name} cannot start: the environment has no {names}."
        change = f"Setting {names} in the environment would let it start."
        return ends(STEP, decline("policy", said, key=key, layer=layer), change)
    if not server.enabled:
        key = dotted("mcp_servers", server.name, "enabled")
        layer = layer_of(settings, key)
        said = f"{server.name} is not started: {told(key, False, layer)}."
        change = who_can_change(settings, key, f"{key} = true would start it.")
        return ends(STEP, decline("policy", said, key=key, layer=layer), change)
    return Decision(STEP, f"{server.name} may run.", key, layer)
