"""The keywords that a schema may hold, and what one of them makes of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from elicit_tui.guardian.pages import table

COMBINATORS: Final = table("schemas")["combinators"]
"""Keywords that make a puzzle of a schema."""
KNOWN: Final = frozenset(table("schemas")["known"])
"""Keywords that an honest form has: the spec's own, and harmless neighbours."""
TYPES: Final = frozenset(table("schemas")["types"])
"""What a field may be."""


def are_choices(options: Any) -> bool:
    """Whether a `oneOf` or `anyOf` lists the choices of a select."""
    return isinstance(options, list) and all(
        isinstance(option, Mapping) and "const" in option for option in options
    )
