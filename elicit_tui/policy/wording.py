"""The words of a decision: a setting as the owner would write it, and where it came from."""

from __future__ import annotations

from typing import Any

from elicit_tui.elicitation.guardian_settings import Layer
from elicit_tui.elicitation.settings import Rule, Settings
from elicit_tui.elicitation.toml_spelling import toml_value


def setting_text(key: str, value: Any, layer: Layer) -> str:
    """`approval_policy = "never" (command line)`."""
    return f"{key} = {toml_value(value)} ({layer})"


def layer_of(settings: Settings, key: str) -> Layer:
    """The layer of a key's effective value; a server's key that no file sets is a default."""
    if key.startswith("mcp_servers.") and key not in settings.provenance:
        return "default"
    return settings.origin(key).layer


def who_can_change(settings: Settings, key: str, advice: str) -> str:
    """The advice, or whose business it is when the key is locked."""
    if settings.origin(key).locked:
        return f"{key} is locked by managed configuration; only the administrator can change it."
    return advice


def refused_flag(settings: Settings, flag: str) -> tuple[str, str, Layer]:
    """The key, sentence and layer of the approval policy where it refuses `flag`."""
    key: str
    value: str | bool
    if settings.approval_policy == "never":
        key, value = "approval_policy", "never"
    else:
        key, value = f"approval_policy.granular.{flag}", False
    layer = layer_of(settings, key)
    return key, setting_text(key, value, layer), layer


def entry_key(rule: Rule, table: str) -> str:
    """`rules[2]`: the entry's table and its position in its file, from 1."""
    return f"{table}[{rule.position}]"
