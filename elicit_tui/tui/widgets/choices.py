"""Choices: what all lists share, and the short list itself."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Sequence
from typing import Any, ClassVar, Final

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content

from elicit_tui.form.choices import LABEL_LENGTH, value_label
from elicit_tui.form.field import Chosen, ChosenMany, EmptyOnPurpose, Entry, Field, Ticked, Unset
from elicit_tui.form.json_values import json_key
from elicit_tui.text import neutral_line, readable_json
from elicit_tui.tui.widgets.choice_places import Placed, lay_out
from elicit_tui.tui.widgets.control import (
    FIELD_BINDINGS,
    OWN,
    FieldControl,
    FieldLeft,
)

# What the widgets for choices share: their signs, what is chosen, a default that is no choice.

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


# A short list to choose from: yes or no, one of a few, or several of a few.

_UNSET = object()


class ChoiceStrip(ChoiceControl, can_focus=True):
    """Choices side by side or one below the other; nothing is chosen until the person does.

    The arrows only move the bar; Space chooses, and Enter takes what they moved it to and goes on.
    Of yes and no side by side they choose at once, as of radio buttons, and of any few where the
    form has it so; Space chooses the other one of yes and no. Those up and down lead past them to
    the rows around, and choose nothing on the way.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *FIELD_BINDINGS,
        Binding("right", "move(1)", "Next choice", show=False),
        Binding("left", "move(-1)", "Previous choice", show=False),
        Binding("down", "go_down(1)", "Next choice", show=False),
        Binding("up", "go_down(-1)", "Previous choice", show=False),
        Binding("home", "move(-10000)", "First choice", show=False),
        Binding("end", "move(10000)", "Last choice", show=False),
        Binding("space", "choose", "Choose", show=False),
        Binding("enter", "finish", "Next field", show=False),
    ]

    DEFAULT_CSS = """
    ChoiceStrip { background: transparent; text-wrap: nowrap; pointer: pointer; }
    """

    def __init__(self, spec: Field, entry: Entry) -> None:
        values, self._labels = _choices(spec)
        super().__init__(spec, values)
        self._three = spec.kind == "boolean" and values[0] is _UNSET
        self._bar = 0
        self._moved = False
        self._was_led = False
        """Whether an arrow or a letter came last, which of yes and no chooses at once."""
        self._width = 0
        self._placed: tuple[Placed, ...] = ()
        self.put(entry)

    def _single(self, value: Any) -> Entry:
        if value is _UNSET:
            return Unset()
        return Ticked(value) if self._is_boolean else Chosen(value)

    def _brought(self, place: int) -> None:
        self._bar, self._moved = place, False

    @property
    def in_sight(self) -> set[int]:
        """All of them, as none is cut: which of their lines are painted is known to their row."""
        return set(range(len(self._labels)))

    @property
    def flows(self) -> bool:
        """Choices stand side by side where they fit."""
        return True

    @property
    def own_keys(self) -> tuple[tuple[str, str], ...]:
        """Choosing, and moving, which chooses nothing; the arrows that lie as the choices do."""
        arrows = "↑↓" if self._stands else "←→"
        signs = "y n" if self._is_boolean else f"1-{len(self._labels)}"
        if self._chooses_at_once:
            other = (("Space", "the other"),) if self._is_boolean else ()
            return ((f"{signs} {arrows}", "choose"), *other)
        takes = (("Enter", "choose and go on"),) if self._moved and not self.many else ()
        return (*takes, (signs, "pick"), ("Space", "pick"), (arrows, "move"))

    @property
    def _is_boolean(self) -> bool:
        return self.spec.kind == "boolean"

    @property
    def _stands(self) -> bool:
        """Whether the choices stand one below the other."""
        return self.height_for(self.size.width or self._width) > 1

    @property
    def _chooses_at_once(self) -> bool:
        """Whether arrows choose: none of those that lead down a form."""
        return self._leads_past and not self._stands

    @property
    def _leads_past(self) -> bool:
        """Whether the arrows up and down, past its ends, lead to the rows around."""
        return self._is_boolean or (self.arrows_choose and not self.many)

    def height_for(self, width: int) -> int:
        """As many rows as the choices need at this width."""
        if width != self._width:
            self._width = width
            self._placed = lay_out(self._labels, len(self._marks[0]), max(width, 1))
        return max((placed.y for placed in self._placed), default=0) + 1

    @property
    def edited_line(self) -> int:
        """Where the bar stands."""
        return next((placed.y for placed in self._placed if placed.index == self._bar), 0)

    def render(self) -> Content:
        """The choices with their marks; the bar only while focused."""
        self.height_for(self.size.width or self._width or 40)
        lines: list[Content] = []
        for placed in self._placed:
            while len(lines) <= placed.y:
                lines.append(Content(""))
            line = lines[placed.y]
            if placed.x > line.cell_length:
                line = line.append(" " * (placed.x - line.cell_length))
            lines[placed.y] = line.append(self._drawn(placed))
        return Content("\n").join(lines)

    def _drawn(self, placed: Placed) -> Content:
        chosen = self._shows_chosen(placed.index)
        unset = self._three and placed.index == 0
        mark = self._marks[chosen] if placed.first else " " * len(self._marks[0])
        style = "bold" if chosen and not unset else ("$faint" if unset else "")
        if self.has_focus and placed.index == self._bar:
            style = f"{style} reverse".strip()
        return Content.assemble(
            (mark, "$accent" if chosen and not unset else "$faint"), " "
        ).append(Content.styled(placed.text, style))

    def action_move(self, by: int) -> None:
        """Move the bar; it stops at the ends. Yes and no side by side are chosen by that."""
        place = max(0, min(len(self._labels) - 1, self._bar + by))
        self._was_led = True
        if not self._chooses_at_once:
            self._put_bar(place)
        elif not self._shows_chosen(place):
            self._choose(place)
            self.moved()

    def action_go_down(self, by: int) -> None:
        """Move the bar; past the ends of yes and no go to the field below, or above."""
        inside = self._stands and 0 <= self._bar + by < len(self._labels)
        if self._leads_past and not inside:
            # Where the bar was on the way is nothing that a later Enter may take.
            self._brought(min(self._chosen, default=0))
            self.post_message(FieldLeft(self, by))
        else:
            self.action_move(by)

    def _shows_chosen(self, place: int) -> bool:
        """Whether this choice has the mark: where nothing is chosen, the one that says so."""
        nothing = self._three and not self._chosen
        return place in self._chosen or (nothing and place == 0)

    def _put_bar(self, index: int) -> None:
        self._bar, self._moved = index, True
        self.refresh()
        self.moved()

    def action_finish(self) -> None:
        """Enter goes on, as in a line of text. It takes what the bar was moved to, and no other.

        Who goes through a form by Enter has chosen nothing by that.
        """
        if not self.many and self._moved:
            self._choose(self._bar)
        self.finish()

    def action_choose(self) -> None:
        """Choose what stands under the bar, or take it out again; the other one of yes and no.

        Of those a yes comes first. What an arrow or a letter has only just chosen is meant, by
        whoever confirms it as in every other list; and the bar where it stands elsewhere.
        """
        meant, self._was_led = self._was_led, False
        if self._is_boolean and self._chooses_at_once and not self._moved:
            yes, no = (self._values.index(value) for value in (True, False))
            if not meant:
                self._choose(no if yes in self._chosen else yes)
        else:
            self._choose(self._bar)

    def on_key(self, event: events.Key) -> None:
        """A letter or digit picks the choice that starts with it, a digit also the one it counts.

        Yes and no are not counted. Where several can be chosen it takes one out again, too. Where
        several start with it, it moves the bar and picks none. `h` `j` `k` `l` that start none move
        it as the arrows do.
        """
        if not event.is_printable or event.character in (None, " "):
            return
        sign = (event.character or "").casefold()
        starting = [i for i, label in enumerate(self._labels) if label.casefold().startswith(sign)]
        counts = not self._is_boolean and sign.isdecimal()
        if not starting and counts and 1 <= int(sign) <= len(self._labels):
            starting = [int(sign) - 1]
        if not starting:
            if event.key in ("h", "j", "k", "l"):
                event.stop()
                go = self.action_move if event.key in "hl" else self.action_go_down
                go(1 if event.key in "jl" else -1)
            return
        event.stop()
        self._was_led = True
        if len(starting) == 1:
            self._choose(starting[0])
        else:
            self._put_bar(next((i for i in starting if i > self._bar), starting[0]))

    def on_click(self, event: events.Click) -> None:
        """A click chooses what it hits."""
        for placed in self._placed:
            if placed.y == event.y and placed.x <= event.x < placed.x + placed.width:
                event.stop()
                self._choose(placed.index)
                return

    def on_focus(self) -> None:
        """The bar appears."""
        self.refresh()

    def on_blur(self) -> None:
        """The bar goes."""
        self._was_led = False
        self.refresh()


def _choices(spec: Field) -> tuple[list[Any], list[str]]:
    if spec.kind == "boolean":
        # What must be answered has no third choice: with neither chosen it looks unanswered.
        if spec.required:
            return [True, False], ["yes", "no"]
        return [_UNSET, True, False], ["unset", "yes", "no"]
    return [choice.value for choice in spec.choices], [choice.label for choice in spec.choices]
