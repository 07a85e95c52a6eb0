"""What "looser" means for each key that managed configuration can lock.

A lock holds a key against every looser value; a stricter one is always allowed. Each key has one
comparison: "is the candidate at least as strict as the locked value?" Keys that are not in the
table have no order: any other value counts as looser.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, Final

from elicit_tui.elicitation.settings import ApprovalPolicy, GranularApproval, granted

AsStrict = Callable[[Any, Any], bool]
"""(candidate, locked) → the candidate takes nothing away from the lock."""

GRANULAR_FLAGS: Final = tuple(flag.name for flag in fields(GranularApproval))


def _ranked(*loosest_first: Any) -> AsStrict:
    def compare(candidate: Any, locked: Any) -> bool:
        return loosest_first.index(candidate) >= loosest_first.index(locked)

    return compare


def _smaller(candidate: Any, locked: Any) -> bool:
    return bool(candidate <= locked)


def _sooner(candidate: Any, locked: Any) -> bool:
    """Seconds, where 0 is no limit at all and so the loosest."""
    return bool(locked == 0 or (candidate != 0 and candidate <= locked))


def _fewer(candidate: Any, locked: Any) -> bool:
    return set(candidate) <= set(locked)


def written_policy(value: Any) -> ApprovalPolicy:
    """What `approval_policy` means as a file writes it; flags that are left out are true."""
    if not isinstance(value, Mapping):
        return "never" if value == "never" else "on-request"
    flags = value.get("granular", {})
    return GranularApproval(**{name: flags.get(name, True) for name in GRANULAR_FLAGS})


def _surfaces_less(candidate: Any, locked: Any) -> bool:
    wanted, most = (granted(written_policy(value)) for value in (candidate, locked))
    # Flag by flag: nothing surfaces that the lock keeps down.
    return all(getattr(most, flag) or not getattr(wanted, flag) for flag in GRANULAR_FLAGS)


AS_STRICT: Final[Mapping[str, AsStrict]] = {
    "approval_policy": _surfaces_less,
    "approvals_reviewer": _ranked("user", "auto_review"),
    "elicitation.timeout_sec": _sooner,
    "elicitation.rounds": _smaller,
    "elicitation.review": _ranked("never", "risky", "always"),
    "elicitation.limits.per_minute": _smaller,
    "elicitation.limits.pending": _smaller,
    "guardian.on_block": _ranked("ask", "decline"),
    "guardian.outgoing": _ranked("off", "warn"),
    "guardian.trusted_domains": _fewer,
    "guardian.disable": _fewer,
    # Less kept of what a person typed counts as stricter; the decision is recorded in any case.
    "history.content": _ranked("full", "redacted", "none"),
    "store.answer_without_terminal": _ranked(True, False),
    "logins.allow": _ranked(True, False),
    "logins.issuers": _fewer,
    "gateway.ask_via": _ranked("client", "auto", "console"),
    "gateway.elicit_tool": _ranked(True, False),
    "gateway.agent_answers": _ranked("allow", "never"),
}

SERVER_STRICTER: Final[Mapping[str, tuple[Any, ...]]] = {
    "enabled": (True, False),
    "elicitations": ("ask", "cancel", "decline", "off"),
}
"""The keys of a managed server that a user may still make stricter, loosest value first."""


def as_strict(key: str, candidate: Any, locked: Any) -> bool:
    """Whether a lower layer's value may stand although the key is locked."""
    compare = AS_STRICT.get(key)
    return candidate == locked if compare is None else compare(candidate, locked)


def strictly_stricter(key: str, candidate: Any, locked: Any) -> bool:
    """Whether a user's value for a key of a managed server takes something away from it."""
    order = SERVER_STRICTER[key]
    return bool(order.index(candidate) > order.index(locked))


def policy_name(policy: Any) -> str:
    """`on-request`, `never` or `granular`, as allowed_approval_policies lists them."""
    return policy if isinstance(policy, str) else "granular"


def policy_allowed(policy: Any, allowed: list[str] | None) -> bool:
    """Whether `allowed_approval_policies` lets this policy be; what is stricter than one is too."""
    order = ("on-request", "granular", "never")
    # "never" asks nothing of anybody, and takes nothing away from any list.
    if allowed is None or policy == "never":
        return True
    rank = order.index(policy_name(policy))
    return any(order.index(name) <= rank for name in allowed)


def strictest_default(allowed: list[str] | None) -> str:
    """The policy that holds where the one asked for is not allowed."""
    return "on-request" if policy_allowed("on-request", allowed) else "never"
