"""What the broker tells those who watch it: the console, jsonl output, the activity list."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from elicit_tui.elicitation import ElicitationRequest, Outcome, Question, Review


@dataclass(frozen=True)
class Requested:
    """A server asked; `question.review` is empty when the guardian was not reached."""

    question: Question


@dataclass(frozen=True)
class Resolved:
    """A request has its one outcome; it is in the ledger, unless a notice said why not."""

    request: ElicitationRequest
    review: Review
    outcome: Outcome
    waited_ms: int


@dataclass(frozen=True)
class Notice:
    """Something a person should know once, in a sentence."""

    server: str
    sentence: str


BrokerEvent = Requested | Resolved | Notice
Listener = Callable[[BrokerEvent], None]
