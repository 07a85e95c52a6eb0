"""Words between two marks of punctuation, and the concepts in them: single ones, and rows."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import field
from functools import lru_cache
from operator import attrgetter
from typing import Final

from elicit_tui.dataclass import dataclass
from elicit_tui.guardian.pages import rows, step_concept
from elicit_tui.guardian.words import Hit, find, is_word
from elicit_tui.kept import kept

_LITTLE, _HOURS, _FEW_WORDS = 4, 24, 3
_FAR, _MOST_TRIED = 12, 100
"""How many words may stand between two concepts of a row, and how many beginnings are tried."""
MARKS: Final = " \t\n*_`~"
"""Blanks, and how Markdown marks words."""


_of_few: Final = lru_cache(maxsize=4096)(find)  # Names, labels and choices come again and again.


@dataclass(eq=False)
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
    is_example: bool = False
    """Whether a question outside is about it: 'A mail says: "…". What gives it away?'."""
    opens: bool = True
    """Whether it begins its sentence."""
    quotes: Words | None = None
    """The clause before it, where a quotation that begins there goes on here."""
    before: Words | None = field(default=None, repr=False)
    after: Words | None = field(default=None, repr=False)
    """Its neighbours in its sentence."""
    listed: Words | None = field(default=None, repr=False)
    """The clause behind its colon."""

    @kept
    def _found(self) -> dict[str, list[Hit]]:
        words, latin, few = self.words, self.latin, len(self.words) <= _FEW_WORDS
        found = _of_few((*words,), latin).copy() if few else find(words, latin)
        numbers = [at for at, word in enumerate(self.words) if word.isdecimal()]
        if clocks := [hit for at in numbers for hit in self._clock(at, self.words[at])]:
            found["clock"] = clocks
        return found

    def _clock(self, at: int, word: str) -> Iterator[Hit]:
        """A time of the day that is told by a clock: "18:00", "18 h"."""
        behind = self.words[at + 1] if at + 1 < len(self.words) else ""
        if len(word) <= len("23") and behind:
            minutes = behind.isdecimal() and self.gaps[at + 1] in (":", ".") and len(behind) == 2
            if int(word) <= _HOURS and (minutes or is_word(behind, "o clock", self.latin)):
                yield Hit("clock", at, at + 2)

    @kept
    def by_concept(self) -> dict[str, list[Hit]]:
        """The hits of each concept that stands here, from left to right, and of rows of them."""
        found, known = self._found, rows()
        added: dict[str, list[Hit]] = {}
        stands = found.keys()
        ending = [row for it in stands & known.keys() for row in known[it] if row[3] <= stands]
        for _, name, row, _ in sorted(ending):
            if row[0] not in found and not self.before:
                continue
            for begin in self._beginning(row[0])[:_MOST_TRIED]:
                end = self._end_of_row(row[1:], begin.end)
                # "What you type here" is an answer to this request.
                here = name.endswith(" there") and any(self._is(end + it, "here") for it in (0, 1))
                if end and not here:
                    added.setdefault(name, []).append(Hit(name, begin.start, end))
        if not added:
            return found
        return found | {name: [*found.get(name, ()), *hits] for name, hits in added.items()}

    def _beginning(self, concept: str) -> list[Hit]:
        """Its hits, and what goes on from one that ends the clause before: "the word, which"."""
        before = self.before
        begins = list(self._found.get(concept, ()))
        ends = before._found.get(concept, ())[-1:] if before else []
        # In German the verb ends the clause: "die Datei einfügen, die kubectl liest".
        to_end = [range(end.end, len(before.words)) for end in ends] if before else []
        if before and any(all(before._is(at, "ask", "inside") for at in rest) for rest in to_end):
            begins += [clause for clause in self._found.get("relative", ()) if clause.start <= 1]
        return begins

    @kept
    def _ends(self) -> dict[str, dict[int, int]]:
        """Where the hits of a concept end, by where they begin, once a row has asked for it."""
        return {}

    def _end_of_row(self, row: Sequence[str], start: int) -> int:
        """Where a row of concepts ends that goes on from a word; 0 where it does not."""
        if not row:
            return start
        concept = step_concept(row[0])
        hits = self._found.get(concept, ())
        next_one = hits[bisect_left(hits, (concept, start)) :][:1] if hits else ()
        if not next_one or next_one[0].start >= start + _FAR:
            return 0
        if concept not in self._ends:
            self._ends[concept] = {hit.start: hit.end for hit in hits}
        left, ends = 0 if concept == row[0] else _LITTLE, self._ends[concept]
        for at in range(start, min(start + _FAR, len(self.words))):
            end = ends.get(at, 0)
            if end and (found := self._end_of_row(row[1:], end)):
                return found
            left -= len(self._contentful(at, at + 1))
            if left < 0 or self._is(at, "joint", "here"):
                break
        return 0

    def of(self, *concepts: str) -> list[Hit]:
        """The hits of some concepts."""
        found = self.by_concept
        if len(concepts) == 1:
            return found.get(concepts[0], [])
        return [hit for concept in concepts if concept in found for hit in found[concept]]

    def is_repeated(self, hit: Hit) -> bool:
        """Whether the hit before it stands amid the same words, so that it tells nothing new.

        What lies between the two lies before the first and behind the second one as well.
        """
        hits = self.of(hit.concept)
        before = hits[max(bisect_left(hits, hit) - 1, 0)]
        first, last = before.start - _FAR, hit.end + _FAR
        apart = hit.start - before.start
        if first < 0 or last > len(self.words) or not 0 < apart <= _FAR:
            return False
        told = (self.words, self.gaps, self.quoted)
        return all(it[first : last - apart] == it[first + apart : last] for it in told)

    def span(self, hit: Hit) -> tuple[int, int]:
        """Where a hit stands in the folded text."""
        return self.spans[hit.start][0], self.spans[hit.end - 1][1]

    def said(self, hit: Hit) -> str:
        """Its words, folded."""
        return " ".join(self.words[hit.start : hit.end])

    def _is(self, at: int, *concepts: str) -> bool:
        found = self._found
        for concept in concepts:
            if hits := found.get(concept):
                # Those of one concept begin and end one behind the other.
                last = bisect_left(hits, (concept, at + 1)) - 1
                if last >= 0 and at < hits[last].end:
                    return True
        return False

    def ends_at(self, end: int, concept: str) -> bool:
        """Whether a hit of a concept ends where a word begins."""
        hits = self.of(concept)
        at = bisect_left(hits, end, key=attrgetter("end"))
        return at < len(hits) and hits[at].end == end

    @kept
    def _content(self) -> list[int]:
        """Places of all words that mean something of their own."""
        small = {word for word in {*self.words} if is_word(word, "small", self.latin)}
        hits = (hit for it in ("your", "please") for hit in self._found.get(it, ()))
        of_none = {at for hit in hits for at in range(hit.start, hit.end)}
        return [at for at, word in enumerate(self.words) if word not in small and at not in of_none]

    def _contentful(self, start: int, end: int) -> list[int]:
        """Those of them from one place to before another.

        A hostile clause asks for this at each of its words, so all are looked up once.
        """
        content = self._content
        return content[bisect_left(content, start) : bisect_left(content, end)]

    def between(self, at: int) -> str:
        """What stands before a word and no white space or Markdown is."""
        return self.gaps[at].strip(MARKS)

    @kept
    def is_cited(self) -> bool:
        """Whether all of it is quoted behind a colon: 'A mail says: "Your account …"'."""
        led = self.quotes
        return all(self.quoted) and (":" in self.gaps[0] if led is None else led.is_cited)

    def _is_genitive(self, at: int) -> bool:
        """Whether it is the "s" of "the admin's"."""
        return self.words[at : at + 1] == ["s"] and self.gaps[at] in ("'", "’", "`")
