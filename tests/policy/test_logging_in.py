"""A login is asked of a person where the owner lets it, of the places that the owner names."""

from __future__ import annotations

from typing import Any

import pytest

from elicit_tui.elicitation.settings import (
    GranularApproval,
    LoginSettings,
    OAuthSettings,
    Provenance,
    ServerSettings,
    Settings,
)
from elicit_tui.policy import Decision, Policy, issuer_refusal

HERE, ELSEWHERE = "https://login.example.com", "https://login.evil.example"
GRANULAR = "approval_policy.granular.logins"


def judged(settings: Settings, server: ServerSettings | None = None, **more: Any) -> Decision:
    known = {} if server is None else {"s": server}
    owner = Settings(**{**vars(settings), "servers": known})
    return Policy(owner, **more).judge_login("s")


def test_a_person_is_asked_and_told_the_key_that_lets_them() -> None:
    decision = judged(Settings(provenance={"logins.allow": Provenance("user")}))
    assert (decision.outcome, decision.key, decision.layer) == (None, "logins.allow", "user")
    assert decision.sentence == "You are asked before the page of the login opens."


@pytest.mark.parametrize(
    ("settings", "key", "value", "would"),
    [
        (
            Settings(logins=LoginSettings(allow=False)),
            *("logins.allow", "false", "logins.allow = true would let you log in."),
        ),
        (
            Settings(approval_policy="never"),
            *(
                "approval_policy",
                '"never"',
                'approval_policy = "on-request" would let you be asked.',
            ),
        ),
        (
            Settings(approval_policy=GranularApproval(logins=False)),
            *(GRANULAR, "false", f"{GRANULAR} = true would let you be asked."),
        ),
    ],
    ids=["logins", "never", "granular"],
)
def test_what_lets_no_login_be_asked_is_named_with_what_would(
    settings: Settings, key: str, value: str, would: str
) -> None:
    for locked in (False, True):
        origin = {key: Provenance("managed", locked)}
        decision = judged(Settings(**{**vars(settings), "provenance": origin}))
        assert decision.outcome is not None
        assert (decision.outcome.action, decision.outcome.decided_by) == ("decline", "policy")
        assert (decision.key, decision.layer) == (key, "managed")
        assert decision.sentence == f"Declined by policy: {key} = {value} (managed)."
        assert decision.change is not None
        assert ("only the administrator" in decision.change) is locked
        assert (decision.change == would) is not locked


@pytest.mark.parametrize(
    ("run", "why"),
    [
        ({"person_present": False}, "nobody is there to ask"),
        ({"answers": ()}, "with answers nobody is asked"),
    ],
    ids=["nobody", "answers"],
)
def test_where_nobody_is_a_login_is_cancelled(run: dict[str, Any], why: str) -> None:
    outcome = judged(Settings(), **run).outcome
    assert outcome is not None
    assert (outcome.action, outcome.decided_by) == ("cancel", "nobody")
    assert outcome.reason == f"A login is asked of a person, and {why}."


def test_a_server_that_the_administrator_refuses_is_not_logged_in_to() -> None:
    refused = ServerSettings("s", url=HERE, refused="It is not on the list.")
    decision = judged(Settings(), refused)
    assert decision.outcome is not None
    assert (decision.outcome.action, decision.outcome.decided_by) == ("decline", "policy")
    assert decision.sentence == "It is not on the list."
    assert (decision.key, decision.layer) == ("mcp_servers.s", "managed")


@pytest.mark.parametrize(
    ("own", "listed", "asked", "why"),
    [
        (None, None, HERE, None),
        (HERE, None, HERE, None),
        (HERE, None, f"{HERE}/", None),
        (f"{HERE}/", None, HERE, None),
        (HERE, None, ELSEWHERE, f"which is not {HERE} (mcp_servers.s.oauth.issuer)."),
        (None, (HERE,), HERE, None),
        (None, (f"{HERE}/",), HERE, None),
        (None, (HERE,), f"{HERE}/", None),
        (None, (HERE,), ELSEWHERE, "which is not among logins.issuers (managed)."),
        (None, (), HERE, "which is not among logins.issuers (managed)."),
        # The server's own entry cannot widen what the list lets.
        (ELSEWHERE, (HERE,), ELSEWHERE, "which is not among logins.issuers (managed)."),
    ],
)
def test_only_an_authorization_server_that_the_owner_names_may_ask(
    own: str | None, listed: tuple[str, ...] | None, asked: str, why: str | None
) -> None:
    settings = Settings(
        logins=LoginSettings(issuers=listed), provenance={"logins.issuers": Provenance("managed")}
    )
    server = ServerSettings("s", url=HERE, oauth=OAuthSettings(issuer=own))
    expected = None if why is None else f"It leads to {asked}, {why}"
    assert issuer_refusal(settings, server, asked) == expected
