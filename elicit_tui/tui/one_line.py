"""A line to type in that shows its beginning where nobody types."""

from __future__ import annotations

from rich.cells import cell_len
from rich.segment import Segment
from textual.geometry import Region
from textual.strip import Strip
from textual.widgets import Input


class OneLine(Input):
    """One that is left is scrolled back; an ellipsis stands where it is cut.

    What stands there at first is selected with the focus: typing replaces it, an arrow keeps it.
    """

    # Reversed, so that what is selected is seen without colours too.
    DEFAULT_CSS = """
    OneLine {
        &>.input--selection { background: $well-focus; color: $foreground; text-style: reverse; }
    }
    """

    _begun_with = ""

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
        self.scroll_to(x=0, animate=False, force=True, immediate=True)

    def render_line(self, y: int) -> Strip:
        """The line, cut at its end where it goes on."""
        strip, width = super().render_line(y), self.scrollable_content_region.width
        if y or self.has_focus or width < 2 or cell_len(self.value) <= width:
            return strip
        return Strip.join([strip.crop(0, width - 1), Strip([Segment("…", self.rich_style)])])
