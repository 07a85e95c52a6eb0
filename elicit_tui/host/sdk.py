"""Loads the SDK once, off the event loop: it takes longer than all else in a short run."""

from __future__ import annotations

import gc
import logging
import sys
import threading
from collections.abc import Callable
from typing import Final

from elicit_tui.host.client_only import client_only

_LOGGERS: Final = ("mcp", "client", "httpx2", "httpcore2")
"""What libraries say goes nowhere: each fault that matters is told as a sentence of ours."""

_one_at_a_time = threading.Lock()
"""Its modules import each other in circles: two threads in them would wait for each other."""


def load_sdk(*, remote: bool = False) -> None:
    """Import what a connection needs; a second call waits for the first and does nothing.

    `remote`: also what streamable HTTP and SSE need. The collector rests meanwhile, and afterwards
    leaves alone what is there: the many thousand objects of the SDK's models stay to the end of
    the run, and to look through them again and again, at the end too, takes a tenth of a short
    run's time.
    """
    with _one_at_a_time:
        if "elicit_tui.host.session" not in sys.modules:
            _load(_session)
            _quieten()
        if remote and "mcp.client.streamable_http" not in sys.modules:
            _load(_remote)


def _load(modules: Callable[[], None]) -> None:
    resting = gc.isenabled()
    gc.disable()
    try:
        try:
            with client_only():
                modules()
        except ImportError:
            modules()
        gc.freeze()
    finally:
        if resting:
            gc.enable()


def _session() -> None:
    import elicit_tui.host.session
    import elicit_tui.host.stdio  # noqa: F401


def _remote() -> None:
    import mcp.client.sse
    import mcp.client.streamable_http  # noqa: F401


def _quieten() -> None:
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        logger.addHandler(logging.NullHandler())
        logger.propagate = False
