"""When an agent's own prompt is handed back at once, found out with as little as possible.

An agent waits for its hook at every prompt, so this loads neither event loop nor broker. It gives
no answer: whatever may be decided goes through the broker.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Final

from elicit_tui.elicitation import ElicitationRequest, Outcome, Review, unsent
from elicit_tui.elicitation.settings import Settings, granted
from elicit_tui.errors import LedgerInUse, StoreError, StoreMissing
from elicit_tui.ledger import LateRecords, Ledger
from elicit_tui.paths import (
    ledger_file,
    lock_open_file,
    private_directory,
    state_directory,
    store_file,
)

STORE_SECONDS: Final = 1.0
"""How long the store is waited for."""
NOBODY_THERE: Final = (
    "Nobody is there: no console and no inbox with a key pressed in the last ten minutes."
)


def silent_end(settings: Settings, request: ElicitationRequest) -> Outcome | None:
    """The end of a prompt that nobody is asked about; None where it has to be looked at closer."""
    # What needs the guardian, the owner's hooks or a person's other steps goes the long way.
    if request.traits.from_server or settings.hooks:
        return None
    if not granted(settings.approval_policy).tool_calls:
        from elicit_tui.policy.tools import judge_prompt

        refused = judge_prompt(settings).outcome
        # Where policy would decline it, the decline has to be recorded and said; that is the
        # broker's.
        return refused if refused is not None and refused.action is None else None
    # Over a network nothing is looked up in the time that is meant here.
    if settings.store.url is not None:
        return None
    from elicit_tui.store.sqlite_tables import somebody_is_there

    try:
        there = somebody_is_there(store_file(settings.history.path), STORE_SECONDS)
    except StoreMissing:
        there = False
    except StoreError as error:
        return unsent("nobody", str(error))
    return None if there else unsent("nobody", NOBODY_THERE)


def record(settings: Settings, request: ElicitationRequest, outcome: Outcome) -> None:
    """Write down that a prompt was handed back. Raises LedgerError.

    The agent waits for this: where others hold the ledger it is left beside it at once.
    """
    history = settings.history
    path = ledger_file(history.path)
    try:
        with closing(Ledger.open(path, content=history.content, patient=False)) as ledger:
            # Of many prompts at once each writes but once: what was asked stands with its end.
            ledger.decided(request, outcome, Review())
    except LedgerInUse:
        if not LateRecords(path, history.content).leave(request, outcome, Review()):
            raise


@contextmanager
def place_among(limit: int) -> Iterator[bool]:
    """Whether there is a place for this prompt: at most so many are asked about at once here.

    By locks, which the system lets go of whenever a process dies.
    """
    folder = private_directory(state_directory() / "bridge")
    for number in range(limit):
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        # The files stay, empty: what counts is the lock on them.
        file = os.open(folder / f"place-{number}", flags, 0o600)
        try:
            if lock_open_file(file):
                yield True
                return
        finally:
            os.close(file)
    yield False
