"""What waits for a person in the store, whoever asked: seen, claimed and answered from here.

The counterpart of `store_responder`. The broker of the process that asks judges an answer given
here; the answer has gone out once that broker has settled it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import field, replace
from typing import Any, Final

from elicit_tui.broker.contracts import Listeners
from elicit_tui.broker.inbox_events import (
    Delivery,
    InboxEvent,
    QuestionCame,
    QuestionChanged,
    QuestionLeft,
    StoreTrouble,
    delivered,
    end_of,
    is_judged,
    is_lost,
    not_taken,
)
from elicit_tui.broker.store_reader import RETRY_SECONDS, StoreReader
from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import (
    Answerer,
    ElicitationRequest,
    Finding,
    Outcome,
    Presence,
    form_of,
)
from elicit_tui.elicitation.outcome import Via
from elicit_tui.elicitation.question import Draft
from elicit_tui.elicitation.request import AGENT
from elicit_tui.errors import StoreError
from elicit_tui.form.form import Form
from elicit_tui.store.store import Answer, AskingProcess, Grant, Store, Waiting

CLAIM_SECONDS: Final = 1.0
"""How often keys on one question are told to the others."""
END_SECONDS: Final = 1.0
"""How long a question that was withdrawn may wait for its end to be told."""
CLOSE_SECONDS: Final = 2.0
"""How long the end of an inbox waits for claims that are under way."""


@dataclass
class _Given:
    """An answer on its way to the process that asks."""

    answer: Answer
    ended: asyncio.Future[Waiting]
    won: bool = False


@dataclass
class _InboxEntry:
    """A question that can be answered here, with one draft for all of its attempts."""

    waiting: Waiting
    draft: Draft
    kept: Draft | None = None
    """The draft as it was last told to the others."""
    pressed: bool = False
    """A key was pressed since."""
    claimed_at: float = 0.0
    timer: asyncio.TimerHandle | None = None
    """Runs until the keys since are told (`Inbox._tell_keys`)."""
    tasks: set[asyncio.Task[None]] = field(default_factory=set)
    """Claims that are under way."""


@dataclass
class _Leaving:
    """A question that was withdrawn, until the store tells how it ended."""

    entry: _InboxEntry | None
    timer: asyncio.TimerHandle


@dataclass(frozen=True)
class InboxRules:
    """What holds for answers that are given here."""

    refusal: Callable[[Iterable[AskingProcess]], str | None]
    """Why nobody may answer here, told which processes ask (see `answerer`)."""
    examine: Callable[[Mapping[str, Any], Form | None], tuple[Finding, ...]]
    """What content of a form seems to hold; the process that asks looks again."""
    abandoned: Callable[[str], None]
    """Told each question whose process is gone, so that its record has an end."""


class Inbox:
    """The questions of other processes. To be opened by `watched`; everything on one event loop."""

    def __init__(
        self,
        store: Store,
        via: Via,
        *,
        me: Answerer,
        rules: InboxRules,
        presence: Presence | None = None,
    ) -> None:
        """`me`, `via`: who answers here, and through what; `presence`: whether somebody is."""
        self._store = store
        self._via: Via = via
        self._rules = rules
        # Kept while a question is answered and comes back, so that its next attempt has the same
        # text.
        self._drafts: dict[str, Draft] = {}
        self._entries: dict[str, _InboxEntry] = {}
        self._leaving: dict[str, _Leaving] = {}
        self._given: dict[tuple[str, str], _Given] = {}
        """Answers that were given here and are not judged yet: by question and answer."""
        self._listeners = Listeners[InboxEvent](self._tell_trouble)
        self._emit = self._listeners.tell
        self._presence = presence if presence is not None else Presence()
        self._reader = StoreReader(
            store,
            beat=lambda: store.heartbeat(self._presence.last_sign),
            changed=self._changed,
            unreadable=self._unreadable,
        )
        self._first_look = asyncio.Event()
        self.me: Final = me
        """Who answers here."""
        self.trouble: str | None = None
        """Why nothing can be shown now."""

    @asynccontextmanager
    async def watched(self) -> AsyncIterator[Inbox]:
        """Look at the store as long as this is open; what waits already is there at once."""
        self._reader.start()
        try:
            # Before the first look an empty inbox would look like one in which nothing waits.
            await self._first_look.wait()
            yield self
        finally:
            await self._reader.close()
            for entry in self._entries.values():
                if entry.timer is not None:
                    entry.timer.cancel()
            for leaving in self._leaving.values():
                leaving.timer.cancel()
            # Claims that are under way: what was typed is in the store before this ends, if that
            # can be had soon.
            telling = [task for entry in self._entries.values() for task in entry.tasks]
            if telling:
                _, late = await asyncio.wait(telling, timeout=CLOSE_SECONDS)
                await _call_off(late)

    # What waits

    @property
    def waiting(self) -> tuple[Waiting, ...]:
        """What can be answered now, oldest first; each `question` has its form."""
        return tuple(entry.waiting for entry in self._entries.values())

    def get(self, question_id: str) -> Waiting | None:
        """The question with this id; None where it cannot be answered any more."""
        entry = self._entries.get(question_id)
        return None if entry is None else entry.waiting

    def held_elsewhere(self, waiting: Waiting) -> Answerer | None:
        """Who else has it in front of them now."""
        return None if waiting.held_by == self.me else waiting.held_by

    def subscribe(self, listener: Callable[[InboxEvent], None]) -> None:
        """Tell this listener of everything from now on, on the event loop."""
        self._listeners.add(listener)

    def _changed(self, changed: Iterable[Waiting]) -> None:
        self._tell_trouble(None)
        for waiting in changed:
            self._see(waiting)
        # Also by trouble: whoever waits for the first look learns of that, and does not wait for
        # ever.
        self._first_look.set()

    def _unreadable(self, error: StoreError) -> None:
        self._tell_trouble(str(error))
        self._first_look.set()

    def _tell_trouble(self, sentence: str | None) -> None:
        if sentence != self.trouble:
            self.trouble = sentence
            self._emit(StoreTrouble(sentence))

    def _see(self, waiting: Waiting) -> None:
        if waiting.state in ("answered", "settled"):
            self._take_off(waiting)
            return
        # First what became of an answer of ours: a higher attempt has given it back.
        self._tell_givers(waiting)
        entry = self._entries.get(waiting.id)
        came = entry is None
        if entry is None:
            if (draft := self._drafts.get(waiting.id)) is None:
                draft = self._drafts[waiting.id] = Draft()
                # What another terminal typed, or the agent's client filled in.
                draft.take(waiting.question.draft if waiting.question else Draft())
            entry = self._entries[waiting.id] = _InboxEntry(waiting, draft)
        shown = self._show(entry, waiting)
        self._emit(QuestionCame(shown) if came else QuestionChanged(shown))

    def _take_off(self, waiting: Waiting) -> None:
        """Take a question off; how a withdrawn one ended may follow a moment later."""
        entry = self._entries.pop(waiting.id, None)
        if entry is not None and entry.timer is not None:
            entry.timer.cancel()
        if waiting.state == "settled":
            self._drafts.pop(waiting.id, None)
            # Ended by whoever noticed that its process was gone: nobody else will write its end.
            if waiting.decided_by == "store" and waiting.action is None:
                self._rules.abandoned(waiting.id)
        leaving = self._leaving.pop(waiting.id, None)
        if leaving is not None:
            leaving.timer.cancel()
            entry = leaving.entry
        # Withdrawn, and its broker has yet to say how it ended, usually at once. Waiting a moment
        # shows a person the reason in place of a question that just vanishes.
        if waiting.state == "settled" and waiting.decided_by is None:
            loop = asyncio.get_running_loop()
            timer = loop.call_later(END_SECONDS, self._tell_end, waiting, entry)
            self._leaving[waiting.id] = _Leaving(entry, timer)
        else:
            self._tell_end(waiting, entry)

    def _tell_end(self, waiting: Waiting, entry: _InboxEntry | None) -> None:
        self._leaving.pop(waiting.id, None)
        self._tell_givers(waiting)
        if entry is not None:
            left = replace(waiting, question=entry.waiting.question)
            self._emit(QuestionLeft(left, end_of(waiting)))

    def _tell_givers(self, waiting: Waiting) -> None:
        """Tell whoever gave an answer here that the process that asks has judged it."""
        for (question_id, _), given in self._given.items():
            if question_id != waiting.id or given.ended.done():
                continue
            # Before the store has confirmed that this answer won, a question without it proves
            # nothing: the look may be older than the answer.
            if is_judged(waiting, given.answer) or (given.won and is_lost(waiting, given.answer)):
                given.ended.set_result(waiting)

    def _take_newer_text(self, waiting: Waiting, draft: Draft) -> None:
        """Take over what others typed where nobody here has, or somebody else has the claim now."""
        # The text in front of a person is theirs as long as they have touched it.
        mine = draft.typed_here or draft.opened or waiting.held_by == self.me
        if waiting.question and (not mine or waiting.held_by not in (None, self.me)):
            draft.take(waiting.question.draft)

    def _show(self, entry: _InboxEntry, waiting: Waiting) -> Waiting:
        self._take_newer_text(waiting, entry.draft)
        entry.waiting = self._with_form(waiting, entry)
        return entry.waiting

    def _as_shown(self, waiting: Waiting) -> Waiting:
        """What the store says of a question, as it is shown here, also before the next look."""
        if waiting.state not in ("open", "claimed"):
            return waiting
        entry = self._entries.get(waiting.id)
        if entry is None:
            entry = _InboxEntry(waiting, self._drafts.get(waiting.id, Draft()))
        elif waiting.attempt <= entry.waiting.attempt:
            return entry.waiting
        return self._show(entry, waiting)

    def _with_form(self, waiting: Waiting, entry: _InboxEntry) -> Waiting:
        """The question with its form, and with the draft for all of its attempts."""
        question = waiting.question
        if question is None:
            return waiting
        shown = entry.waiting.question
        # Read once: a form is the same for all attempts of a question.
        form = shown.form if shown is not None else None
        if form is None:
            form = form_of(question.request)
        question = replace(
            question,
            form=form,
            draft=entry.draft,
            takes_note=_agent_reads_it(question.request),
            examine=lambda content: self._rules.examine(content, form),
        )
        return replace(waiting, question=question)

    # Answering

    def key_pressed(self) -> None:
        """Remember that a key was pressed in this console or inbox: somebody is there."""
        self._presence.key_pressed()

    def touched(self, question_id: str) -> None:
        """Tell the others of a key that was pressed on a question; its deadline moves.

        To be called for each key; the store is told once a second.
        """
        self.key_pressed()
        entry = self._entries.get(question_id)
        if entry is not None:
            entry.pressed = True
            if entry.timer is None:
                # Told at once where a second has passed since it was told last, else when it has.
                soon = max(0.0, entry.claimed_at + CLAIM_SECONDS - time.monotonic())
                entry.timer = asyncio.get_running_loop().call_later(soon, self._tell_keys, entry)

    def _tell_keys(self, entry: _InboxEntry) -> None:
        """Tell of the keys, and look once more: what a key wrote may stand there only after it."""
        entry.timer = None
        if not entry.pressed and entry.draft == entry.kept:
            return
        loop = asyncio.get_running_loop()

        async def tell() -> None:
            try:
                await self.claim(entry.waiting.id)
            except StoreError as error:
                self._tell_trouble(str(error))

        # Looks on every second while keys come; the first look without one, and with nothing new
        # typed, is the last.
        entry.timer = loop.call_later(CLAIM_SECONDS, self._tell_keys, entry)
        task = loop.create_task(tell())
        entry.tasks.add(task)
        task.add_done_callback(entry.tasks.discard)

    async def claim(self, question_id: str) -> None:
        """Tell the others that somebody here has it open, and what was typed. Raises StoreError."""
        self.key_pressed()
        entry = self._entries.get(question_id)
        if entry is not None:
            entry.claimed_at = time.monotonic()
            entry.pressed = False
            entry.kept = replace(entry.draft)
            await self._store.claim(question_id, self.me, entry.kept)

    async def release(self, question_id: str) -> None:
        """Let the others have a question that was put off, as it was typed. Raises StoreError."""
        entry = self._entries.get(question_id)
        if entry is not None:
            if entry.timer is not None:
                entry.timer.cancel()
                entry.timer = None
            # One that arrived after this would hold again what is let go here.
            await _call_off(entry.tasks)
            entry.claimed_at = 0.0
            await self._store.release(question_id, entry.draft)

    async def refusal(self) -> str | None:
        """Why nobody may answer from this process; None where they may. Raises StoreError."""
        asking = await self._store.asking_processes()
        return self._rules.refusal(asking)

    async def answer(self, question_id: str, outcome: Outcome) -> Delivery:
        """Give an answer, and wait until the process that asks has judged it. Raises StoreError."""
        self.key_pressed()
        refused = await self.refusal()
        if refused is not None:
            return Delivery("refused", refused)
        # One that is not shown here may still be answered by its id.
        waiting = self.get(question_id) or await self._store.get(question_id)
        if waiting is None:
            return Delivery("gone", "This question waits no more.")
        if waiting.unreadable is not None:
            return Delivery("refused", waiting.unreadable)
        answer = Answer(replace(outcome, via=self._via), self.me, waiting.attempt, waiting.digest)
        given = _Given(answer, asyncio.get_running_loop().create_future())
        # Before the answer is given: the process that asks may judge it, and the reader see that,
        # while the store still answers us.
        self._given[question_id, answer.id] = given
        try:
            if waiting.question is not None and waiting.question.draft.filled:
                # Should the answer be given back, it is at hand again, here and elsewhere.
                await self._store.claim(question_id, self.me, waiting.question.draft)
            result = await self._store.answer(question_id, answer)
            if result is None or result.answer_id != answer.id:
                # Where another's answer was given back, this may be the first to know of it.
                return not_taken(self._as_shown(result) if result is not None else None)
            given.won = True
            judged = await self._once_judged(given, question_id)
            # With the note that says what was wrong.
            again = self._as_shown(judged).question
            return delivered(judged, answer, again, handed=waiting.handed_to is not None)
        finally:
            del self._given[question_id, answer.id]

    async def _once_judged(self, given: _Given, question_id: str) -> Waiting:
        """The question once the process that asks has judged the answer, or the store lost it."""
        while is_lost(judged := await given.ended, given.answer):
            # What was told may have been read before the answer won.
            stands = await self._store.get(question_id)
            if stands is None or is_lost(stands, given.answer):
                break
            given.ended = asyncio.get_running_loop().create_future()
            self._tell_givers(stands)
        return judged

    async def still_waits(self, question_id: str) -> bool:
        """Whether it has no answer, once the store can be read again."""
        while True:
            try:
                waiting = await self._store.get(question_id)
            except StoreError:
                await asyncio.sleep(RETRY_SECONDS)
            else:
                return waiting is not None and waiting.state in ("open", "claimed")

    # Grants

    async def grants(self) -> tuple[Grant, ...]:
        """What is allowed for the sessions that live. Raises StoreError."""
        return await self._store.grants()

    async def revoke(
        self, server: str | None = None, tool: str | None = None, session: str | None = None
    ) -> int:
        """Take back what was allowed; how many that were. Raises StoreError."""
        return await self._store.revoke(server, tool, session)


async def _call_off(tasks: Iterable[asyncio.Task[None]]) -> None:
    called_off = tuple(tasks)
    for task in called_off:
        task.cancel()
    await asyncio.gather(*called_off, return_exceptions=True)


def _agent_reads_it(request: ElicitationRequest) -> bool:
    """Whether a refusal of this goes to the agent, which never passes a note on to a server."""
    return request.traits.about_call or request.server.name == AGENT
