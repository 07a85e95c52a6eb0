"""What the widgets for typed text have in common: two kinds of blank, length, unseen letters."""

from __future__ import annotations

from typing import Any

from elicit_tui.form import EmptyOnPurpose, Entry, Typed, Unset
from elicit_tui.tui.widgets.control import FieldControl
from elicit_tui.tui.widgets.unseen import unseen_in


class TypedControl(FieldControl):
    """A field's widget that holds text; blank is unset until the person says "on purpose"."""

    placeholder: Any
    """Of the widget this is mixed with: the words that stand in place of nothing."""
    _blank: Entry = Unset()

    @property
    def typed(self) -> str:
        """The text as it stands on the screen."""
        raise NotImplementedError

    def write(self, text: str) -> None:
        """Type a text where the cursor stands, in place of what is selected."""
        raise NotImplementedError

    @property
    def entry(self) -> Entry:
        """What was typed; the kind of blank when nothing was."""
        return Typed(self.typed) if self.typed else self._blank

    @property
    def count(self) -> str | None:
        """Code points, where the length is limited."""
        spec = self.spec
        if spec.each_line or (spec.min_length is None and spec.max_length is None):
            return None
        return f"now {len(self.typed):,}"

    @property
    def warning(self) -> str | None:
        """The characters in it that cannot be seen."""
        return unseen_in(self.typed)

    @property
    def may_become_right(self) -> bool:
        """What is too short, or of no format yet; not what is too long."""
        most = self.spec.max_length
        return most is None or len(self.typed) <= most

    def text_of(self, entry: Entry) -> str:
        """The text to show for an entry; one that is empty counts as empty on purpose."""
        text = entry.text if isinstance(entry, Typed) else ""
        self.set_blank(Unset() if text or isinstance(entry, Unset) else EmptyOnPurpose())
        return text

    @property
    def example(self) -> str:
        """What could stand there; empty where nothing is worth showing."""
        return self.spec.placeholder

    def set_blank(self, blank: Entry) -> None:
        """What a blank means from here on, said in its place."""
        self._blank = blank
        if isinstance(blank, EmptyOnPurpose):
            self.placeholder = "(empty on purpose)"
        else:
            example = self.example
            self.placeholder = f"e.g. {example}" if example else "unset"
