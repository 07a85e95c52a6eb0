"""What a number is worth, however it is written."""

from __future__ import annotations

import re


def value_of(digits: str) -> float:
    """A sum as it is written anywhere: only a separator before one or two last digits counts.

    What has several of those is a date, a version or an address: no sum, so worth nothing.
    """
    whole, _, part = re.sub(r"[.,](?=\d{3})", "", digits).replace(",", ".").partition(".")
    return 0.0 if "." in part else float(f"{whole}.{part or 0}")
