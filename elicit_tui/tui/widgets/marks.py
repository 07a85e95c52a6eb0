"""The signs drawn beside a choice; shape tells them apart, never colour alone."""

from __future__ import annotations

from typing import Final

ONE: Final = ("○", "●")
"""Not chosen, chosen: one of several."""

MANY: Final = ("[ ]", "[x]")
"""Not chosen, chosen: any of several."""
