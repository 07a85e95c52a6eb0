"""A name for a JSON value, so that two sights of it can be told to be the same."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from elicit_tui.text.data import ascii_json


def digest(value: Any) -> str:
    """The SHA-256, in hex, of a JSON value's one canonical spelling; never raises for its size."""
    return hashlib.sha256(_canonical(value).encode("ascii")).hexdigest()


def _canonical(value: Any) -> str:
    """ASCII, sorted keys, no blanks."""
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError):
        return ascii_json(value)  # bounded, so that the digest of a monster still exists
