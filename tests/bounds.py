"""A bound for work on hostile input: not how fast it is, but that it ends."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

SECONDS = 5.0
"""Of this process's own processor time; a slow machine needs a tenth of it."""


@contextmanager
def bounded(seconds: float = SECONDS) -> Iterator[None]:
    """Fail when the work inside takes longer than anybody would wait."""
    started = time.process_time()
    yield
    assert time.process_time() - started < seconds, f"more than {seconds:g} s of the processor"
