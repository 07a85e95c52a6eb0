"""Keeps Ctrl+S from stopping the terminal while a run may ask: there it sends a form."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def flow_control_off() -> Iterator[None]:
    """Within this, Ctrl+S stops no output; afterwards the terminal is as it was.

    A terminal that was stopped before goes on. Where standard input is no terminal, or the system
    has none of this kind, nothing is done.
    """
    was_on = _set_flow_control(on=False)
    try:
        yield
    finally:
        if was_on:
            _set_flow_control(on=True)


def _set_flow_control(*, on: bool) -> bool:
    """Set that one flag of the terminal, whatever the others are; whether it was set before."""
    try:
        import termios
    except ImportError:
        return False
    try:
        descriptor = sys.stdin.fileno()
        flags = termios.tcgetattr(descriptor)
        was_on = bool(flags[0] & termios.IXON)
        # This one flag: whoever else changed the terminal meanwhile keeps what they set.
        flags[0] = flags[0] | termios.IXON if on else flags[0] & ~termios.IXON
        termios.tcsetattr(descriptor, termios.TCSANOW, flags)
    except (termios.error, AttributeError, OSError, ValueError):
        return False  # It is no terminal, or it is gone.
    return was_on
