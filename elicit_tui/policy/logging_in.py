"""May a person be asked to log in to a server, and may this authorization server ask them?"""

from __future__ import annotations

from typing import Final

from elicit_tui.elicitation.authorization import shown_address
from elicit_tui.elicitation.outcome import cancel, decline
from elicit_tui.elicitation.settings import ServerSettings, Settings, granted
from elicit_tui.elicitation.toml_spelling import dotted
from elicit_tui.policy.decision import (
    Decision,
    ends,
    layer_of,
    refused_flag,
    setting_text,
    who_can_change,
)

STEP: Final = "login"


def judge_login(settings: Settings, server: ServerSettings, *, nobody: str | None) -> Decision:
    """Whether one server's login is asked of a person, or ends here.

    `nobody`: why no person can be asked in this run, in a clause; None when one can.
    """
    if server.refused is not None:
        key = dotted("mcp_servers", server.name)
        return ends(STEP, decline("policy", server.refused, key=key, layer="managed"))
    key, layer = "logins.allow", layer_of(settings, "logins.allow")
    if not settings.logins.allow:
        reason = f"Declined by policy: {setting_text(key, False, layer)}."
        change = who_can_change(settings, key, f"{key} = true would let you log in.")
        return ends(STEP, decline("policy", reason, key=key, layer=layer), change)
    if not granted(settings.approval_policy).logins:
        flag, sentence, flag_layer = refused_flag(settings, "logins")
        wanted = 'approval_policy = "on-request"' if flag == "approval_policy" else f"{flag} = true"
        change = who_can_change(settings, flag, f"{wanted} would let you be asked.")
        refused = decline("policy", f"Declined by policy: {sentence}.", key=flag, layer=flag_layer)
        return ends(STEP, refused, change)
    if nobody is not None:
        return ends(STEP, cancel("nobody", f"A login is asked of a person, and {nobody}."))
    return Decision(STEP, "You are asked before the page of the login opens.", key, layer)


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
