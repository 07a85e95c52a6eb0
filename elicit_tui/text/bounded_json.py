"""A JSON value as text for a screen: as much as a person looks at, and a word for the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from elicit_tui.text.data import readable_json

SHOWN_CHARACTERS: Final = 200_000
"""Of a value; all of a result can be copied or saved."""

SHOWN_VALUES: Final = 5_000
"""Each is a line at least."""

SHOWN_TEXT: Final = 20_000
"""Characters of one text in it."""


def bounded_json(value: Any, values: int = SHOWN_VALUES) -> str:
    """A value as JSON, so many values of it; the rest and long base64 are told, not shown."""
    try:
        shown = _Shortened(values).of(value)
        text = readable_json(shown)
    except RecursionError:
        return "(nested too deeply to be shown)"
    return text if len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + "…"


class _Shortened:
    """A walk over one value that ends when there is enough for a screen."""

    def __init__(self, values: int) -> None:
        self._left = values

    def of(self, value: Any, key: str = "") -> Any:
        """The value with what is too long in it told instead."""
        self._left -= 1
        if isinstance(value, Mapping):
            return dict(self._members(value))
        if isinstance(value, list):
            return list(self._items(value))
        if key in ("data", "blob") and isinstance(value, str) and len(value) > 200:
            return f"{value[:40]}… ({len(value):,} characters of base64)"
        if isinstance(value, str) and len(value) > SHOWN_TEXT:
            return f"{value[:SHOWN_TEXT]}… ({len(value):,} characters)"
        return value

    def _members(self, value: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        for taken, (name, item) in enumerate(value.items()):
            if self._left <= 0:
                yield "…", f"{len(value) - taken:,} more"
                return
            yield name, self.of(item, str(name))

    def _items(self, value: list[Any]) -> Iterator[Any]:
        for taken, item in enumerate(value):
            if self._left <= 0:
                yield f"… {len(value) - taken:,} more"
                return
            yield self.of(item)
