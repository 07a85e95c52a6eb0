"""What the widgets for typed text have in common: the text, and two kinds of blank."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from elicit_tui.form.field import EmptyOnPurpose, Entry, Typed, Unset
from elicit_tui.tui.names_on_screen import key_of
from elicit_tui.tui.widgets.control import OWN, REVEAL, FieldControl, unseen_in
from elicit_tui.tui.widgets.seen_writing import SeenWriting

# What the widgets for typed text have in common: two kinds of blank, length, unseen letters.


class TypedControl(SeenWriting, FieldControl):
    """A field's widget that holds text; blank is unset until the person says "on purpose"."""

    placeholder: Any
    """Of the widget this is mixed with: the words that stand in place of nothing."""
    password: Any
    """The same: whether a dot stands in place of each letter."""
    _blank: Entry = Unset()
    _hides = False
    """Whether it is a secret: what the person types is not shown until they ask for it."""

    def stands(self, entry: Entry) -> None:
        """This entry was put here: it is the person's, unless it is the server's default."""
        self.counts_as_own()
        if self.has_default and entry == self.spec.initial:
            self.is_of_others()

    def came_back(self, whence: str, *, continues: bool = False) -> None:
        """What others wrote is still to be seen, a secret too.

        What is wrong for good is not gone on with.
        """
        super().came_back(whence, continues=continues and self.may_become_right)
        if whence in OWN:
            self.counts_as_own()
        else:
            self.is_of_others()
            self._hides = self.password = False

    def takes_the_place_of(self, other: TypedControl) -> None:
        """It holds the same text, and shows no more of it."""
        self.goes_on_with(other)
        self._hides, self.password = other._hides, other.password
        self.__dict__["stood"] = other.stood

    @property
    def is_masked(self) -> bool:
        """Of a secret."""
        return bool(self.password)

    @property
    def aside(self) -> str | None:
        """That it is not shown, and what shows it."""
        if not self._hides:
            return super().aside
        shows = key_of(self, REVEAL)
        if self.password:
            return f"a secret: not shown as you type, {shows} shows it"
        return f"a secret: shown until you leave the field, or {shows}"

    def action_reveal(self) -> None:
        """Show the secret that stands here, or no more."""
        self.password = not self.password
        self.moved()

    def on_blur(self) -> None:
        """Nobody reads over a shoulder what its writer is through with."""
        if self._hides and not self.password:
            self.password = True
            self.moved()

    def changed(self) -> None:
        """Whoever types sees what they type."""
        self.follow_writing()
        super().changed()

    @abstractmethod
    def write(self, text: str) -> None:
        """Type a text where the cursor stands, in place of what is selected."""

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
    def replaced_by_typing(self) -> bool:
        """While the text came back, and is not gone on with."""
        return self.gives_way and bool(self.typed)

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
            suggested = isinstance(self.spec.initial, EmptyOnPurpose)
            self.placeholder = "(empty)" if suggested else "(empty on purpose)"
        else:
            example = self.example
            nothing = "not filled in" if self.spec.required else "unset"
            self.placeholder = f"e.g. {example}" if example else nothing
