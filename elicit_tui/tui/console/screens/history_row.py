"""One row of the ledger, whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from elicit_tui.text import local_time, neutral, neutral_line, readable_json
from elicit_tui.tui.console.findings import finding_groups
from elicit_tui.tui.console.outcome_words import ROLES, SIGNS, told_of
from elicit_tui.tui.console.spans import Line, joined, labelled, text_lines
from elicit_tui.tui.console.text_dialog import TextDialog

if TYPE_CHECKING:
    from elicit_tui.ledger.rows import Row


class RecordScreen(TextDialog):
    """What was asked, what was found, who decided, why and when; then every field as kept."""

    def __init__(self, row: Row) -> None:
        super().__init__("Recorded", neutral_line(str(row.server), 60))
        self._row = row

    def words(self, width: int) -> list[Line]:
        """The decision, what led to it, then every field."""
        row = self._row
        sign, role = SIGNS.get(row.action, "–"), ROLES.get(row.action, "dim")
        head = text_lines(f"{sign} {told_of(row.action, row.decided_by, row.reason)}", width, role)
        about = (
            ("asked", local_time(row.asked_at)),
            ("tool", row.tool),
            ("it wrote", row.message),
            ("why", row.reason),
        )
        for label, text in about:
            if text:
                head.extend(labelled(label, neutral(text, 20_000), width))
        content = [] if row.content is None else text_lines(readable_json(row.content), width)
        return joined(
            [
                head,
                *finding_groups(row.findings, width),
                [(("answer", "accent"),), *content] if content else [],
                [(("as it is recorded", "accent"),), *self._fields(width)],
            ]
        )

    def _fields(self, width: int) -> list[Line]:
        lines: list[Line] = []
        for name, value in as_pairs(self._row):
            lines.extend(labelled(name, neutral(value, 20_000), width, label_width=17))
        return lines


def as_pairs(row: Any) -> list[tuple[str, str]]:
    """The row's fields as label and text, in their own order; empty ones are left out."""
    fields = row.as_json() if hasattr(row, "as_json") else vars(row)
    pairs = []
    for name, value in fields.items():
        if value in (None, "", [], {}, ()):
            continue
        text = value if isinstance(value, str) else readable_json(value)
        pairs.append((str(name), text))
    return pairs
