"""Words between two marks of punctuation: the concepts in them, what asks, and what is denied."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import field
from itertools import chain, takewhile
from typing import Final

from elicit_tui.dataclass import dataclass
from elicit_tui.guardian.kept import kept
from elicit_tui.guardian.pages import rows, step_concept
from elicit_tui.guardian.words import Hit, find, is_unspaced, is_word

_NEAR, _FEW, _MOST_ITEMS, _HOURS = 4, 2, 60, 24
_FAR: Final = 12
"""How many words may stand between two concepts of a row, small ones too."""
MARKS: Final = " \t\n*_`~"
"""Blanks, and how Markdown marks words."""


_Stretch = tuple[int, int, int]
"""Where words begin and end that are denied, and where that is said."""


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
        found = find(self.words, self.latin)
        if clocks := [hit for at, word in enumerate(self.words) for hit in self._clock(at, word)]:
            found["clock"] = clocks
        return found

    def _clock(self, at: int, word: str) -> Iterator[Hit]:
        """A time of the day that is told by a clock: "18:00", "18 h"."""
        behind = self.words[at + 1] if at + 1 < len(self.words) else ""
        if word.isdecimal() and len(word) <= len("23") and behind:
            minutes = behind.isdecimal() and self.gaps[at + 1] in (":", ".") and len(behind) == 2
            if int(word) <= _HOURS and (minutes or is_word(behind, "o clock", self.latin)):
                yield Hit("clock", at, at + 2)

    @kept
    def by_concept(self) -> dict[str, list[Hit]]:
        """The hits of each concept that stands here, from left to right, and of rows of them."""
        found = self._found
        known = found
        ending = (row for concept in found for row in rows().get(concept, ()))
        for _, name, row, needs in sorted(ending):
            if (row[0] not in found and not self.before) or not needs <= found.keys():
                continue
            for begin in self._beginning(row[0]):
                end = self._end_of_row(row[1:], begin.end)
                # "What you type here" is an answer to this request.
                here = name.endswith(" there") and (
                    self._is(end, "here") or self._is(end + 1, "here")
                )
                if end and not here:
                    known = {**known, name: [*known.get(name, ()), Hit(name, begin.start, end)]}
        return known

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
    def _ends(self) -> dict[tuple[str, int], int]:
        return {(hit.concept, hit.start): hit.end for hits in self._found.values() for hit in hits}

    def _end_of_row(self, row: Sequence[str], start: int) -> int:
        """Where a row of concepts ends that goes on from a word; 0 where it does not."""
        if not row:
            return start
        concept = step_concept(row[0])
        left = 0 if concept == row[0] else _NEAR
        for at in range(start, min(start + _FAR, len(self.words))):
            end = self._ends.get((concept, at), 0)
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

    def span(self, hit: Hit) -> tuple[int, int]:
        """Where a hit stands in the folded text."""
        return self.spans[hit.start][0], self.spans[hit.end - 1][1]

    def said(self, hit: Hit) -> str:
        """Its words, folded."""
        return " ".join(self.words[hit.start : hit.end])

    def _is(self, at: int, *concepts: str) -> bool:
        for hits in filter(None, map(self._found.get, concepts)):
            # Those of one concept begin and end one behind the other.
            last = bisect_left(hits, (hits[0].concept, at + 1)) - 1
            if last >= 0 and at < hits[last].end:
                return True
        return False

    @kept
    def _content(self) -> list[int]:
        """Places of all words that mean something of their own."""
        return [
            at
            for at, word in enumerate(self.words)
            if not is_word(word, "small", self.latin) and not self._is(at, "your", "please")
        ]

    def _contentful(self, start: int, end: int) -> list[int]:
        """Those of them from one place to before another.

        A hostile clause asks for this at each of its words, so all are looked up once.
        """
        content = self._content
        return content[bisect_left(content, start) : bisect_left(content, end)]

    def between(self, at: int) -> str:
        """What stands before a word and no white space or Markdown is."""
        return self.gaps[at].strip(MARKS)

    def _is_genitive(self, at: int) -> bool:
        """Whether it is the "s" of "the admin's"."""
        return self.words[at : at + 1] == ["s"] and self.gaps[at] in ("'", "’", "`")

    def _is_told_of_it(self, attribute: Hit) -> bool:
        """Whether it says how a value is and is not asked for: "password max 20 characters"."""
        start, end = attribute[1:]
        behind = self.words[end : end + 1] if self._is(start, "bound") else []
        # "The password field's value", "symbol by symbol".
        held = end + self._is_genitive(end)
        holds = self._is(start, "anything") and self._is(held, "bare value")
        again = self.words[end + 1 : end + 2] == self.words[start:end]
        return holds or again or "".join(behind).isdigit()

    @property
    def is_courtesy(self) -> bool:
        """Whether it only thanks: "Thank you!"."""
        return bool(self.of("please")) and not self._content

    @kept
    def asks(self) -> tuple[Hit, ...]:
        """The verbs that ask: not "type", "state" and "post" where they are nouns."""
        return tuple(
            hit
            for hit in self.of("ask")
            if not any(clause.start < hit.start < clause.end for clause in self.of("sure"))
            and not (self._is(hit.start, "leaked") and self.words[hit.start].endswith("ed"))
            if self._commands(hit)
            or (
                not any(self._is(at, "past") for at in range(max(0, hit.start - 3), hit.start))
                and not self._is_done_by_speaker(hit)
                and not self._is_noun(hit)
            )
        )

    def _is_noun(self, hit: Hit) -> bool:
        is_either = self._is(hit.start, "noun too") and self._follows_noun(hit)
        return self._is(hit.start, "plain", "attribute") or is_either

    def is_thing(self, hit: Hit) -> bool:
        """Whether what could be a verb is a thing here: "look for the type error"."""
        return self._is_noun(hit) and not self._commands(hit)

    def _is_done_by_speaker(self, hit: Hit) -> bool:
        """Whether the server itself does it: "where shall we send the link", not "we need"."""
        before = hit.start - 1
        while before > 0 and not self._contentful(before, before + 1):
            if self._is(before, "speaker", "your"):
                break
            before -= 1
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

    @kept
    def _denied_here(self) -> tuple[_Stretch, ...]:
        """The stretches of words that a negation or an omission covers, and where it stands."""
        negated = (self._negated(hit) for hit in self.of("not") if self._negates(hit))
        # Languages that deny at the end: what stands before is denied.
        ends = (hit for hit in self.of("not after", "not needed") if not self._only_says_how(hit))
        before = ((self._opened(hit.start), hit) for hit in ends)
        return (
            *chain.from_iterable(negated),
            *((start, hit.end, hit.start) for start, hit in before),
            *self._of_nothing(),
            *self._left_out(),
        )

    def _only_says_how(self, hit: Hit) -> bool:
        """Whether what is denied is how one shall answer: "말하지 않고 입력하세요"."""
        is_led = any(hit.start - _FEW <= ask.end <= hit.end for ask in self.asks)
        goes_on = any(ask.start >= hit.end for ask in self.asks)
        return is_unspaced(self.words[hit.start]) and goes_on and not is_led

    def _negates(self, hit: Hit) -> bool:
        """Whether a negation denies what stands beside it."""
        # "Not your PIN" is no denial of it; "nous ne vous demandons pas" is one.
        asked = any(it.start == hit.end + 1 or hit.start < it.start < hit.end for it in self.asks)
        contrasts = self._is(hit.end, "your") and not asked
        # "Nothing but your password" is no denial of it either; "nothing will be lost" is one.
        excepts = self._is(hit.end, "but", "omit") and not self._is(hit.end, "goes on")
        conditions = self.of("if")
        return not (contrasts or excepts or any(it.start < hit.start for it in conditions))

    def _negated(self, hit: Hit) -> Iterator[_Stretch]:
        """What a negation covers: behind it, and before it where it stands at the end."""
        opened, asks = self._opened(hit.start), self.asks
        after = self._contentful(hit.end, len(self.words))
        if not after and self.of("need"):
            # "Die PIN brauchen wir nicht": what stands before the verb.
            yield opened, hit.start, hit.start
        if not after and self._is(hit.start, "nothing"):
            # "Ik verwijder niets": what stands right before it.
            yield hit.start - 1, hit.start, hit.start
        if not after or self._is(after[0], "double", "lack"):
            return
        is_asked = any(ask.start <= after[0] < ask.end for ask in asks)
        next_ask = next((ask.start for ask in asks if ask.start >= hit.end), 0)
        # "Never ask you to enter" denies the entering; "no worries, enter" does not.
        is_apart = not is_asked and next_ask > after[0] + 1
        scope = next_ask if is_apart else self._end_of_scope(after[0] + 1)
        yield hit.end, self._end_of_quality(hit, after[0]) or scope, hit.start
        leading = (*asks, *self.of("relative"))
        if (
            not is_unspaced(self.words[hit.start])
            and self._is(after[0], "ask", "need", "keep", "loss")
            and not any(other.start < hit.start for other in leading)
            and not self._is_joined(hit.start)
        ):
            yield opened, hit.start, hit.start

    def _end_of_quality(self, hit: Hit, first: int) -> int:
        """Where a negation ends that only says which: "your never shared password"; else 0."""
        asked = max((ask.end for ask in self.asks if ask.end <= hit.start), default=0)
        if is_unspaced(self.words[hit.start]):
            # "不含空格的密码", "不告诉任何人的情况下输入"; of "您的密码" it says nothing.
            marks = [at for at in range(hit.end, len(self.words)) if self.words[at] == "的"]
            whose = [at for at in marks if self._is(at - 1, "your", "plain", "account of yours")]
            end = next((at for at in marks if at not in whose), 0)
            amid = any(hit.end <= ask.start < end for ask in self.asks)
            behind = next((it.start for it in self.asks if it.start > end > 0), 0)
            return end if asked and not amid else behind
        if self._is(hit.start - 1, "your") and not self._is(hit.start - 1, "person"):
            return first + 1
        # "Введите никому не известный пароль": what is asked for is told at once.
        between, told = range(asked, hit.start), self._contentful(asked, hit.start)
        apart = ("joint", "plain", "attribute", "your", "whether", *["relative"][: len(told)])
        if any(self._is(at, *apart) for at in between) or self._is(hit.start, "nothing"):
            return 0
        other = self._is(hit.end, "determiner", "your") or self._is(first, "ask", "need", "plain")
        return first + 1 if asked and len(told) < _FEW and not other else 0

    def _of_nothing(self) -> Iterator[_Stretch]:
        """What there is none of: "no password is needed"."""
        for hit in self.of("no"):
            after = self._contentful(hit.end, hit.end + _NEAR)
            # What is another language's "in the" denies nothing.
            if after and after[0] == hit.end and not self.of("lack"):
                # It ends with what is said of it in "no mail is sent".
                said = len(after) > 1 and any(self._is(at, "becomes") for at in range(*after[:2]))
                yield hit.end, (after[1] if said else after[0] + 1) + 1, hit.start

    def _left_out(self) -> Iterator[_Stretch]:
        """What is left out: "without your PIN"."""
        for hit in self.of("omit"):
            # "Sauf si vous approuvez": it goes on where that is done; "nothing except" asks for it.
            if not self._is(hit.end, "if") and not self._is(hit.start - 1, "not"):
                # "318 contacts without a reply will be removed": they will.
                ends = (it.start for it in self.of("becomes", "goes on") if it.start > hit.end + 1)
                quality = is_unspaced(self.words[hit.start]) and self._end_of_quality(hit, hit.end)
                yield hit.end, quality or min((*ends, self._end_of_scope(hit.end))), hit.start

    def _is_joined(self, at: int) -> bool:
        """Whether a negation is the next of two orders: "forget the rules and do not tell"."""
        return any(j.end <= at and not self._contentful(j.end, at) for j in self.of("joint"))

    def _opened(self, at: int) -> int:
        """Where the bracket begins that a word stands in: "Your password (never shared)"."""
        for place in range(at, 0, -1):
            opening, closing = self.gaps[place].rfind("("), self.gaps[place].rfind(")")
            if opening != closing:
                return place if opening > closing else 0
        return 0

    @kept
    def _denied(self) -> tuple[_Stretch, ...]:
        """The same, and items of a list with one that is: "We never ask for codes or PINs."."""
        if self._is_repeated_denial():
            return (*self._denied_here, (0, self._end_of_scope(0), -1))
        if self._is_item and (self._goes_on_from_denied() or self._goes_on_to_denied()):
            last = len(self.words)
            return (*self._denied_here, (self._opened(last - 1), last, -1))
        if not self._is_item and self.after is not None and "、" in self.after.gaps[0]:
            # What is asked for ends with its verb, though no mark of a sentence was left.
            start = max(hit.end for hit in (*self.asks, *self.of("please", "but")))
            if start < len(self.words) and self._goes_on_to_denied():
                return (*self._denied_here, (start, len(self.words), -1))
        return self._denied_here

    def _is_repeated_denial(self) -> bool:
        """Whether only "Never, but never," stands before it."""
        again = self.before
        first = again.before if again else None
        if again is None or first is None or again.words[-1] != first.words[-1]:
            return False
        nots = all(again._is(at, "not", "but") for at in again._content)
        return nots and first._is(len(first.words) - 1, "not") and again._is(0, "but")

    @kept
    def _is_item(self) -> bool:
        return not (self.asks or self.of("please", "but"))

    @kept
    def _joins(self) -> bool:
        return bool(self.of("joint")) or "、" in self.gaps[0]

    def _goes_on_from_denied(self) -> bool:
        items = [self, *takewhile(lambda clause: clause._is_item, self._along("after"))]
        if not any(clause._joins for clause in items):
            return False
        return any(
            end >= len(clause.words) and clause._is(by, "not", "omit")
            for clause in self._along("before", until_asked=True)
            for _, end, by in clause._denied_here
        )

    def _goes_on_to_denied(self) -> bool:
        return any(
            clause._joins and start == 0
            for clause in self._along("after", until_asked=True)
            for start, _, _ in clause._denied_here
        )

    @property
    def lists_attributes(self) -> bool:
        """Whether its sentence is a list of what can be said of things: "label, scope, expiry"."""
        known = [
            clause._is(at, "attribute", "plain", "joint")
            and (len(clause.words) == 1 or not (clause.asks or clause.of("apart")))
            for clause in (self, *self.near)
            for at in clause._content
        ]
        return len(known) > 1 and all(known)

    @property
    def near(self) -> list[Words]:
        """The other clauses of its sentence."""
        return [*self._along("before"), *self._along("after")]

    def _along(self, way: str, *, until_asked: bool = False) -> Iterator[Words]:
        """The clauses on one side of it; `until_asked`: up to the first that is no item."""
        clause, left = getattr(self, way), _MOST_ITEMS
        while clause is not None and left:
            yield clause
            left -= 1
            clause = None if until_asked and not clause._is_item else getattr(clause, way)

    def _end_of_scope(self, start: int) -> int:
        ends = [hit.start for hit in self.of("but") if hit.start >= start]
        return min(ends, default=len(self.words))

    @property
    def denies_something(self) -> bool:
        """Whether anything in it is denied."""
        return bool(self._denied)

    def denies(self, hit: Hit) -> bool:
        """Whether a hit stands in what is denied, left out or only quoted."""
        return self.is_denied(hit) or self._mentions(hit)

    def is_denied(self, hit: Hit) -> bool:
        """Whether a hit stands in what is denied or left out."""
        # What holds the negation itself is not denied by it: "need not read".
        return any(
            start <= hit.start < end and not hit.start <= by < hit.end
            for start, end, by in self._denied
        )

    def _mentions(self, hit: Hit) -> bool:
        if not self.quoted[hit.start] or self.is_label(hit):
            return False
        opening = self._opening(hit)
        if opening == 0 and self.quotes is not None:
            last = len(self.quotes.words)
            return self.quotes._mentions(Hit(hit.concept, last - 1, last))
        before = self._contentful(0, opening)
        return bool(before) and not self._is(before[-1], "ask")

    def _opening(self, hit: Hit) -> int:
        opening = hit.start
        while opening and self.quoted[opening - 1]:
            opening -= 1
        return opening

    def is_label(self, hit: Hit) -> bool:
        """Whether the quoted words stand beside what is meant: "the line under 'API key'"."""
        return self.quoted[hit.start] and self._is(self._opening(hit) - 1, "labelled")
