"""The record of every question: what was asked, what was found, who decided, and why.

    with contextlib.closing(Ledger.open(path)) as ledger:
        ledger.asked(request, review)
        ledger.decided(request, outcome, review)    # before the answer leaves
        ledger.sent(request.id)                     # after it left

Append-only and chained by hash; `verify` finds accidents and casual edits, not a determined owner
(who can write the whole chain anew). Every failure is a `LedgerError` with one plain sentence.
"""

from elicit_tui.ledger.chain import LedgerMissing, Verification
from elicit_tui.ledger.ledger import Ledger, Pruned

__all__ = ["Ledger", "LedgerMissing", "Pruned", "Verification"]
