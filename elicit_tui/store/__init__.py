"""What waits for an answer from another process, sealed; who is there; what a session may do."""

from elicit_tui.store.file import StoreMissing
from elicit_tui.store.sealing import secret_from
from elicit_tui.store.sqlite import SqliteStore
from elicit_tui.store.store import (
    AgentState,
    Answer,
    Asker,
    AskingProcess,
    Changes,
    Grant,
    Store,
    Waiting,
)

__all__ = [
    "AgentState",
    "Answer",
    "Asker",
    "AskingProcess",
    "Changes",
    "Grant",
    "SqliteStore",
    "Store",
    "StoreMissing",
    "Waiting",
    "secret_from",
]
