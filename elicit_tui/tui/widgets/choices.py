"""Choices: what all lists of them share: their signs, what is chosen, a default that is none."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Sequence
from typing import Any, Final

from elicit_tui.form.choices import LABEL_LENGTH, value_label
from elicit_tui.form.field import Chosen, ChosenMany, EmptyOnPurpose, Entry, Field, Ticked, Unset
from elicit_tui.form.json_values import json_key
from elicit_tui.text import neutral_line, readable_json
from elicit_tui.tui.widgets.control import (
    OWN,
    FieldControl,
)

ONE: Final = ("○", "●")
"""Not chosen, chosen: one of several. Shape tells them apart, never colour alone."""
MANY: Final = ("[ ]", "[x]")
"""Not chosen, chosen: any of several."""
_NAME_LENGTH: Final = 60
"""Characters of a label within a sentence."""
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
        self._unread: set[int] = set()
        """Of what is chosen: what others chose, and nobody saw whole."""
        self._read: set[int] = set()
        """What was on the screen while others had chosen it."""
        self._cut_besides = False
        """Whether there is a value that is none of the choices, and too long to be shown."""

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
        wanted = set(map(_spelling, values))
        self._chosen = set()
        for place, value in enumerate(self._values if wanted else ()):
            if (spelling := _spelling(value)) in wanted:
                wanted.discard(spelling)
                self._chosen.add(place)
        self._unread, self._cut_besides = set(), False
        if self.has_default and entry == self.spec.initial:
            self.is_of_others()
        self._brought(min(self._chosen, default=0))
        self.refresh()

    def came_back(self, whence: str, *, continues: bool = False) -> None:
        """What others chose for the person is still to be seen."""
        super().came_back(whence, continues=continues)
        self._unread, self._cut_besides = set(), False
        if whence not in OWN:
            self.is_of_others()

    def is_of_others(self) -> None:
        """What is chosen is others' choice, until it was on the screen."""
        self._unread = self._chosen - self._read
        known = {_spelling(self._values[place]) for place in self._chosen}
        besides = [value for value in _values_of(self._given) if _spelling(value) not in known]
        self._cut_besides = any(_sent(value) != _sent(value, None) for value in besides)

    @property
    def hidden(self) -> bool:
        """Whether others chose something that was never on the screen whole."""
        return self._cut_besides or bool(self._unread)

    @property
    def shows_all(self) -> bool:
        """Whether a list shows it whole."""
        return not (self._cut_besides or any(map(self._is_cut, self._unread)))

    @property
    @abstractmethod
    def in_sight(self) -> set[int]:
        """The choices that stand whole in what was painted last."""

    def see(self) -> None:
        """What stands there, unless no list shows it whole."""
        seen = {place for place in self.in_sight & self._unread if not self._is_cut(place)}
        self._unread -= seen
        self._read |= seen

    def see_afresh(self) -> None:
        """What stands there now, of what others chose."""
        if self._read:
            self._unread |= self._read & self._chosen
            self._read.clear()
            self.see()

    def _is_cut(self, place: int) -> bool:
        """Whether its title, or what is sent for it, is longer than any list shows."""
        choice = self.spec.choices[place] if self.spec.choices else None
        if choice is None or choice.title:
            return choice is not None
        return not says(choice.label, choice.value) and _sent(choice.value) != _sent(
            choice.value, None
        )

    @abstractmethod
    def _brought(self, place: int) -> None:
        """The bar belongs here."""

    def _choose(self, place: int) -> None:
        """The person chooses it; where several can be chosen, or takes it out again."""
        self._given = None
        self._chosen = self._chosen ^ {place} if self.many else {place}
        self._unread = (self._unread & self._chosen) - {place}
        self._cut_besides = False
        self._brought(place)
        self.refresh()
        self.changed()

    def _unchosen(self, label: str) -> str:
        """That the bar alone stands on this choice, in words."""
        return f"“{neutral_line(label, _NAME_LENGTH)}” is not chosen yet"

    @property
    def warning(self) -> str | None:
        """What a default holds that cannot be seen among the choices."""
        values = _values_of(self._given)
        if len(set(map(_spelling, values))) > len(self._chosen):
            return "holds a value that is none of these choices"
        if len(values) > len(self._chosen):
            return "holds a choice more than once; choosing keeps it once"
        return None

    @property
    def sends(self) -> str | None:
        """The values of what is chosen, as far as their labels say something else."""
        labels = {json_key(choice.value): choice.label for choice in self.spec.choices}
        unsaid = [
            _sent(value)
            for value in _values_of(self.entry)
            if not isinstance(value, bool) or labels
            if not says(labels.get(json_key(value), ""), value)
        ]
        return f"{self.verb} {', '.join(unsaid)}" if unsaid and self.verb else None

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
    letters, sent = (_letters(text) for text in (label, shown))
    return isinstance(value, str) and letters == sent and not sent.isdecimal() and bool(sent)


def _sent(value: Any, most: int | None = _SENT_LENGTH) -> str:
    return neutral_line(readable_json(value, indent=None), most)


def _letters(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def _spelling(value: Any) -> Hashable:
    """Tells values apart as they are sent, 1 and 1.0 too; an agent may fill in any of JSON."""
    return type(value), json_key(value)


def _values_of(entry: Entry | None) -> tuple[Any, ...]:
    if isinstance(entry, ChosenMany):
        return entry.values
    if isinstance(entry, Ticked) or (isinstance(entry, Chosen) and entry.value is not None):
        return (entry.value,)
    return ()
