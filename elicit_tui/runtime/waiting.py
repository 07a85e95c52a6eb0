"""Opens the store for a process that asks, and the inbox for one where a person answers."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, closing, suppress
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from elicit_tui.elicitation import now
from elicit_tui.elicitation.settings import Settings
from elicit_tui.paths import store_file

if TYPE_CHECKING:
    from elicit_tui.broker.inbox import Inbox
    from elicit_tui.elicitation.outcome import Via
    from elicit_tui.store import SqliteStore
    from elicit_tui.store.store import Role


@asynccontextmanager
async def open_store(
    settings: Settings,
    role: Role,
    *,
    create: bool = True,
    environment: Mapping[str, str] | None = None,
    clock: Callable[[], datetime] = now,
) -> AsyncIterator[SqliteStore]:
    """The store beside the ledger, as long as this is open.

    Raises StoreError: StoreTooNew, StoreMissing (not `create`), SecretError, or it cannot be used.
    """
    from elicit_tui.store import SqliteStore, secret_from

    variable = settings.store.secret_env
    value = (os.environ if environment is None else environment).get(variable)
    secret = secret_from(variable, value) if value else None
    path = store_file(settings.history.path)
    store = await SqliteStore.open(path, role, secret=secret, create=create, clock=clock)
    try:
        yield store
    finally:
        await store.close()


@asynccontextmanager
async def open_inbox(
    settings: Settings, via: Via, *, create: bool = True, clock: Callable[[], datetime] = now
) -> AsyncIterator[Inbox]:
    """What waits for a person, whoever asked, as long as this is open; raises StoreError.

    Args:
        settings: of the owner; `store` and `history.path` matter here.
        via: through what answers are given, as the ledger will say.
        create: make the store when there is none; else StoreMissing is raised.
        clock: the time of day.
    """
    from elicit_tui.broker.answerer import refusal, this_process
    from elicit_tui.broker.inbox import Inbox
    from elicit_tui.runtime.runtime import LazyGuardian

    async with open_store(settings, "answerer", create=create, clock=clock) as store:
        may = partial(refusal, without_terminal=settings.store.answer_without_terminal)
        guardian = LazyGuardian(settings.guardian)
        inbox = Inbox(
            store,
            via,
            me=this_process(),
            refusal=may,
            examine=guardian.outgoing,
            abandoned=partial(_record_end, settings),
            clock=clock,
        )
        async with inbox.watched():
            yield inbox


def _record_end(settings: Settings, question_id: str) -> None:
    """The process that asked is gone: its question gets an outcome in the ledger, if it has none.

    Where the ledger cannot be written the row stays without one, which is true as well.
    """
    from elicit_tui.elicitation import cancel
    from elicit_tui.errors import LedgerError
    from elicit_tui.ledger import Ledger
    from elicit_tui.paths import ledger_file

    outcome = cancel("store", "The process that asked ended before the question had an answer.")
    path = ledger_file(settings.history.path)
    with suppress(LedgerError), closing(Ledger.open(path, create=False)) as ledger:
        ledger.abandoned(question_id, outcome)
