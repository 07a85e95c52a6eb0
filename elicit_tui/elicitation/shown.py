"""What of a value was on the screen. Whatever of it nobody saw is not accepted."""

from __future__ import annotations

import sys

from elicit_tui.dataclass import dataclass


@dataclass(frozen=True)
class SeenPart:
    """The characters of a text that somebody had before their eyes, or wrote themselves.

    As made: all of them. A face with a screen begins with `none_of` what it is given by a server or
    an agent, and reports what it draws; what the person writes into it is theirs.
    """

    length: int = 0
    parts: tuple[tuple[int, int], ...] = ()
    """In order and apart from each other: the first character, and the one behind the last."""

    @staticmethod
    def none_of(text: str) -> SeenPart:
        """Nobody has seen anything of this yet."""
        return SeenPart(len(text))

    @staticmethod
    def none() -> SeenPart:
        """Nobody has seen anything yet, of whatever length it turns out to have."""
        return SeenPart(sys.maxsize)

    @property
    def whole(self) -> bool:
        """Whether all of it was seen."""
        return not self.length or self.parts == ((0, self.length),)

    @property
    def first_unseen(self) -> int:
        """The first character that was not."""
        return self.parts[0][1] if self.parts and not self.parts[0][0] else 0

    def with_part(self, first: int, end: int) -> SeenPart:
        """These characters are on the screen now, too."""
        first, end = max(first, 0), min(end, self.length)
        if first >= end or self.whole:
            return self
        apart = [part for part in self.parts if part[1] < first or part[0] > end]
        touching = [part for part in self.parts if part[1] >= first and part[0] <= end]
        first = min([first, *(part[0] for part in touching)])
        end = max([end, *(part[1] for part in touching)])
        return SeenPart(self.length, tuple(sorted([*apart, (first, end)])))

    def edited(self, old: str, new: str) -> SeenPart:
        """The person made this text of that one: what they wrote is seen, the rest as before."""
        if self.whole:
            return SeenPart()
        begin = alike(old, new)
        behind = alike(old[begin:][::-1], new[begin:][::-1])
        moved = len(new) - len(old)
        edited = SeenPart(len(new)).with_part(begin, len(new) - behind)
        for first, end in self.parts:
            edited = edited.with_part(first, min(end, begin))
            edited = edited.with_part(max(first, len(old) - behind) + moved, end + moved)
        return edited


def alike(one: str, other: str) -> int:
    """How many letters both begin with."""
    same, most = 0, min(len(one), len(other))
    while same < most:  # By halves: others decide how long both are.
        half = same + (most - same + 1) // 2
        if one[same:half] == other[same:half]:
            same = half
        else:
            most = half - 1
    return same
