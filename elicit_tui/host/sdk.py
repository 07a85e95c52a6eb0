"""Loads the SDK once, off the event loop: it takes longer than all else in a short run."""

from __future__ import annotations

import gc
import logging
from typing import Final

_LOGGERS: Final = ("mcp", "client", "httpx2", "httpcore2")
"""What libraries say goes nowhere: each fault that matters is told as a sentence of ours."""


def load_sdk() -> None:
    """Import what a connection needs.

    The collector rests meanwhile: the many thousand objects of the SDK's models all stay, and
    looking through them again and again takes a tenth of the whole time.
    """
    resting = gc.isenabled()
    gc.disable()
    try:
        import elicit_tui.host.session
        import elicit_tui.host.stdio  # noqa: F401
    finally:
        if resting:
            gc.enable()
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        if not logger.handlers:
            logger.addHandler(logging.NullHandler())
            logger.propagate = False
