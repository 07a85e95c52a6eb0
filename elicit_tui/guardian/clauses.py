"""A text cut into clauses, and what each clause says about the words that were found in it.

Whatever speaks against a finding is decided here, and it speaks for its own span alone. A hit is

- VOID when it is denied ("do not enter your password", "your password is not needed"), left out
  ("leave out card numbers") or only quoted ("how would you say 'enter your password'?");
- ABOUT when something else is the thing: an attribute behind it ("password length"), a noun before
  it that it belongs to ("title of the article about passwords"), a question for something else
  ("which vault holds the token?"), the purpose of another request ("enter your name to reset your
  password"), an act upon it ("rotate the token"), a report ("the token was revoked");
- ASKED when a verb that asks governs it, or a question asks for it itself ("what is your PIN?"),
  or when it stands alone as what is wanted ("Your API key, please");
- NAMED otherwise.

No clause changes what another one says, so no sentence that is added can take a finding away.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from elicit_tui.guardian.denials import Words
from elicit_tui.guardian.words import Hit, is_word

_NEAR: Final = 4
_FEW: Final = 2
_PARTS: Final = ("/", "\\", "&", "+", "|", "=", ">", "›", "»", "→")
"""What stands between things of which none belongs to the other, and in the way to a page."""


class Standing(IntEnum):
    """How a clause speaks of a hit."""

    VOID = 0
    ABOUT = 1
    NAMED = 2
    ASKED = 3


class Clause(Words):
    """Words between two marks of punctuation, and how they speak of what was found in them."""

    # What else is the thing ------------------------------------------------------------------

    def standing(self, hit: Hit, *, is_act: bool = False) -> Standing:
        """How the clause speaks of a hit."""
        if is_act:
            if self._is_denied(hit):
                return Standing.VOID
            return Standing.ABOUT if self.reports(hit) else Standing.ASKED
        if self.denies(hit):
            return Standing.VOID
        if self.is_label(hit):
            return Standing.ASKED
        held = self._holder_before(hit)
        if (
            not self.is_itself(hit)
            or self._is_purpose(hit)
            or (not held and (self._is_handled(hit) or self._is_told(hit)))
        ):
            return Standing.ABOUT
        if self._asks_for(hit):
            return Standing.ASKED
        return Standing.NAMED

    def is_itself(self, hit: Hit) -> bool:
        """Whether it is the thing, whatever is done with it, and nothing that belongs to it."""
        return not (
            self._attribute_after(hit) or self._belongs_to_other(hit) or self._other_is_asked(hit)
        )

    def hands_over(self, start: int) -> bool:
        """Whether from a word on it asks for what was spoken of before: "paste it here"."""
        return any(
            ask.start >= start
            and not self.denies(ask)
            and any(hit.start == ask.start for hit in self.of("handed"))
            and self._is_only_meant(ask.end)
            for ask in self.asks
        )

    def _is_only_meant(self, start: int) -> bool:
        ends = (link.start for link in self.of("until") if link.start > start)
        said = [*range(start, min((*ends, len(self.words))))]
        told = [at for at in said if at in self._contentful(start, len(self.words))]
        return bool(said) and all(self._is(at, "it", "anything", "shows") for at in told)

    def _holder_before(self, hit: Hit) -> bool:
        return any(self._is(at, "your") for at in range(max(0, hit.start - 3), hit.end))

    def holds(self, hit: Hit) -> bool:
        """Whether the clause says whose it is: the person's."""
        if self._holder_before(hit):
            return True
        for at in range(hit.end, min(len(self.words), hit.end + 3)):
            if self._is(at, "apart"):
                return False
            if self._is(at, "your"):
                return True
        return False

    def is_qualified(self, hit: Hit) -> bool:
        """Whether a word of its own meaning stands right before it, which no verb or number is."""
        before = hit.start - 1
        return (
            before in self._contentful(0, hit.start)
            and not self.words[before].isdigit()
            and not self._is(before, "ask", "handle", "joint", "which", "use", "determiner", "told")
        )

    def ends_with(self, hit: Hit) -> bool:
        """Whether nothing stands behind it but what it is of, from or for."""
        return hit.end == len(self.words) or self._is(hit.end, "of", "until")

    def _joined_between(self, start: int, end: int) -> bool:
        return any(start <= hit.start < end for hit in self.of("joint"))

    def _attribute_after(self, hit: Hit) -> bool:
        at = hit.end
        if at < len(self.words) and self._is_genitive(at):
            at += 1
        if at >= len(self.words):
            return self.listed is not None and self.listed.lists_attributes
        if self.between(at) in _PARTS:
            return False
        for other in self.of("attribute"):
            # "API key file path": what lies between belongs to it too.
            if other.start == at or (other.start == at + 1 and self._is(at, "key part")):
                return True
            if (
                len(self.words[at]) == 1
                and not self.words[at].isascii()
                and at <= other.start <= at + 5
                and not self._joined_between(at, other.start)
                and not any(at <= ask.start < other.start for ask in self.asks)
            ):
                return True
        return False

    def _belongs_to_other(self, hit: Hit) -> bool:
        """Whether a noun stands before it to which it only belongs: "name of the secret"."""
        for other in reversed(self.of("attribute", "plain")):
            if other.end > hit.start or other.start >= hit.start:
                continue
            if any(ask.start == other.start for ask in self.asks):
                continue
            between = range(other.end, hit.start)
            # "The manager's PIN" is the PIN; what it belongs to only says whose.
            if between and self._is_genitive(other.end):
                continue
            if any(other.end <= ask.start < hit.start for ask in self.asks):
                continue
            if any(self.between(at) in _PARTS for at in range(other.end, hit.start + 1)):
                continue
            joints = [j for j in self.of("joint") if other.end <= j.start < hit.start]
            if joints and len(self._contentful(joints[-1].end, hit.start)) <= 1:
                continue
            if not between:
                # Such as a genitive without any small word; else the noun qualifies the hit. Asked
                # of the noun itself: what is disguised elsewhere must not choose the grammar.
                noun = self.words[other.start]
                if not noun.isascii() and self._is(other.start, "attribute"):
                    return True
                continue
            first = self.words[other.end]
            if is_word(first, "small", self.latin) or self._is(other.end, "your", "of", "until"):
                return True
        return False

    def _other_is_asked(self, hit: Hit) -> bool:
        """Whether a question in this clause asks for something else."""
        for question in (*self.of("aside"), *self.whether):
            if question.start < hit.start and not any(
                question.end <= ask.start < hit.start for ask in self.asks
            ):
                return True
            if question.start >= hit.end and self.is_question and self._is_unspaced(hit):
                return True
        for question in self.of("which"):
            if question.end > hit.start:
                continue
            after = self._contentful(question.end, hit.start)
            if self.is_joined(hit) and not any(self._is(at, "told", "handle") for at in after):
                continue
            if after and after[0] == question.end + self._small_after(question.end):
                first = after[0]
                if not self._is(first, "anything", "ask", "use", "own") and not self._is_near_own(
                    first, hit
                ):
                    return True
        return False

    def is_joined(self, hit: Hit) -> bool:
        """Whether it is one of two things: "hint and password"."""
        joints = [joint for joint in self.of("joint") if 0 < joint.start < joint.end <= hit.start]
        return bool(joints) and not [
            at for at in self._contentful(joints[-1].end, hit.start) if not self._is(at, "which")
        ]

    @property
    def whether(self) -> list[Hit]:
        """What makes the clause a question for a yes or no: it begins with it."""
        if not self.is_question or self._is(0, "which"):
            return []
        return [hit for hit in self.of("whether") if hit.start == 0]

    def _small_after(self, at: int) -> int:
        count = 0
        while at + count < len(self.words) and (
            is_word(self.words[at + count], "small", self.latin) or self._is(at + count, "your")
        ):
            count += 1
        return count

    def _is_near_own(self, at: int, hit: Hit) -> bool:
        """Whether words only qualify what follows them at once: "which guest network PIN"."""
        between = [one for one in range(at, hit.start) if not self._is_genitive(one)]
        if self._contentful(at, hit.start) != between:
            return False
        # "What is your mail password?": the person's is one thing, whatever its first word is.
        own = any(self._is(one, "your") for one in range(max(0, at - 2), at))
        return own or not any(
            self._is(one, "attribute", "told", "handle", "use", "ask")
            or (self._is(one, "plain") and not self.words[one].isascii())
            for one in between
        )

    def _is_purpose(self, hit: Hit) -> bool:
        """Whether another thing is asked for, to some end that the hit belongs to."""
        asks = [ask for ask in self.asks if ask.end <= hit.start]
        if not asks:
            return False
        for link in self.of("until"):
            if not (asks[-1].end <= link.start < hit.start):
                continue
            wanted = self._contentful(asks[-1].end, link.start)
            if wanted and not any(
                self._is(at, "anything", "sure", "maybe", "it", "which") for at in wanted
            ):
                return True
        return False

    def _is_handled(self, hit: Hit) -> bool:
        """Whether something is done with it rather than that it is told: "rotate the token"."""
        near = [
            at
            for at in self._contentful(0, hit.start)
            if at >= hit.start - _NEAR
            # "Export of the history": what is wanted, and no act.
            and not (self.words[at] in ("export", "copy", "dump") and self.words[at + 1] == "of")
        ]
        if any(self._is(at, "handle") for at in near[-2:]):
            return not any(self._is(at, "ask") for at in near)
        behind = (hit.end <= other.start <= hit.end + _NEAR for other in self.of("handle"))
        return self._is_unspaced(hit) and not self.asks and any(behind)

    def _is_told(self, hit: Hit) -> bool:
        """Whether something is reported of it: "the token was revoked"."""
        if any(ask.end <= hit.start for ask in self.asks):
            return False
        if self._lacks():
            return False
        ends = (link.start for link in self.of("until") if link.start >= hit.end)
        after = self._contentful(hit.end, min((*ends, hit.end + _NEAR + 2)))
        if after and self._is(after[0], "told"):
            return True
        # "The code of the flat is sent to you": what is told stands behind what it is for.
        opens = not self._contentful(0, hit.start) and self._is(hit.end, "of")
        return opens and any(
            0 < told.start - hit.end <= _NEAR
            and self._opened(told.start) == self._opened(hit.start)
            for told in self.of("predicate")
        )

    def _asks_for(self, hit: Hit) -> bool:
        asks = self.asks
        if any(ask.start != hit.start or ask.end < hit.end for ask in asks) or self.of("please"):
            return True
        for question in self.of("which", "what is"):
            # "Which secret shall it read?" asks for one of several, by its name maybe.
            picks = question.concept == "which" and question.end == hit.start
            if question.end <= hit.start and not picks:
                return True
            if self._is_unspaced(hit) and question.start >= hit.end:
                return True
        return self.stands_alone(hit)

    def is_proposed(self, verb: Hit) -> bool:
        """Whether an act is the server's or the person's, and not what something else does."""
        asked = self.of("asks leave", "speaker", "whether", "your", "anyone", "model")
        return not self._contentful(0, verb.start) or any(one.start < verb.start for one in asked)

    def stands_alone(self, hit: Hit) -> bool:
        """Whether nothing stands before it, and nothing behind it but what it is for."""
        if self.is_question or self.quoted[hit.start] or not self._is_first(hit):
            return False
        ends = hit.end == len(self.words) or self.between(hit.end) in _PARTS
        if ends or self._is(hit.end, "of", "joint"):
            return not any(told.start > hit.end + 1 for told in self.of("found out"))
        after = self._contentful(hit.end, len(self.words))
        return len(after) <= _FEW and not self.of("told", "handle", "lack")

    def _is_first(self, hit: Hit) -> bool:
        """Whether nothing stands before it but that it is the whole of it: "contents of the"."""
        before = self._contentful(0, hit.start)
        of = bool(before) and self._is(before[-1] + 1, "of")
        return not before or (of and all(self._is(at, "anything", "copied") for at in before))

    # Acts ------------------------------------------------------------------------------------

    def reports(self, hit: Hit) -> bool:
        """Whether an act is only spoken of: explained, listed, warned of, or already done."""
        for other in self.of("speaks"):
            of_its_own = other.start > 0 and self._is(other.start, "subscription thing")
            if other.end <= hit.start and not self._contentful(0, other.start) and not of_its_own:
                return True
        for other in self.of("spoken"):
            if other.start <= hit.start and hit.end <= other.end:
                return True
            if other.end <= hit.start and hit.start - other.end <= 2:
                return True
            if other.start >= hit.end and other.start - hit.end <= 2:
                return True
        return False
