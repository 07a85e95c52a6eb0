"""The rows of a form in a view that scrolls: made as they come into view, drawn around controls."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Final

from textual import events
from textual.containers import VerticalScroll
from textual.content import Content
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Static

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation.shown import SeenPart
from elicit_tui.form.field import Entry, Unset, is_unset
from elicit_tui.form.form import Form
from elicit_tui.tui.names_on_screen import quoting_signs
from elicit_tui.tui.textual_terminal import SeenOnScreen
from elicit_tui.tui.widgets.control import FieldControl
from elicit_tui.tui.widgets.row import Columns, FieldRow, columns_for, longest_hint
from elicit_tui.tui.widgets.row_stack import RowStack

# What a form begins with.


@dataclass(frozen=True)
class Begun:
    """What stands in the fields when a form is shown."""

    entries: Mapping[str, Entry] = field(default_factory=dict)
    touched: frozenset[str] = frozenset()
    """The fields that somebody changed already."""
    whence: Mapping[str, str] = field(default_factory=dict)
    """Where entries came from that the person did not write into this form."""
    continues: str | None = None
    """The field among them that the person was in the middle of a moment ago."""
    unread: frozenset[str] = frozenset()
    """Those that may hold what others wrote and nobody saw, although the person changed them."""


# The rows of a form in a view that scrolls: made as they come into view, drawn around controls.

BATCH = 6
"""Rows made in one go; a form is filled as far as it can be seen, and a little further."""

_GAP = 1
"""Between what stands in a row and the scrollbar."""

_GENERATED: Final = re.compile(r"[A-Za-z]\w*?(?:_[A-Za-z]|[a-z0-9][A-Z])\w*", re.ASCII)
"""A title that is the name of a class or of a function's arguments, as libraries write it:
`convert_timeArguments`, `BookingPreferences`."""

PRESSED_SECONDS: Final = 0.05
"""How often it is looked whether a button of the mouse is still down."""

_ROW_GUESS = 3
"""Lines that a row not made yet is taken to need."""


class RowsView(VerticalScroll, SeenOnScreen, can_focus=False, inherit_bindings=False):
    """The rows of a form. It draws their words itself; only their controls are widgets."""

    DEFAULT_CSS = """
    RowsView {
        height: 1fr; width: 100%; background: transparent;
        scrollbar-size-vertical: 1; scrollbar-gutter: stable; overflow-x: hidden;
        text-wrap: nowrap;
        & > #form-tail { height: 0; }
        & > #form-words { height: auto; padding: 0 0 1 2; color: $foreground; }
    }
    """

    verb = FieldControl.verb
    """What becomes of the answers; empty where their values are not told."""
    may_have_lines = FieldControl.may_have_lines
    """Whether a key begins another line in a text."""
    empty_is_an_answer = FieldControl.empty_is_an_answer
    """Whether a field can be sent empty on purpose."""

    def __init__(
        self,
        form: Form,
        begun: Begun,
        *,
        leads_to: str = "",
        id: str | None = None,
    ) -> None:
        """`leads_to`: the button to which Enter goes on from the last field."""
        super().__init__(id=id)
        self._whence = dict(begun.whence)
        self._continues = begun.continues
        self._unread = begun.unread
        self.form = form
        self._leads_to = leads_to
        self._names = [spec.name for spec in form.fields if spec.sendable]
        """Of the fields that take an answer."""
        self._entries = {**form.initial(), **begun.entries}
        self._rows: dict[str, FieldRow] = {}
        self._stack = RowStack()
        self._columns: Columns | None = None
        self._room: Size | None = None
        self._words = self._own_words()
        self._words_shown = SeenPart.none()
        """The lines of its own words that were on the screen."""
        self._tail = Static("", id="form-tail", markup=False)

    def _own_words(self) -> Static | None:
        words = [
            Content.styled(text, style)
            for text, style in (
                (quoting_signs(self._title), "bold"),
                (quoting_signs(self.form.description or ""), ""),
                *((note, "$faint") for note in self.form.notes),
                ("" if self._row_refuses else self.form.refusal or "", "bold $warning"),
            )
            if text
        ]
        if not words:
            return None
        return Static(Content("\n").join(words), id="form-words", markup=False)

    @property
    def has_words(self) -> bool:
        """Whether the form says something above its fields."""
        return self._words is not None

    @property
    def _row_refuses(self) -> bool:
        """Whether a field says itself why the form cannot be answered."""
        return any(spec.required and not spec.sendable for spec in self.form.fields)

    @property
    def _title(self) -> str:
        """The form's title, unless its only field says the same, or a program made it up."""
        title, titles = self.form.title or "", [spec.title for spec in self.form.fields]
        if _GENERATED.fullmatch(title):
            return ""
        return "" if [title.casefold()] == [other.casefold() for other in titles] else title

    @property
    def from_elsewhere(self) -> frozenset[str]:
        """Names of the fields that hold what the person did not write into this form."""
        made = {name for name, row in self._rows.items() if row.control.whence}
        return frozenset(made | (self._whence.keys() - self._rows.keys()))

    @property
    def unread(self) -> frozenset[str]:
        """Names of the fields in which something stands that others wrote and nobody saw."""
        made = {name for name, row in self._rows.items() if row.control.hidden}
        return frozenset(made | (self._unread - self._rows.keys()))

    @property
    def last_rows(self) -> list[FieldRow]:
        """The last ones there are: more are made before a person comes to their end."""
        return list(self._rows.values())[-BATCH:]

    def lead_to(self, button: str) -> bool:
        """From the last field Enter goes on to this button; says whether it is another one."""
        before, self._leads_to = self._leads_to, button
        if button == before:
            return False
        for name in self._names[-1:]:
            if name in self._rows:
                self._rows[name].control.leads_to = button
        return True

    def beside(self, name: str, by: int) -> str | None:
        """The field that takes an answer `by` places below this one; None where there is none."""
        place = self._names.index(name) + by
        return self._names[place] if 0 <= place < len(self._names) else None

    @property
    def focused_field(self) -> FieldControl | None:
        """The field's widget that has the focus."""
        focused = self.screen.focused
        return focused if isinstance(focused, FieldControl) and self in focused.ancestors else None

    # Making rows

    def expect(self, size: Size) -> None:
        """Make the first rows at once, for this much room, and not only when it is known."""
        self._room = size

    def compose(self) -> list[Widget]:
        """The form's own words, and as many rows as are expected to be seen."""
        widgets = [self._words] if self._words is not None else []
        if self._room is not None:
            columns = self._columns_for(self._room.width - self.gutter.width)
            self._add_rows(columns, lines=self._room.height)
            self._columns = columns
        return [*widgets, *self._controls(), self._tail]

    def on_resize(self, event: events.Resize) -> None:
        """Lay the rows out at this width; make what can be seen."""
        width = self.scrollable_content_region.width
        if width <= _GAP:
            return
        columns = self._columns_for(width)
        if columns != self._columns:
            self._columns = columns
            self._words_shown = SeenPart.none()
            for row in self._rows.values():
                row.lay_out(columns)
            self._place(columns)
        if not self._rows:
            self._mount_rows(lines=self.size.height)
        self.call_after_refresh(self._fill)

    @property
    def is_laid_out(self) -> bool:
        """Whether its rows have the columns of its present size."""
        width = self.scrollable_content_region.width
        return width <= _GAP or self._columns == self._columns_for(width)

    def _columns_for(self, width: int) -> Columns:
        hints = [longest_hint(spec) for spec in self.form.fields]
        one_line = self.is_attached and self.size.height == 1
        return columns_for(self.form.fields, hints, width - _GAP, one_line=one_line)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Make what comes into view."""
        super().watch_scroll_y(old_value, new_value)
        self.refresh()
        self._fill()

    def _fill(self) -> None:
        """Make rows until there are some below what can be seen."""
        if self._columns is None or not self._unmade:
            return
        if self._first_line + self._stack.height < self.scroll_y + self.size.height + BATCH:
            self._mount_rows(BATCH)
            self.call_after_refresh(self._fill)

    @property
    def free_rows(self) -> int:
        """Lines in sight below the last row; fewer than none where it has to be scrolled."""
        rows = self._first_line + self._stack.height + self._unmade * _ROW_GUESS
        return self.scrollable_content_region.height - rows

    @property
    def _unmade(self) -> int:
        return len(self.form.fields) - len(self._rows)

    def _controls(self) -> list[FieldControl]:
        return [row.control for row in self._rows.values()]

    def _mount_rows(self, count: int = 1, lines: int = 0) -> None:
        assert self._columns is not None
        if not self.is_attached:
            return  # There may be no form any more by the time its rows come into view.
        made = len(self._rows)
        self._add_rows(self._columns, count=count, lines=lines)
        if len(self._rows) == made:
            return
        self.mount_all(self._controls()[made:], before=self._tail)
        self._rows_made()

    def _rows_made(self) -> None:
        """More rows are there."""

    def _add_rows(self, columns: Columns, *, count: int = 0, lines: int = 0) -> None:
        """Make so many rows, and as many more as fill so many lines."""
        rows: list[FieldRow] = []
        for spec in self.form.fields[len(self._rows) :]:
            if count <= len(rows) and lines <= 0:
                break
            entry = self._entries.get(spec.name, Unset())
            whence = self._whence.get(spec.name, "")
            continues = spec.name == self._continues
            rows.append(FieldRow(spec, entry, columns, self._restated, whence, continues=continues))
            if self.verb != rows[-1].control.verb:
                rows[-1].control.verb = self.verb
                rows[-1].lay_out(columns)  # Its words say what becomes of it.
            if spec.name in self._unread:
                rows[-1].control.is_of_others()
            rows[-1].control.may_have_lines = self.may_have_lines
            rows[-1].control.empty_is_an_answer = self.empty_is_an_answer
            if [spec.name] == self._names[-1:]:
                rows[-1].control.leads_to = self._leads_to
            lines -= rows[-1].height
        self._stack.add(rows)
        self._rows.update((row.spec.name, row) for row in rows)
        self._place(columns)

    # Drawing

    def _place(self, columns: Columns) -> None:
        self._stack.place(columns)
        # As a margin: the tail would cover the words below the last control.
        self._tail.styles.margin = (self._stack.below, 0, 0, 0)
        self._tail.styles.height = self._unmade * _ROW_GUESS
        self.refresh()

    def _restated(self, row: FieldRow) -> None:
        """A row has other words: draw its lines alone, unless it needs another number of them."""
        if self._columns is None:
            return
        if not self._stack.fits(row):
            self._place_unless_pressed()
        elif not self.size:
            self.refresh()  # It is coming back; what was drawn before would be shown again.
        else:
            shown = self._lines_of(row).translate((0, -round(self.scroll_y)))
            self.refresh(shown.intersection(self.size.region))

    def _place_unless_pressed(self) -> None:
        """Let rows have the lines that they need now, but no row go from under a mouse's button."""
        if getattr(self.app, "is_pressed", False):
            self.set_timer(PRESSED_SECONDS, self._place_unless_pressed)
        elif self._columns is not None:
            self._place(self._columns)

    @property
    def _first_line(self) -> int:
        """Where the rows begin, below the form's own words."""
        return 0 if self._words is None else self._words.outer_size.height

    def _lines_of(self, row: FieldRow) -> Region:
        top = self._first_line + self._stack.top(row)
        return Region(0, top, self.size.width, row.height)

    def on_screen(self, part: Region) -> None:
        """The rows that are in view were seen."""
        self._see()

    def _see(self) -> bool:
        """What is painted was on the screen; whether a row was seen to its end by that."""
        top = round(self.scroll_y)
        end = top + self.scrollable_content_region.height
        self._words_shown = self._words_shown.with_part(top, end)
        return self._stack.on_screen(top - self._first_line, end - self._first_line)

    @property
    def not_shown(self) -> list[str]:
        """The fields in which something stands that is not shown: a secret that was typed."""
        rows = self._rows.items()
        return [
            name for name, row in rows if row.control.is_masked and not is_unset(row.control.entry)
        ]

    def _seen_no_more(self, names: Iterable[str]) -> None:
        """Something else stands in these fields now."""
        self._stack.forget_seen([self._rows[name] for name in names if name in self._rows])
        self.refresh()

    def see_afresh(self) -> None:
        """What stands on the screen now was seen, and nothing that stood there before."""
        self._words_shown = SeenPart.none()
        self._stack.forget_seen(self._rows.values())
        self._see()

    @property
    def _words_unseen(self) -> bool:
        """Whether the form's own words were not all on the screen."""
        shown = self._words_shown.first_unseen
        return self._words is not None and shown < self._words.size.height

    def _show_words(self) -> None:
        """Bring the form's own words into view: their beginning, where that was never seen."""
        end = self._first_line - self.scrollable_content_region.height
        top = max(end, 0) if self._words_shown.first_unseen else 0
        self.scroll_to(y=top, animate=False, immediate=True)

    def render_line(self, y: int) -> Strip:
        """The words of whatever row stands on this line of the window."""
        line = y + round(self.scroll_y) - self._first_line
        strip = self._stack.strip(line, self, self.size.width)
        return super().render_line(y) if strip is None else strip
