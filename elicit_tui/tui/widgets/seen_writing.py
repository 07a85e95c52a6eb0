"""What of a widget was on the screen: whatever is painted, and of a text that is written in too."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING

from textual.geometry import Region
from textual.message import Message

from elicit_tui.elicitation.shown import SeenPart
from elicit_tui.tui.textual_terminal import SeenOnScreen

if TYPE_CHECKING:
    from textual.widget import Widget as _Widget
else:  # Whoever stands before a widget among its bases is none: its styles come from the first one.
    _Widget = object


class SeenAsPainted(SeenOnScreen, _Widget):
    """A widget of which something was to be seen when it was made."""

    _painted = Region()
    """What of it stood on the screen last."""

    @property
    @abstractmethod
    def hidden(self) -> bool:
        """Whether some of it was never on the screen."""

    @abstractmethod
    def see(self) -> None:
        """What was painted last is on the screen."""

    @abstractmethod
    def seen_whole(self) -> Message:
        """What is told once nothing of it is hidden any more."""

    def on_screen(self, part: Region) -> None:
        """This of it was seen."""
        self._painted = part
        if self.hidden:
            self._see_more()

    def _see_more(self) -> None:
        self.see()
        if not self.hidden:
            self.post_message(self.seen_whole())


class SeenWriting:
    """Of a widget that holds a text: what nobody saw of it, of what is not the person's own."""

    _shown = SeenPart()
    _stood = ""
    """The text of which that is so."""

    @property
    def hidden(self) -> bool:
        """Whether there are letters that a server or an agent wrote, and nobody saw."""
        return not self._shown.whole

    @property
    def first_unseen(self) -> int:
        """The first letter that nobody saw."""
        return self._shown.first_unseen

    @property
    @abstractmethod
    def typed(self) -> str:
        """The text as it stands on the screen."""

    @property
    @abstractmethod
    def in_sight(self) -> tuple[int, int]:
        """The first letter in what was painted last, and the one behind the last."""

    @cached_property
    def _of_others(self) -> dict[str, SeenPart]:
        """What others wrote for the person, and what of it was seen, whoever brings it back."""
        return {}

    def see(self) -> None:
        """The letters that are painted."""
        self.follow_writing()
        self._shown = self._shown.with_part(*self.in_sight)
        if self._stood in self._of_others:
            self._of_others[self._stood] = self._shown

    def see_afresh(self) -> None:
        """The letters that are painted now, where they are not the person's own."""
        if self.typed in self._of_others:
            self._shown = SeenPart.none_of(self.typed)
            self.see()

    def is_of_others(self) -> None:
        """What stands here was written by a server, or an agent."""
        self._stood = self.typed
        self._shown = self._of_others.setdefault(self.typed, SeenPart.none_of(self.typed))

    def counts_as_own(self) -> None:
        """What stands here is what the person wrote."""
        self._stood, self._shown = self.typed, SeenPart()

    def goes_on_with(self, other: SeenWriting) -> None:
        """It stands in the place of another, with the same text in it."""
        self._stood, self._shown = other._stood, other._shown
        self.__dict__["_of_others"] = other._of_others

    def follow_writing(self) -> None:
        """What the person wrote is theirs; what they left as it stood, or brought back, is not."""
        if self.typed != self._stood:
            edited = self._shown.edited(self._stood, self.typed)
            self._stood = self.typed
            self._shown = self._of_others.get(self.typed, edited)
