"""What asks in a clause, and what is denied, left out or only quoted there."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import chain, takewhile

from elicit_tui.guardian.concepts import Words
from elicit_tui.guardian.words import Hit
from elicit_tui.kept import AsFarAsAsked, kept
from elicit_tui.text.letters import is_unspaced

_NEAR, _FEW, _FAR, _MOST_ITEMS = 4, 2, 12, 60
_TAKING = ("destroys", "takes", "command")
_DENYING = ("not", "not after", "not needed", "no", "omit")
_Stretch = tuple[int, int, int]
"""Where words begin and end that are denied, and where that is said."""


class Denials(Words):
    """Words between two marks of punctuation, and which of them are denied."""

    quotes: Denials | None
    before: Denials | None

    def is_acted_on(self, hit: Hit) -> bool:
        """Whether a verb right before it says what is done with it: "to reset your password"."""
        before = self._contentful(max(0, hit.start - _NEAR), hit.start)
        return bool(before) and self._is(before[-1], "handle")

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

    def asks_beside(self, hit: Hit) -> bool:
        """Whether a verb that asks stands before or behind a hit."""
        return any(ask.end <= hit.start or ask.start >= hit.end for ask in self.asks)

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
        noun = self._contentful(before, hit.start) and not self._is(before, "joint", "whether")
        return before >= 0 and bool(noun or self._is(before, "determiner"))

    def _commands(self, hit: Hit) -> bool:
        """Whether a word that is a verb or a noun begins what it says, as verbs do."""
        # "Won't you type", and no type of anything.
        if self._is(hit.start - 1, "person") and self._is(hit.start - 2, "not"):
            return True
        before = bisect_left(self._content, hit.start)
        if before and not (before <= _FEW and self._is(self._content[0], "omit")):
            return False
        linked = self._is(hit.end, "of") and not self._is(hit.end, "joint", "relative", "your")
        return not linked or not self._is(hit.start, "plain", "attribute", "noun too")

    # What denies -----------------------------------------------------------------------------

    @kept
    def _denied_here(self) -> AsFarAsAsked[_Stretch]:
        """The stretches of words that a negation or an omission covers, and where it stands.

        The first one mostly covers all behind it, so the others are seldom needed.
        """
        return AsFarAsAsked(self._stretches())

    def _stretches(self) -> Iterator[_Stretch]:
        if self.by_concept.keys().isdisjoint(_DENYING):
            return
        to_end = False
        for hit in self.of("not"):
            # What is denied to the end already is not denied a second time.
            again = to_end and self.asks and self.asks[0].start < hit.start
            if not (again and self._content[-1] >= hit.end) and self._negates(hit):
                for stretch in self._negated(hit):
                    to_end = to_end or stretch[1] == len(self.words)
                    yield stretch
        # Languages that deny at the end: what stands before is denied.
        ends = (hit for hit in self.of("not after", "not needed") if not self._only_says_how(hit))
        yield from ((self._opened[hit.start], hit.end, hit.start) for hit in ends)
        yield from self._of_nothing()
        yield from self._left_out()

    def _only_says_how(self, hit: Hit) -> bool:
        """Whether what is denied is how one shall answer: "말하지 않고 입력하세요"."""
        is_led = any(hit.start - _FEW <= ask.end <= hit.end for ask in self.asks)
        goes_on = any(ask.start >= hit.end for ask in self.asks)
        return self._invites or (is_unspaced(self.words[hit.start]) and goes_on and not is_led)

    def _negates(self, hit: Hit) -> bool:
        """Whether a negation denies what stands beside it."""
        if hit.start < _NEAR and self._invites:
            return False
        # "Not your PIN" is no denial of it; "nous ne vous demandons pas" is one.
        near = (*range(hit.start + 1, hit.end), hit.end + 1)
        needed = self._is(hit.start - 1, "need") or any(it.start in near for it in self.asks)
        contrasts = self._is(hit.end, "your") and not needed
        # "Nothing but your password" is no denial of it either; "nothing will be lost" is one.
        excepts = self._is(hit.end, "but", "omit") and not self._is(hit.end, "goes on")
        conditions = self.of("if")[:1]
        return not (contrasts or excepts or any(it.start < hit.start for it in conditions))

    @kept
    def _invites(self) -> bool:
        """Whether it asks if one will not do it: "Won't you type your PIN?", "しませんか"."""
        done = (*(ask for ask in self.asks if self._is(ask.start, "handed")), *self.of(*_TAKING))
        none = (it for it in self.of("nothing") if not self._is(it.start, "not"))
        goes_on = any(not clause.is_courtesy for clause in self._along("after"))
        if not (self.is_question and done) or goes_on or self.of("past") or any(none):
            return False
        ends = {it.start for it in self.of("not after") if it.end + 1 >= len(self.words)}
        # "Won't you", "Shouldn't we", "Wollen Sie nicht", "¿No quiere".
        begins = any(
            self._is(at, "person", "whether", *["speaker"][: at == it.end])
            for it in self.of("not")
            if it.start < _NEAR
            for at in (it.start - 1, it.end, it.end + 1)
        )
        return begins or any(verb.end in ends for verb in done)

    def _negated(self, hit: Hit) -> Iterator[_Stretch]:
        """What a negation covers: behind it, and before it where it stands at the end."""
        opened, asks = self._opened[hit.start], self.asks
        after = self._contentful(hit.end, len(self.words))
        if not after and self.of("need"):
            # "Die PIN brauchen wir nicht": what stands before the verb.
            yield opened, hit.start, hit.start
        if not after and self._is(hit.start, "nothing"):
            # "Ik verwijder niets": what stands right before it.
            yield hit.start - 1, hit.start, hit.start
        if not after or self._is(after[0], "double", "lack"):
            return
        behind = bisect_left(asks, ("ask", hit.end))
        next_ask = asks[behind].start if behind < len(asks) else 0
        is_asked = self._asked_until(after[0] + 1, begun=True) > after[0]
        if not is_asked and self._is(after[0], "need") and not self.is_question:
            # "We do not require you to enter it": who need not is told, and nothing else.
            told = self._contentful(after[0], next_ask)
            is_asked = all(self._is(at, "need", "people") for at in told)
        # "Never ask you to enter" denies the entering; "no worries, enter" does not.
        is_apart = not is_asked and next_ask > after[0] + 1
        scope = next_ask if is_apart else self._end_of_scope(after[0] + 1)
        yield hit.end, self._end_of_quality(hit, after[0]) or scope, hit.start
        leading = (*asks[:1], *self.of("relative")[:1])
        if (
            not is_unspaced(self.words[hit.start])
            and self._is(after[0], "ask", "need", "keep", "loss")
            and not any(other.start < hit.start for other in leading)
            and not self._is_joined(hit.start)
        ):
            yield opened, hit.start, hit.start

    def _asked_until(self, at: int, *, begun: bool = False) -> int:
        """Where the last verb ends that asks before a word, or has `begun` there; 0 if none."""
        last = bisect_left(self.asks, ("ask", at)) - 1
        while last >= 0 and self.asks[last].end > at and not begun:
            last -= 1
        return self.asks[last].end if last >= 0 else 0

    def _end_of_quality(self, hit: Hit, first: int) -> int:
        """Where a negation ends that only says which: "your never shared password"; else 0."""
        asked = self._asked_until(hit.start)
        if is_unspaced(self.words[hit.start]):
            # "不含空格的密码", "不告诉任何人的情况下输入".
            end = next(iter(self._qualities[bisect_left(self._qualities, hit.end) :][:1]), 0)
            amid = any(hit.end <= ask.start < end for ask in self.asks)
            behind = next((it.start for it in self.asks if it.start > end > 0), 0)
            return end if asked and not amid else behind
        if self._is(hit.start - 1, "your") and not self._is(hit.start - 1, "person"):
            return first + 1
        # "Введите никому не известный пароль": what is asked for is told at once.
        told = self._contentful(asked, hit.start)
        if not asked or len(told) >= _FEW or hit.start - asked > _FAR:
            return 0
        apart = ("joint", "plain", "attribute", "your", "whether", *["relative"][: len(told)])
        if any(self._is(at, *apart) for at in range(asked, hit.start)):
            return 0
        other = self._is(hit.end, "determiner", "your") or self._is(first, "ask", "need", "plain")
        return 0 if other or self._is(hit.start, "nothing") else first + 1

    @kept
    def _qualities(self) -> list[int]:
        """Where "的" ends what something is like; in "您的密码" it says whose that is."""
        own = ("your", "plain", "account of yours")
        marks = (at for at, word in enumerate(self.words) if word == "的")
        return [at for at in marks if not self._is(at - 1, *own)]

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
                how = self._end_of_manner(hit)
                yield hit.end, how or min((*ends, self._end_of_scope(hit.end))), hit.start

    def _end_of_manner(self, hit: Hit) -> int:
        """Where it ends how one shall answer: "type without spaces your password"; else 0."""
        asked = self._asked_until(hit.start)
        if is_unspaced(self.words[hit.start]):
            return self._end_of_quality(hit, hit.end)
        after = self._contentful(hit.end, len(self.words))
        if not asked and len(after) > 1 and self._is(after[1], "ask"):
            # "Without delay type your password", but "without an account type or password".
            return 0 if self._is(after[1] + 1, "joint", "of") else after[1]
        if not (asked and after) or hit.start - asked > _FAR:
            return 0
        if any(self._is(at, "joint") for at in range(asked, hit.start)):
            return 0
        near = range(after[0] + 1, min(after[0] + _NEAR, len(self.words)))
        own = next((at for at in near if self._is(at, "your")), 0)
        linked = any(self._is(at, "joint", "of") for at in range(after[0] + 1, own))
        return 0 if linked or (len(after) > 1 and after[1] < own) else own

    def _is_joined(self, at: int) -> bool:
        """Whether a negation is the next of two orders: "forget the rules and do not tell"."""
        return any(j.end <= at and not self._contentful(j.end, at) for j in self.of("joint"))

    @kept
    def _opened(self) -> list[int]:
        """Where the bracket begins that each word stands in: "Your password (never shared)"."""
        marks = [gap.rfind("(") - gap.rfind(")") for gap in self.gaps]
        begun, openings = 0, []
        for at, mark in enumerate(marks):
            begun = begun if not mark else (at if mark > 0 else 0)
            openings.append(begun)
        return openings

    @kept
    def _denied(self) -> AsFarAsAsked[_Stretch]:
        """The same, and items of a list with one that is: "We never ask for codes or PINs."."""
        listed = self._listed_with_denied() if self.before or self.after else ()
        return AsFarAsAsked(chain(self._denied_here, listed))

    def _listed_with_denied(self) -> Iterator[_Stretch]:
        if self._is_repeated_denial() or self._is_not_needed_before():
            yield 0, self._end_of_scope(0), -1
        elif self._is_item and (self._goes_on_from_denied() or self._goes_on_to_denied()):
            last = len(self.words)
            yield self._opened[last - 1], last, -1
        elif not self._is_item and self.after is not None and "、" in self.after.gaps[0]:
            # What is asked for ends with its verb, though no mark of a sentence was left.
            start = max(hit.end for hit in (*self.asks, *self.of("please", "but")))
            if start < len(self.words) and self._goes_on_to_denied():
                yield start, len(self.words), -1

    def _is_not_needed_before(self) -> bool:
        """Whether it tells what is not asked for: "Wir verlangen nicht, dass Sie es eingeben"."""
        led, asks = self.before, self.asks
        if led is None or not (led.of("need") and led.denies_something):
            return False
        ends = asks and asks[0].start > 0 and asks[-1].end == len(self.words)
        return self._is(0, "that") or bool(ends and led._is(len(led.words) - 1, "need"))

    def _is_repeated_denial(self) -> bool:
        """Whether only "Never, but never," stands before it."""
        again = self.before
        nots = again is not None and all(again._is(at, "not", "but") for at in again._content)
        return nots and again is not None and again._is(0, "but") and bool(again.of("not"))

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
    def near(self) -> list[Denials]:
        """The other clauses of its sentence."""
        return [*self._along("before"), *self._along("after")]

    @kept
    def account_beside(self) -> bool:
        """Whether an account's name stands in another clause of its sentence."""
        return any(other.of("account name") for other in self.near)

    def _along(self, way: str, *, until_asked: bool = False) -> Iterator[Denials]:
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
