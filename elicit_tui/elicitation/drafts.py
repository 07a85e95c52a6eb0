"""What a person typed into a question and has not sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from elicit_tui.form import Entry


@dataclass
class Draft:
    """Raw entries by field name, which fields the person had touched, and what was opened.

    Travels with its question. Whoever shows the question writes into it as the person types, and
    fills in what stands there when the question is shown anew.
    """

    entries: Mapping[str, Entry] = field(default_factory=dict)
    touched: frozenset[str] = frozenset()
    opened: bool = False
    """Whether the person agreed to a url question's page, whose end is waited for."""
    acknowledged: frozenset[str] = frozenset()
    """The findings that the person acknowledged when agreeing to that page."""

    @property
    def typed(self) -> bool:
        """Whether anything in it came from the person."""
        return bool(self.touched)

    def write(self, entries: Mapping[str, Entry], touched: frozenset[str]) -> None:
        """Keep what stands in the form at this moment."""
        self.entries, self.touched = dict(entries), touched

    def clear(self) -> None:
        """Forget all of it."""
        self.entries, self.touched = {}, frozenset()
        self.opened, self.acknowledged = False, frozenset()
