"""What the broker tells those who watch it: the console, jsonl output, the activity list."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from elicit_tui.elicitation import ElicitationRequest, Outcome, Question, Review

if TYPE_CHECKING:
    from elicit_tui.policy import Decision


class Requested(NamedTuple):
    """A server asked; `question.review` is empty when the guardian was not reached."""

    question: Question

    @property
    def request(self) -> ElicitationRequest:
        """What was asked."""
        return self.question.request


class Resolved(NamedTuple):
    """A request has its one outcome; it is in the ledger, unless a notice said why not."""

    request: ElicitationRequest
    review: Review
    outcome: Outcome
    waited_ms: int
    trace: tuple[Decision, ...] = ()
    """What each step decided that the request came to, in the order in which they were taken."""
    draft_kept: bool = False
    """Whether something that the person typed is there when the same is asked again."""


class Notice(NamedTuple):
    """Something a person should know once, in a sentence."""

    server: str
    sentence: str


BrokerEvent = Requested | Resolved | Notice
Listener = Callable[[BrokerEvent], None]
