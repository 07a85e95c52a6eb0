"""Lines of a unified diff, as what they are: added, removed, or where they stand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from elicit_tui.tui.console.spans import Line, Role, in_columns, text_lines, wrapped

CHANGES: Final[Mapping[str, Role]] = {"+": "good", "-": "gone"}
"""The role of a line by its sign, which stays in front of it."""

_HUNK: Final = re.compile(r"@@ -\d{1,9}(?:,(\d{1,9}))? \+\d{1,9}(?:,(\d{1,9}))? @@")
_FILE: Final = re.compile(r"^--- [^\n]*\n\+\+\+ [^\n]*\n@@ -", re.MULTILINE)
_FENCE: Final = re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)


def is_diff(text: str) -> bool:
    """Whether a text has a diff of its own: one that no fence of Markdown holds."""
    found = _first_file(text)
    return found is not None and len(_FENCE.findall(text, 0, found.start())) % 2 == 0


def _first_file(text: str) -> re.Match[str] | None:
    """Where the first diff of a text begins; most texts, also of megabytes, have none."""
    return _FILE.search(text) if "\n@@ -" in text else None


def change_lines(text: str, width: int, role: Role) -> list[Line]:
    """One line of a diff, wrapped; the sign in front moves no column of the text behind it.

    That of a change stands before each of its rows: it is told by more than its colour.
    """
    sign = text[:1]
    if sign not in CHANGES:
        return text_lines(f"{sign}{in_columns(text[1:])}", width, role)
    return [((f"{sign}{part}", role),) for part in wrapped(text[1:], width - 1)]


def diff_lines(text: str, width: int) -> list[Line]:
    """Any text as wrapped lines; those of the diffs in it in the colours of changes."""
    if _first_file(text) is None:
        return text_lines(text, width)
    return [
        line
        for written, role in _with_roles(text)
        for line in (change_lines(written, width, role) if role else text_lines(written, width))
    ]


def _with_roles(text: str) -> Iterator[tuple[str, Role | None]]:
    """Each line, with its role where it is one of a hunk, which tells how many it has."""
    old = new = 0
    for written in text.split("\n"):
        sign = written[:1]
        if old > 0 or new > 0:
            old -= sign not in ("+", "\\")
            new -= sign not in ("-", "\\")
            yield written, CHANGES.get(sign, "plain")
        elif hunk := _HUNK.match(written):
            old, new = (int(count) if count else 1 for count in hunk.groups())
            yield written, "dim"
        else:
            yield written, None
