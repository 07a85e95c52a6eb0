"""Opens the ledger; one that cannot be opened withholds accepts and lets refusals out."""

from __future__ import annotations

from typing import NoReturn

from elicit_tui.elicitation import ElicitationRequest, Outcome, Review
from elicit_tui.elicitation.settings import HistorySettings
from elicit_tui.errors import LedgerError
from elicit_tui.ledger import Ledger
from elicit_tui.paths import ledger_file


class UnavailableLedger:
    """A ledger that could not be opened: every write says why (design: fail closed)."""

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def _refuse(self) -> NoReturn:
        raise LedgerError(self.reason)

    def asked(self, request: ElicitationRequest, review: Review) -> None:
        """Cannot be written."""
        self._refuse()

    def decided(self, request: ElicitationRequest, outcome: Outcome, review: Review) -> None:
        """Cannot be written."""
        self._refuse()

    def sent(self, request_id: str) -> None:
        """Cannot be written."""
        self._refuse()

    def flood(self, server: str, count: int, outcome: Outcome) -> None:
        """Cannot be written."""
        self._refuse()

    def close(self) -> None:
        """Nothing is open."""


def open_ledger(history: HistorySettings) -> Ledger | UnavailableLedger:
    """The ledger, or one that refuses every write and says why."""
    try:
        return Ledger.open(ledger_file(history.path), content=history.content)
    except LedgerError as error:
        return UnavailableLedger(str(error))
