"""When garbage is collected: not while the first screen is made, of which nothing is garbage."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_resting = False


@contextmanager
def no_collection() -> Iterator[None]:
    """Collect nothing until `collect_again`, at most as long as this is open."""
    global _resting
    if gc.isenabled():
        gc.disable()
        _resting = True
    try:
        yield
    finally:
        collect_again()


def collect_again() -> None:
    """The screen stands: what is there stays, and is never looked through again."""
    global _resting
    if _resting:
        gc.freeze()
        gc.enable()
        _resting = False
