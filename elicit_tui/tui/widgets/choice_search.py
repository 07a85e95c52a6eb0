"""A long list to choose from: type to search it, arrows to look, Enter to choose."""

from __future__ import annotations

from collections.abc import Collection
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content

from elicit_tui.form.field import Entry, Field
from elicit_tui.tui.textual_terminal import rows_of_screen
from elicit_tui.tui.widgets.choices import ChoiceControl
from elicit_tui.tui.widgets.control import FIELD_BINDINGS, to_button

ROWS = 6
MOST_ROWS = 20
_OTHER_ROWS = 28
"""Of a tall screen, those that are left to what else a form has; a list has the others."""
_WHEEL = 3
_BESIDE_LABEL = 20
_INVITES = "type to search"
_APART = 2
"""Cells at least between what is searched for and how many there are."""


def _rows_on_screen() -> int:
    """How many choices a list shows on the screen that it is made for."""
    return max(ROWS, min(MOST_ROWS, rows_of_screen() - _OTHER_ROWS))


class ChoiceSearch(ChoiceControl, can_focus=True):
    """A search line above a window of a few choices; ten thousand cost no more than ten.

    Nothing is chosen until the person does: by Enter, or a blank. The arrows move the bar until one
    is chosen, and while a search is on; else they choose, as in every list. The height never
    changes while typing.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *FIELD_BINDINGS,
        Binding("down", "move(1)", "Next choice", show=False),
        Binding("up", "move(-1)", "Previous choice", show=False),
        Binding("pagedown", f"move({ROWS})", "A page down", show=False),
        Binding("pageup", f"move(-{ROWS})", "A page up", show=False),
        Binding("home", "move(-10000000)", "First choice", show=False),
        Binding("end", "move(10000000)", "Last choice", show=False),
        Binding("enter", "finish", "Choose", show=False),
        Binding("backspace", "shorten", "Search less", show=False),
    ]

    DEFAULT_CSS = """
    ChoiceSearch { background: $well; padding: 0; text-wrap: nowrap; text-overflow: ellipsis; }
    ChoiceSearch:focus { background: $well-focus; }
    """

    def __init__(self, spec: Field, entry: Entry) -> None:
        super().__init__(spec, [choice.value for choice in spec.choices])
        self._rows = min(len(spec.choices), _rows_on_screen())
        """Choices in its window."""
        self._folded: list[str] | None = None
        self._search = ""
        self._found = False
        """Whether something was chosen that the search had found."""
        self._matches: range | list[int] = range(len(spec.choices))
        self._bar = 0
        self._moved = False
        self._top = 0
        self.put(entry)

    def _brought(self, place: int) -> None:
        # A search for several goes on where it is, until the next letter begins another.
        self._found = bool(self._search)
        self._moved = False
        if self._chosen and not (self.many and self._search):
            self._show(place)

    @property
    def in_sight(self) -> set[int]:
        """Those in the window that are not cut there, and those that the search line names."""
        window = range(max(self._painted.y - 1, 0), min(self._painted.bottom - 1, self._rows))
        places = [self._top + row for row in window if self._top + row < len(self._matches)]
        width = max(self.size.width, 8)
        room = max(width - 2 - len(self._marks[0]) - 1, 4)
        seen = {self._matches[place] for place in places}
        whole = {index for index in seen if self._cells_of(index) <= room}
        named = not self._search and self._painted.y == 0 and len(self._chosen) <= ROWS
        return whole | self._chosen if named and self._names_chosen(width) else whole

    @property
    def shows_all(self) -> bool:
        """Whether it is one choice, to which the window goes."""
        return super().shows_all and len(self._unread) <= 1

    def _cells_of(self, index: int) -> int:
        return Content(self.spec.choices[index].label).cell_length

    def _names_chosen(self, width: int) -> bool:
        """Whether the search line has room for the labels of all that is chosen."""
        return f" {self._chosen_label()} " in f"{self._search_line(width).plain} "

    @property
    def aside(self) -> str | None:
        """The chosen labels, where the list has to cut them."""
        labels = [self.spec.choices[index].label for index in sorted(self._chosen)[:ROWS]]
        room = max(self.size.width - _BESIDE_LABEL, 0)
        long = [label for label in labels if self.size.width and len(label) > room]
        return f"chosen: {', '.join(long)}" if long else None

    @property
    def own_keys(self) -> tuple[tuple[str, str], ...]:
        """Searching, moving and choosing, first what comes next."""
        if not self._matches:
            return (("Esc", "show all"),)
        on = to_button(self.leads_to) if self.leads_to else "next"
        chooses = "choose" if self.many else "choose and go on"
        enter = chooses if self._takes else on
        moves = "choose" if self._arrows_choose else "move"
        chosen, moved, searched = ("Enter", enter), ("↑↓", moves), ("type", "search")
        return (chosen, moved, searched) if self._search else (searched, chosen, moved)

    @property
    def searches(self) -> bool:
        """Whether a search leaves some of the choices out."""
        return bool(self._search)

    @property
    def kept(self) -> str | None:
        """The labels of what is chosen."""
        return self._chosen_label()

    @property
    def not_taken(self) -> str:
        """A search from which nothing was chosen, or what the bar was moved to without one."""
        search = "" if self._found else self._search.strip()
        if search:
            return f"nothing was chosen for “{search}”"
        if not self._moved or self.many or self._chosen:
            return ""
        return self._unchosen(self.spec.choices[self._matches[self._bar]].label)

    @property
    def _arrows_choose(self) -> bool:
        """Whether the arrows choose, and do not only look for what to choose."""
        return bool(self._chosen) and not (self.many or self._search)

    @property
    def _takes(self) -> bool:
        """Whether Enter takes what stands under the bar, and does not only go on.

        Where nothing was searched for and the bar was not moved: what one has to choose anyway. Of
        several it takes what was searched for or moved to, once: the next Enter goes on.
        """
        if self.many:
            return self._moved or bool(self._search and not self._found)
        return bool(self._search) or self._moved or (self.spec.required and not self._chosen)

    def height_for(self, width: int) -> int:
        """The search line, the window, and for one choice the line that says what is chosen."""
        return 1 + self._rows

    @property
    def edited_line(self) -> int:
        """Where the bar stands; the search line while there is no match."""
        row = max(0, min(self._rows - 1, self._bar - self._top))
        return 1 + row if self._matches else 0

    def _show(self, index: int) -> None:
        if self._search:
            self._search = ""
            self._matches = range(len(self.spec.choices))
        self._bar = index
        self._scroll_to_bar()

    def _scroll_to_bar(self) -> None:
        rows = self._rows
        self._top = max(0, min(self._top, len(self._matches) - rows))
        if self._bar < self._top:
            self._top = self._bar
        elif self._bar >= self._top + rows:
            self._top = self._bar - rows + 1

    def render(self) -> Content:
        """The search line and the window over the matches."""
        width = max(self.size.width, 8)
        lines = [self._search_line(width)]
        rows = self._rows
        for row in range(rows):
            place = self._top + row
            if place >= len(self._matches):
                nothing = "  nothing here matches" if not self._matches and not row else ""
                lines.append(Content.styled(nothing, "italic $faint"))
                continue
            lines.append(self._choice_line(place, width - 2, self._slider(row, rows)))
        return Content("\n").join(lines)

    def _search_line(self, width: int) -> Content:
        total = f"{len(self.spec.choices):,}"
        if self._search:
            count = f"{len(self._matches):,} of {total}"
            line = Content.assemble(("search ", "$faint"), (self._search, "bold"))
            if self.has_focus:
                line = line.append(Content.styled(" ", "reverse"))
            left_out = [index for index in self._chosen if index not in self._matches]
            if left_out:
                # It is what Send sends, whatever is searched for.
                line = line.append(Content.styled(f"  {self._marks[1]} ", "$accent"))
                line = line.append(self._labels(left_out))
        else:
            count = f"{total} choices"
            whole = len(_INVITES) + len(count) + _APART <= width
            line = Content.styled(_INVITES if whole else _INVITES.split()[-1], "italic $faint")
            chosen = self._chosen_label()
            if chosen is not None:
                line = Content.assemble((f"{self._marks[1]} {chosen}", "bold $accent"))
        line = line.truncate(max(width - len(count) - _APART, 4), ellipsis=True)
        gap = width - line.cell_length - len(count)
        return Content.assemble(line, " " * max(gap, 1), (count, "$faint"))

    def _chosen_label(self) -> str | None:
        return self._labels(self._chosen) if self._chosen else None

    def _labels(self, chosen: Collection[int]) -> str:
        return ", ".join(self.spec.choices[index].label for index in sorted(chosen)[:ROWS])

    def _choice_line(self, place: int, width: int, slider: str) -> Content:
        index = self._matches[place]
        chosen = index in self._chosen
        under_bar = place == self._bar and self.has_focus
        mark = Content.styled(self._marks[chosen], "$accent" if chosen else "$faint")
        label = Content(self.spec.choices[index].label)
        label = label.truncate(max(width - mark.cell_length - 1, 4), ellipsis=True)
        style = ("bold " if chosen else "") + ("reverse" if under_bar else "")
        line = Content.assemble(mark, " ", (label.plain, style.strip()))
        return Content.assemble(
            line, " " * max(width - line.cell_length + 1, 1), (slider, "$faint")
        )

    def _slider(self, row: int, rows: int) -> str:
        if len(self._matches) <= rows:
            return " "
        at = round(self._top * (rows - 1) / (len(self._matches) - rows))
        return "█" if row == at else "│"

    def action_move(self, by: int) -> None:
        """Move the bar, and with it what is chosen; it stops at the ends."""
        if not self._matches:
            return
        self._bar = max(0, min(len(self._matches) - 1, self._bar + by))
        self._scroll_to_bar()
        if self._arrows_choose:
            if self._bar not in self._chosen:
                self._choose(self._bar)
        else:
            self._moved = True
            self.refresh()
        self.moved()

    def action_finish(self) -> None:
        """Enter chooses what stands under the bar, and goes on; of several one of both.

        A search that finds nothing is not left behind.
        """
        takes = self._takes
        if takes:
            self.action_choose()
        if self._matches and not (self.many and takes):
            self.finish()

    def action_choose(self) -> None:
        """Choose what stands under the bar; several: or take it out again."""
        if 0 <= self._bar < len(self._matches):
            self._choose(self._matches[self._bar])

    def _filter(self, search: str) -> None:
        if self._folded is None:
            self._folded = [choice.label.casefold() for choice in self.spec.choices]
        self._search = search
        self._found = False
        needle = search.casefold().strip()
        if needle:
            found = [index for index, label in enumerate(self._folded) if needle in label]
            found.sort(key=lambda index: not self._folded_at(index).startswith(needle))
            self._matches = found
        else:
            self._matches = range(len(self.spec.choices))
        # Behind a search the bar is again where it was before: at what is chosen.
        self._bar = 0 if needle else min(self._chosen, default=0)
        self._top, self._moved = 0, False
        self._scroll_to_bar()
        self.refresh()
        self.moved()

    def _folded_at(self, index: int) -> str:
        return self._folded[index] if self._folded is not None else ""

    def action_shorten(self) -> None:
        """Take the last letter off the search."""
        if self._search:
            self._filter(self._search[:-1])

    def action_clear_field(self) -> None:
        """Give the search up; without one leave the field unset."""
        if not self.end_search():
            super().action_clear_field()

    def end_search(self) -> bool:
        """Show all choices again; whether a search had left some of them out."""
        searched = bool(self._search)
        if searched:
            self._filter("")
        return searched

    def on_key(self, event: events.Key) -> None:
        """Letters search; a blank chooses while nothing is searched for, or what was found."""
        if not event.is_printable or event.character is None:
            return
        event.stop()
        if event.character == " " and (self._found or not self._search):
            self.action_choose()
        else:
            self._filter(("" if self._found else self._search) + event.character)

    def on_click(self, event: events.Click) -> None:
        """A click chooses the line it hits."""
        place = self._top + event.y - 1
        if event.y >= 1 and place < len(self._matches):
            event.stop()
            self._bar = place
            self._choose(self._matches[place])

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """The wheel moves the window while there is more."""
        self._wheel(event, _WHEEL)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """The wheel moves the window while there is more."""
        self._wheel(event, -_WHEEL)

    def _wheel(self, event: events.MouseEvent, by: int) -> None:
        if self.has_focus and len(self._matches) > self._rows:
            event.stop()
            if self._arrows_choose:
                self._top = max(0, min(len(self._matches) - self._rows, self._top + by))
                self.refresh()
            else:
                self.action_move(by)

    def on_focus(self) -> None:
        """The bar appears."""
        self.refresh()

    def on_blur(self) -> None:
        """The bar goes."""
        self.refresh()
