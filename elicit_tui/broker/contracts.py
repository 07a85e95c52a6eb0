"""What the broker needs of other rooms, and more than one thing is: a guardian, a ledger."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from elicit_tui.elicitation import ElicitationRequest, Finding, Outcome, Review

if TYPE_CHECKING:
    from elicit_tui.form import Form


class Guardian(Protocol):
    """Finds what is risky in requests and answers."""

    def review(self, request: ElicitationRequest) -> Review:
        """All findings about one request; must not raise."""
        ...

    def outgoing(self, content: Mapping[str, Any], form: Form | None) -> tuple[Finding, ...]:
        """Secrets that an answer to this form seems to hold; must not raise."""
        ...


class LedgerWriter(Protocol):
    """Writes what happens to each question. Everything raises LedgerError."""

    def asked(self, request: ElicitationRequest, review: Review) -> None:
        """Write that a question came, and what the guardian found."""
        ...

    def decided(self, request: ElicitationRequest, outcome: Outcome, review: Review) -> None:
        """Write a question's outcome; when this returns, it is there to stay."""
        ...

    def sent(self, request_id: str) -> None:
        """Write that the answer left."""
        ...

    def withdrawn(self, request_id: str, sentence: str) -> None:
        """Write that the server took the question back after its answer had left."""
        ...

    def flood(self, server: str, count: int, outcome: Outcome) -> None:
        """Write `count` outcomes alike of one server's questions, as one record."""
        ...
