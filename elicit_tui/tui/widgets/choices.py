"""A short list to choose from: yes or no, one of a few, or several of a few."""

from __future__ import annotations

from typing import Any, ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content

from elicit_tui.form import Chosen, Entry, Field, Ticked, Unset
from elicit_tui.tui.widgets.choice_control import ChoiceControl
from elicit_tui.tui.widgets.control import FIELD_BINDINGS, FieldFinished
from elicit_tui.tui.widgets.placing import Placed, place

_UNSET = object()


class ChoiceStrip(ChoiceControl, can_focus=True):
    """Choices side by side or one below the other; nothing is chosen until the person does.

    The arrows only move the bar; Space chooses, and Enter takes what they moved it to and goes on.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *FIELD_BINDINGS,
        Binding("right,down", "move(1)", "Next choice", show=False),
        Binding("left,up", "move(-1)", "Previous choice", show=False),
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
        self._width = 0
        self._placed: tuple[Placed, ...] = ()
        self.put(entry)

    def _single(self, value: Any) -> Entry:
        if value is _UNSET:
            return Unset()
        return Ticked(value) if self.spec.kind == "boolean" else Chosen(value)

    def _brought(self, place: int) -> None:
        self._bar, self._moved = place, False

    @property
    def flows(self) -> bool:
        """Choices stand side by side where they fit."""
        return True

    @property
    def own_keys(self) -> tuple[tuple[str, str], ...]:
        """Moving and choosing; the arrows that lie as the choices do."""
        pick = (
            ("y n", "pick") if self.spec.kind == "boolean" else (f"1-{len(self._labels)}", "pick")
        )
        arrows = "↑↓" if self.height_for(self.size.width or self._width) > 1 else "←→"
        return (pick, (f"{arrows} Space", "choose"))

    def height_for(self, width: int) -> int:
        """As many rows as the choices need at this width."""
        if width != self._width:
            self._width = width
            self._placed = place(self._labels, len(self._marks[0]), max(width, 1))
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
        nothing = self._three and not self._chosen
        chosen = placed.index in self._chosen or (nothing and placed.index == 0)
        unset = self._three and placed.index == 0
        mark = self._marks[chosen] if placed.first else " " * len(self._marks[0])
        style = "bold" if chosen and not unset else ("$faint" if unset else "")
        if self.has_focus and placed.index == self._bar:
            style = f"{style} reverse".strip()
        return Content.assemble(
            (mark, "$accent" if chosen and not unset else "$faint"), " "
        ).append(Content.styled(placed.text, style))

    def action_move(self, by: int) -> None:
        """Move the bar; it stops at the ends."""
        self._put_bar(max(0, min(len(self._labels) - 1, self._bar + by)))

    def _put_bar(self, index: int) -> None:
        self._bar, self._moved = index, True
        self.refresh()
        self.moved()

    def action_finish(self) -> None:
        """Enter goes on, as in a line of text. It takes what the bar was moved to.

        Where the bar was not moved it takes only what one has to choose anyway: neither a yes nor
        what may be left out.
        """
        must = self.spec.required and self.spec.kind == "single" and not self._chosen
        if not self.many and (self._moved or must):
            self._choose(self._bar)
        self.post_message(FieldFinished(self))

    def action_choose(self) -> None:
        """Choose what stands under the bar, or take it out again."""
        self._choose(self._bar)

    def on_key(self, event: events.Key) -> None:
        """A letter or digit picks the choice that starts with it, a digit also the one it counts.

        Yes and no are not counted. Where several can be chosen it takes one out again, too. Where
        several start with it, it moves the bar and picks none.
        """
        if not event.is_printable or event.character in (None, " "):
            return
        sign = (event.character or "").casefold()
        starting = [i for i, label in enumerate(self._labels) if label.casefold().startswith(sign)]
        counts = self.spec.kind != "boolean" and sign.isdecimal()
        if not starting and counts and 1 <= int(sign) <= len(self._labels):
            starting = [int(sign) - 1]
        if not starting:
            return
        event.stop()
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
        self.refresh()


def _choices(spec: Field) -> tuple[list[Any], list[str]]:
    if spec.kind == "boolean":
        # What must be answered has no third choice: with neither chosen it looks unanswered.
        if spec.required:
            return [True, False], ["yes", "no"]
        return [_UNSET, True, False], ["unset", "yes", "no"]
    return [choice.value for choice in spec.choices], [choice.label for choice in spec.choices]
