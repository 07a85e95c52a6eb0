"""The fields that are one line: text, a number stepped by arrows, a date moved by days."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal, InvalidOperation
from typing import ClassVar, Final

from rich.cells import cell_len
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.reactive import Reactive
from textual.strip import Strip
from textual.widgets import Input

from elicit_tui.form.field import Entry, Field, Typed, Unset
from elicit_tui.tui.names_on_screen import key_of
from elicit_tui.tui.one_line import OneLine
from elicit_tui.tui.secret_arguments import hides_typing
from elicit_tui.tui.widgets.control import (
    FIELD_BINDINGS,
    LINE_BREAK,
    REVEAL,
    FieldLeft,
    LinesPasted,
    drawn_safely,
    odd_letter,
)
from elicit_tui.tui.widgets.typed_control import TypedControl

# One line of text: plain, email or uri.

SHORT_TEXT: Final = 100
"""Characters of a text that is no more than a line."""


class TextLine(OneLine, TypedControl, inherit_bindings=True):
    """A line to type in; blank is unset until the person says "empty on purpose"."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *FIELD_BINDINGS,
        Binding("enter", "next_field", "Next field", show=False),
        Binding("down", "arrow(1)", "An earlier answer, or the field below", show=False),
        Binding("up", "arrow(-1)", "An earlier answer, or the field above", show=False),
        LINE_BREAK,
        REVEAL,
    ]

    DEFAULT_CSS = """
    TextLine {
        height: 1; border: none; padding: 0; background: $well; color: $foreground;
        &:focus { border: none; background: $well-focus; background-tint: transparent; }
        &.-invalid, &.-invalid:focus { border: none; }
        &>.input--placeholder { color: $faint; text-style: italic; }
    }
    """

    is_stepped: ClassVar[bool] = False
    """Whether arrow keys go from value to value: then none is completed."""

    selects_all: ClassVar[bool] = False
    """Whether whoever comes here means another value, not more of it."""

    virtual_size = Reactive(Size(0, 0))
    """How long the text is. The library lays the whole screen out for each letter that makes it
    longer; this line stays as wide as it is, and scrolls."""

    def __init__(self, spec: Field, entry: Entry) -> None:
        self.spec = spec
        self.known: Sequence[str] = ()
        """What was answered before, the newest first."""
        self._walk: Sequence[Entry] = ()
        """The person's own entry and what was answered before, while one goes through them."""
        self._place = 0
        """Where in this walk one is."""
        self._away = 0
        """The arrow that began it, and leads away from the person's own."""
        self._told_selected = False
        super().__init__()
        self.cursor_blink = False
        self.password = self._hides = hides_typing(spec)
        self.put(entry)

    def render_line(self, y: int) -> Strip:
        """A line that nothing in the text can take over."""
        return drawn_safely(super().render_line(y))

    @property
    def typed(self) -> str:
        """The text as it stands in the line."""
        return self.value

    def write(self, text: str) -> None:
        """Type a text where the cursor stands, in place of what is selected."""
        self.replace(text, *self.selection)

    def gives_way_at_once(self) -> None:
        """As by the field's own keys."""
        self.stood.note(self.entry)

    def outgrows(self, width: int) -> bool:
        """Whether the text needs more room."""
        return cell_len(self.value) >= width

    @property
    def shows_all(self) -> bool:
        """Whether the text is no longer than the line."""
        width = self.styles.width
        return width is None or not self.outgrows(int(width.value))

    @property
    def own_keys(self) -> tuple[tuple[str, str], ...]:
        """The keys that write what was answered before."""
        return (("↑↓", "earlier answers"),) if self.known else ()

    @property
    def rarer_keys(self) -> tuple[tuple[str, str], ...]:
        """The key that begins another line."""
        return (("^J", "line break"),) if self.takes_lines else ()

    @property
    def takes_lines(self) -> bool:
        """Whether several lines can be an answer: any text of some length."""
        most = self.spec.max_length
        is_long = self.spec.kind == "string" and (most is None or most > SHORT_TEXT)
        return is_long and self.may_have_lines and not self.password

    def action_line_break(self) -> None:
        """Have room for several lines, and begin one where the cursor stands."""
        if self.takes_lines:
            self.post_message(LinesPasted(self, "\n"))
            self.app.keys_follow(self)

    def action_undo_field(self) -> None:
        """Bring back what stood here; where nothing did, take away what was typed, and back."""
        if self.value and not self.stood:
            self.stood.note(Unset())
        super().action_undo_field()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """There may be no room for a line, and nothing to show."""
        if action == "line_break":
            return self.takes_lines
        if action == "reveal":
            return self._hides
        return super().check_action(action, parameters)

    def action_arrow(self, by: int) -> None:
        """Go through earlier answers, where there are some; else to the field beside this one."""
        if self.known:
            self._go_through_known(by)
        else:
            self.post_message(FieldLeft(self, by))
            self.app.keys_follow(self)

    def action_delete_left(self) -> None:
        """Take a letter away, also from what came back: only what is typed replaces all of that."""
        if self.selected_with_focus and self.all_selected and not self.password:
            self.action_end()
        super().action_delete_left()

    def _go_through_known(self, by: int) -> None:
        """Write the answer before the one that stands here; the other arrow leads back.

        Past the newest one stands again what the person was typing, as in a shell.
        """
        if not self._walk or self.entry != self._walk[self._place]:
            others = [Typed(text) for text in self.known if text != self.value]
            self._walk, self._place, self._away = (self.entry, *others), 0, by
        place = self._place + (1 if by == self._away else -1)
        if 0 <= place < len(self._walk):
            self._place = place
            self._replace(self._walk[place])
            if place:
                self.has_replaced(self._walk[0])

    @property
    def selected_with_focus(self) -> bool:
        """Whether what stands here is not the person's own, or another value is meant."""
        goes_on = bool(self.whence) and not self.gives_way
        return self.replaced_by_typing or (self.selects_all and not goes_on)

    @property
    def replaced_by_typing(self) -> bool:
        """While it came back and is not gone on with, or is the server's default."""
        if self.whence:
            return super().replaced_by_typing
        return bool(self.typed) and self.entry == self.spec.initial

    @property
    def all_selected(self) -> bool:
        """Whether a letter takes the place of all of it."""
        begin, end = self.selection
        return bool(self.value) and abs(end - begin) == len(self.value)

    def watch_selection(self) -> None:
        """What typing does is another matter once nothing is selected any more."""
        if self.is_attached and self.all_selected != self._told_selected:
            self._told_selected = self.all_selected
            self.moved()

    def put(self, entry: Entry) -> None:
        """Show an entry; text that is empty counts as empty on purpose."""
        text = self.text_of(entry)
        with self.prevent(Input.Changed):
            self.value = text
            self.cursor_position = len(text)
        self.stands(entry)
        if self.is_mounted and not self.has_focus:
            self._show_beginning()

    def on_input_changed(self, event: Input.Changed) -> None:
        """A letter came or went: a blank line is unset again."""
        event.stop()
        self.set_blank(Unset())
        self.changed()

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        """Nothing is sent by Enter."""
        event.stop()

    def action_next_field(self) -> None:
        """Enter goes on to the next field; from the last one it goes nowhere."""
        self.finish()

    def action_empty_field(self) -> None:
        """Empty on purpose; with text in the line the key goes to its end, as in a shell."""
        if self.value or not self.can_take_empty:
            self.action_end()
        else:
            super().action_empty_field()

    def on_key(self, event: events.Key) -> None:
        """Take letters that are not printable by themselves."""
        letter = odd_letter(event)
        if letter is not None:
            event.stop()
            event.prevent_default()
            self.write(letter)

    def on_paste(self, event: events.Paste) -> None:
        """Pasted lines stay lines, where the field holds any text; else they become one.

        So do columns, with blanks: nothing of them is dropped.
        """
        lines = event.text.rstrip("\r\n").expandtabs(1).splitlines()
        if lines:
            event.stop()
            event.prevent_default()
        if len(lines) > 1 and self.spec.kind == "string":
            self.post_message(LinesPasted(self, event.text))
            self.app.keys_follow(self)
        elif lines:
            # The library takes a first text for its initial value, and scrolls to no caret then.
            self._initial_value = False
            self.write(" ".join(lines))


# A number or an integer, stepped by the arrow keys.

_LONGEST_STEPPED = 60
_BEGINNING = re.compile(r"-?([0-9]+(\.[0-9]*)?([eE][+-]?[0-9]{0,3})?)?", re.ASCII)
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?", re.ASCII)


class NumberLine(TextLine):
    """A line for digits. What they mean is for `form` to say; arrows only write new digits."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "step(1)", "One step up", show=False),
        Binding("down", "step(-1)", "One step down", show=False),
    ]

    is_stepped = True
    selects_all = True

    @property
    def own_keys(self) -> tuple[tuple[str, str], ...]:
        """Stepping; and that what is selected gives way to what is typed."""
        replaces = (("0-9", "replace"),) if self.all_selected else ()
        return (*replaces, ("↑↓", "step"))

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
        """Write the next or the previous number in range; a digit typed then is another one."""
        stepped = self._stepped(direction)
        if stepped is not None:
            self._replace(Typed(stepped))
            self.action_select_all()

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


# A date or a date with time, with keys for today and for one day more or less.

TODAY = Binding("ctrl+t", "today", "Today, in a date", id="field.today", show=False)


def local_now() -> datetime:
    """The time of day here, with its offset."""
    return datetime.now().astimezone()


class DateLine(TextLine):
    """A line for RFC 3339 dates; the arrow keys move it by days."""

    is_stepped = True
    clock: ClassVar[Callable[[], datetime]] = staticmethod(local_now)

    BINDINGS: ClassVar[list[BindingType]] = [
        TODAY,
        Binding("up", "days(1)", "One day later", show=False),
        Binding("down", "days(-1)", "One day earlier", show=False),
    ]

    @property
    def own_keys(self) -> tuple[tuple[str, str], ...]:
        """Today, and a day more or less."""
        today = "today" if self.spec.kind == "date" else "now"
        return ((key_of(self, TODAY), today), ("↑↓", "±1 day"))

    @property
    def example(self) -> str:
        """The next day, so that an example never lies in the past."""
        tomorrow = type(self).clock() + timedelta(days=1)
        if self.spec.kind == "date":
            return self._written(tomorrow)
        # As short as a date with time can be: an example has to fit into its line.
        return f"{tomorrow.astimezone(timezone.utc):%Y-%m-%dT%H:%M}:00Z"

    def _written(self, moment: datetime) -> str:
        if self.spec.kind == "date":
            return moment.date().isoformat()
        return moment.replace(microsecond=0).isoformat()

    def action_today(self) -> None:
        """Write today's date, or this moment."""
        self._replace(Typed(self._written(type(self).clock())))

    def action_days(self, days: int) -> None:
        """Move the day and leave the rest of the text as it is; from a blank line, today."""
        text = self.value.strip()
        if not text:
            self.action_today()
            return
        try:
            day = date(int(text[0:4]), int(text[5:7]), int(text[8:10])) + timedelta(days=days)
        except (ValueError, OverflowError):
            return
        self._replace(Typed(day.isoformat() + text[10:]))
