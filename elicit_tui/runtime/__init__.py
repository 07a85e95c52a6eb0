"""The composition root: settings become policy, guardian, ledger, broker and host."""

from elicit_tui.runtime.runtime import Runtime, open_runtime

__all__ = ["Runtime", "open_runtime"]
