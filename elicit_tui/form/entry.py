"""What a person did to one field, as a value: raw input before it is content.

Widgets, plain prompts, drafts and answers files all speak in entries, so that one conversion
(`conversion`) and one judge reach the same verdict for each of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from elicit_tui.text import neutral_line


@dataclass(frozen=True)
class Unset:
    """Nothing was said; an optional field is left out of the content."""


@dataclass(frozen=True)
class Typed:
    """Text as typed, for every kind that is written; `Typed("")` counts as unset."""

    text: str


@dataclass(frozen=True)
class EmptyOnPurpose:
    """The person wants the empty string, or the empty list, to be sent."""


@dataclass(frozen=True)
class Ticked:
    """Yes or no, for a boolean."""

    value: bool


@dataclass(frozen=True)
class Chosen:
    """One choice of a single-select, by its value; `Chosen(None)` counts as unset."""

    value: Any


@dataclass(frozen=True)
class ChosenMany:
    """The choices of a multi-select, by value; `ChosenMany(())` counts as unset."""

    values: tuple[Any, ...]


Entry: TypeAlias = Unset | Typed | EmptyOnPurpose | Ticked | Chosen | ChosenMany


def is_unset(entry: Entry) -> bool:
    """Whether this entry says nothing, so that the field would be left out."""
    return (
        isinstance(entry, Unset)
        or (isinstance(entry, Typed) and not entry.text)
        or (isinstance(entry, Chosen) and entry.value is None)
        or (isinstance(entry, ChosenMany) and not entry.values)
    )


@dataclass(frozen=True)
class Problem:
    """One thing a person can mend; a value, never an exception.

    `field` is the property's raw name (hostile text: neutralise before showing), None when the
    form as a whole is at fault. `message` is neutral text such as "between 1 and 10".
    """

    field: str | None
    message: str

    def __str__(self) -> str:
        """The field and what is wanted there, on one neutral line."""
        place = f"{neutral_line(self.field, 100)}: " if self.field else ""
        return place + neutral_line(self.message)
