"""What the widgets for choices share: their signs, what is chosen, a default that is no choice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from elicit_tui.form import Chosen, ChosenMany, EmptyOnPurpose, Entry, Field, Ticked, Unset
from elicit_tui.form.choices import LABEL_LENGTH, value_label
from elicit_tui.form.json_values import json_key
from elicit_tui.text import neutral_line, readable_json
from elicit_tui.tui.widgets.control import FieldControl

ONE: Final = ("○", "●")
"""Not chosen, chosen: one of several. Shape tells them apart, never colour alone."""
MANY: Final = ("[ ]", "[x]")
"""Not chosen, chosen: any of several."""
_SENT_LENGTH: Final = 300
"""Characters of a value beside a label that does not say it."""


class ChoiceControl(FieldControl):
    """A field's widget that holds chosen places in a list of choices.

    An entry that it is given stays what it is, to the order and the repetitions of a server's
    default, until the person chooses.
    """

    def __init__(self, spec: Field, values: Sequence[Any]) -> None:
        """`values` are those of the choices, in their order."""
        super().__init__()
        self.spec = spec
        self.many = spec.kind == "multi"
        self._marks = MANY if self.many else ONE
        self._values = values
        self._given: Entry | None = Unset()
        """What was put, while the person has not chosen."""
        self._chosen: set[int] = set()
        """Places from 0."""

    @property
    def entry(self) -> Entry:
        """What is chosen, in the schema's order; Unset when nothing is."""
        if self._given is not None:
            return self._given
        values = tuple(self._values[place] for place in sorted(self._chosen))
        if not values:
            return Unset()
        return ChosenMany(values) if self.many else self._single(values[0])

    def _single(self, value: Any) -> Entry:
        """The entry that says this value."""
        return Chosen(value)

    def put(self, entry: Entry) -> None:
        """Show an entry; what it holds besides the choices is kept and said."""
        values = _values_of(entry)
        self._given = entry if values or isinstance(entry, EmptyOnPurpose) else Unset()
        wanted = {(type(value), value) for value in values}
        self._chosen = set()
        for place, value in enumerate(self._values if wanted else ()):
            if (type(value), value) in wanted:
                wanted.discard((type(value), value))
                self._chosen.add(place)
        self._brought(min(self._chosen, default=0))
        self.refresh()

    def _brought(self, place: int) -> None:
        """The bar belongs here."""
        raise NotImplementedError

    def _choose(self, place: int) -> None:
        """The person chooses it; where several can be chosen, or takes it out again."""
        self._given = None
        self._chosen = self._chosen ^ {place} if self.many else {place}
        self._brought(place)
        self.refresh()
        self.changed()

    @property
    def warning(self) -> str | None:
        """What a default holds that cannot be seen among the choices."""
        values = _values_of(self._given)
        if len({(type(value), value) for value in values}) > len(self._chosen):
            return "holds a value that is none of these choices"
        if len(values) > len(self._chosen):
            return "holds a choice more than once; choosing keeps it once"
        return None

    @property
    def sends(self) -> str | None:
        """The values of what is chosen, as far as their labels say something else."""
        labels = {json_key(choice.value): choice.label for choice in self.spec.choices}
        unsaid = [
            neutral_line(readable_json(value, indent=None), _SENT_LENGTH)
            for value in _values_of(self.entry)
            if not isinstance(value, bool) or labels
            if not says(labels.get(json_key(value), ""), value)
        ]
        return f"sends {', '.join(unsaid)}" if unsaid else None

    @property
    def count(self) -> str | None:
        """How many are chosen."""
        if not self.many:
            return None
        return f"now {len(_values_of(self._given)) or len(self._chosen)}"


def says(label: str, value: Any) -> bool:
    """Whether the label of a choice says the value that is sent for it.

    `Staging` says "staging", `Eu West` says "eu-west"; `No` does not say "yes", nor `5` -5.
    """
    shown = value_label(value)
    if label == shown or label.endswith(f"({shown})"):
        return not isinstance(value, str) or len(value) <= LABEL_LENGTH
    said, sent = (_letters(text) for text in (label, shown))
    return isinstance(value, str) and said == sent and not sent.isdecimal() and bool(sent)


def _letters(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def _values_of(entry: Entry | None) -> tuple[Any, ...]:
    if isinstance(entry, ChosenMany):
        return entry.values
    if isinstance(entry, Ticked) or (isinstance(entry, Chosen) and entry.value is not None):
        return (entry.value,)
    return ()
