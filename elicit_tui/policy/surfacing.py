"""Step 3: may this question surface at all? Cheap, synchronous, without looking at its content."""

from __future__ import annotations

from elicit_tui.elicitation.finding import Review, Severity
from elicit_tui.elicitation.outcome import INVALID_PARAMS, Outcome, cancel, decline, unsent
from elicit_tui.elicitation.request import ElicitationRequest
from elicit_tui.elicitation.settings import ServerSettings, Settings
from elicit_tui.elicitation.spelling import dotted
from elicit_tui.policy.sentences import flag_told, granted, layer_of, told
from elicit_tui.text import neutral_line


def server_settings(settings: Settings, name: str) -> ServerSettings:
    """The server's own table; the defaults for one that has none."""
    return settings.servers.get(name) or ServerSettings(name=name)


def unadvertised(settings: Settings, request: ElicitationRequest) -> Outcome | None:
    """The end of a question in a mode that this server was never offered (spec: Capabilities).

    The handshake era answers with error -32602; in the modern era an error would abort the whole
    round, so the question is declined.
    """
    server = server_settings(settings, request.server.name)
    if request.mode in server.advertised_modes:
        return None
    if server.elicitations == "off":
        key = dotted("mcp_servers", server.name, "elicitations")
        value: object = "off"
        said = "the server is not offered elicitation"
    else:
        key = dotted("mcp_servers", server.name, "elicitation_modes")
        value = server.elicitation_modes
        said = f"the mode {neutral_line(request.mode, 40)!r} was not advertised"
    layer = layer_of(settings, key)
    reason = f"Refused by policy: {said}; {told(key, value, layer)}."
    if request.era == "handshake":
        return unsent("policy", reason, key=key, layer=layer, error_code=INVALID_PARAMS)
    return decline("policy", reason, key=key, layer=layer)


def surfaces(settings: Settings, request: ElicitationRequest) -> Outcome | None:
    """The outcome that policy alone decides, or None: the question may go on.

    In this order: a mode not advertised, `approval_policy`, the server's own setting, managed
    configuration.
    """
    refused = unadvertised(settings, request)
    if refused is not None:
        return refused
    if not granted(settings).mcp_elicitations:
        key, sentence, layer = flag_told(settings, "mcp_elicitations")
        return decline("policy", f"Declined by policy: {sentence}.", key=key, layer=layer)
    server = server_settings(settings, request.server.name)
    key = dotted("mcp_servers", server.name, "elicitations")
    layer = layer_of(settings, key)
    if server.elicitations == "decline":
        reason = f"Declined by policy: {told(key, 'decline', layer)}."
        return decline("policy", reason, key=key, layer=layer)
    if server.elicitations == "cancel":
        reason = f"Cancelled by policy: {told(key, 'cancel', layer)}."
        return cancel("policy", reason, key=key, layer=layer)
    if server.refused is not None:
        reason = f"Declined by policy: {server.refused}"
        return decline("policy", reason, key=dotted("mcp_servers", server.name), layer="managed")
    return None


def weigh(settings: Settings, review: Review) -> Outcome | None:
    """What the guardian's verdict does: a decline, or None: the question goes on.

    A block is declined when the guardian reviews (`approvals_reviewer = "auto_review"`) and
    `guardian.on_block` says so; else it goes on, and no rule or answers file may accept it.
    """
    if review.verdict != "block":
        return None
    if settings.approvals_reviewer != "auto_review" or settings.guardian.on_block != "decline":
        return None
    worst = review.at_least(Severity.BLOCK)[0]
    layer = layer_of(settings, "guardian.on_block")
    sentence = told("guardian.on_block", "decline", layer)
    found = f"{neutral_line(worst.rule, 80)} in {neutral_line(worst.where, 80)}"
    reason = f"Declined by the guardian: {found}; {sentence}."
    return decline("guardian", reason, key="guardian.on_block", layer=layer)
