"""A number or an integer, stepped by the arrow keys."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import ClassVar

from textual.binding import Binding, BindingType

from elicit_tui.form import Entry, Field, Typed
from elicit_tui.tui.widgets.text_line import TextLine

_LONGEST_STEPPED = 60
_BEGINNING = re.compile(r"-?([0-9]+(\.[0-9]*)?([eE][+-]?[0-9]{0,3})?)?", re.ASCII)
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?", re.ASCII)


class NumberLine(TextLine):
    """A line for digits. What they mean is for `form` to say; arrows only write new digits."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "step(1)", "One step up", show=False),
        Binding("down", "step(-1)", "One step down", show=False),
    ]

    def __init__(self, spec: Field, entry: Entry) -> None:
        self._told_selected = False
        super().__init__(spec, entry)
        self.select_on_focus = True
        """Whoever types a number means another one, not more digits."""

    @property
    def own_keys(self) -> tuple[tuple[str, str], ...]:
        """Stepping; and that what is selected gives way to what is typed."""
        replaces = (("0-9", "replace"),) if self._all_selected else ()
        return (*replaces, ("↑↓", "step"))

    @property
    def _all_selected(self) -> bool:
        return bool(self.value) and abs(self.selection.end - self.selection.start) == len(
            self.value
        )

    def watch_selection(self) -> None:
        """Other keys are named once nothing is selected any more."""
        if self.is_attached and self._all_selected != self._told_selected:
            self._told_selected = self._all_selected
            self.moved()

    @property
    def may_become_right(self) -> bool:
        """The beginning of a number that is not beyond its limits yet."""
        if not _BEGINNING.fullmatch(self.value.strip()):
            return False
        number = _decimal_of(self.value.strip())
        low, high = self._bounds()
        if number is None:
            return not self.value.startswith("-") or low is None or low < 0
        # Each digit more leads further away from 0.
        beyond = high is not None and number > max(high, Decimal(0))
        return not beyond and (number >= 0 or low is None or number >= min(low, Decimal(0)))

    def action_step(self, direction: int) -> None:
        """Write the next or the previous number in range."""
        stepped = self._stepped(direction)
        if stepped is not None:
            self._replace(Typed(stepped))

    def _bounds(self) -> tuple[Decimal | None, Decimal | None]:
        step = self._step()
        spec = self.spec
        low, high = _decimal(spec.minimum), _decimal(spec.maximum)
        above, below = _decimal(spec.exclusive_minimum), _decimal(spec.exclusive_maximum)
        if above is not None and (low is None or above >= low):
            low = above + step
        if below is not None and (high is None or below <= high):
            high = below - step
        return low, high

    def _step(self) -> Decimal:
        step = _decimal(self.spec.multiple_of)
        if step is None or step <= 0 or (self.spec.kind == "integer" and step % 1):
            return Decimal(1)
        return step

    def _stepped(self, direction: int) -> str | None:
        text = self.value.strip()
        if len(text) > _LONGEST_STEPPED:
            return None
        step = self._step()
        low, high = self._bounds()
        if not text:
            start = low if low is not None else (min(Decimal(0), high) if high is not None else 0)
            return _written(Decimal(start))
        if not _NUMBER.fullmatch(text):
            return None
        if re.fullmatch(r"-?[0-9]+", text) and step == int(step):
            number = Decimal(int(text) + direction * int(step)) if len(text) < 28 else None
            if number is None:
                return str(int(text) + direction * int(step))
        else:
            number = Decimal(text) + direction * step
        if low is not None and number < low:
            number = low
        if high is not None and number > high:
            number = high
        return _written(number)


def _decimal_of(text: str) -> Decimal | None:
    return Decimal(text) if len(text) <= _LONGEST_STEPPED and _NUMBER.fullmatch(text) else None


def _decimal(value: object) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        number = Decimal(str(value))
    except (InvalidOperation, ValueError):
        return None
    return number if number.is_finite() else None


def _written(number: Decimal) -> str:
    written = format(number, "f")
    return written.rstrip("0").rstrip(".") if "." in written else written
