"""What a field is, what a person may put into it, and what may be wrong with that."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import field
from functools import cached_property
from typing import Any, Final, Literal, TypeAlias

from elicit_tui.dataclass import dataclass
from elicit_tui.form.formats import FORMATS
from elicit_tui.form.json_values import MISSING, json_key
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
    form as a whole is at fault. `message` is neutral text such as "between 1 and 10". `inside` is
    where in the field's value it is, such as "[0].name": neutral too, empty for all of it.
    """

    field: str | None
    message: str
    inside: str = ""

    def __str__(self) -> str:
        """The field and what is wanted there, on one neutral line."""
        place = f"{neutral_line(self.field, 100)}{self.inside}: " if self.field else ""
        return place + neutral_line(self.message)


FieldKind = Literal[
    "string",
    "email",
    "uri",
    "date",
    "date-time",
    "number",
    "integer",
    "boolean",
    "single",
    "multi",
    "unsupported",
]

TEXT_KINDS: Final = frozenset({"string", *FORMATS})
NUMBER_KINDS: Final = frozenset({"number", "integer"})


_UNSET: Final = Unset()


@dataclass(frozen=True)
class Choice:
    """One value of a select: `value` goes on the wire, `label` (neutral text) is shown."""

    value: Any
    label: str
    title: str = ""
    """Of the server, raw and whole, where the label has only its beginning."""


@dataclass(frozen=True, eq=False)
class Field:
    """A property of the form (spec: client/elicitation, "Requested Schema").

    `name` is the raw property name and belongs in content only; `title` and all other texts are
    neutral and safe to draw.
    """

    name: str
    kind: FieldKind
    title: str
    """The schema's title, else the name; neutral, one line."""
    description: str | None = None
    required: bool = False
    default: Any = MISSING
    """The server's default as it came, or MISSING."""
    initial: Entry = _UNSET
    """The default as an entry; Unset when there is none, or (a note says so) it cannot be one."""
    choices: tuple[Choice, ...] = ()
    minimum: int | float | None = None
    maximum: int | float | None = None
    exclusive_minimum: int | float | None = None
    exclusive_maximum: int | float | None = None
    multiple_of: int | float | None = None
    min_length: int | None = None
    """Code points."""
    max_length: int | None = None
    """Code points."""
    min_items: int | None = None
    max_items: int | None = None
    pattern: str | None = None
    """ECMA-262, unanchored, exactly as the server sent it: hostile text."""
    notes: tuple[str, ...] = ()
    """What the person should know: keywords not drawn, a default that cannot be filled in."""
    hint: str = ""
    """What is wanted, in a few words: "1 to 10", "3 to 20 characters", "choose 1 to 2"."""
    placeholder: str = ""
    """An example of the format, such as `2099-12-31`; "" where there is none."""
    multiline: bool = False
    """Whether the widget should take several lines."""
    each_line: bool = False
    """A list of free texts: each line of the `Typed` text is one item of the list."""
    nullable: bool = False
    """Whether the schema also allows null; a form never sends it."""
    why_unsupported: str = ""
    """For kind `unsupported`: why no answer exists, said of the field: "is a list of objects"."""
    schema: Any = field(default=None, repr=False)
    """The property's schema as the server sent it."""

    @cached_property
    def values_by_key(self) -> Mapping[Hashable, Any]:
        """The schema's own spelling of each choice: 1 and 1.0 are the same choice."""
        return {json_key(choice.value): choice.value for choice in self.choices}

    @property
    def sendable(self) -> bool:
        """Whether an answer for this property exists on the wire."""
        return self.kind != "unsupported"
