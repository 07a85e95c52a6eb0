"""What an inbox tells: that questions come, change and leave, and what became of an answer."""

from __future__ import annotations

from typing import Final, Literal

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import Action, Answerer, Question
from elicit_tui.elicitation.kind import KINDS
from elicit_tui.elicitation.outcome import PUBLIC_REASONS
from elicit_tui.elicitation.request import ID_CHARACTERS
from elicit_tui.store.living import machine_id
from elicit_tui.store.store import Answer, Asker, Waiting
from elicit_tui.text import neutral_line

SESSION_ENDED: Final = "The session that asked has ended. Nothing was sent."
UNKNOWN: Final = "The session that asked has ended; it is not known whether the answer went out."
CALL_ENDED: Final = "The call that it belongs to has ended; it was cancelled."
TAKEN_BACK: Final = "It was taken back."
TELL_AGENT: Final = "The agent was told to come back: tell it to go on."
HANDED: Final = "Handed to the agent."
LEFT_TO_AGENT: Final = "Left to the agent."
PAGE_FINISHED: Final = "The server reported its page finished; that answers it."

_SENTENCES: Final = {
    "store": SESSION_ENDED,
    "shutdown": SESSION_ENDED,
    "server": "The server took it back, or went away.",
    "withdrawn": "The agent took its call back, or left. Nothing was sent.",
    "nobody": "It was handed back to the agent unanswered, which asks by itself.",
    "agent": "The agent answered it.",
    "client": "It was answered in the agent's own client.",
}
"""How a question ended, where the person should read something else than a server gets."""


@dataclass(frozen=True)
class QuestionCame:
    """A question waits: a new one, or one that is open again."""

    waiting: Waiting


@dataclass(frozen=True)
class QuestionChanged:
    """Somebody claimed, typed, or let go of it."""

    waiting: Waiting


@dataclass(frozen=True)
class QuestionLeft:
    """It waits no more; the sentence says why."""

    waiting: Waiting
    sentence: str


@dataclass(frozen=True)
class StoreTrouble:
    """The store cannot be read now, in a sentence; None: it can again."""

    sentence: str | None


InboxEvent = QuestionCame | QuestionChanged | QuestionLeft | StoreTrouble


@dataclass(frozen=True)
class Delivery:
    """What became of an answer that was given here."""

    kind: Literal["sent", "reopened", "late", "gone", "unknown", "refused"]
    sentence: str
    question: Question | None = None
    """Reopened: what to show again, with a note that says what was wrong."""
    action: Action | None = None
    """Sent: what that was."""


def is_judged(waiting: Waiting, answer: Answer) -> bool:
    """Whether the process that asks has taken this answer, or given it back."""
    return waiting.state == "settled" or waiting.attempt > answer.attempt


def is_lost(waiting: Waiting | None, answer: Answer) -> bool:
    """Whether the store forgot an answer that had won: its question stands there without one."""
    if waiting is None:
        return True
    return waiting.attempt == answer.attempt and waiting.state in ("open", "claimed")


def delivered(
    waiting: Waiting, answer: Answer, again: Question | None, *, handed: bool = False
) -> Delivery:
    """What became of an answer that is judged. `again`: the question, if it is open again.

    `handed`: it is an agent's own prompt: what becomes of it from there on is not known here.
    """
    # Not settled: another attempt is asked, or this one has lost its answer.
    if waiting.state != "settled":
        note = again.note if again is not None else None
        lost = (
            "The store lost the answer, which did not go out." if is_lost(waiting, answer) else ""
        )
        return Delivery("reopened", note or lost or "The answer did not go out.", again)
    # A session that died has settled it without anybody having judged.
    if waiting.decided_by == "store":
        return Delivery("unknown", UNKNOWN)
    # As the person meant it. Another action, or somebody else, is told by `_ended`.
    if waiting.decided_by == "user" and waiting.action == answer.outcome.action:
        accepted = "Allowed." if KINDS[waiting.kind].about_call else "Sent."
        sentences = {"accept": accepted, "decline": "Declined."}
        sent = sentences.get(waiting.action or "", "Cancelled.")
        if handed:
            sent = HANDED if waiting.action != "cancel" else LEFT_TO_AGENT
        elif waiting.agent_state == "paused":
            sent = f"{sent} {TELL_AGENT}"
        return Delivery("sent", sent, action=waiting.action)
    return Delivery("gone", _ended(waiting))


def not_taken(waiting: Waiting | None) -> Delivery:
    """What became of an answer that did not win."""
    if waiting is None:
        return Delivery("gone", "This question waits no more.")
    if waiting.answered_by is not None:
        return Delivery("late", end_of(waiting))
    if waiting.state == "settled":
        return Delivery("gone", end_of(waiting))
    return Delivery("reopened", "It was asked again meanwhile.", waiting.question)


def of_agent(waiting: Waiting) -> str:
    """What the agent that asked does meanwhile, and what becomes of an answer, in a sentence."""
    if waiting.agent_state == "left":
        return "The agent has left; unless it comes back, this is taken back within 30 s."
    if waiting.agent_state == "paused":
        known = _known_as(waiting)
        note = f" (it knows this as {known})" if known else ""
        return f"The agent was told to come back{note}; your answer is kept for it."
    return "The agent waits for your answer."


def elsewhere(asker: Asker | None) -> str:
    """On which machine an agent is asked for, in words; empty where it is this one."""
    if asker is None or asker.machine is None or asker.machine_id in (machine_id(), ""):
        return ""
    return f" on {neutral_line(asker.machine, 60)}"


def agent_away(waiting: Waiting) -> str:
    """Where the agent is that waits no longer, in a few words; empty while it waits."""
    if waiting.agent_state == "left":
        return "the agent has left"
    known = _known_as(waiting)
    note = f"the agent was told to come back{f' with {known}' if known else ''}"
    return note if waiting.agent_state == "paused" else ""


def _known_as(waiting: Waiting) -> str:
    """The beginnings of the ids that the agent was given."""
    return " or ".join(call_id[:ID_CHARACTERS] for call_id in waiting.call_ids)


def end_of(waiting: Waiting) -> str:
    """How a question left the inbox, for those who did not answer it."""
    if waiting.answered_by is not None:
        by = waiting.answered_by
        return f"Answered on {where(by)} by {neutral_line(by.user, 80)}."
    return _ended(waiting)


def _ended(waiting: Waiting) -> str:
    if waiting.decided_by is None:
        return TAKEN_BACK
    # Nobody answered, and it counts as a person's accept: the page told by itself that it is done.
    if waiting.decided_by == "user" and waiting.answered_by is None:
        return PAGE_FINISHED
    # With an action the server only ended the call; without one it took the question back.
    if waiting.decided_by == "server" and waiting.action is not None:
        return CALL_ENDED
    return _SENTENCES.get(waiting.decided_by, PUBLIC_REASONS[waiting.decided_by])


def where(by: Answerer, longest: int = 80) -> str:
    """The terminal somebody answers at, and its machine where that is not this one."""
    machine = neutral_line(by.machine, longest)
    if by.terminal is None:
        return machine
    terminal = neutral_line(by.terminal, longest)
    # One without an id was answered by an older elicit-tui, on this machine as far as is known.
    return terminal if by.machine_id in (machine_id(), "") else f"{terminal} on {machine}"
