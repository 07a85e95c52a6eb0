"""What is wrong with an answer, in words that say what is wanted."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """One thing a person can mend; a value, never an exception.

    `field` is the property's raw name (hostile text: neutralise before showing), None when the
    form as a whole is at fault. `message` is neutral text such as "between 1 and 10".
    """

    field: str | None
    message: str
