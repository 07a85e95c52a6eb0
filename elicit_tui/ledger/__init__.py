"""The record of every question: what was asked, what was found, who decided, and why.

    with contextlib.closing(Ledger.open(path)) as ledger:
        ledger.asked(request, review)
        ledger.decided(request, outcome, review)    # before the answer leaves
        ledger.sent(request.id)                     # after it left

Append-only and chained by hash; `verify` finds accidents and casual edits, not a determined owner
(who can write the whole chain anew). Every failure is a `LedgerError` with one plain sentence. What
finds the ledger in use and is no accept waits beside it for its next writer (`LateRecords`).
"""

from elicit_tui.ledger.chain import LedgerMissing, Verification
from elicit_tui.ledger.late import LateRecords, SingleRecords
from elicit_tui.ledger.ledger import Ledger, Pruned

__all__ = ["LateRecords", "Ledger", "LedgerMissing", "Pruned", "SingleRecords", "Verification"]
