"""The values that are known for the field of a form that one types in, below the form."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from textual import on
from textual.binding import Binding, BindingType

from elicit_tui.form.field import Typed
from elicit_tui.tui.console.argument_values import Completion, ValueList
from elicit_tui.tui.console.screens.reading_on import ReadsOn
from elicit_tui.tui.widgets import FormView
from elicit_tui.tui.widgets.lines import TextLine
from elicit_tui.tui.widgets.text_block import TextBlock

if TYPE_CHECKING:
    from textual import events
    from textual.worker import Worker

_PAUSE_SECONDS: Final = 0.1
"""Whoever types faster asks a server for no values in between."""


class OffersValues(ReadsOn):
    """A form with the known values of the field that one types in below it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "to_values", priority=True, show=False),
        Binding("tab", "complete", show=False),
    ]

    completion: Completion | None = None
    """What knows them; None where nothing is completed."""
    _looks_for = ""
    """The field whose values are still to come."""
    _goes_there = False
    """Whether the person goes to them once they are there."""
    _completed: TextLine | TextBlock | None = None
    """The field whose values are shown."""

    def on_form_view_changed(self, event: events.Event) -> None:
        """What is typed may be the beginning of a value that the server knows."""
        self._look_for_values()

    def on_form_view_focused(self, event: events.Event) -> None:
        """What stands in the field may give way to what is typed no more."""
        self._look_for_values()

    @property
    def typed_in(self) -> TextLine | TextBlock | None:
        """The line of text that has the focus, or the list of texts.

        Numbers and dates are stepped, not completed.
        """
        focused = self.focused
        if isinstance(focused, TextBlock):
            return focused if focused.spec.each_line else None
        return focused if isinstance(focused, TextLine) and not focused.is_stepped else None

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Another field has other values."""
        self._look_for_values()

    def _look_for_values(self) -> None:
        if self.completion is None or self.query_one(ValueList).has_focus:
            return
        completion, line = self.completion, self.typed_in
        self._looks_for, self._goes_there = line.spec.name if line is not None else "", False

        async def show() -> None:
            await self._show_values(completion)

        _: Worker[None] = self.run_worker(show, group="values", exclusive=True)

    async def _show_values(self, completion: Completion) -> None:
        line = self.typed_in
        if line is None:
            self.query_one(ValueList).offer("", ())
            return
        await asyncio.sleep(_PAUSE_SECONDS)
        if line is not self.typed_in:
            return  # Meanwhile the call was made, or another field is typed in.
        content = self.query_one(FormView).conversion.content
        # What a letter would replace leaves no value out.
        name, typed = line.spec.name, "" if line.all_selected else _last_of(line)
        others = {
            key: value for key, value in content.items() if key != name and isinstance(value, str)
        }
        values = await completion.values(name, typed, others)
        if self.is_attached and line is self.typed_in:
            listed = line.typed.split("\n")[:-1]
            shown = [value for value in values if value not in listed]
            shown = [] if shown == [_last_of(line)] else shown
            self._completed = line
            only = shown[0] if len(shown) == 1 and completion.is_of_server else ""
            self.query_one(ValueList).offer(
                name,
                shown,
                by_tab=bool(typed and only) and only.casefold().startswith(typed.casefold()),
                by_down=not line.all_selected,
                used=partial(completion.used, name),
            )
            self._looks_for = ""
            if self._goes_there and shown:
                self.action_to_values()
            elif self._goes_there and isinstance(line, TextLine):
                line.action_arrow(1)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Down leads to the values below, but past a line that is filled: none takes its place."""
        line = self.typed_in
        if action == "to_values":
            return line is not None and not line.all_selected and self._has_values(line)
        return super().check_action(action, parameters)

    def _has_values(self, line: TextLine | TextBlock) -> bool:
        """Whether there are values for this field, or are to come; of a list for its last line."""
        if isinstance(line, TextBlock) and line.cursor_location[0] < line.document.end[0]:
            return False
        if self._looks_for != line.spec.name:
            return self.query_one(ValueList).shown
        return self.completion is not None and self.completion.may_know(line.spec.name)

    def action_complete(self) -> None:
        """Take the only value, as in a shell, and stay in the field; else go on."""
        by_tab = [values for values in self.query(ValueList) if values.by_tab]
        if not by_tab or self._looks_for or self.typed_in is None:
            self.focus_next()
            return
        self.query_one(FormView).put({by_tab[0].field: Typed(by_tab[0].value(0))})
        self._look_for_values()

    def action_to_values(self) -> None:
        """Go to the values, as soon as they are there."""
        values = self.query_one(ValueList)
        self._goes_there = bool(self._looks_for)
        if not self._goes_there:
            values.highlighted = 0
            values.focus()

    @on(ValueList.OptionSelected)
    def _take_value(self, event: ValueList.OptionSelected) -> None:
        """What was chosen stands in its field."""
        event.stop()
        values = self.query_one(ValueList)
        name, goes_on, line = values.field, values.goes_on, self._completed
        text = values.value(event.option_index)
        if isinstance(line, TextBlock):
            # Whoever goes on has the next text of the list to write.
            text = line.typed.removesuffix(_last_of(line)) + text + "\n" * goes_on
        self.query_one(FormView).put({name: Typed(text)})
        values.goes_on = True
        self._to_field()
        if goes_on:
            self.call_later(self._go_on_from, name)

    def _go_on_from(self, name: str) -> None:
        line = self.typed_in
        if isinstance(line, TextLine) and line.spec.name == name:
            line.action_next_field()

    @on(ValueList.GoneBack)
    def _to_field(self) -> None:
        values = self.query_one(ValueList)
        name = values.field
        values.offer("", ())
        self.query_one(FormView).focus_field(name)


def _last_of(line: TextLine | TextBlock) -> str:
    """What a value takes the place of: all of a line, of a list its last text."""
    return line.typed.rpartition("\n")[2]
