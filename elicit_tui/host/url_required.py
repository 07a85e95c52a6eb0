"""Error -32042: pages that must be visited before the call can go on (spec: 2025-11-25)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from elicit_tui.errors import ProtocolCallError

MOST_RETRIES: Final = 5
MOST_PAGES: Final = 16


def url_elicitations(error: ProtocolCallError) -> tuple[Mapping[str, Any], ...]:
    """The params of each page; empty when the error's data does not have the agreed shape."""
    listed = error.data.get("elicitations") if isinstance(error.data, Mapping) else None
    if not isinstance(listed, list) or not 0 < len(listed) <= MOST_PAGES:
        return ()
    if not all(isinstance(entry, Mapping) for entry in listed):
        return ()
    return tuple({"mode": "url", **entry} for entry in listed)
