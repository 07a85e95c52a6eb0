"""What is wrong in a configuration, where, in words that a person can act on."""

from __future__ import annotations

from typing import NamedTuple

KeyPath = tuple[str | int, ...]
"""Keys from the top; a number (from 0) counts the entries of an array."""


class Diagnostic(NamedTuple):
    """One mistake; `str()` is `FILE:LINE: KEY: what is wrong`, with what is known of it."""

    message: str
    key: str | None = None
    """The dotted key, as a config file spells it."""
    file: str | None = None
    line: int | None = None
    """From 1."""

    def __str__(self) -> str:
        place = self.file or ""
        if self.file and self.line is not None:
            place += f":{self.line}"
        return ": ".join(part for part in (place, self.key, self.message) if part)
