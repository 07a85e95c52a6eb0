"""The life of a question in the store: what each call makes of it, whatever engine keeps it.

    open ⇄ claimed → answered → settled
     ▲                   │
     └───── reopen ──────┘

Every function takes the question as it stands and returns it as it stands afterwards, an equal
one where nothing changes. An engine carries that out so that nobody comes between the two:
in a transaction, or by comparing and setting. So each may be called twice with the same effect as
once. Times are seconds since 1970 by the engine's own clock.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, Literal

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import Action, DecidedBy
from elicit_tui.elicitation.kind import Kind
from elicit_tui.elicitation.question import KEY_GRACE_SECONDS
from elicit_tui.errors import StoreError

State = Literal["open", "claimed", "answered", "settled"]
AgentState = Literal["waiting", "paused", "left"]
"""What the agent that asked does meanwhile: its call waits for the answer; it was told to come back
with the call's id, and the answer is kept for it; it has left, and the question goes with it soon
(its broker takes no approval then)."""

# As long as a key moves a deadline: the claim and the moved deadline end together.
LEASE_SECONDS: Final = KEY_GRACE_SECONDS
"""How long after the last key a question stays claimed."""
KEPT_SECONDS: Final = 3600.0
"""How long it can be read how a question ended; its content is gone at once."""


@dataclass(frozen=True)
class StoredQuestion:
    """One question as an engine keeps it; what is bytes is sealed."""

    id: str
    session: str
    attempt: int
    digest: str
    kind: Kind
    agent: str | None
    server: str
    tool: str | None
    put_at: float
    deadline: float | None
    key_id: str
    """Names the secret that sealed it."""
    asked: bytes | None
    """The question, its findings and who asks."""
    draft: bytes | None = None
    state: State = "open"
    agent_state: AgentState = "waiting"
    last_key_at: float | None = None
    lease_ends_at: float | None = None
    holder_life: str | None = None
    """The process whose claim it is."""
    holder: bytes | None = None
    """The person whose claim it is."""
    answer_id: str | None = None
    answer: bytes | None = None
    answerer: bytes | None = None
    action: Action | None = None
    decided_by: DecidedBy | None = None
    settled_at: float | None = None


def put(there: StoredQuestion | None, new: StoredQuestion) -> StoredQuestion:
    """Put a question under an id that is free, or that it has already."""
    if there is None:
        return new
    # After a lost connection nobody knows whether a question was put, so it is put again. The same
    # request under the same id is that one; anything else there is a fault or an attack.
    # The digest is made of the request alone: who asks again asks the same, whatever else is known.
    if (there.session, there.digest) != (new.session, new.digest):
        raise StoreError("Another question with this id waits already.")
    return there


def may_claim(record: StoredQuestion, life: str, now: float) -> bool:
    """Whether the claim of this process takes the place of what stands there."""
    if record.state == "open":
        return True
    # A lease is no lock: it ends by itself a while after the last key, so a process that died or a
    # person who went to lunch keeps a question from nobody.
    free = record.lease_ends_at is None or record.lease_ends_at <= now
    return record.state == "claimed" and (free or record.holder_life == life)


def claim(
    record: StoredQuestion, life: str, now: float, holder: bytes | None, draft: bytes | None
) -> StoredQuestion:
    """Note a key that was pressed just now; somebody else's claim stays while its lease lasts."""
    if not may_claim(record, life, now):
        return record
    return replace(
        record,
        state="claimed",
        last_key_at=now,
        lease_ends_at=now + LEASE_SECONDS,
        holder_life=life,
        holder=holder,
        # What was typed is kept where this key brought nothing new.
        draft=record.draft if draft is None else draft,
    )


def may_release(record: StoredQuestion, life: str) -> bool:
    """Whether this process has the claim."""
    return record.state == "claimed" and record.holder_life == life


def release(record: StoredQuestion, life: str, draft: bytes | None = None) -> StoredQuestion:
    """Give the claim of this process back, with what was typed."""
    if not may_release(record, life):
        return record
    return _free(record if draft is None else replace(record, draft=draft))


def lapse(record: StoredQuestion, now: float) -> StoredQuestion:
    """Open a question again whose lease ran out."""
    ran_out = record.lease_ends_at is not None and record.lease_ends_at <= now
    return _free(record) if record.state == "claimed" and ran_out else record


def _free(record: StoredQuestion) -> StoredQuestion:
    # The draft stays: whoever takes it next finds what was typed.
    return replace(record, state="open", holder=None, holder_life=None, lease_ends_at=None)


def takes_answer(record: StoredQuestion, attempt: int, digest: str) -> bool:
    """Whether an answer to this attempt of this request wins: the first one does."""
    is_this = (record.attempt, record.digest) == (attempt, digest)
    # The digest too, and not the id alone: an answer was given to what a person saw. What was asked
    # anew or differently since is not answered by it.
    return is_this and record.state in ("open", "claimed")


def answer(
    record: StoredQuestion,
    attempt: int,
    digest: str,
    answer_id: str,
    answer: bytes | None,
    answerer: bytes | None,
) -> StoredQuestion:
    """Answer, if nobody was faster. A claim keeps nobody from answering."""
    if not takes_answer(record, attempt, digest):
        return record
    answered = replace(_free(record), state="answered", answer_id=answer_id)
    return replace(answered, answer=answer, answerer=answerer)


def reopens(record: StoredQuestion, attempt: int) -> bool:
    """Whether this attempt is a new one; raises StoreError where the question has ended."""
    # An attempt that is not higher was asked already: the same call, made once more.
    if record.state == "settled":
        raise StoreError("The question has already ended.")
    return record.attempt < attempt


def reopen(
    record: StoredQuestion, attempt: int, asked: bytes | None, draft: bytes | None
) -> StoredQuestion:
    """Ask again: the answer to the last attempt was judged, and does not do."""
    if not reopens(record, attempt):
        return record
    # What is asked is sealed anew with the attempt, and nothing of the last answer stays.
    opened = replace(_free(record), attempt=attempt, asked=asked, draft=draft)
    return replace(opened, answer_id=None, answer=None, answerer=None)


def settle(
    record: StoredQuestion, now: float, action: Action | None, decided_by: DecidedBy
) -> StoredQuestion:
    """End it, once: its content goes, who answered is kept for those who were slower.

    One that was withdrawn may yet be told how it ended.
    """
    # Withdrawn at first (`decided_by` is none), then told how it ended: two calls, as the asker may
    # be cancelled before its broker has an outcome. After that nothing changes any more.
    if record.state == "settled" and record.decided_by is not None:
        return record
    return _ended(record, now, action, decided_by)


def withdraw(record: StoredQuestion, now: float) -> StoredQuestion:
    """Take it back; `settle` may yet say how it ended."""
    return record if record.state == "settled" else _ended(record, now, None, None)


def abandon(record: StoredQuestion, now: float) -> StoredQuestion:
    """End it as its session has ended: it is not known whether an answer went out."""
    return settle(record, now, None, "store")


def _ended(
    record: StoredQuestion, now: float, action: Action | None, decided_by: DecidedBy | None
) -> StoredQuestion:
    ended = replace(_free(record), state="settled", action=action, decided_by=decided_by)
    # Who answered stays (`answerer`): those who were slower are told who was faster.
    return replace(ended, settled_at=now, asked=None, draft=None, answer=None)


def mark_agent(record: StoredQuestion, state: AgentState) -> StoredQuestion:
    """Note what the agent that asked does meanwhile."""
    return record if record.agent_state == state else replace(record, agent_state=state)


def kept_long_enough(record: StoredQuestion, now: float) -> bool:
    """Whether nobody needs to read any more how it ended."""
    return record.settled_at is not None and record.settled_at <= now - KEPT_SECONDS


def opened_again(question: StoredQuestion) -> StoredQuestion:
    """A question as who asks puts it again, after the engine lost what became of it.

    An answer that was given and lost with it is asked for once more.
    """
    # The digest and the attempt stay as they are, so that an answer that is still on its way
    # counts.
    return replace(_free(question), answer_id=None, answer=None, answerer=None)


def is_behind(there: StoredQuestion, known: StoredQuestion) -> bool:
    """Whether what stands there is not what who asks has put: older, or ended in its absence."""
    # Who asks was taken for dead while it lived, and its questions were ended for it.
    ended_without = there.state == "settled" and there.decided_by == "store"
    return there.attempt < known.attempt or ended_without
