"""Adds and takes out one table in TOML text and leaves every other character as it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from elicit_tui.config.locating import tables
from elicit_tui.elicitation.toml_spelling import dotted, toml_value
from elicit_tui.gateway.install.json_text import newline


def table(path: Sequence[str], values: Mapping[str, Any]) -> str:
    """One table in lines, as a person would write it."""
    lines = [f"[{dotted(*path)}]"]
    lines += [f"{dotted(key)} = {toml_value(value)}" for key, value in values.items()]
    return "\n".join(lines) + "\n"


def put(text: str, block: str) -> str:
    """The text with tables at its end, a blank line before them."""
    broken = newline(text)
    if text and not text.endswith("\n"):
        text += broken
    between = broken if text.strip() else ""
    return text + between + block.replace("\r\n", "\n").replace("\n", broken)


def taken(text: str, path: Sequence[str]) -> tuple[str, str]:
    """The text without a table and what is below it, and these as they stood there.

    Raises KeyError for a table without a header of its own.
    """
    wanted = tuple(path)
    spans = [table for table in tables(text) if table.path[: len(wanted)] == wanted]
    if not spans:
        raise KeyError(path[-1])
    removed = []
    for span in reversed(spans):
        removed.append(text[span.start : span.end])
        before, after = text[: span.start], text[span.end :]
        blank = newline(text) * 2
        if before.endswith(blank) and (not after.strip() or after.startswith(newline(text))):
            before = before[: -len(newline(text))]
        text = before + after
    return text, "".join(reversed(removed))
