"""The owner's settings of the guardian: all that a command needs which only judges requests."""

# Annotations are no strings here: the table of keys is made of them at each start.

from dataclasses import dataclass
from typing import Literal

Layer = Literal["managed", "command line", "user", "default"]


@dataclass(frozen=True)
class OwnerRule:
    """One `[[guardian.rules]]`: a finding the owner wants to see."""

    id: str
    severity: Literal["note", "warn", "block"]
    pattern: str
    where: str = "*"
    """A glob over the places a finding names: `message`, `url`, `*` …"""
    advice: str = ""
    layer: Layer = "user"


@dataclass(frozen=True)
class GuardianSettings:
    """`[guardian]`."""

    on_block: Literal["decline", "ask"] = "decline"
    outgoing: Literal["warn", "off"] = "warn"
    trusted_domains: tuple[str, ...] = ()
    disable: tuple[str, ...] = ()
    rules: tuple[OwnerRule, ...] = ()
