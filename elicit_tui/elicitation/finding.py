"""What the guardian found, and what it makes of the whole request."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Any, Final, Literal

from elicit_tui.dataclass import dataclass
from elicit_tui.text import neutral_line

LONGEST_PLACE: Final = 120
"""Of a place no more is told."""
MASK: Final = "•••"
"""What stands in a record or a report where a secret was."""

Verdict = Literal["allow", "warn", "block"]


class Severity(IntEnum):
    """How much a finding weighs; the worst one makes the verdict."""

    NOTE = 0
    WARN = 1
    BLOCK = 2

    @property
    def word(self) -> str:
        """The severity as JSON, config files and screens spell it."""
        return self.name.lower()


@dataclass(frozen=True)
class Weight:
    """One piece of evidence: a frame that holds, how much it weighs and the words that it saw."""

    amount: int
    frame: str
    """A frame's name, such as `field-is-secret`."""
    where: str
    text: str
    """What was really there, already neutral."""

    def __str__(self) -> str:
        return f"{self.amount:+d} {self.frame} {self.text}"

    def as_json(self) -> dict[str, Any]:
        """The evidence as `check --explain` spells it."""
        return {
            "weight": self.amount,
            "frame": self.frame,
            "where": self.where,
            "text": self.text,
        }


@dataclass(frozen=True)
class Finding:
    """One risk that one rule saw in one place."""

    rule: str
    """`family.rule`, such as `credentials.password`."""
    severity: Severity
    where: str
    """The place: `message`, `url`, `requestedSchema.properties.token.title`, `content.token` …"""
    evidence: str
    """What was really there, already neutral text: printable, short, safe to show and to store."""
    advice: str
    """What the person should do, in a sentence."""
    because: tuple[Weight, ...] = ()
    """The evidence that was summed up, where a sum decided; not part of the JSON contract."""
    to_author: bool = False
    """Whether it tells the server's author of a mistake: no danger to the person, no step more."""
    fields: tuple[str, ...] = ()
    """The optional fields that alone carry it, by name; empty where it binds whatever is sent."""

    @property
    def id(self) -> str:
        """Rule and place: what an accept lists when its giver acknowledged this finding."""
        return f"{self.rule} {self.where}"

    def binds(self, content: Mapping[str, Any] | None) -> bool:
        """Whether it counts for an answer: not where each field that carries it is left unset."""
        return not self.fields or content is None or any(name in content for name in self.fields)

    def as_json(self) -> dict[str, Any]:
        """The finding as the JSON contract spells it."""
        return {
            "rule": self.rule,
            "severity": self.severity.word,
            "where": self.where,
            "evidence": self.evidence,
            "advice": self.advice,
        }


@dataclass(frozen=True)
class Review:
    """All findings about one request; empty means nothing was found."""

    findings: tuple[Finding, ...] = ()
    sensitive: frozenset[str] = frozenset()
    """Names of the form's properties whose values must be masked wherever they are stored."""
    outgoing: tuple[Finding, ...] = ()
    """What the answer itself was found to hold; noted and masked, no part of the verdict."""

    @property
    def verdict(self) -> Verdict:
        """The worst severity: block, warn, or allow (notes alone allow)."""
        worst = max((finding.severity for finding in self.findings), default=Severity.NOTE)
        return {Severity.NOTE: "allow", Severity.WARN: "warn", Severity.BLOCK: "block"}[worst]  # type: ignore[return-value]

    def at_least(self, severity: Severity) -> tuple[Finding, ...]:
        """The findings of this severity or worse."""
        return tuple(finding for finding in self.findings if finding.severity >= severity)

    def masks(self, name: str) -> bool:
        """Whether a property's value must not be stored or told: it is a secret, or looks so."""
        # As a finding names it: neutral, on one line and of that length.
        place = neutral_line(f"content.{name}", LONGEST_PLACE)
        return name in self.sensitive or any(
            finding.where == place or finding.where.startswith((f"{place}[", f"{place}."))
            for finding in (*self.findings, *self.outgoing)
        )

    def masked(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """The content as it may be stored and told: the values that `masks` names are hidden."""
        return {name: MASK if self.masks(name) else value for name, value in content.items()}
