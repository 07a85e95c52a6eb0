"""A line to type in that shows its beginning where nobody types."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.strip import Strip
from textual.widgets import Input

from elicit_tui.tui.what_stood import WhatStood


class OneLine(Input):
    """One that is left is scrolled back; an ellipsis stands where it is cut.

    What stands there at first is selected with the focus: typing replaces it, an arrow keeps it.
    What one key takes away or a paste adds, more than a letter, another one undoes.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+z", "undo_line", "Undo", id="field.undo", show=False)
    ]

    # Reversed, so that what is selected is seen without colours too.
    DEFAULT_CSS = """
    OneLine {
        &>.input--selection { background: $well-focus; color: $foreground; text-style: reverse; }
    }
    """

    _begun_with = ""

    @cached_property
    def _gone(self) -> WhatStood[str]:
        return WhatStood()

    def replace(self, text: str, start: int, end: int) -> None:
        """Have this text in place of another part, and note what stood there."""
        if max(abs(end - start), len(text)) > 1:
            self.gives_way_at_once()
        super().replace(text, start, end)

    def gives_way_at_once(self) -> None:
        """What stands here is about to be gone, in part or whole."""
        self._gone.note(self.value)

    def action_undo_line(self) -> None:
        """Bring back what stood there; where nothing did, take away what was typed, and back."""
        if self.value and not self._gone:
            self._gone.note("")
        if self._gone:
            self.value = self._gone.back(self.value, keeps=bool(self.value))
            self.cursor_position = len(self.value)

    @property
    def selected_with_focus(self) -> bool:
        """Whether what stands there gives way to what is typed: while it is as it was at first."""
        return self.value == self._begun_with

    def on_mount(self) -> None:
        """Show what stands there already from its beginning."""
        self._begun_with = self.value
        if not self.has_focus:
            self._show_beginning()

    def on_blur(self) -> None:
        """Show the beginning again."""
        self._show_beginning()

    def on_focus(self) -> None:
        """Go back to the cursor; select what gives way, before the library looks whether to."""
        self.select_on_focus = self.selected_with_focus
        self._show_cursor()

    def on_resize(self) -> None:
        """What is written now stays in sight where there is less room."""
        if self.has_focus:
            self._show_cursor()

    def _show_cursor(self) -> None:
        caret = self.cursor_screen_offset.x - self.content_region.x + self.scroll_offset.x
        self.scroll_to_region(Region(caret, 0, 1, 1), force=True, animate=False)

    def _show_beginning(self) -> None:
        if self.scroll_x or self.scroll_target_x:
            self.scroll_to(x=0, animate=False, force=True, immediate=True)

    def _goes_on(self) -> tuple[bool, bool]:
        """Whether an ellipsis stands at the left, and at the right; never where one types."""
        width, first = self.scrollable_content_region.width, round(self.scroll_x)
        caret = self._position_to_cell(self.cursor_position) - first if self.has_focus else -1
        if width < 2:
            return False, False
        return first > 0 and caret != 0, (
            cell_len(self.value) > first + width and caret != width - 1
        )

    @property
    def in_sight(self) -> tuple[int, int]:
        """The first letter that is whole on the screen, and the one behind the last."""
        left, right = self._goes_on()
        first = round(self.scroll_x)
        end = first + self.scrollable_content_region.width - right
        return _letters(self.value, first + left, end)

    def render_line(self, y: int) -> Strip:
        """The line, with a mark where it goes on."""
        strip, width = super().render_line(y), self.scrollable_content_region.width
        left, right = (False, False) if y else self._goes_on()
        if not (left or right):
            return strip
        mark = Strip([Segment("…", self.rich_style)])
        inner = strip.crop(int(left), width - right)
        return Strip.join([*[mark] * left, inner, *[mark] * right])


def _letters(text: str, first: int, end: int) -> tuple[int, int]:
    """The letters that lie whole within these cells."""
    if text.isascii():
        return first, end
    cell, inside = 0, []
    for place, letter in enumerate(text):
        wide = cell_len(letter)
        if cell >= end:
            break
        if cell >= first and cell + wide <= end:
            inside.append(place)
        cell += wide
    return (inside[0], inside[-1] + 1) if inside else (0, 0)
