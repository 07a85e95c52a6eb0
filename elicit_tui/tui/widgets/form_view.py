"""A whole form: rows of fields, judged as they are typed. Serves questions and tool arguments."""

from __future__ import annotations

from collections.abc import Mapping

from textual import events
from textual.geometry import Region
from textual.message import Message

from elicit_tui.form.field import Entry, Unset
from elicit_tui.form.form import Conversion, Form
from elicit_tui.tui.widgets.buttons import MISSING_SIGN, KeyButton
from elicit_tui.tui.widgets.control import (
    FieldChanged,
    FieldControl,
    FieldFinished,
    FieldLeft,
    FieldMoved,
    LinesPasted,
)
from elicit_tui.tui.widgets.lines import TextLine
from elicit_tui.tui.widgets.row import Columns, FieldRow
from elicit_tui.tui.widgets.rows_view import BATCH, Begun
from elicit_tui.tui.widgets.seen_rows import SeenRows
from elicit_tui.tui.widgets.text_block import TextBlock


class FormView(SeenRows):
    """The fields of a form. Holds raw entries; `form` says what they mean."""

    class Changed(Message):
        """Entries changed and were judged again."""

        def __init__(self, view: FormView, conversion: Conversion) -> None:
            super().__init__()
            self.view = view
            self.conversion = conversion

        @property
        def control(self) -> FormView:
            """The form that changed."""
            return self.view

    class Focused(Message):
        """Another field has the focus, or other `keys` act inside it now."""

        def __init__(self, view: FormView, control: FieldControl) -> None:
            super().__init__()
            self.view = view
            self.field_control = control

    class Finished(Message):
        """The person is through with the last field."""

        def __init__(self, view: FormView) -> None:
            super().__init__()
            self.view = view

    def __init__(
        self,
        form: Form,
        begun: Begun | None = None,
        *,
        leads_to: str = "",
        id: str | None = None,
    ) -> None:
        """As the rows; without `begun`: the form as the server sent it."""
        begun = begun or Begun()
        super().__init__(form, begun, leads_to=leads_to, id=id)
        self._touched = set(begun.touched)
        self._reveal_all = False
        self._left: set[str] = set()
        """The fields in which what is wrong is an error: the person was through with them."""
        self._conversion: Conversion | None = None
        self._judging = False
        self._wanted_focus: str | None = None
        self._told_not_taken: dict[str, str] = {}
        self._named: tuple[object, ...] | None = None

    # What the form holds

    @property
    def entries(self) -> dict[str, Entry]:
        """Raw entries by field name, as they stand on the screen at this moment."""
        for name, row in self._rows.items():
            entry = row.control.entry
            if entry != self._entries.get(name, Unset()):
                self._entries[name] = entry
                self._conversion = None
        return dict(self._entries)

    @property
    def touched(self) -> frozenset[str]:
        """Names of the fields that the person changed."""
        return frozenset(self._touched)

    @property
    def conversion(self) -> Conversion:
        """Content and problems of what is on the screen at this moment."""
        entries = self.entries
        if self._conversion is None:
            self._conversion = self.form.convert(entries)
        return self._conversion

    @property
    def judged(self) -> bool:
        """Whether what is on the screen was judged; where not, `Changed` follows."""
        return self._conversion is not None

    @property
    def lacks(self) -> str:
        """What keeps it from being sent, in few words: `1 missing (*)`; empty where nothing does.

        Looking at it does not count as judging what is on the screen.
        """
        conversion = self._conversion or self.form.convert(self.entries)
        missing, wrong = self.form.lacking(conversion)
        told = (
            f"{missing} missing{MISSING_SIGN}" if missing else "",
            f"{wrong} to correct" if wrong else "",
        )
        return ", ".join(filter(None, told))

    @property
    def withholds_a_fault(self) -> bool:
        """Whether an answer is wrong, and not only missing, and nobody may have been told of it."""
        return not self._reveal_all and self.form.lacking(self.conversion)[1] > 0

    def put(self, entries: Mapping[str, Entry], whence: Mapping[str, str] | None = None) -> None:
        """Show other entries, as if they had been typed; `whence`: as when the form is made."""
        came_from = whence or {}
        for name in entries:
            self._whence.pop(name, None)
        self._whence.update(came_from)
        self._entries.update(entries)
        self._touched.update(entries)
        for name, entry in entries.items():
            if name in self._rows:
                control = self._rows[name].control
                control.put(entry)
                if name in came_from:
                    control.came_back(came_from[name])
                else:
                    control.is_own()
                self._rows[name].restate()
        self._conversion = None
        self._judge_soon()

    def fill_in(self, entries: Mapping[str, Entry], whence: str) -> dict[str, Entry]:
        """Have these where the person changed nothing, still to be seen; what stood there instead.

        The key that undoes brings that back, field by field.
        """
        stood = {
            name: entry
            for name, entry in self.entries.items()
            if name in entries and name not in self._touched and entry != entries[name]
        }
        self.put({name: entries[name] for name in stood}, dict.fromkeys(stood, whence))
        for name in stood.keys() & self._rows.keys():
            self._rows[name].control.has_replaced(stood[name])
        self._seen_no_more(stood)
        return stood

    def take_out(self, filled: Mapping[str, Entry], stood: Mapping[str, Entry]) -> None:
        """Have again what stood there, where nobody changed what was filled in since."""
        entries = self.entries
        names = [name for name in stood if entries[name] == filled[name]]
        self.put({name: stood[name] for name in names})
        self._touched.difference_update(names)
        self._seen_no_more(names)

    def start_afresh(self, entries: Mapping[str, Entry], whence: Mapping[str, str]) -> None:
        """Show these in the form as the server sent it; a field undoes that like its own keys."""
        stood = {name: row.control.entry for name, row in self._rows.items()}
        unset = {spec.name: Unset() for spec in self.form.fields}
        self.put({**unset, **self.form.initial(), **entries}, whence)
        self._touched = set(entries)
        self.known &= entries.keys()
        self._left.clear()
        self._reveal_all = False
        for name, entry in stood.items():
            self._rows[name].control.has_replaced(entry)

    # Its rows

    def on_mount(self) -> None:
        """What is missing is said once the form was drawn."""
        self.call_after_refresh(self._judge_soon)

    def on_resize(self, event: events.Resize) -> None:
        """The line on which the person acts stays in view, and its keys are named."""
        self.call_after_refresh(self._resized)

    def _rows_made(self) -> None:
        self._show_problems()
        if self._wanted_focus in self._rows:
            self.call_after_refresh(self._focus_wanted)

    # Focus

    def focus_first(self) -> bool:
        """Focus the first field that takes an answer; False when there is none."""
        for name in self._names[:1]:
            self.focus_field(name)
        return bool(self._names)

    def focus_field(self, name: str) -> None:
        """Focus one field and bring it into view."""
        row = self._rows.get(name)
        if row is None or not row.control.is_attached:
            self._wanted_focus = name
            if row is not None:
                self.call_after_refresh(self._focus_wanted)
            elif self._columns is not None:
                names = [spec.name for spec in self.form.fields]
                self._mount_rows(names.index(name) + 1 - len(self._rows))
            return
        self.screen.set_focus(row.control, scroll_visible=False)
        self._bring_into_view(row)
        if name == self._on_top:
            self._put_on_top()
            # Rows below it that were only just made have their place then.
            self.call_after_refresh(self._put_on_top)

    def _put_on_top(self) -> None:
        if self._on_top in self._rows:
            region = self._lines_of(self._rows[self._on_top])
            self.scroll_to_region(region, animate=False, top=True, immediate=True)

    def _place(self, columns: Columns) -> None:
        """What was scrolled to stays where it is, with what is below it, as words come and go."""
        super()._place(columns)
        if self._on_top is not None and self.is_attached:
            self.call_after_refresh(self._put_on_top)

    def _focus_wanted(self) -> None:
        if self._wanted_focus is not None:
            name, self._wanted_focus = self._wanted_focus, None
            self.focus_field(name)

    def focus_beside(self, by: int) -> None:
        """Focus what comes next, made or not, or before where `by` is -1.

        Where the buttons would come before the first field, the last one does.
        """
        focused = self.focused_field
        name = focused.spec.name if focused is not None else ""
        if by < 0:
            before = self.screen.focus_previous()
            if name in self._names[:-1][:1] and isinstance(before, KeyButton):
                self.focus_field(self._names[-1])
        elif name in list(self._rows)[-1:] and (unmade := self.beside(name, 1)) is not None:
            self.focus_field(unmade)
        else:
            self.screen.focus_next()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Draw the bar beside the focused row and bring it into view."""
        for row in list(self._rows.values()):
            row.activate(row.control is event.widget)
            if row.control is event.widget:
                if row.spec.name != self._on_top:
                    self._on_top = None
                self._bring_into_view(row)
                self._named = None
                self._tell_keys(row.control)
        if self._unmade and event.widget in [row.control for row in self.last_rows]:
            self._mount_rows(BATCH)

    def on_field_moved(self, event: FieldMoved) -> None:
        """Keep the line in view on which the person acts."""
        event.stop()
        self._resized()

    def _tell_keys(self, control: FieldControl) -> None:
        """Say it when other keys act in the field, or when it is another search."""
        named = control.own_keys, control.not_taken, control.all_selected, control.is_masked
        if named != self._named:
            self._named = named
            self._rows[control.spec.name].restate()
            self.post_message(self.Focused(self, control))

    def _resized(self) -> None:
        """What is edited stays in view; choices may lie otherwise, and so do their keys."""
        self._follow()
        focused = self.focused_field if self.is_attached else None
        if focused is not None:
            self._tell_keys(focused)

    def _follow(self) -> None:
        focused = self.focused_field if self.is_attached else None
        if focused is not None and focused.spec.name in self._rows:
            self._bring_into_view(self._rows[focused.spec.name])

    def _bring_into_view(self, row: FieldRow) -> None:
        """All of a row; of one that is taller than the view, the line that is edited."""
        height = self.scrollable_content_region.height
        if not height:
            return  # It is laid out from its beginning; what was resized is followed.
        region = self._lines_of(row)
        if region.height == height + 1:
            region = region.shrink((0, 0, 1, 0))  # The blank line that ends it may be out of sight.
        if region.height > height:
            line = row.above + row.control.edited_line
            # With the label, where both can be seen, and as much as there is room for below.
            top, rows = (0, height) if line < height else (line, 1)
            region = Region(region.x, region.y + top, region.width, rows)
        self.scroll_to_region(region, animate=False)

    def on_descendant_blur(self, event: events.DescendantBlur) -> None:
        """Take the bar away."""
        for row in list(self._rows.values()):
            if row.control is event.widget:
                if row.spec.name in self._touched:
                    self._left.add(row.spec.name)
                row.state(row.problem, row.notes)
                row.activate(False)

    @property
    def shows_its_focus(self) -> bool:
        """Whether the row that has the focus has the lines that it has by that."""
        focused = self.focused_field
        return focused is None or self._rows[focused.spec.name].active

    def on_field_finished(self, event: FieldFinished) -> None:
        """Go to the next field that takes an answer, or say that this was the last one."""
        event.stop()
        following = self.beside(event.field_control.spec.name, 1)
        if following is not None:
            self.focus_field(following)
        else:
            self.post_message(self.Finished(self))

    def on_field_left(self, event: FieldLeft) -> None:
        """Go to the field below, or above; from the last one, and the first, nowhere."""
        event.stop()
        beside = self.beside(event.field_control.spec.name, event.by)
        if beside is not None:
            self.focus_field(beside)

    # Several lines for a text that had one

    async def on_lines_pasted(self, event: LinesPasted) -> None:
        """The field becomes a block that holds them; the letters typed behind them go there."""
        line = event.field_control
        if isinstance(line, TextLine) and line.is_attached:
            start, end = sorted(line.selection)
            text = "\n".join(event.text.splitlines()) + "\n" * event.text.endswith("\n")
            block = await self._grow(line, text)
            block.move_cursor((0, start))
            block.move_cursor((0, end), select=True)
            block.write(text)

    async def write_lines(self, line: TextLine, text: str) -> None:
        """Have this text of several lines in the place of what stands in a line."""
        block = await self._grow(line, text)
        block.select_all()
        block.write(text)

    async def _grow(self, line: TextLine, text: str) -> TextBlock:
        block = self._rows[line.spec.name].grow(text.count("\n") + 1)
        await self.mount(block, before=line)
        self.screen.set_focus(block, scroll_visible=False)
        await line.remove()
        if self._columns is not None:
            self._place(self._columns)
        # What it holds was on the screen once it was drawn.
        self.call_after_refresh(self._judge_soon)
        return block

    # Judging

    def on_field_changed(self, event: FieldChanged) -> None:
        """A field was changed by the person."""
        event.stop()
        name = event.field_control.spec.name
        self._on_top = None
        self._touched.add(name)
        self._entries[name] = event.field_control.entry
        self._conversion = None
        row = self._rows.get(name)
        if row is not None:
            row.restate()
        self._judge_soon()
        # Nobody types blindly: after a paste the caret stands elsewhere once it is laid out.
        self._follow()
        self.call_after_refresh(self._resized)

    def _judge_soon(self) -> None:
        """Judge once after all keys that are already there, so that typing stays quick."""
        if not self._judging:
            self._judging = True
            self.call_later(self._judge)

    def _judge(self) -> None:
        self._judging = False
        if self.is_attached:
            conversion = self.conversion
            self._show_problems()
            self.post_message(self.Changed(self, conversion))

    def _show_problems(self) -> None:
        if self._conversion is None:
            return
        by_field: dict[str, str] = {}
        for problem in self._conversion.problems:
            if problem.field is not None:
                by_field.setdefault(problem.field, problem.message)
        for name, row in self._rows.items():
            shown = self._reveal_all or name in self._touched
            calm = row.active and name not in self._left and row.control.may_become_right
            wrong = by_field.get(name) if shown else None
            row.state(wrong, self.form.notes_for(name), calm=calm)

    def not_taken(self) -> tuple[str, str, str] | None:
        """A field's title, what was looked for there and not chosen, and what is done now; once.

        The form goes to that field. Whoever is told and sends again means it so.
        """
        for name, row in self._rows.items():
            not_taken = row.control.not_taken
            if not_taken and self._told_not_taken.get(name) != not_taken:
                self._told_not_taken[name] = not_taken
                self.focus_field(name)
                kept = row.control.kept
                instead = f"{self.verb} “{kept}”" if kept else "leaves it unset"
                return row.spec.title, not_taken, instead
        return None

    def show_problems(self) -> str | None:
        """Show every problem; the name of the first field at fault, None when there is none."""
        self._reveal_all = True
        self._left.update(self._rows)
        problems = self.conversion.problems
        self._show_problems()
        at_fault = {problem.field for problem in problems}
        wrong = (spec.name for spec in self.form.fields if spec.name in at_fault and spec.sendable)
        return next(wrong, None)

    def reveal_problems(self) -> bool:
        """Show every problem and go to the first field at fault; False when there is none."""
        first = self.show_problems()
        if first is not None:
            self.focus_field(first)
        return bool(self.conversion.problems)
