"""The merged values become Settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any

from elicit_tui.config.expansion import REFERENCE, WANDERS, Expansion, wanders
from elicit_tui.config.merging import Merged, written_policy
from elicit_tui.config.rules import guardian_rules_of, rules_of
from elicit_tui.elicitation.settings import (
    BridgeSettings,
    ConsoleSettings,
    ElicitationLimits,
    ElicitationSettings,
    GatewaySettings,
    GuardianSettings,
    HistorySettings,
    Hook,
    LoginSettings,
    OwnerRule,
    ServerSettings,
    Settings,
    StoreSettings,
)
from elicit_tui.errors import ConfigError


def settings_from(
    merged: Merged,
    servers: Mapping[str, ServerSettings],
    hooks: tuple[Hook, ...],
    environment: Mapping[str, str],
) -> Settings:
    """The settings of a run; every value's origin stands in `provenance`."""
    managed, user = merged.managed, merged.user
    rules = (*rules_of(managed), *rules_of(user))
    # Keys that no layer sets are left out below, so that the defaults of the dataclasses hold.
    policy = written_policy(merged.values.get("approval_policy"))
    reviewer: dict[str, Any] = {}
    if "approvals_reviewer" in merged.values:
        reviewer["approvals_reviewer"] = merged.values["approvals_reviewer"]
    # The files' notices first, then what merging them brought up; each once.
    notices = [note for document in (managed, user) if document for note in document.notices]
    return Settings(
        approval_policy=policy,
        elicitation=ElicitationSettings(
            **merged.section("elicitation"),
            limits=ElicitationLimits(**merged.section("elicitation", "limits")),
        ),
        guardian=_guardian(merged),
        rules=rules,
        servers=servers,
        console=ConsoleSettings(**merged.section("console")),
        history=_history(merged, environment),
        hooks=hooks,
        store=StoreSettings(**merged.section("store")),
        gateway=GatewaySettings(**merged.section("gateway")),
        bridge=BridgeSettings(**merged.section("bridge")),
        logins=_logins(merged),
        provenance=dict(merged.provenance),
        notices=tuple(dict.fromkeys([*notices, *merged.notices])),
        config_file=user.file if user is not None else None,
        managed_file=managed.file if managed is not None else None,
        **reviewer,
    )


def _guardian(merged: Merged) -> GuardianSettings:
    """The guardian's settings; what the administrator's rules find, a user cannot silence."""
    firm = guardian_rules_of(merged.managed)
    own: list[OwnerRule] = []
    for rule in guardian_rules_of(merged.user):
        # The administrator's rules are found whatever a user names theirs.
        if any(rule.id == locked.id for locked in firm):
            merged.notices.append(
                f"guardian.rules: {rule.id} is the id of a managed rule; yours is ignored."
            )
        else:
            own.append(rule)
    values = merged.section("guardian")
    for key in ("trusted_domains", "disable"):
        if key in values:
            values[key] = tuple(values[key])
    origin = merged.provenance.get("guardian.disable")
    # A managed list is the administrator's own: it may name their own rules.
    if origin is not None and origin.layer != "managed":
        rules = []
        for name in values["disable"]:
            if any(name == rule.id or fnmatchcase(rule.id, name) for rule in firm):
                merged.notices.append(
                    f"guardian.disable: {name} is a rule of managed configuration; it stays on."
                )
            else:
                rules.append(name)
        values["disable"] = tuple(rules)
    return GuardianSettings(**values, rules=(*firm, *own))


def _logins(merged: Merged) -> LoginSettings:
    values = merged.section("logins")
    if "issuers" in values:
        values["issuers"] = tuple(values["issuers"])
    return LoginSettings(**values)


def _history(merged: Merged, environment: Mapping[str, str]) -> HistorySettings:
    history = HistorySettings(**merged.section("history"))
    origin = merged.provenance.get("history.path")
    # The path of managed configuration holds as it stands: an environment that a user makes must
    # not lead the ledger elsewhere.
    if history.path is None or origin is None or origin.layer == "managed":
        return history
    expansion = Expansion(environment)
    path = expansion.text(history.path)
    # A reference is still there where the settings are only shown, as they are written.
    why = WANDERS if wanders(path) and not REFERENCE.match(path) else None
    if expansion.missing:
        why = f"the environment has no {', '.join(expansion.missing)}"
    if why is not None:
        place = f"{origin.file}:{origin.line}: " if origin.file else ""
        raise ConfigError([f"{place}history.path: {why}"])
    return replace(history, path=path)
