"""Loads the SDK once, off the event loop: it takes longer than all else in a short run."""

from __future__ import annotations

import gc
import logging
import sys
from typing import Final

_LOGGERS: Final = ("mcp", "client", "httpx2", "httpcore2")
"""What libraries say goes nowhere: each fault that matters is told as a sentence of ours."""


def load_sdk() -> None:
    """Import what a connection needs; a second call does nothing.

    The collector rests meanwhile, and afterwards leaves alone what is there: the many thousand
    objects of the SDK's models stay to the end of the run, and to look through them again and
    again, at the end too, takes a tenth of a short run's time.
    """
    if "elicit_tui.host.session" in sys.modules:
        return
    resting = gc.isenabled()
    gc.disable()
    try:
        import elicit_tui.host.session
        import elicit_tui.host.stdio  # noqa: F401

        gc.freeze()
    finally:
        if resting:
            gc.enable()
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        logger.addHandler(logging.NullHandler())
        logger.propagate = False
