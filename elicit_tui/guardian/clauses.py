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
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import IntEnum
from itertools import groupby, islice, takewhile
from operator import attrgetter
from typing import Final

from elicit_tui.guardian.denials import Denials
from elicit_tui.guardian.spelling import parts
from elicit_tui.guardian.words import Hit, is_word
from elicit_tui.kept import kept
from elicit_tui.text.letters import is_unspaced, quote_after, word_pattern

_NEAR, _FEW = 4, 2
_PARTS: Final = ("/", "\\", "&", "+", "|", "=", ">", "›", "»", "→")
"""What stands between things of which none belongs to the other, and in the way to a page."""


class Standing(IntEnum):
    """How a clause speaks of a hit."""

    VOID = 0
    ABOUT = 1
    NAMED = 2
    ASKED = 3


class Clause(Denials):
    """Words between two marks of punctuation, and how they speak of what was found in them."""

    before: Clause | None
    after: Clause | None
    listed: Clause | None

    # What else is the thing ------------------------------------------------------------------

    def standing(self, hit: Hit) -> Standing:
        """How the clause speaks of a hit that is no act."""
        if self.denies(hit):
            return Standing.VOID
        if self.is_label(hit):
            return Standing.ASKED
        held = self._holder_before(hit)
        if (
            not self.is_itself(hit)
            or any(mark.start == hit.end and self.ends_with(mark) for mark in self.of("in order"))
            or (not held and (self._is_handled(hit) or self._is_told(hit)))
        ):
            return Standing.ABOUT
        # What is quoted as a whole is asked of somebody else: 'Translate: "Enter your password"'.
        is_quotation = self.quoted[hit.start] and self._opening(hit) == 0
        return Standing.ASKED if self._asks_for(hit) and not is_quotation else Standing.NAMED

    def is_itself(self, hit: Hit) -> bool:
        """Whether it is the thing, whatever is done with it, and nothing that belongs to it."""
        return not (
            self._attribute_after(hit)
            or self._belongs_to_other(hit)
            or self._other_is_asked(hit)
            or self._only_pastes(hit)
        )

    @kept
    def last_handing(self) -> int:
        """The last word that asks for what was spoken of before ("paste it here"), else -1."""
        handed = {hit.start for hit in self.of("handed")}
        asks = (ask for ask in reversed(self.asks) if ask.start in handed)
        meant = (it.start for it in asks if not self.denies(it) and self._is_only_meant(it))
        return next(meant, -1)

    def _is_only_meant(self, ask: Hit) -> bool:
        ends = (link.start for link in self.of("until") if link.start > ask.end)
        end = min((*ends, len(self.words)))
        between = self._contentful(ask.end, end)
        # "Type it in" holds what is meant.
        meant = all(self._is(at, "it", "anything", "shows") for at in between)
        return ask.start + 1 < end and meant

    def _holder_before(self, hit: Hit) -> bool:
        return any(self._is(at, "your") for at in range(max(0, hit.start - 3), hit.end))

    def holds(self, hit: Hit) -> bool:
        """Whether the clause says whose it is: the person's."""
        behind = takewhile(lambda at: not self._is(at, "apart"), range(hit.end, hit.end + 3))
        tale = range(hit.start - _NEAR, hit.end + _NEAR)
        if not self.of("your") or any(self._is(at, "tale") for at in tale):
            return False  # "Your character's secret" opens nothing.
        return self._holder_before(hit) or any(self._is(at, "your") for at in behind)

    def ends_a_name(self, hit: Hit) -> bool:
        """Whether its head only ends a harmless name: "authorized_keys on your server"."""
        linked = self._is(hit.start + 1, "of") and self.gaps[hit.start] == "_"
        return linked and any(it.start < hit.start < it.end for it in self.of("harmless"))

    def is_qualified(self, hit: Hit) -> bool:
        """Whether a word of its own meaning stands right before it, which no verb or number is."""
        before = hit.start - 1
        return (
            bool(self._contentful(before, hit.start))
            and not self.words[before].isdigit()
            and not self._is(before, "ask", "handle", "joint", "which", "use", "determiner", "told")
        )

    @kept
    def leads_on(self) -> bool:
        """Whether it tells a way from page to page: "Settings > Tokens"."""
        return any(self.between(at) in (">", "→", "›", "»") for at in range(1, len(self.words)))

    def ends_with(self, hit: Hit) -> bool:
        """Whether nothing stands behind it but what it is of, from or for."""
        return hit.end == len(self.words) or self._is(hit.end, "of", "until")

    def adds_to(self, hit: Hit) -> bool:
        """Whether more is said behind it than that it is asked for."""
        said = (range(*it[1:]) for it in (*self.asks, *self.of("please", "small")))
        asked = {at for span in said for at in span}
        return any(at not in asked for at in self._contentful(hit.end, len(self.words)))

    def _attribute_after(self, hit: Hit) -> bool:
        at = hit.end + self._is_genitive(hit.end)
        if at >= len(self.words):
            return self.listed is not None and self.listed.lists_attributes
        dotted = self.gaps[at] == self.gaps[hit.start] == "." and not self.asks  # "a.pin.hint"
        if dotted or self.between(at) in _PARTS:
            return dotted
        # "API key file path": what lies between belongs to it too.
        reach = at + 1 if self._is(at, "key part") else at
        if is_unspaced(self.words[at]):
            apart = [mark.start for mark in (*self.of("joint"), *self.asks) if mark.start >= at]
            reach = max(reach, min((at + 5, *apart)))
        found = (other for other in self.of("attribute") if at <= other.start <= reach)
        return any(not self._is_told_of_it(other) for other in found)

    def _belongs_to_other(self, hit: Hit) -> bool:
        """Whether a noun stands before it to which it only belongs: "name of the secret"."""
        nouns = [mark for mark in self.of("attribute", "plain") if mark.end <= hit.start]
        return any(self._is_linked(noun, hit) and not self._is_apart(noun, hit) for noun in nouns)

    def _is_linked(self, noun: Hit, hit: Hit) -> bool:
        """Whether the word behind a noun can say what it is of."""
        if noun.end == hit.start:
            # A genitive without a small word; else the noun qualifies it: no disguise chooses that.
            return not self.words[noun.start].isascii() and self._is(noun.start, "attribute")
        first = self.words[noun.end]
        # "The manager's PIN" is the PIN, and "the team has a PIN": whose it is is all they say.
        return not (self._is_genitive(noun.end) or self._is(noun.end, "predicate")) and (
            is_word(first, "small", self.latin) or self._is(noun.end, "your", "of", "until")
        )

    def _is_apart(self, noun: Hit, hit: Hit) -> bool:
        """Whether a noun is a verb, or a verb, a mark or an "and" stands between it and a hit."""
        joints = [mark for mark in self.of("joint") if noun.end <= mark.start < hit.start]
        return (
            any(ask.start == noun.start or noun.end <= ask.start < hit.start for ask in self.asks)
            or any(self.between(at) in _PARTS for at in range(noun.end, hit.start + 1))
            or (bool(joints) and len(self._contentful(joints[-1].end, hit.start)) <= 1)
        )

    def _only_pastes(self, hit: Hit) -> bool:
        """Whether it is the key by which a thing with a name is pasted: "the log with Ctrl+V"."""
        if all(key[1:] != hit[1:] for key in self.of("run")):
            return False
        verbs = [verb.end for verb in self.of("handed") if verb.end <= hit.start]
        start = max(verbs, default=hit.start)
        thing = next(iter(self._contentful(start, min(start + _NEAR, hit.start))), hit.start)
        # "Paste with Ctrl+V in the corner", "what there is": a place is no thing, nor is that.
        linked = any(
            self._is(at, "of", "relative", "unnamed") and not self._is(at, "determiner")
            for at in range(start, thing)
        )
        unnamed = self._is(thing, "anything", "everything", "it", "copied")
        return thing < hit.start and not (linked or unnamed)

    def _other_is_asked(self, hit: Hit) -> bool:
        """Whether a question in this clause asks for something else."""
        behind = self.is_question and is_unspaced(self.words[hit.start])
        # "How is your password spelled?" asks for it itself.
        spelt = any(len(self.words) in (hit.end, it.end) for it in self.of("spelt"))
        for question in () if spelt else (*self.of("aside"), *self.whether):
            amid = self._invites or any(question.end <= it.start < hit.start for it in self.asks)
            if (question.start < hit.start and not amid) or (behind and question.start >= hit.end):
                return True
        ends = (which.end for which in self.of("which") if which.end <= hit.start)
        asked = max(ends, default=hit.start)
        after = self._contentful(asked, hit.start)
        if self.is_joined(hit) and not any(self._is(at, "told", "handle") for at in after):
            return False
        return (
            bool(after)
            and not self._is(after[0], "anything", "ask", "use", "own")
            and not self._is_near_own(after[0], hit)
        )

    def is_joined(self, hit: Hit) -> bool:
        """Whether it is one of two things: "hint and password"."""
        joints = [joint for joint in self.of("joint") if 0 < joint.start < joint.end <= hit.start]
        between = self._contentful(joints[-1].end, hit.start) if joints else ()
        return bool(joints) and all(self._is(at, "which") for at in between)

    @kept
    def whether(self) -> list[Hit]:
        """What makes the clause a question for a yes or no: it begins with it."""
        asks = self.is_question and not self._is(0, "which")
        return [hit for hit in self.of("whether") if asks and hit.start == 0]

    def _is_near_own(self, at: int, hit: Hit) -> bool:
        """Whether words only qualify what follows them at once: "which guest network PIN"."""
        between = [index for index in range(at, hit.start) if not self._is_genitive(index)]
        if self._contentful(at, hit.start) != between:
            return False
        # "What is your mail password?": the person's is one thing, whatever its first word is.
        return any(self._is(index, "your") for index in range(max(0, at - 2), at)) or not any(
            self._is(index, "attribute", "told", "handle", "use", "ask")
            or (self._is(index, "plain") and not self.words[index].isascii())
            for index in between
        )

    def _is_handled(self, hit: Hit) -> bool:
        """Whether something is done with it rather than that it is told: "rotate the token"."""
        # "Export of the history": what is wanted, and no act.
        near = [
            at
            for at in self._contentful(0, hit.start)[-_NEAR:]
            if not (self.words[at] in ("export", "copy", "dump") and self.words[at + 1] == "of")
        ]
        if any(self._is(at, "handle") for at in near[-2:]):
            return not any(self._is(at, "ask") for at in near)
        behind = (hit.end <= other.start <= hit.end + _NEAR for other in self.of("handle"))
        return is_unspaced(self.words[hit.start]) and not self.asks and any(behind)

    def _is_told(self, hit: Hit) -> bool:
        """Whether something is reported of it: "the token was revoked"."""
        if self.of("lack") or any(ask.end <= hit.start for ask in self.asks):
            return False
        ends = (link.start for link in self.of("until") if link.start >= hit.end)
        after = self._contentful(hit.end, min((*ends, hit.end + _NEAR + 2)))
        if after and self._is(after[0], "told"):
            return True
        # "The code of the flat is sent to you": what is told stands behind what it is for.
        opens = not self._contentful(0, hit.start) and self._is(hit.end, "of")
        return opens and any(
            0 < predicate.start - hit.end <= _NEAR
            and self._opened[predicate.start] == self._opened[hit.start]
            for predicate in self.of("predicate")
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
            if is_unspaced(self.words[hit.start]) and question.start >= hit.end:
                return True
        return self.stands_alone(hit)

    def is_proposed(self, verb: Hit) -> bool:
        """Whether an act is the server's or the person's, and not what something else does."""
        asked = self.of("asks leave", "speaker", "whether", "your", "anyone", "model")
        return not self._contentful(0, verb.start) or any(mark.start < verb.start for mark in asked)

    def stands_alone(self, hit: Hit) -> bool:
        """Whether nothing stands before it, and nothing behind it but what it is for."""
        if self.is_question or self.quoted[hit.start] or not self._is_first(hit):
            return False
        ends = hit.end == len(self.words) or self.between(hit.end) in _PARTS
        if ends or self._is(hit.end, "of", "joint"):
            return not any(finding.start > hit.end + 1 for finding in self.of("found out"))
        after = self._contentful(hit.end, len(self.words))
        is_said = any(mark.start >= hit.end for mark in self.of("becomes"))
        return len(after) <= _FEW and not (is_said or self.of("told", "handle", "lack"))

    def _is_first(self, hit: Hit) -> bool:
        """Whether nothing stands before it but that it is the whole of it: "contents of the"."""
        before = self._contentful(0, hit.start)
        of = bool(before) and self._is(before[-1] + 1, "of")
        return not before or (of and all(self._is(at, "anything", "copied") for at in before))

    # Acts ------------------------------------------------------------------------------------

    def means(self, act: Hit) -> bool:
        """Whether it speaks of doing an act: neither that it is not done nor that it was."""
        return not (self.is_denied(act) or self.reports(act))

    def reports(self, hit: Hit) -> bool:
        """Whether an act is only spoken of: explained, listed, warned of, or already done."""
        if self._invites:
            return False
        if self.is_example:
            return True
        # "You deleted 3 notes. Undo?", "IT rotated the key": not "is deleted the same day".
        done = hit.start and self.words[hit.start].endswith("ed") and not self.is_question
        active = done and not any(mark.start < hit.start for mark in self.of("becomes"))
        led = self._is(hit.start - 1, "speaker", "your") or self._is(hit.end, "determiner")
        if active and led:
            return True
        # "Anyone can force-push".
        if not self.is_question and any(mark.end < hit.start for mark in self.of("anyone")):
            return hit.concept in ("destroys", "takes")
        return any(
            other.end <= hit.start
            and not self._contentful(int(self._is(0, "joint")), other.start)
            and not (other.start > 0 and self._is(other.start, "subscription thing"))
            and self.between(other.end) != "-"
            and (hit.concept != "subscription" or not self._is(other.start, "relative"))
            for other in self.of("speaks")
        ) or any(
            0 <= max(hit.start - by.end, by.start - hit.end) <= _FEW
            or by.start <= hit.start < hit.end <= by.end
            for by in self.of("spoken")
            # What goes "before March, and is not archived", goes.
            if hit.concept == "act" or by.start < hit.end or not self._is(by.start, "until", "not")
            if not self._is_bound(by, hit)
        )

    def is_name(self, hit: Hit) -> bool:
        """Whether something is only called by a word that means a place too: 'database "shop"'."""
        near = (hit.start - 1, hit.start - 2, hit.end)
        named = self.quoted[hit.start] or any(self._is(at, "store of data") for at in near)
        return self._is(hit.start, "name too") and named

    def _is_bound(self, by: Hit, hit: Hit) -> bool:
        """Whether a time only says of what something is done: "from before today"."""
        # "Recordings of the last year get wiped": they will be, whenever they were made.
        spans = any(by.start <= span.start < by.end for span in self.of("span"))
        goes_on = self.of("goes on", "becomes") if spans else ()
        if any(by.end <= on.start and on.end == hit.start for on in goes_on):
            return True
        between = self._contentful(by.end, hit.start)
        things = any(self._is(at, "weighty", "small thing", "everything") for at in between)
        is_time = self._is(by.start, "until") and by.end <= hit.start and between and not things
        return bool(is_time) or (by.start > 0 and self._is(by.start - 1, "since"))


_SENTENCE_END: Final = re.compile(
    r"[.!?:;](?=[\s\"'»”)*_`]|$)|[。！？：；؟؛।॥۔]|\n\s*\n|\n\s*(?:[-*•#]|\d+[.)])"
)
_CLAUSE_END: Final = re.compile(r"(?<!\d),|,(?!\d)|[{}\[\]、，،【】–—…]|\s-\s|(?<=\w)--|--(?!\w)")
_ASKED: Final = frozenset("?？؟")
_MOST_WORDS: Final = 2_500


def clauses_of(text: str, *, latin: bool = False) -> list[Clause]:
    """A folded text cut into clauses; a bounded number of words of it.

    `latin`: it was ASCII before it was folded.
    """
    found: list[Clause] = []
    current = Clause([], [], latin=latin)
    end, quote = 0, ""
    for match in islice(word_pattern(text.isascii()).finditer(text), _MOST_WORDS):
        gap = text[end : match.start()]
        if gap not in ("", " "):
            begun = _behind(current, text, end, match.start())
            if begun is not current:
                found.append(current)
                current = begun
            was, quote = quote, quote_after(quote, gap if end else " " + gap)
            if not current.words and was and was == quote:
                current.quotes = found[-1]
        word, (at, end) = match[0], match.span()
        for piece in parts(word, latin):
            at = at if piece == word else max(at, text.find(piece, at, end))
            current.words.append(piece)
            current.spans.append((at, min(at + len(piece), end)))
            current.gaps.append(gap)
            current.quoted.append(bool(quote))
            at += len(piece)
            gap = ""
    if current.words:
        current.is_question = not _ASKED.isdisjoint(text[end : end + 8])
        found.append(current)
    # What is asked at the end of a sentence is asked by all of its clauses.
    asked = {clause.sentence for clause in found if clause.is_question}
    for clause in found:
        clause.is_question = clause.sentence in asked
    cited = [clause for clause in found if clause.is_cited]
    asking = (it for it in found if cited and it.is_question and not it.is_cited)
    if any(clause.of("which", "aside") for clause in asking):
        for clause in cited:
            clause.is_example = True
    return found


def _behind(clause: Clause, text: str, start: int, end: int) -> Clause:
    """The clause that begins between two words; the one before them where none does."""
    found = _SENTENCE_END.search(text, start, end)
    # Not at the dot in `.env` or `3.0.0`; where no blanks part words, none stands behind a mark.
    ends_sentence = found is not None and (
        found[0] not in (".", ":", "!", "?", ";")
        or found.end() < end
        or end == len(text)
        or (found[0] in ("!", "?") and is_unspaced(text[end]))
    )
    if not clause.words or not (ends_sentence or _CLAUSE_END.search(text, start, end + 1)):
        return clause
    sentence = clause.sentence + ends_sentence
    begun = Clause([], [], latin=clause.latin, sentence=sentence, opens=ends_sentence)
    if not ends_sentence:
        begun.before, clause.after = clause, begun
        return begun
    clause.is_question = not _ASKED.isdisjoint(text[start:end])
    clause.listed = begun if ":" in text[start:end] else None
    return begun


def sentences(clauses: Iterable[Clause]) -> list[list[Clause]]:
    """The clauses of each sentence."""
    return [[*group] for _, group in groupby(clauses, attrgetter("sentence"))]
