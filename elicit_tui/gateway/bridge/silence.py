"""When an agent's own prompt is handed back at once, found out with as little as possible.

An agent waits for its hook at every prompt, so this loads neither event loop nor broker. It gives
no answer: whatever may be decided goes through the broker.
"""

from __future__ import annotations

from contextlib import closing
from typing import Final

from elicit_tui.elicitation import ElicitationRequest, Outcome, Review, unsent
from elicit_tui.elicitation.settings import Settings, granted
from elicit_tui.errors import StoreError
from elicit_tui.ledger import Ledger
from elicit_tui.paths import ledger_file, store_file

STORE_SECONDS: Final = 1.0
"""How long the store is waited for."""
NOBODY_THERE: Final = (
    "Nobody is there: no console and no inbox with a key pressed in the last ten minutes."
)


def silent_end(settings: Settings, request: ElicitationRequest) -> Outcome | None:
    """The end of a prompt that nobody is asked about; None where it has to be looked at closer."""
    if request.traits.from_server or settings.hooks:
        return None
    if not granted(settings.approval_policy).tool_calls:
        from elicit_tui.policy.tools import judge_prompt

        refused = judge_prompt(settings).outcome
        return refused if refused is not None and refused.action is None else None
    if settings.store.url is not None:
        return None
    from elicit_tui.store.sqlite_tables import somebody_is_there
    from elicit_tui.store.store import StoreMissing

    try:
        there = somebody_is_there(store_file(settings.history.path), STORE_SECONDS)
    except StoreMissing:
        there = False
    except StoreError as error:
        return unsent("nobody", str(error))
    return None if there else unsent("nobody", NOBODY_THERE)


def record(settings: Settings, request: ElicitationRequest, outcome: Outcome) -> None:
    """Write down that a prompt was handed back. Raises LedgerError."""
    history = settings.history
    with closing(Ledger.open(ledger_file(history.path), content=history.content)) as ledger:
        # Of many prompts at once each writes but once: what was asked stands there with its end.
        ledger.decided(request, outcome, Review())
