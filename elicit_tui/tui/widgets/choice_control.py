"""What the widgets for choices share: their signs, how many are chosen, a stray default."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from elicit_tui.form import Entry, Field
from elicit_tui.tui.widgets.control import FieldControl

ONE: Final = ("○", "●")
"""Not chosen, chosen: one of several. Shape tells them apart, never colour alone."""
MANY: Final = ("[ ]", "[x]")
"""Not chosen, chosen: any of several."""


class ChoiceControl(FieldControl):
    """A field's widget that holds chosen places in a list of choices."""

    _chosen: Collection[int]
    """Places from 0."""
    _on_purpose: bool = False
    """Nothing is chosen, and that is the answer."""
    _stray: Entry | None = None
    """An entry that is none of the choices: kept until the person chooses."""

    def __init__(self, spec: Field) -> None:
        super().__init__()
        self.spec = spec
        self.many = spec.kind == "multi"
        self._marks = MANY if self.many else ONE

    @property
    def warning(self) -> str | None:
        """A default that is none of the choices."""
        return None if self._stray is None else "holds a value that is none of these choices"

    @property
    def count(self) -> str | None:
        """How many are chosen."""
        return f"now {len(self._chosen)}" if self.many else None
