"""The rows of a table as CSV, for the program that opens it."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from typing import Any, Final

from elicit_tui.text import readable_json
from elicit_tui.tui.console.result_table import Row, keys_of

SUFFIX: Final = ".csv"
_ACTS: Final = re.compile(r"(?:\A\s*|(?<=[;\t\r\n]))(?=[=+@＝＋＠－]|-(?! ))|\A(?=[\t\r\n])")
"""Where a spreadsheet takes what follows for a formula, whatever sign parts its cells."""


def csv_of(rows: Sequence[Row]) -> bytes:
    """The names of their keys, then a line for each.

    What a spreadsheet would run has a quote before it: a server wrote it.
    """
    written, keys = io.StringIO(), keys_of(rows)
    lines = csv.writer(written)
    lines.writerow(map(_cell, keys))
    lines.writerows([_cell(row.get(key)) for key in keys] for row in rows)
    return written.getvalue().encode("utf-8", "backslashreplace")


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return _ACTS.sub(r"'\g<0>", value)
    return readable_json(value, indent=None)
