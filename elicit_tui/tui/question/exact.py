"""The content that is shown is the content that is sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def frozen(content: Mapping[str, Any]) -> dict[str, Any]:
    """A copy that nothing on the screen can change any more."""
    return {
        name: list(value) if isinstance(value, (list, tuple)) else value
        for name, value in content.items()
    }
