"""A short list to choose from: yes or no, one of a few, or several of a few."""

from __future__ import annotations

from typing import Any, ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content

from elicit_tui.form.field import Chosen, Entry, Field, Ticked, Unset
from elicit_tui.tui.widgets.choice_places import Placed, lay_out
from elicit_tui.tui.widgets.choices import ChoiceControl
from elicit_tui.tui.widgets.control import FIELD_BINDINGS, FieldLeft

_UNSET = object()


class ChoiceStrip(ChoiceControl, can_focus=True):
    """Choices side by side or one below the other; nothing is chosen until the person does.

    Of one choice the arrows choose, as of radio buttons: those beside each other by left and right,
    while up and down lead past them to the rows around. Where they stand one below the other, up
    and down are also the way through the form: until one is chosen they move the bar alone (Space
    chooses, Enter takes it and goes on) and lead past the ends; from then on they choose. Of
    several they move the bar.
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
        """Whether an arrow or a letter came last."""
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
        if self._arrows_choose:
            other = (("Space", "the other"),) if self._is_boolean and not self._stands else ()
            return ((f"{signs} {arrows}", "choose"), *other)
        takes = (("Enter", "choose and go on"),) if self._is_led_to else ()
        return (*takes, (f"{signs} Space", "choose"), (arrows, "move"))

    @property
    def not_taken(self) -> str:
        """What the bar was moved to while nothing is chosen."""
        left = self._is_led_to and not self._shows_chosen(self._bar)
        return self._unchosen(self._labels[self._bar]) if left else ""

    @property
    def _is_led_to(self) -> bool:
        """Whether the bar was moved to the one choice that Enter takes."""
        return self._moved and not self.many

    @property
    def _is_boolean(self) -> bool:
        return self.spec.kind == "boolean"

    @property
    def _stands(self) -> bool:
        """Whether the choices stand one below the other."""
        return self.height_for(self.size.width or self._width) > 1

    @property
    def _arrows_choose(self) -> bool:
        """Whether the arrows choose, and do not only look for what to choose."""
        return not self.many and (bool(self._chosen) or not self._stands)

    @property
    def _is_untouched(self) -> bool:
        """Whether an arrow would choose, and the bar stands on the first one, which is not."""
        return self._arrows_choose and self._bar == 0 and not self._shows_chosen(0)

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
        """Choose what lies beside, or only move the bar there; it stops at the ends.

        The first step to the right chooses the first one; of yes and no each key the one beside.
        """
        begins = by == 1 and self._is_untouched and not self._is_boolean
        self._lead_to(0 if begins else max(0, min(len(self._labels) - 1, self._bar + by)))

    def action_go_down(self, by: int) -> None:
        """Go to the field below, or above; in a list first through what can be chosen there.

        Past the ends only while nothing is chosen: else one would have changed it on the way.
        """
        inside = 0 <= self._bar + by < len(self._labels)
        if self._stands and (inside or self._chosen or self.many):
            self.action_move(by)
        else:
            # Where the bar was on the way is nothing that a later Enter may take.
            self._brought(min(self._chosen, default=0))
            self.post_message(FieldLeft(self, by))

    def _lead_to(self, place: int) -> None:
        self._was_led = True
        if not self._arrows_choose:
            self._put_bar(place)
        elif not self._shows_chosen(place):
            self._choose(place)
            self.moved()

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
        if self._is_led_to:
            self._choose(self._bar)
        self.finish()

    def action_choose(self) -> None:
        """Choose what stands under the bar, or take it out again; the other one of yes and no.

        Of those a yes comes first. What an arrow or a letter has only just chosen is meant, by
        whoever confirms it as in every other list; and the bar where it stands elsewhere.
        """
        meant, self._was_led = self._was_led, False
        if self._is_boolean and not self._stands and not self._moved:
            yes, no = (self._values.index(value) for value in (True, False))
            if not meant:
                self._choose(no if yes in self._chosen else yes)
        else:
            self._choose(self._bar)

    def on_key(self, event: events.Key) -> None:
        """A letter or digit picks the choice that starts with it, a digit also the one it counts.

        Yes and no are not counted. Where several can be chosen it takes one out again, too. Where
        several start with it, it leads to the next of them as an arrow does, and so do `h` `j` `k`
        `l` that start none.
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
        if len(starting) == 1:
            self._was_led = True
            self._choose(starting[0])
        else:
            before = -1 if self._is_untouched else self._bar
            self._lead_to(next((i for i in starting if i > before), starting[0]))

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
