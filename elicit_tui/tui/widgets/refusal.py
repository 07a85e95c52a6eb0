"""A property that no answer exists for: said plainly, nothing to fill in."""

from __future__ import annotations

from textual.content import Content

from elicit_tui.form import Entry, Field, Unset
from elicit_tui.tui.widgets.control import FieldControl


class Refusal(FieldControl):
    """Words where a widget would stand; takes no focus."""

    DEFAULT_CSS = "Refusal { color: $warning; text-style: italic; }"

    def __init__(self, spec: Field, entry: Entry) -> None:
        super().__init__()
        self.spec = spec

    @property
    def entry(self) -> Entry:
        """Always unset."""
        return Unset()

    def put(self, entry: Entry) -> None:
        """Nothing can be put here."""

    @property
    def _words(self) -> str:
        if self.spec.required:
            return "■ cannot be answered here, and the server requires it"
        return "cannot be answered here; it is left out"

    def height_for(self, width: int) -> int:
        """The words, wrapped."""
        return len(Content(self._words).wrap(max(width, 10)))

    def render(self) -> Content:
        """Why there is nothing to fill in."""
        return Content(self._words)
