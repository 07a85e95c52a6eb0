"""Programs of the owner that look at a question, answer it, or are told (docs/hooks.md).

Loaded only where one is configured. What a hook says is only read here; the broker decides what it
may do.
"""

from elicit_tui.hooks.hooks import Hooks
from elicit_tui.hooks.running import Reply

__all__ = ["Hooks", "Reply"]
