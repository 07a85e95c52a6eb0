"""The questions of a store, for every engine: nouns are sealed and opened here, rules are applied.

An engine gives one thing, `_change`: a question as it stands becomes what a transition makes of
it, and nobody comes between. So a claim goes through these hands:

    inbox                store.claim(id, who, draft)
    engine, `_change`    reads the row: in a transaction, or to compare and set it afterwards
    here, `transition`   asks the rules (`transitions.may_claim`), and seals who holds it
    transitions.claim    says what the row is afterwards; an equal one where it came too late
    engine, `_change`    writes what became different, and wakes whoever waits for a change
    here                 opens what stands there now: the caller sees whose claim holds

An engine may try a transition more than once, so it does nothing but return. In clear stand ids,
kinds, states, the names of agent, server and tool, times and digests; what is asked, by whom, from
where, what was typed and what was answered is a blob.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timezone
from typing import Any, TypeVar

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import Answerer, ElicitationRequest, Outcome, Question
from elicit_tui.elicitation.question import Draft
from elicit_tui.errors import SealError, StoreError
from elicit_tui.store import transitions
from elicit_tui.store.nouns import read, written
from elicit_tui.store.sealing import BlobPlace, Sealer, Secrets
from elicit_tui.store.store import Answer, Asker, Waiting
from elicit_tui.store.transitions import AgentState, StoredQuestion

Noun = TypeVar("Noun")
Transition = Callable[[StoredQuestion, float], StoredQuestion]
"""Makes of a question, at a time by the engine's clock, what it is afterwards."""
Creation = Callable[[StoredQuestion | None, float], StoredQuestion]
"""The same of what stands there before a question is put, if anything does."""


@dataclass(frozen=True)
class Asked:
    """What is sealed as one blob: the question with its findings, and who asks."""

    question: Question
    asker: Asker


@dataclass
class _Opened:
    """What was sealed of one question, as far as it opened."""

    asked: Asked | None = None
    draft: Draft | None = None
    holder: Answerer | None = None
    answerer: Answerer | None = None
    unreadable: str | None = None
    """Why the rest did not."""


class SealedQuestions(ABC):
    """The part of a `Store` that is about questions."""

    patience_sec = 10.0
    """How long the engine may be away before the questions in it end by `store`."""
    _secrets: Secrets

    @property
    @abstractmethod
    def _life_id(self) -> str:
        """Names this process in the store."""

    @abstractmethod
    def _now(self) -> float:
        """The time of day of this process, to which `Waiting` spells every time."""

    @property
    def _ahead(self) -> float:
        """How many seconds this process's clock is ahead of the engine's."""
        return 0.0

    @abstractmethod
    def _sealer(self) -> Sealer:
        """Seals what is new; to be called while the engine makes a change."""

    @abstractmethod
    async def _create(self, session: str, question_id: str, make: Creation) -> StoredQuestion:
        """Keep what `make` makes of what stands under this id, or of nothing, and return it.

        Raises StoreError where that is new and the session has ended.
        """

    @abstractmethod
    async def _change(self, question_id: str, transition: Transition) -> StoredQuestion | None:
        """Carry a transition out, unseen by others until it is whole; what stands there then.

        None: there is no such question. The transition may be tried more than once.
        """

    @abstractmethod
    async def _read(self, question_id: str) -> StoredQuestion | None:
        """One question as it stands."""

    # Who asks

    async def put(
        self, question: Question, asker: Asker, deadline: datetime | None = None
    ) -> Waiting:
        """Let a question wait; raises SecretError where it cannot be sealed."""
        request = question.request
        text, request_text = written(Asked(question, asker)), written(request)

        def make(there: StoredQuestion | None, now: float) -> StoredQuestion:
            sealer = self._sealer()
            new = StoredQuestion(
                id=request.id,
                session=asker.session,
                attempt=question.attempt,
                digest=sealer.digest(asker.session, request_text),
                kind=request.kind,
                agent=asker.agent,
                server=request.server.name,
                tool=_tool(request),
                put_at=now,
                # By the engine's clock, as every time in the store is.
                deadline=None if deadline is None else deadline.timestamp() - self._ahead,
                key_id=sealer.key_id,
                asked=None,
            )
            if there is not None:
                # It is there: its blobs stay as they are, sealed as they were.
                return transitions.put(there, new)
            new = replace(new, asked=sealer.seal(_place(new, "asked"), text))
            draft = question.draft if question.draft.filled else None
            return replace(new, draft=self._sealed(new, "draft", draft))

        return self._waiting(await self._create(asker.session, request.id, make))

    async def answer_of(self, question_id: str) -> Answer | None:
        """The answer that won, for the asker to judge."""
        record = await self._read(question_id)
        if record is None or (answer := self._opened(record, "answer", Answer)) is None:
            return None
        # A blob opens only at its own place (see `_place`), but who can write to the store could
        # set the columns beside it. The answer itself says what it was given to.
        given_to = (answer.id, answer.attempt, answer.digest)
        if given_to != (record.answer_id, record.attempt, record.digest):
            raise SealError("The answer that is kept there was given to another question.")
        return answer

    async def settle(self, question_id: str, outcome: Outcome) -> None:
        """Settle a question, which has its outcome."""
        await self._change(
            question_id,
            # A question that was withdrawn is told its end here; one that has an end keeps it.
            lambda record, now: transitions.settle(record, now, outcome.action, outcome.decided_by),
        )

    async def withdraw(self, question_id: str) -> None:
        """Take a question back."""
        await self._change(question_id, transitions.withdraw)

    async def reopen(self, question: Question) -> None:
        """Open a question again, with what was typed: the last answer does not do."""

        def transition(record: StoredQuestion, now: float) -> StoredQuestion:
            if not transitions.reopens(record, question.attempt):
                return record
            before = self._waiting(record)
            if before.asker is None or before.question is None:
                raise StoreError(before.unreadable or "The question cannot be read.")
            # The attempt is part of a blob's place. Everything is sealed anew for the next one, so
            # that no blob of the last attempt can be put back under it.
            now_at = replace(record, attempt=question.attempt)
            # Where the asker knows of nothing typed, what stands in the store is kept.
            draft = question.draft if question.draft.filled else before.question.draft
            return transitions.reopen(
                record,
                question.attempt,
                self._sealed(now_at, "asked", Asked(question, before.asker)),
                self._sealed(now_at, "draft", draft),
            )

        if await self._change(question.id, transition) is None:
            raise StoreError("The question has already ended.")

    async def mark_agent(self, question_id: str, state: AgentState) -> None:
        """Note that the agent that asked was told to come back, has left, or is back."""
        await self._change(question_id, lambda record, now: transitions.mark_agent(record, state))

    # Who answers

    async def get(self, question_id: str) -> Waiting | None:
        """One question as it stands."""
        record = await self._read(question_id)
        return None if record is None else self._waiting(record)

    async def claim(
        self, question_id: str, by: Answerer, draft: Draft | None = None
    ) -> Waiting | None:
        """Note that somebody pressed a key on a question just now."""

        def transition(record: StoredQuestion, now: float) -> StoredQuestion:
            if not transitions.may_claim(record, self._life_id, now):
                return record
            # Who holds it is sealed too: it names a user and a terminal.
            holder = self._sealed(record, "holder", by)
            typed = self._sealed(record, "draft", draft)
            return transitions.claim(record, self._life_id, now, holder, typed)

        return self._waiting_or_none(await self._change(question_id, transition))

    async def release(self, question_id: str, draft: Draft | None = None) -> None:
        """Give a claim of this process back."""

        def transition(record: StoredQuestion, now: float) -> StoredQuestion:
            if not transitions.may_release(record, self._life_id):
                return record
            # What was typed comes along only with a claim of this process.
            return transitions.release(record, self._life_id, self._sealed(record, "draft", draft))

        await self._change(question_id, transition)

    async def answer(self, question_id: str, answer: Answer) -> Waiting | None:
        """Answer, if nobody was faster."""

        def transition(record: StoredQuestion, now: float) -> StoredQuestion:
            if not transitions.takes_answer(record, answer.attempt, answer.digest):
                return record
            return transitions.answer(
                record,
                answer.attempt,
                answer.digest,
                answer.id,
                # Sealed at the place of this attempt, so that it opens for no other.
                self._sealed(record, "answer", answer),
                self._sealed(record, "answerer", answer.by),
            )

        return self._waiting_or_none(await self._change(question_id, transition))

    # Seals

    def _sealed(self, record: StoredQuestion, field: str, value: Any) -> bytes | None:
        """A noun as the blob of one field; None stays None."""
        if value is None:
            return None
        # With the secret of the question, which may be an older one than this process would seal
        # new ones with: all blobs of a question can be opened with the same.
        sealer = self._secrets.with_id(record.key_id)
        return sealer.seal(_place(record, field), written(value))

    def _opened(self, record: StoredQuestion, field: str, kind: type[Noun]) -> Noun | None:
        """The noun in a field's blob, None where there is none; raises SealError."""
        blob = getattr(record, field)
        if blob is None:
            return None
        return read(kind, self._secrets.with_id(record.key_id).open(_place(record, field), blob))

    def _waiting_or_none(self, record: StoredQuestion | None) -> Waiting | None:
        return None if record is None else self._waiting(record)

    def _all_opened(self, record: StoredQuestion) -> _Opened:
        """All that is sealed of one question, as far as it opens."""
        opened = _Opened()
        # In this order, so that who answered can still be told of a question that does not open.
        try:
            opened.answerer = self._opened(record, "answerer", Answerer)
            opened.holder = self._opened(record, "holder", Answerer)
            opened.draft = self._opened(record, "draft", Draft)
            opened.asked = self._opened(record, "asked", Asked)
        except StoreError as error:
            opened.unreadable = str(error)
        return opened

    def _waiting(self, record: StoredQuestion) -> Waiting:
        """One question as others read it; what does not open is said in `unreadable`."""
        opened = self._all_opened(record)
        asked, draft = opened.asked, opened.draft
        # The form is not kept: it is made of the request again by whoever shows it.
        question = None if asked is None else replace(asked.question, draft=draft or Draft())
        return Waiting(
            id=record.id,
            session=record.session,
            state=record.state,
            attempt=record.attempt,
            digest=record.digest,
            kind=record.kind,
            agent=record.agent,
            server=record.server,
            tool=record.tool,
            put_at=self._moment(record.put_at),
            deadline=None if record.deadline is None else self._moment(record.deadline),
            last_key_at=None if record.last_key_at is None else self._moment(record.last_key_at),
            question=question,
            asker=None if asked is None else asked.asker,
            agent_state=record.agent_state,
            held_by=opened.holder,
            answer_id=record.answer_id,
            answered_by=opened.answerer,
            action=record.action,
            decided_by=record.decided_by,
            unreadable=opened.unreadable,
        )

    def _moment(self, seconds: float) -> datetime:
        """A time of the engine's as this process's clock spells it."""
        return datetime.fromtimestamp(seconds + self._ahead, timezone.utc)


def _place(record: StoredQuestion, field: str) -> BlobPlace:
    """Where a blob of this question belongs."""
    return BlobPlace(record.session, record.id, record.attempt, field, record.digest)


def _tool(request: ElicitationRequest) -> str | None:
    """The one name that may stand in clear; a resource's URI says too much."""
    call = request.call
    return call.name if call is not None and call.method != "resources/read" else None
