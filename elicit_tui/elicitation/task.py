"""A task in the place of a call's result: the extension's name, its states, and who takes part.

Spec: SEP-2663, `io.modelcontextprotocol/tasks`. It is said with each request anew, by both sides.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

EXTENSION: Final = "io.modelcontextprotocol/tasks"

TaskStatus = Literal["working", "input_required", "completed", "cancelled", "failed"]
ENDS: Final[frozenset[str]] = frozenset({"completed", "cancelled", "failed"})
"""The states that never change any more."""


def declares_tasks(capabilities: Any) -> bool:
    """Whether these capabilities of a client or a server say that it knows tasks."""
    extensions = capabilities.get("extensions") if isinstance(capabilities, Mapping) else None
    return isinstance(extensions, Mapping) and isinstance(extensions.get(EXTENSION), Mapping)
