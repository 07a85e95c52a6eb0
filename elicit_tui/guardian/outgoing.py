"""Secrets in an answer: looked for before it leaves, and never repeated in what is said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from elicit_tui.elicitation import Finding, Severity
from elicit_tui.elicitation.shapes import secret_kind
from elicit_tui.text import neutral_line

if TYPE_CHECKING:
    from elicit_tui.form import Form

_ADVICE: Final = (
    "This looks like a secret. Send it only if you are sure that this server may have it."
)
_DEEPEST: Final = 8
CHOSEN: Final = frozenset({"single", "multi", "boolean"})
"""The kinds of fields into which nothing can be typed."""


def secrets_in(content: Mapping[str, Any], form: Form | None = None) -> tuple[Finding, ...]:
    """A warning for each value that looks like a secret.

    A value that the form lets only be chosen is the server's own, and left out. What is drawn as a
    choice counts, however the schema spells it.
    """
    findings: list[Finding] = []
    for name, value in content.items():
        field = form.by_name.get(name) if form is not None else None
        if field is not None and field.kind in CHOSEN:
            continue
        for text in _texts(value):
            kind = secret_kind(text)
            if kind is not None:
                where = neutral_line(f"content.{name}", 120)
                masked = f"{kind.replace('_', ' ')}, {len(text)} characters"
                findings.append(Finding(f"outgoing.{kind}", Severity.WARN, where, masked, _ADVICE))
                break
    return tuple(findings)


def _texts(value: Any, depth: int = 0) -> Iterator[str]:
    if isinstance(value, (str, int, float)) and not isinstance(value, bool):
        yield str(value)
    elif isinstance(value, (Mapping, list, tuple)) and depth <= _DEEPEST:
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(item, depth + 1)
