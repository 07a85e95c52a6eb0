"""The composition root: settings become policy, guardian, ledger, store, broker and host."""

from elicit_tui.runtime.opening import load_store, open_inbox, open_store
from elicit_tui.runtime.runtime import RunOptions, Runtime, open_runtime

__all__ = ["RunOptions", "Runtime", "load_store", "open_inbox", "open_runtime", "open_store"]
