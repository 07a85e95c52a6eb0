"""Secrets in an answer: looked for before it leaves, and never repeated in what is said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from elicit_tui.elicitation import Finding, Severity
from elicit_tui.guardian.shapes import card_number, random_looking, secret_shape
from elicit_tui.text import neutral_line

_ADVICE: Final = (
    "This looks like a secret. Send it only if you are sure that this server may have it."
)
_DEEPEST: Final = 8


def secrets_in(
    content: Mapping[str, Any], schema: Mapping[str, Any] | None = None
) -> tuple[Finding, ...]:
    """A warning for each value that looks like a secret; choices of the schema are left out."""
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    findings: list[Finding] = []
    for name, value in content.items():
        described = properties.get(name) if isinstance(properties, Mapping) else None
        if isinstance(described, Mapping) and any(
            key in described for key in ("enum", "oneOf", "const")
        ):
            continue
        for text in _texts(value):
            kind = _kind(text)
            if kind is not None:
                where = neutral_line(f"content.{name}", 120)
                masked = f"{kind.replace('_', ' ')}, {len(text)} characters"
                findings.append(Finding(f"outgoing.{kind}", Severity.WARN, where, masked, _ADVICE))
                break
    return tuple(findings)


def _texts(value: Any, depth: int = 0) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, bool) or depth > _DEEPEST:
        return
    elif isinstance(value, (int, float)):
        yield str(value)
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _texts(item, depth + 1)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _texts(item, depth + 1)


def _kind(text: str) -> str | None:
    shape = secret_shape(text)
    if shape is not None:
        return shape
    if card_number(text):
        return "card_number"
    return "high_entropy" if random_looking(text) else None
