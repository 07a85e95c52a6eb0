"""Step 9: the ledger before the answer, and what happens when it cannot be written."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Final

from elicit_tui.broker.contracts import BrokerEvent, LedgerWriter, Notice
from elicit_tui.elicitation import ElicitationRequest, Outcome, Review
from elicit_tui.errors import LedgerError

GROUP: Final = 500
"""Outcomes alike written as one record; the rest follows with the next record or at the end."""


class Record:
    """Writes each step; withholds accepts that could not be written, and says so once."""

    def __init__(self, ledger: LedgerWriter, emit: Callable[[BrokerEvent], None]) -> None:
        self._ledger = ledger
        self._emit = emit
        self._failing = False
        self._groups: dict[tuple[str, str], tuple[ElicitationRequest, Outcome, int]] = {}
        self._most_alike = GROUP

    def asked(self, request: ElicitationRequest, review: Review) -> str | None:
        """Write that a request came; a sentence for the person when that failed."""
        # First what was counted before: records stand in the order in which things happened.
        self.flush()
        try:
            self._ledger.asked(request, review)
        except LedgerError as error:
            self._failed(request, error)
            return f"The ledger cannot be written ({error}): an accept would be withheld."
        return None

    def decided(self, request: ElicitationRequest, outcome: Outcome, review: Review) -> Outcome:
        """Write the outcome, and return the one that may go out."""
        handed = request.handed_to is not None
        if handed and not outcome.was_given:
            # An agent's own prompt that nobody decided is handed back to it, which is not a cancel:
            # the agent asks its person by itself.
            outcome = outcome.handed_back()
        try:
            self._ledger.decided(request, outcome, review)
        except LedgerError as error:
            self._failed(request, error)
            if outcome.action == "accept":
                withheld = outcome.withheld(f"The answer could not be recorded: {error}")
                withheld = withheld.handed_back() if handed else withheld
                with suppress(LedgerError):  # It was said already.
                    self._ledger.decided(request, withheld, review)
                return withheld
        else:
            self._failing = False
        return outcome

    def closed(self, request: ElicitationRequest, outcome: Outcome) -> Outcome:
        """Write a request that ended before anything was judged."""
        self.asked(request, Review())
        return self.decided(request, outcome, Review())

    def sent(self, request: ElicitationRequest) -> None:
        """Write that the answer left."""
        try:
            self._ledger.sent(request.id)
        except LedgerError as error:
            # The answer has left, and nothing can be taken back: it is only told.
            self._failed(request, error)

    def withdrawn(self, request: ElicitationRequest, sentence: str) -> None:
        """Write that the server took a question back whose accept had left."""
        try:
            self._ledger.withdrawn(request.id, sentence)
        except LedgerError as error:
            self._failed(request, error)

    def group(self, request: ElicitationRequest, outcome: Outcome) -> None:
        """Count one of many outcomes of a server that are alike; they are written together."""
        kind = (request.server.name, outcome.decided_by)
        _, _, count = self._groups.get(kind, (request, outcome, 0))
        self._groups[kind] = (request, outcome, count + 1)
        # At each so many, where what was counted before could not be written: a flood does not wait
        # for the ledger with each question.
        if (count + 1) % self._most_alike == 0:
            self.flush()

    def end(self) -> None:
        """Write the counted outcomes, and each later one at once: nothing follows that would."""
        self._most_alike = 1
        self.flush()

    def flush(self) -> None:
        """Write the counted outcomes; those that cannot be written are counted on."""
        for kind, (request, outcome, count) in tuple(self._groups.items()):
            try:
                self._ledger.flood(request.server.name, count, outcome)
            except LedgerError as error:
                self._failed(request, error)
            else:
                del self._groups[kind]

    def _failed(self, request: ElicitationRequest, error: LedgerError) -> None:
        if not self._failing:
            self._failing = True
            self._emit(
                Notice(
                    request.server.name,
                    f"The ledger cannot be written: {error} Accepts are withheld, refusals go out.",
                )
            )
