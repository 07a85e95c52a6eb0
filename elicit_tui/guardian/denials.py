"""Words between two marks of punctuation: the concepts in them, what asks, and what is denied."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from elicit_tui.guardian.words import Hit, find, is_word

_NEAR: Final = 4


@dataclass
class Words:
    """Words between two marks of punctuation, with the concepts found in them."""

    words: list[str]
    spans: list[tuple[int, int]]
    """For each word where it stands in the folded text."""
    gaps: list[str] = field(default_factory=list)
    """What stood before each word."""
    quoted: list[bool] = field(default_factory=list)
    latin: bool = False
    """Whether the text was ASCII before it was folded."""
    sentence: int = 0
    is_question: bool = False
    opens: bool = True
    """Whether it begins its sentence."""
    quotes: Words | None = None
    """The clause before it, where a quotation that begins there goes on here."""

    @cached_property
    def hits(self) -> tuple[Hit, ...]:
        """Every concept that stands here."""
        return tuple(find(self.words, self.latin))

    @cached_property
    def by_concept(self) -> dict[str, list[Hit]]:
        """The hits of each concept, from left to right."""
        found: dict[str, list[Hit]] = {}
        for hit in self.hits:
            found.setdefault(hit.concept, []).append(hit)
        return found

    def of(self, *concepts: str) -> list[Hit]:
        """The hits of some concepts."""
        known = self.by_concept
        if len(concepts) == 1:
            return known.get(concepts[0], [])
        return [hit for concept in concepts for hit in known.get(concept, ())]

    def span(self, hit: Hit) -> tuple[int, int]:
        """Where a hit stands in the folded text."""
        return self.spans[hit.start][0], self.spans[hit.end - 1][1]

    def _is(self, at: int, *concepts: str) -> bool:
        known = self.by_concept
        for concept in concepts:
            for hit in known.get(concept, ()):
                if hit.start <= at < hit.end:
                    return True
        return False

    def _contentful(self, start: int, end: int) -> list[int]:
        """Places of words that mean something of their own."""
        return [
            at
            for at in range(max(0, start), min(end, len(self.words)))
            if not is_word(self.words[at], "small", self.latin)
            and not self._is(at, "your", "please")
        ]

    @cached_property
    def asks(self) -> tuple[Hit, ...]:
        """The verbs that ask: not "type", "state" and "post" where they are nouns."""
        return tuple(
            hit
            for hit in self.of("ask")
            if not any(one.start < hit.start < one.end for one in self.of("sure"))
            and not (self._is(hit.start, "leaked") and self._is(hit.start - 1, "determiner"))
            if self._commands(hit)
            or (
                not any(self._is(at, "past") for at in range(max(0, hit.start - 3), hit.start))
                and not self._is_done_by_speaker(hit)
                and not (
                    self._is(hit.start, "plain", "attribute")
                    or (self._is(hit.start, "noun too") and self._follows_noun(hit))
                )
            )
        )

    def _is_done_by_speaker(self, hit: Hit) -> bool:
        """Whether the server itself does it: "where should we send the link", not "we need"."""
        before = hit.start - 1
        return before >= 0 and self._is(before, "speaker") and not self._is(hit.start, "wanting")

    def _follows_noun(self, hit: Hit) -> bool:
        """Whether it is a noun by what stands before it: "the blog post", "the shared key"."""
        before = hit.start - 1
        noun = bool(self._contentful(before, hit.start)) and not self._is(before, "joint")
        return before >= 0 and (noun or self._is(before, "determiner"))

    def _commands(self, hit: Hit) -> bool:
        """Whether a word that is a verb or a noun begins what it says, as verbs do."""
        if self._contentful(0, hit.start):
            return False
        linked = self._is(hit.end, "of") and not self._is(hit.end, "joint", "relative", "your")
        return not linked or not self._is(hit.start, "plain", "attribute", "noun too")

    # What denies -----------------------------------------------------------------------------

    @cached_property
    def _denied(self) -> tuple[tuple[int, int, int], ...]:
        """The stretches of words that a negation or an omission covers, and where it stands."""
        found: list[tuple[int, int, int]] = []
        asks = self.asks
        conditions = [hit.start for hit in self.of("if")]
        for hit in self.of("not"):
            if any(start < hit.start for start in conditions) or self._is(hit.end, "your"):
                continue
            after = self._contentful(hit.end, len(self.words))
            if not after or self._is(after[0], "double", "lack"):
                continue
            verb = next((ask for ask in asks if ask.start <= after[0] < ask.end), None)
            first_ask = next((ask for ask in asks if ask.start >= hit.end), None)
            # "Never ask you to enter" denies the entering; "no worries, enter" does not.
            if first_ask is not None and verb is None and first_ask.start > after[0] + 1:
                found.append((hit.end, first_ask.start, hit.start))
            else:
                found.append((hit.end, self._end_of_scope(after[0] + 1), hit.start))
            leading = (*asks, *self.of("relative"))
            if (
                not self._is_unspaced(hit)
                and self._is(after[0], "ask", "need", "keep")
                and not any(other.start < hit.start for other in leading)
            ):
                found.append((0, hit.start, hit.start))
        for hit in self.of("not after"):
            # Languages that deny at the end: what stands before is denied.
            found.append((0, hit.end, hit.start))
        for hit in self.of("no"):
            after = self._contentful(hit.end, hit.end + _NEAR)
            # What is another language's "in the" denies nothing.
            if after and after[0] == hit.end and not self._lacks():
                found.append((hit.end, self._end_of_none(after), hit.start))
        for hit in self.of("omit"):
            found.append((hit.end, self._end_of_scope(hit.end), hit.start))
        for hit in self.of("not needed"):
            found.append((0, hit.end, hit.start))
        return tuple(found)

    def _end_of_none(self, after: list[int]) -> int:
        """Where it ends what there is none of: with what is said of it in "no mail is sent"."""
        said = len(after) > 1 and any(self._is(at, "becomes") for at in range(*after[:2]))
        return (after[1] if said else after[0] + 1) + 1

    def _lacks(self) -> bool:
        return bool(self.of("lack"))

    def _end_of_scope(self, start: int) -> int:
        for hit in sorted(self.of("but")):
            if hit.start >= start:
                return hit.start
        return len(self.words)

    @property
    def denies_something(self) -> bool:
        """Whether anything in it is denied."""
        return bool(self._denied)

    def denies(self, hit: Hit) -> bool:
        """Whether a hit stands in what is denied, left out or only quoted."""
        return self._is_denied(hit) or self._mentions(hit)

    def _is_denied(self, hit: Hit) -> bool:
        # What holds the negation itself is not denied by it: "need not read".
        return any(
            start <= hit.start < end and not hit.start <= by < hit.end
            for start, end, by in self._denied
        )

    def _mentions(self, hit: Hit) -> bool:
        if not self.quoted[hit.start]:
            return False
        opening = hit.start
        while opening and self.quoted[opening - 1]:
            opening -= 1
        if opening == 0 and self.quotes is not None:
            last = len(self.quotes.words)
            return self.quotes._mentions(Hit(hit.concept, last - 1, last))
        before = self._contentful(0, opening)
        return bool(before) and not any(self._is(at, "ask") for at in before[-2:])

    def _is_unspaced(self, hit: Hit) -> bool:
        return not self.words[hit.start].isascii() and len(self.words[hit.start]) == 1
