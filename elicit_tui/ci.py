"""Whether this is a run of continuous integration, where nobody reads a note or answers."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

NOT_CI: Final = frozenset({"", "0", "false"})


def in_ci(environment: Mapping[str, str] | None = None) -> bool:
    """Whether `CI` is set."""
    environment = os.environ if environment is None else environment
    return environment.get("CI", "").lower() not in NOT_CI
