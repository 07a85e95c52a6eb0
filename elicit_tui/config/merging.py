"""Merges the layers of every key that is not a server or a list of rules, and what a lock allows.

A lock holds a key against every looser value; a stricter one is always allowed. Each key has one
comparison: "is the candidate at least as strict as the locked value?" Keys that are not in the
table have no order: any other value counts as looser.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, fields
from typing import Any, Final

from elicit_tui.config.documents import Document
from elicit_tui.config.keys import USER_FILE
from elicit_tui.config.nodes import Either, Table, Value
from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation.settings import ApprovalPolicy, GranularApproval, Provenance, granted
from elicit_tui.elicitation.toml_spelling import toml_value

AsStrict = Callable[[Any, Any], bool]
"""(candidate, locked) → the candidate takes nothing away from the lock."""

# What “looser” means

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

_OF_SERVER: Final[Mapping[str, AsStrict]] = {
    "enabled": _ranked(True, False),
    "elicitations": _ranked("ask", "cancel", "decline", "off"),
}
"""The keys of a managed server that a user may still make stricter."""


def as_strict(key: str, candidate: Any, locked: Any) -> bool:
    """Whether a lower layer's value may stand although the key is locked."""
    compare = AS_STRICT.get(key)
    return candidate == locked if compare is None else compare(candidate, locked)


def server_key_is_stricter(key: str, candidate: Any, locked: Any) -> bool:
    """Whether a user's value for a key of a managed server takes something away from it."""
    compare = _OF_SERVER.get(key)
    return compare is not None and candidate != locked and compare(candidate, locked)


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


def policy_instead(allowed: list[str] | None) -> str:
    """The policy that holds where the one asked for is not allowed."""
    return "on-request" if policy_allowed("on-request", allowed) else "never"


# The layers

_APART: Final = ("mcp_servers", "rules", "hooks")
"""Merged elsewhere: servers whole, rules and hooks one after the other."""


def leaves(table: Table = USER_FILE, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The path of every key that is merged on its own."""
    for key, node in table.keys.items():
        if not path and key in _APART:
            continue
        if isinstance(node, Table):
            # A table is merged key by key; a value as a whole, also where a table may stand in its
            # place.
            yield from leaves(node, (*path, key))
        elif isinstance(node, (Value, Either)):
            yield (*path, key)


@dataclass
class Merged:
    """The two files, the effective values by dotted key, and what was said on the way."""

    managed: Document | None
    user: Document | None
    values: dict[str, Any] = field(default_factory=dict)
    """Only keys that some layer sets."""
    provenance: dict[str, Provenance] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)
    looser_flags: list[str] = field(default_factory=list)
    """Options that are looser than a lock: the start stops."""

    def section(self, *path: str) -> dict[str, Any]:
        """The set values directly below a table, by their last name."""
        prefix = ".".join(path) + "."
        return {
            key[len(prefix) :]: value
            for key, value in self.values.items()
            # Directly below: what has another dot belongs to a table of its own.
            if key.startswith(prefix) and "." not in key[len(prefix) :]
        }


def merge(
    managed: Document | None, user: Document | None, flags: Mapping[str, tuple[str, Any]]
) -> Merged:
    """One value for each key. `flags`: dotted key to the option's name and value."""
    merged = Merged(managed, user)
    for path in leaves():
        _leaf(merged, path, flags.get(".".join(path)))
    # Last, as it judges what all layers together came to.
    _allowed(merged, flags)
    return merged


def _leaf(merged: Merged, path: tuple[str, ...], flag: tuple[str, Any] | None) -> None:
    """Take one key's value from the nearest layer whose value the lock lets stand."""
    managed, user = merged.managed, merged.user
    key = ".".join(path)
    locked = managed.get(*path) if managed is not None else None
    is_locked = locked is not None
    # From the nearest: the option of this run, then the user's file.
    candidates: list[tuple[str, Any, Provenance]] = []
    if flag is not None:
        candidates.append((flag[0], flag[1], Provenance("command line", is_locked)))
    if user is not None and (value := user.get(*path)) is not None:
        candidates.append(("", value, user.provenance(path, locked=is_locked)))
    allowed: list[tuple[Any, Provenance]] = []
    # All of them are looked at: a looser one is told also where a stricter one was found.
    for option, value, provenance in candidates:
        if is_locked and not as_strict(key, value, locked):
            reason = f"{key} = {toml_value(value)} is looser than managed configuration allows"
            _note_looser(merged, option, provenance, reason, toml_value(locked))
        else:
            allowed.append((value, provenance))
    # The lock itself stands unless the nearest of these is stricter.
    if managed is not None and is_locked and (not allowed or allowed[0][0] == locked):
        allowed = [(locked, managed.provenance(path, locked=True))]
    if allowed:
        merged.values[key], merged.provenance[key] = allowed[0]


def _note_looser(
    merged: Merged, option: str, provenance: Provenance, reason: str, locked: str
) -> None:
    """Keep what is looser than a lock: an option stops the start, a line of the file is told."""
    if option:
        merged.looser_flags.append(f"{option}: {reason} ({locked}).")
        return
    place = f"{provenance.file}:{provenance.line}: " if provenance.file else ""
    merged.notices.append(f"{place}{reason}; {locked} is used instead.")


def _allowed(merged: Merged, flags: Mapping[str, tuple[str, Any]]) -> None:
    """Apply `allowed_approval_policies`, which may forbid a value that nothing else locks."""
    managed = merged.managed
    allowed = managed.get("allowed_approval_policies") if managed is not None else None
    if managed is None or allowed is None:
        return
    policy = merged.values.get("approval_policy", "on-request")
    origin = merged.provenance.get("approval_policy", Provenance("default"))
    # It holds, and nobody below may change it.
    if policy_allowed(policy, allowed):
        merged.provenance["approval_policy"] = Provenance(
            origin.layer, True, origin.file, origin.line
        )
        return
    fallback = policy_instead(allowed)
    reason = f"approval_policy = {toml_value(policy)} is not among allowed_approval_policies"
    # A flag is refused, and a file's value is told and replaced.
    if origin.layer == "command line":
        merged.looser_flags.append(f"{flags['approval_policy'][0]}: {reason}.")
    elif origin.layer == "user":
        place = f"{origin.file}:{origin.line}: "
        merged.notices.append(f"{place}{reason}; {toml_value(fallback)} is used instead.")
    # What was asked for is not allowed: the fallback holds, and is locked.
    merged.values["approval_policy"] = fallback
    merged.provenance["approval_policy"] = managed.provenance(
        ("allowed_approval_policies",), locked=True
    )
