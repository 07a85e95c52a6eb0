"""A request that a person is to decide, its draft, and the contract of whoever shows it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation.finding import Finding, Review, Severity
from elicit_tui.elicitation.outcome import Outcome, accept
from elicit_tui.elicitation.request import ElicitationRequest, now

if TYPE_CHECKING:
    from elicit_tui.form.field import Entry
    from elicit_tui.form.form import Form

REDIRECT = "redirect"
"""The one key of the content with which a login is accepted: the address that was pasted."""

AT_ONCE_SECONDS = 60.0
"""A form that comes back this soon is gone on with where its person was."""

KEY_GRACE_SECONDS = 60.0
"""How long a question waits at least after a key was pressed on it."""

Examine = Callable[[Mapping[str, Any]], tuple[Finding, ...]]
"""Looks at content before it leaves: what seems to be a secret; no finding repeats a value."""


def _sees_nothing(content: Mapping[str, Any]) -> tuple[Finding, ...]:
    return ()


@dataclass
class Draft:
    """What stands in a question and was not sent: typed by a person, or filled in by the agent.

    Holds raw entries by field name, which fields were touched and by whom, and what was opened.
    Travels with its question: whoever shows that writes into it as the person types, and fills in
    what stands there when the question is shown anew.
    """

    entries: Mapping[str, Entry] = field(default_factory=dict)
    touched: frozenset[str] = frozenset()
    opened: bool = False
    """Whether the person agreed to a url question's page, whose end is waited for."""
    acknowledged: frozenset[str] = frozenset()
    """The findings that the person acknowledged when agreeing to that page."""
    by_client: frozenset[str] = frozenset()
    """The touched fields that stand as the agent's client filled them in."""
    unread: frozenset[str] = frozenset()
    """The touched fields in which something stands that others wrote and nobody has seen yet."""

    def __post_init__(self) -> None:
        self._elsewhere: Mapping[str, Entry] = {}
        """What stood there when it was last seen in another process."""
        self._in_hand: tuple[str, float] | None = None
        """The field that was written in last in this process, and when."""

    @property
    def filled(self) -> bool:
        """Whether anything stands in it, whoever wrote it."""
        return bool(self.touched)

    @property
    def typed(self) -> bool:
        """Whether anything in it came from a person."""
        return bool(self.touched - self.by_client)

    @property
    def typed_here(self) -> Mapping[str, Entry]:
        """What a person typed in this process, by field."""
        return {
            name: entry
            for name, entry in self.entries.items()
            if name in self.touched - self.by_client and entry != self._elsewhere.get(name)
        }

    def write(
        self,
        entries: Mapping[str, Entry],
        touched: frozenset[str],
        unread: frozenset[str] | None = None,
    ) -> None:
        """Keep what stands in the form now, and which fields were touched.

        `unread`: those with something that others wrote and nobody has seen; None: of the fields
        that are as they were what was known of them.
        """
        same = {name for name in touched if entries.get(name) == self.entries.get(name)}
        self.entries, self.touched = dict(entries), touched
        self.by_client = self.by_client & same
        self.unread = self.unread & same if unread is None else touched & unread

    def in_hand(self, name: str | None) -> None:
        """The person is in this field just now; in memory only."""
        self._in_hand = None if name is None else (name, time.monotonic())

    @property
    def continues(self) -> str | None:
        """The field to go on with, where its person was in the middle of it a moment ago."""
        if self._in_hand is None or self._in_hand[0] not in self.touched - self.by_client:
            return None
        name, when = self._in_hand
        return name if time.monotonic() - when < AT_ONCE_SECONDS else None

    def fill_in(self, entries: Mapping[str, Entry], names: frozenset[str]) -> None:
        """Keep what the agent's client gave for these fields: no person has seen it yet."""
        self.entries, self.touched = dict(entries), names & set(entries)
        self.by_client = self.touched

    def take(self, other: Draft) -> None:
        """Hold what another process keeps of the same question."""
        self.entries, self.touched, self.by_client = other.entries, other.touched, other.by_client
        self.unread = other.unread
        self.opened, self.acknowledged = other.opened, other.acknowledged
        self._elsewhere = dict(other.entries)
        self._in_hand = None

    def clear(self) -> None:
        """Forget all of it."""
        self.take(Draft())


@dataclass(frozen=True)
class Question:
    """A request on its way to whoever answers it, with all that is needed to show it.

    The broker reads its form once, keeps its draft, and asks again with the same question (a
    higher `attempt` and a `note`) when an answer cannot go out as it is.
    """

    request: ElicitationRequest
    review: Review = field(default_factory=Review)
    form: Form | None = field(default=None, compare=False, repr=False)
    """What is to be filled in; None for a page and for an approval."""
    draft: Draft = field(default_factory=Draft, compare=False, repr=False)
    """What was typed so far. A responder writes into it as the person types, and finds it again."""
    note: str | None = None
    """Why it is asked although a rule met it, or why the last answer did not go out."""
    attempt: int = 1
    """Above 1: the last answer was given back."""
    outgoing: tuple[Finding, ...] = ()
    """What the last answer was found to hold and nobody acknowledged."""
    examine: Examine = field(default=_sees_nothing, compare=False, repr=False)
    """The one look at content before it leaves, for a responder to show what it finds."""
    take_redirect: Callable[[str], str | None] | None = field(
        default=None, compare=False, repr=False
    )
    """Of a login: takes the address that its page led back to, pasted; why it is not the one.

    None in another process than the one that asks, where the answer carries it (`REDIRECT`).
    """
    takes_note: bool = False
    """An agent waits for it that can use a line of whoever refuses (`Outcome.note`)."""

    @property
    def to_acknowledge(self) -> tuple[Finding, ...]:
        """The warnings and blocks of the request, which a person should know of.

        `to_acknowledge_for` says which of them bind an answer, and what that holds itself. A
        mistake that the server's author has to mend is none of the person's business.
        """
        found = self.review.at_least(Severity.WARN)
        return tuple(finding for finding in found if not finding.to_author)

    def to_see(self, content: Mapping[str, Any] | None) -> frozenset[str]:
        """The parts that whoever accepts with this content must have had before their eyes.

        `message`; `call` or `url`, where it is about one; `content.NAME` for each field that goes
        out. A face with a screen reports what it drew (`Outcome.seen`); one that shows a part only
        when asked, or cuts it, reports it only then.
        """
        request = self.request
        about = {"call"} if request.traits.about_call else {"url"} if request.url else set()
        fields = content if content and self.form is not None else ()
        return frozenset({"message", *about, *(f"content.{name}" for name in fields)})

    def to_acknowledge_for(self, content: Mapping[str, Any] | None) -> tuple[Finding, ...]:
        """What an accept with this content must acknowledge: what the content holds comes first.

        What only optional fields carry that the content leaves unset binds nobody.
        """
        held = self.examine(content) if content else ()
        return (*held, *(finding for finding in self.to_acknowledge if finding.binds(content)))

    @property
    def id(self) -> str:
        """The request's id; a question is asked once."""
        return self.request.id


def form_of(request: ElicitationRequest) -> Form | None:
    """What a request in form mode asks to have filled in; None for a page and for an approval."""
    if request.mode != "form":
        return None
    from elicit_tui.form.schema_reading import read_form

    return read_form(request.requested_schema or {})


def finished(question: Question) -> Outcome:
    """The accept of a question whose page was opened, once its server says that it is done."""
    reason = "The person opened the page and the server reported it finished."
    return accept("user", reason, None, acknowledged=question.draft.acknowledged)


class Deadline:
    """How long a question may wait, in seconds; 0 means for ever.

    The clock stands still until `start` (the question can be answered: it is shown, or heads the
    queue). Each key moves the end to at least 60 s ahead.
    """

    def __init__(
        self,
        seconds: float,
        clock: Callable[[], float] = time.monotonic,
        *,
        fixed: bool = False,
    ) -> None:
        """`fixed`: no key moves the end."""
        self.seconds = seconds
        self._fixed = fixed
        self._clock = clock
        self._end: float | None = None
        self.on_start: Callable[[], None] | None = None
        """Told once, when the clock begins to run."""

    def start(self) -> None:
        """Start the clock, as the question can be answered now; later calls change nothing."""
        if self._end is None and self.seconds > 0:
            self._end = self._clock() + self.seconds
            if self.on_start is not None:
                self.on_start()

    def touch(self) -> None:
        """Move the end to at least 60 s ahead, as a key was pressed on the question."""
        if self._end is not None and not self._fixed:
            self._end = max(self._end, self._clock() + KEY_GRACE_SECONDS)

    def prolong(self) -> None:
        """Give all of the time anew, as the person asked for it; never less than a key gives."""
        self.touch()
        if self._end is not None:
            self._end = max(self._end, self._clock() + self.seconds)

    @property
    def started(self) -> bool:
        """Whether the clock runs."""
        return self._end is not None

    @property
    def remaining(self) -> float | None:
        """Seconds left, at least 0; None while nothing counts."""
        return None if self._end is None else max(0.0, self._end - self._clock())

    @property
    def left(self) -> float | None:
        """The same before the clock runs too, when it is all of it; None: it waits for ever."""
        return self.remaining if self.started else self.seconds or None


class Presence:
    """Tells when somebody at a console or inbox was last seen to be there.

    By a key, and for as long as its window has the focus, where the terminal tells of that.
    """

    def __init__(self, clock: Callable[[], datetime] = now) -> None:
        self._clock = clock
        self._last_key: datetime | None = None
        self.has_focus = False
        """Whether the terminal has told that the window has the focus, and not lost it since."""

    def key_pressed(self) -> None:
        """Somebody pressed a key, or opened the console or inbox."""
        self._last_key = self._clock()

    @property
    def last_sign(self) -> datetime | None:
        """When somebody was last there; None: nobody ever was."""
        if self.has_focus:
            self.key_pressed()
        return self._last_key


class Responder(Protocol):
    """Answers questions: a screen, plain prompts, the store, or nobody.

    `respond` is cancelled when the question is withdrawn, its deadline passes or the host shuts
    down; it then takes the question off the screen, keeps what was typed, and lets the
    cancellation through. It calls `deadline.start()` once the question can be answered and
    `deadline.touch()` on each key.
    """

    async def respond(self, question: Question, deadline: Deadline) -> Outcome:
        """Answer one question; several may be open at once."""
        ...
