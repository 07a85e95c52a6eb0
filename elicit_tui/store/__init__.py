"""What waits for an answer from another process, sealed; who is there; what a session may do.

Importing this package loads nothing else: whoever only looks whether somebody is there waits for
no more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from elicit_tui.on_demand import from_modules

if TYPE_CHECKING:
    from elicit_tui.store.sealing import fresh_secret, secret_from, secret_in_file
    from elicit_tui.store.sqlite import SqliteStore
    from elicit_tui.store.store import (
        Answer,
        Asker,
        AskingProcess,
        Changes,
        Grant,
        Role,
        Store,
        StoreMissing,
        Waiting,
    )
    from elicit_tui.store.transitions import AgentState

__all__ = [
    "AgentState",
    "Answer",
    "Asker",
    "AskingProcess",
    "Changes",
    "Grant",
    "Role",
    "SqliteStore",
    "Store",
    "StoreMissing",
    "Waiting",
    "fresh_secret",
    "secret_from",
    "secret_in_file",
]

__getattr__ = from_modules(__name__, __all__, ("store", "transitions", "sealing", "sqlite"))
