"""The table of faults: each test carries the rows that it proves, in words for people."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import pytest

Test = TypeVar("Test", bound=Callable[..., Any])

CALLED: Final = "handshake, list, call"
"""What every call sends; a server that no longer reads gets less."""

LEFT: Final = "nothing"
"""What every test finds left behind, or it fails."""


@dataclass(frozen=True)
class Row:
    """One fault, and what came of it."""

    fault: str
    saw: str
    """The sentence, or the words on the screen, that the person saw."""
    case: str = ""
    """The name of the case, where one test proves several rows: what the server does."""
    done: str = "`call`"
    """What the test did."""
    code: int | None = 0
    """The exit code; None where there was nobody to give one to."""
    sent: str = CALLED
    """What the server was sent, as it noted it down."""
    ledger: str = ""
    """What became of each question, in order, and who decided."""
    keys: dict[str, Any] = field(default_factory=dict)
    """Keys of the server's table in the configuration."""

    @property
    def cells(self) -> tuple[str, ...]:
        """The row as the table shows it, without its test."""
        done = ", ".join([self.done, *(f"{key} = {value}" for key, value in self.keys.items())])
        code = "" if self.code is None else str(self.code)
        return (self.fault, done, self.saw, code, self.sent, self.ledger, LEFT)


def proves(*rows: Row) -> Callable[[Test], Test]:
    """Say which rows of the table this test proves."""

    def remember(test: Test) -> Test:
        test.rows = rows  # type: ignore[attr-defined]
        return test

    return remember


def each(rows: Iterable[Row]) -> Callable[[Test], Test]:
    """Run this test once for each row, and say that it proves them."""
    rows = tuple(rows)
    mark = pytest.mark.parametrize("row", rows, ids=[row.case for row in rows])

    def both(test: Test) -> Test:
        test.case_by_case = True  # type: ignore[attr-defined]
        return mark(proves(*rows)(test))  # type: ignore[no-any-return]

    return both
