"""The table of faults: each test carries the rows that it proves, in words for people."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import pytest

Test = TypeVar("Test", bound=Callable[..., Any])

LEFT_NOTHING: Final = "nothing"
"""Left behind: no process, no temporary file, the terminal as it was."""


@dataclass(frozen=True)
class Row:
    """One fault, and what came of it."""

    fault: str
    done: str
    """What the test did."""
    saw: str
    """The sentence, or the words on the screen, that the person saw."""
    sent: str
    """What the server was sent, as far as it still read."""
    code: int | None = None
    """The exit code; None where the run goes on."""
    left: str = LEFT_NOTHING
    """What was left behind."""
    case: str = ""
    """The name of the case, where one test proves several rows; here, what the server does."""
    keys: dict[str, Any] = field(default_factory=dict)
    """Keys of the server's table in the configuration; not in the table of faults."""


def proves(*rows: Row) -> Callable[[Test], Test]:
    """Say which rows of the table this test proves."""

    def remember(test: Test) -> Test:
        test.rows = rows  # type: ignore[attr-defined]
        return test

    return remember


def each(rows: Sequence[Row]) -> Callable[[Test], Test]:
    """Run this test once for each row, and say that it proves them."""
    mark = pytest.mark.parametrize("row", rows, ids=[row.case for row in rows])

    def both(test: Test) -> Test:
        return mark(proves(*rows)(test))  # type: ignore[no-any-return]

    return both
