"""A name for a schema, so that drafts are offered again for the same one only."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from elicit_tui.form.limits import too_large


def schema_digest(schema: Any) -> str:
    """SHA-256 (hexadecimal) of the schema as canonical JSON; "" for one beyond the limits."""
    if too_large(schema) is not None:
        return ""
    text = json.dumps(schema, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()
