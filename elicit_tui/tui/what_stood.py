"""What stood in a line or a field and gave way at once, so that a key can bring it back."""

from __future__ import annotations

from typing import Final, Generic, TypeVar

_MOST: Final = 50

_Text = TypeVar("_Text")


class WhatStood(Generic[_Text]):
    """The last first; what a later one takes the place of comes behind the others, not to an end.

    So whoever presses the key again and again sees all of it, in turn.
    """

    def __init__(self) -> None:
        self._stood: list[_Text] = []

    def __bool__(self) -> bool:
        """Whether something can be brought back."""
        return bool(self._stood)

    def note(self, text: _Text) -> None:
        """This gives way now."""
        self._stood = [text, *(other for other in self._stood if other != text)][:_MOST]

    def back(self, now: _Text, *, keeps: bool) -> _Text:
        """What gave way last, in the place of what stands there `now`; that is kept, or nothing."""
        last, *others = self._stood
        self._stood = [*(other for other in others if other != now), *([now] if keeps else [])]
        return last
