"""Opens the ledger; one that cannot be opened withholds accepts and lets refusals out."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

from elicit_tui import paths
from elicit_tui.elicitation import ElicitationRequest, Outcome, Review
from elicit_tui.elicitation.settings import HistorySettings
from elicit_tui.errors import LedgerError
from elicit_tui.ledger import Ledger


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


def ledger_path(history: HistorySettings) -> Path:
    """Where the ledger is kept: `history.path`, else the platform's state directory."""
    return Path(history.path).expanduser() if history.path else paths.ledger_file()


def open_ledger(history: HistorySettings) -> Ledger | UnavailableLedger:
    """The ledger, or one that refuses every write and says why."""
    try:
        return Ledger.open(ledger_path(history), content=history.content)
    except LedgerError as error:
        return UnavailableLedger(str(error))
