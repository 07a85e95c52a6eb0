"""What the guardian found, explained: for a question that was stopped, and for the history."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from elicit_tui.elicitation import Severity
from elicit_tui.text import neutral, neutral_line
from elicit_tui.tui.console.outcome_words import family_of
from elicit_tui.tui.console.spans import Line, Role, labelled, text_lines
from elicit_tui.tui.question.frame_words import SIGNS

SEVERITIES: Final[Mapping[str, tuple[str, Role]]] = {
    "note": (SIGNS[Severity.NOTE], "dim"),
    "warn": (SIGNS[Severity.WARN], "warn"),
    "block": (SIGNS[Severity.BLOCK], "bad"),
}
"""A finding's sign, as a question shows it, by the ledger's spelling of its severity."""


def finding_groups(findings: Iterable[Mapping[str, Any]], width: int) -> list[list[Line]]:
    """One group of lines for each finding, in the ledger's spelling; a family is explained once."""
    groups: list[list[Line]] = []
    explained: set[str] = set()
    for finding in findings:
        severity = str(finding.get("severity"))
        sign, role = SEVERITIES.get(severity, ("·", "dim"))
        rule = neutral_line(finding.get("rule") or "", 80)
        group: list[Line] = [((f"{sign} {severity}  ", role), (rule, "strong"))]
        family = family_of(rule)
        if family and family not in explained:
            explained.add(family)
            group.extend(text_lines(f"  {family}", width))
        for label, name, limit in (("seen", "evidence", 400), ("where", "where", 200)):
            group.extend(labelled(f"  {label}", neutral(finding.get(name) or "", limit), width))
        group.extend(labelled("  advice", neutral(finding.get("advice") or "", 400), width))
        groups.append(group)
    return groups
