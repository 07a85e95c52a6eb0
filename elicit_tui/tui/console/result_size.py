"""How big a result is, in a few words: what it has many of, and how much that is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from elicit_tui.text import neutral_line
from elicit_tui.tui.console.outcome_words import plural
from elicit_tui.tui.console.result_data import text_in, unpacked
from elicit_tui.tui.console.results import binaries, blocks

if TYPE_CHECKING:
    from elicit_tui.tui.console.calls import CallRecord

COUNTED_CHARACTERS: Final = 2_000_000
"""Of a text whose JSON is counted: the screen waits for no longer one."""
KILO: Final = 1_000
MEGA: Final = 1_000_000


def size_of(record: CallRecord) -> tuple[str, ...]:
    """How big its result is, as `("400 items", "55 kB")`; worked out once, empty where it has none.

    The amount stands last.
    """
    if record.size is None:
        record.size = () if record.result is None else how_big(record.result)
    return record.size


def how_big(result: Mapping[str, Any]) -> tuple[str, ...]:
    """The items of a list, the lines of a text, or what else it is; and its bytes."""
    parts = binaries(result)
    texts = [text for block in blocks(result) if (text := text_in(block)) is not None]
    size = sum(part.size for part in parts) + sum(map(_bytes_of, texts))
    if not size:
        size = _bytes_of(_spelled(result.get("structuredContent")))
    if parts:
        kinds = dict.fromkeys(neutral_line(part.kind, 40) for part in parts)
        return (", ".join(kinds) if len(kinds) < 3 else plural(len(parts), "file"), amount(size))
    if (items := _items_of(result, texts)) > 1:
        return (f"{items:,} items", amount(size))
    lines = sum(text.count("\n") + (not text.endswith("\n")) for text in texts)
    if lines > 1:
        return (plural(lines, "line"), amount(size))
    return (amount(size),) if size else ()


def _items_of(result: Mapping[str, Any], texts: list[str]) -> int:
    if sum(map(len, texts)) > COUNTED_CHARACTERS and not result.get("structuredContent"):
        return 0
    data = unpacked(result)
    lists = [data] if isinstance(data, list) else []
    if isinstance(data, Mapping) and data is not result:
        lists = [value for value in data.values() if isinstance(value, list)]
    return len(lists[0]) if len(lists) == 1 else 0


def _bytes_of(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


def _spelled(data: Any) -> str:
    try:
        return json.dumps(data) if data else ""
    except (ValueError, TypeError, RecursionError):
        return ""


def amount(size: int) -> str:
    """So many bytes in the unit that says most."""
    if size < KILO:
        return plural(size, "byte")
    return f"{size / KILO:,.0f} kB" if size < MEGA else f"{size / MEGA:,.1f} MB"
