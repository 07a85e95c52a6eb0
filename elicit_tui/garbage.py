"""When garbage is collected: not while much is loaded that stays to the end, and never in that.

To look for garbage among the objects of a large library, again each time that something more is
loaded, adds more than a fifth to the processor time of `call`.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_resting = False


@contextmanager
def no_collection() -> Iterator[None]:
    """Collect nothing until `collect_again`, at most as long as this is open.

    One inside another ends both: then what a start needs is loaded.
    """
    global _resting
    if gc.isenabled():
        gc.disable()
        _resting = True
    try:
        yield
    finally:
        collect_again()


def collect_again() -> None:
    """Much is loaded: what is there stays, and is never looked through again."""
    global _resting
    if _resting:
        gc.freeze()
        gc.enable()
        _resting = False


@contextmanager
def much_is_read() -> Iterator[None]:
    """Collect nothing within: among a million small objects of one message there is no garbage.

    To look for it again and again, as they come, takes three times as long as to read them.
    """
    is_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_on:
            gc.enable()
