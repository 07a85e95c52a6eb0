"""The composition root: settings become policy, guardian, ledger, store, broker and host."""

from elicit_tui.runtime.opening import (
    RunOptions,
    Runtime,
    load_store,
    open_inbox,
    open_runtime,
    open_store,
)

__all__ = ["RunOptions", "Runtime", "load_store", "open_inbox", "open_runtime", "open_store"]
