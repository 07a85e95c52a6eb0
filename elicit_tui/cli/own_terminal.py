"""The terminal that this program runs in: is a person at it, its colours, its width, its keys.

Whether a person is there has one answer for the whole run (docs/ci.md).
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import IO, Any, Final, TypeAlias

from elicit_tui.ci import in_ci


def person_present(
    *,
    stdin_taken: bool = False,
    stdin: IO[str] | None = None,
    stderr: IO[str] | None = None,
    environment: Mapping[str, str] | None = None,
) -> bool:
    """Whether somebody can answer: stdin and stderr are terminals, and this is no CI.

    `stdin_taken`: the arguments come from standard input, so that no answer can.
    """
    environment = os.environ if environment is None else environment
    if stdin_taken or in_ci(environment):
        return False
    # Standard output may go anywhere: what a person reads and types is elsewhere.
    return is_terminal(stdin or sys.stdin) and is_terminal(stderr or sys.stderr)


def wants_plain_prompts(environment: Mapping[str, str] | None = None) -> bool:
    """Whether this terminal can only take lines."""
    environment = os.environ if environment is None else environment
    return environment.get("TERM") == "dumb"


def is_terminal(stream: IO[str] | None) -> bool:
    """Whether a stream is an open terminal."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:
        return False  # The stream was closed.


def standard_input() -> bytes:
    """All of standard input, as it is; nothing where it is closed. Raises OSError."""
    return b"" if sys.stdin is None else sys.stdin.buffer.read()


# Signs

VERDICTS: Final = {"allow": "✓ ", "warn": "▲ ", "block": "■ "}
"""What stands before a verdict or a severity on a terminal; a note has none."""

GREEN, RED, YELLOW = 32, 31, 33
COLOURS: Final = {"✓": GREEN, "✗": RED, "■": RED, "▲": YELLOW, "○": YELLOW}

_SIGN: Final = re.compile(f"(?<![^ \n])[{''.join(COLOURS)}](?= )")


def coloured(text: str, *, terminal: bool, environment: Mapping[str, str] | None = None) -> str:
    """The text with its signs coloured for a terminal that wants it (https://no-color.org)."""
    if not _wants_colour(terminal, environment):
        return text
    return _SIGN.sub(lambda sign: f"\x1b[{COLOURS[sign[0]]}m{sign[0]}\x1b[39m", text)


def coloured_change(
    line: str, *, terminal: bool, environment: Mapping[str, str] | None = None
) -> str:
    """One line of a unified diff, coloured likewise: what comes is green, what goes is red."""
    colour = {"+": GREEN, "-": RED}.get(line[:1])
    heading = line.startswith(("+++ ", "--- "))
    if colour is None or heading or not _wants_colour(terminal, environment):
        return line
    return f"\x1b[{colour}m{line}\x1b[39m"


def _wants_colour(terminal: bool, environment: Mapping[str, str] | None) -> bool:
    environment = os.environ if environment is None else environment
    return terminal and not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"


# Lines

NARROWEST = 20
"""Columns; on a terminal of fewer nothing is broken at words."""


def wrapped_to_width(text: str, stream: IO[Any] | None, column: int = 0) -> str:
    """The text as it fits this terminal; as it is where the stream is none.

    What goes on in the next line is indented further, so that it never looks like a new line, and
    at least to `column`.
    """
    width = columns_of(stream)
    if width is None or width < NARROWEST or all(len(line) <= width for line in text.split("\n")):
        return text
    import textwrap

    lines = []
    for line in text.split("\n"):
        indent = " " * max(column, len(line) - len(line.lstrip(" ")) + 2)
        wrapped = textwrap.wrap(
            line,
            width,
            subsequent_indent=indent,
            replace_whitespace=False,
            break_long_words=False,
            break_on_hyphens=False,
        )
        lines += wrapped or [line]
    return "\n".join(lines)


def columns_of(stream: IO[Any] | None) -> int | None:
    """The width of the terminal that a stream is; None when it is none."""
    try:
        if stream is None or not stream.isatty():
            return None
        return os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):
        return None


# Ctrl+S, which sends a form


@contextmanager
def flow_control_off() -> Iterator[None]:
    """Within this, Ctrl+S stops no output; afterwards the terminal is as it was.

    A terminal that was stopped before goes on. Where standard input is no terminal, or the system
    has none of this kind, nothing is done.
    """
    before = _changed_terminal(_stop_nothing)
    try:
        yield
    finally:
        if before is not None:
            _changed_terminal(partial(_put_back, before))


def forget_extra_sends() -> None:
    """Behind a form another Ctrl+S is for nobody, and does not wait there for the shell.

    Until `flow_control_off` ends, it erases the word before it, as Ctrl+W does otherwise: mostly
    there is none.
    """
    _changed_terminal(_erase_by_stop)


_Attributes: TypeAlias = list[Any]
"""Of a terminal, as `termios` has them."""


def _stop_nothing(attributes: _Attributes) -> None:
    import termios

    attributes[0] &= ~termios.IXON


def _erase_by_stop(attributes: _Attributes) -> None:
    import termios

    signs = attributes[6]
    signs[termios.VWERASE] = signs[termios.VSTOP]


def _put_back(before: _Attributes, attributes: _Attributes) -> None:
    import termios

    # These alone: whoever else changed the terminal meanwhile keeps what they set.
    attributes[0] |= before[0] & termios.IXON
    attributes[6][termios.VWERASE] = before[6][termios.VWERASE]


def _changed_terminal(change: Callable[[_Attributes], None]) -> _Attributes | None:
    """Change the terminal; what it was before, None where there is none or it is gone."""
    try:
        import termios
    except ImportError:
        return None
    try:
        descriptor = sys.stdin.fileno()
        before, now = termios.tcgetattr(descriptor), termios.tcgetattr(descriptor)
        change(now)
        termios.tcsetattr(descriptor, termios.TCSANOW, now)
    except (termios.error, AttributeError, OSError, ValueError):
        return None
    return before
