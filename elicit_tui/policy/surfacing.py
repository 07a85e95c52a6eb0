"""Steps 3 and 5: may this question surface at all, and what does the guardian's verdict do?

And of a login: may a person be asked for it, and may this authorization server ask them?
"""

from __future__ import annotations

from typing import Final

from elicit_tui.elicitation.finding import Review, Severity
from elicit_tui.elicitation.outcome import INVALID_PARAMS, Outcome, cancel, decline, unsent
from elicit_tui.elicitation.own_questions import shown_address
from elicit_tui.elicitation.request import ElicitationRequest
from elicit_tui.elicitation.settings import ServerSettings, Settings
from elicit_tui.elicitation.toml_spelling import dotted
from elicit_tui.policy.decision import (
    Decision,
    ends,
    layer_of,
    refusal,
    setting_text,
    who_can_change,
)
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
        sentence = "the server is not offered elicitation"
    else:
        key = dotted("mcp_servers", server.name, "elicitation_modes")
        value = server.elicitation_modes
        sentence = f"the mode {neutral_line(request.mode, 40)!r} was not advertised"
    layer = layer_of(settings, key)
    reason = f"Refused by policy: {sentence}; {setting_text(key, value, layer)}."
    # The handshake era has a way to refuse one question alone; in a round (2026-07-28) it would end
    # all of it.
    if not request.protocol.rounds:
        return unsent("policy", reason, key=key, layer=layer, error_code=INVALID_PARAMS)
    return decline("policy", reason, key=key, layer=layer)


def surfaces(settings: Settings, request: ElicitationRequest) -> Decision | None:
    """The end that policy alone decides, or None: the question may go on.

    In this order: a mode not advertised, `approval_policy`, the server's own setting, managed
    configuration.
    """
    outcome = unadvertised(settings, request)
    # Each kind of question has its own flag of a granular policy.
    refused = refusal(settings, request.traits.flag)
    if outcome is None and refused is not None:
        return ends("policy", refused.declined(), refused.change(settings, "it surface"))
    server = server_settings(settings, request.server.name)
    outcome = outcome or _refused_of_server(settings, server)
    if outcome is None:
        return None
    key = outcome.key or ""
    own_key = key == dotted("mcp_servers", server.name, "elicitations")
    wanted = f'{key} = "ask"' if own_key else f"Another {key}"
    return ends("policy", outcome, who_can_change(settings, key, f"{wanted} would let it surface."))


def _refused_of_server(settings: Settings, server: ServerSettings) -> Outcome | None:
    if server.elicitations in ("decline", "cancel"):
        key = dotted("mcp_servers", server.name, "elicitations")
        layer = layer_of(settings, key)
        setting = setting_text(key, server.elicitations, layer)
        if server.elicitations == "decline":
            return decline("policy", f"Declined by policy: {setting}.", key=key, layer=layer)
        return cancel("policy", f"Cancelled by policy: {setting}.", key=key, layer=layer)
    # By an administrator: nothing of it may surface.
    if server.refused is not None:
        reason = f"Declined by policy: {server.refused}"
        return decline("policy", reason, key=dotted("mcp_servers", server.name), layer="managed")
    return None


def may_surface(settings: Settings) -> Decision:
    """What step 3 says of a question that goes on."""
    policy = settings.approval_policy
    key, layer = "approval_policy", layer_of(settings, "approval_policy")
    value = policy if isinstance(policy, str) else "granular"
    return Decision(
        "policy", f"The question may surface: {setting_text(key, value, layer)}.", key, layer
    )


def within_limits(settings: Settings) -> Decision:
    """What step 4 says of a question that goes on."""
    limits, key = settings.elicitation.limits, "elicitation.limits"
    sentence = (
        f"Over {limits.per_minute} questions a minute or {limits.pending} waiting ones of this "
        "server are cancelled."
    )
    change = who_can_change(settings, key, f"{key}.per_minute and {key}.pending set these limits.")
    return Decision("flood", sentence, key, layer_of(settings, key), change)


def _on_block(settings: Settings) -> tuple[str, str, str, str]:
    """What a block does: the key that says so, its value, its effect, and what another would do."""
    if settings.approvals_reviewer == "user":
        key = "approvals_reviewer"
        change = f'{key} = "auto_review" would let it decline.'
        return key, "user", "The guardian only advises", change
    key = "guardian.on_block"
    if settings.guardian.on_block == "ask":
        change = f'{key} = "decline" would decline it.'
        return key, "ask", "A request that the guardian blocks is asked", change
    change = f'{key} = "ask" would ask about it.'
    return key, "decline", "A request that the guardian blocks is declined", change


def weigh(settings: Settings, review: Review) -> Decision:
    """What the guardian's verdict does: a decline, or the question goes on.

    A block is declined when the guardian reviews (`approvals_reviewer = "auto_review"`) and
    `guardian.on_block` says so; else it goes on, and no rule or answers file may accept it.
    """
    key, value, effect, advice = _on_block(settings)
    layer = layer_of(settings, key)
    setting = setting_text(key, value, layer)
    change = who_can_change(settings, key, advice)
    # Everything else than a block that is declined goes on, and is told with what it rests on.
    if review.verdict == "block" and value == "decline":
        worst = review.at_least(Severity.BLOCK)[0]
        found = f"{neutral_line(worst.rule, 80)} in {neutral_line(worst.where, 80)}"
        reason = f"Declined by the guardian: {found}; {setting}."
        return ends("guardian", decline("guardian", reason, key=key, layer=layer), change)
    sentence = f"{effect}: {setting}."
    found = ", ".join(
        # Several findings of one rule are named once.
        dict.fromkeys(neutral_line(finding.rule, 80) for finding in review.at_least(Severity.WARN))
    )
    if found:
        sentence = f"The guardian finds {found}. {sentence}"
    return Decision("guardian", sentence, key, layer, change)


# Logins

_LOGIN: Final = "login"


def judge_login(settings: Settings, server: ServerSettings, *, nobody: str | None) -> Decision:
    """Whether one server's login is asked of a person, or ends here.

    `nobody`: why no person can be asked in this run, in a clause; None when one can.
    """
    if server.refused is not None:
        key = dotted("mcp_servers", server.name)
        return ends(_LOGIN, decline("policy", server.refused, key=key, layer="managed"))
    key, layer = "logins.allow", layer_of(settings, "logins.allow")
    if not settings.logins.allow:
        reason = f"Declined by policy: {setting_text(key, False, layer)}."
        change = who_can_change(settings, key, f"{key} = true would let you log in.")
        return ends(_LOGIN, decline("policy", reason, key=key, layer=layer), change)
    refused = refusal(settings, "logins")
    if refused is not None:
        return ends(_LOGIN, refused.declined(), refused.change(settings, "you be asked"))
    if nobody is not None:
        return ends(_LOGIN, cancel("nobody", f"A login is asked of a person, and {nobody}."))
    return Decision(_LOGIN, "You are asked before the page of the login opens.", key, layer)


def issuer_refusal(settings: Settings, server: ServerSettings, issuer: str) -> str | None:
    """Why this authorization server may not be asked, in a sentence; None: it may."""
    own = server.oauth.issuer
    address = shown_address(issuer)
    # With and without a slash at its end it is one issuer.
    if own is not None and own.rstrip("/") != issuer.rstrip("/"):
        key = dotted("mcp_servers", server.name, "oauth", "issuer")
        return f"It leads to {address}, which is not {own} ({key})."
    allowed = settings.logins.issuers
    if allowed is None or issuer.rstrip("/") in (known.rstrip("/") for known in allowed):
        return None
    layer = layer_of(settings, "logins.issuers")
    return f"It leads to {address}, which is not among logins.issuers ({layer})."
