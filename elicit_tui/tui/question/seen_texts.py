"""Texts of a question that may be larger than the screen, and what of them was on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Protocol

from textual import events
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.geometry import Region
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Static

from elicit_tui.elicitation.shown import SeenPart
from elicit_tui.tui.question.frame_words import count
from elicit_tui.tui.question_gate import Guarded
from elicit_tui.tui.textual_terminal import SeenOnScreen
from elicit_tui.tui.widgets.control import REVEAL

# What of a question was on the screen. Nothing else is accepted by one key.
#
# Whoever is asked for a yes is shown first what they have not seen of it: a long text, a page at a
# time, a field with a default far below. That is brought into view and said; the next key accepts.


class PartToSee(Protocol):
    """Something of a question that may be larger than the screen."""

    @property
    def unseen(self) -> bool:
        """Whether some of it was never on the screen, and nobody was told."""
        ...

    def show_unseen(self, *, briefly: bool) -> str:
        """Bring it into view, and tell what it is: `the message goes on`."""
        ...

    @property
    def still_unseen(self) -> bool:
        """Whether there is more than what was brought into view last."""
        ...

    def see_afresh(self) -> None:
        """What stands on the screen now was seen, and nothing that stood there before."""
        ...


def shown_now(parts: Sequence[PartToSee]) -> str:
    """Bring what was never seen of these parts into view; what it was, as a clause."""
    unseen = [part for part in parts if part.unseen]
    return ", ".join(part.show_unseen(briefly=len(unseen) > 1) for part in unseen)


def hides_some(page: Widget, parts: Sequence[PartToSee]) -> bool:
    """Whether some of it was never on the screen; before `page` has its place nobody can know."""
    return page.size.height > 0 and any(part.unseen for part in parts)


class SeenText(VerticalScroll, SeenOnScreen):
    """A text that knows which of its lines have been on the screen."""

    called = "the text"
    """In a sentence."""
    left_out = 0
    """Characters of it that stand nowhere, because it is too long."""
    _shown = SeenPart.none()
    _seen_width = 0
    _counts_as_seen = False

    def on_screen(self, part: Region) -> None:
        """The lines that are in view were seen."""
        width = self.outer_size.width
        if width != self._seen_width:
            # All its lines are others now.
            self._seen_width, self._shown = width, SeenPart.none()
        self._see()

    @property
    def _bottom(self) -> int:
        return round(self.scroll_y) + self.scrollable_content_region.height

    def see_afresh(self) -> None:
        """What stands on the screen now was seen, and nothing that stood there before."""
        self._seen_width, self._shown = self.outer_size.width, SeenPart.none()
        self._see()

    def _see(self) -> None:
        self._shown = self._shown.with_part(round(self.scroll_y), self._bottom)

    @property
    def lines_to_see(self) -> int:
        """So many of its lines, from the first, say what is decided about."""
        return self.virtual_size.height

    @property
    def unseen(self) -> bool:
        """Whether some of it was never on the screen, and nobody was told."""
        return not self._counts_as_seen and bool(self.left_out or self._unseen_lines)

    @property
    def _unseen_lines(self) -> int:
        return max(self.lines_to_see - self._shown.first_unseen, 0)

    def show_unseen(self, *, briefly: bool) -> str:
        """Scroll to what was not seen of it, a page at a time: nothing of it is skipped.

        What stands nowhere is told once all else was there.
        """
        if not self._unseen_lines:
            self._counts_as_seen = True
            return f"{self.left_out:,} characters of {self.called} are not shown"
        top = min(
            self._shown.first_unseen,
            self.lines_to_see - self.scrollable_content_region.height,
        )
        self.scroll_to(y=top, animate=False, immediate=True)
        left = self.lines_to_see - self._bottom
        if left <= 0:
            return f"{self.called} ends"
        more = "" if briefly else f" ({count(left, 'more line')} below)"
        return f"{self.called} goes on{more}"

    @property
    def still_unseen(self) -> bool:
        """Whether another page follows, or what stands nowhere was not told."""
        return self.lines_to_see > self._bottom or (
            bool(self.left_out) and not self._counts_as_seen
        )

    def forget_seen(self) -> None:
        """It is another text now."""
        self._shown, self._counts_as_seen = SeenPart.none(), False


# Parts of the frame that scroll by themselves, so that nothing pushes the fields away.

_AROUND = 8
"""Cells of the screen's width that a region's text does not have."""
_SCROLLBAR = 2
"""With the blank beside it; kept free whether it is there or not, so that nothing wraps anew."""


class TextRegion(SeenText, Guarded, can_focus=False):
    """A text with a limit to its height; it takes the focus only when it has more to scroll."""

    BINDINGS: ClassVar[list[BindingType]] = []

    hides_below: reactive[bool] = reactive(False, repaint=False)
    """Whether it goes on below what can be seen."""

    DEFAULT_CSS = """
    TextRegion {
        height: auto; width: 100%; scrollbar-size-vertical: 1; overflow-x: hidden;
        border-left: blank; padding: 0 0 0 1;
        &:focus { border-left: outer $accent; }
        & > Static { height: auto; width: 100%; padding: 0 1 0 0; }
    }
    """

    def __init__(
        self, text: Content | Callable[[int], Content], *, id: str, left_out: int = 0
    ) -> None:
        """`text` may be drawn for a width in cells, where it has columns of its own.

        `left_out`: characters of it that are not there, because it is too long.
        """
        super().__init__(id=id)
        self.called = f"the {id}"
        self.left_out = left_out
        self._draw = text if callable(text) else None
        self._whole = Content("") if callable(text) else text
        self._drawn_for = 0
        self._text = Static(self._whole, markup=False)
        self._hears_the_keys = False

    def compose(self) -> list[Static]:
        """The text, for the width that it will most likely have."""
        self._draw_for(self.app.size.width - _AROUND)
        return [self._text]

    def _draw_for(self, width: int) -> None:
        if self._draw is not None and width != self._drawn_for:
            self._drawn_for = width
            self._text.update(self._draw(max(width, 8)))

    @property
    def keys(self) -> tuple[tuple[str, str], ...]:
        """Scrolling, while there is something to scroll."""
        return (("↑↓", "scroll"),) if self.overflows else ()

    def hear_the_keys(self) -> None:
        """Take the focus, and stay able to: nothing else in the question can, so keys would die."""
        self._hears_the_keys = self.can_focus = True
        self.focus()

    @property
    def overflows(self) -> bool:
        """Whether there is more than can be seen."""
        return self.max_scroll_y > 0

    def on_resize(self, event: events.Resize) -> None:
        """Draw it for this width; a Tab stop only while there is something to scroll."""
        self._draw_for(self.content_region.width - _SCROLLBAR)
        self.call_after_refresh(self._settle)

    def _settle(self) -> None:
        self.can_focus = self.overflows or self._hears_the_keys
        self.hides_below = self.scroll_y < self.max_scroll_y

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """More of it came into sight."""
        super().watch_scroll_y(old_value, new_value)
        self.hides_below = new_value < self.max_scroll_y

    def grow(self, free: int) -> None:
        """Be higher than its limit by what it hides, where so many rows are free."""
        rows = min(free, self.max_scroll_y)
        if rows > 0:
            self.styles.max_height = self.outer_size.height + rows

    def rows_for(self, width: int) -> int:
        """How many rows all of it takes in so many cells."""
        text = self._draw(width) if self._draw is not None else self._whole
        return len(text.wrap(width)) if text else 0

    def draw_again(self) -> None:
        """What it says has changed."""
        self._drawn_for = 0
        self._draw_for(self.content_region.width - _SCROLLBAR)


def scroll_hidden(parts: Sequence[VerticalScroll], pages_down: int) -> None:
    """Scroll the first of these parts that hides something in this direction, from the top."""
    if pages_down > 0:
        hiding = [part for part in parts if part.scroll_y < part.max_scroll_y]
    else:
        hiding = [part for part in reversed(parts) if part.scroll_y > 0]
    for part in hiding[:1]:
        (part.scroll_page_down if pages_down > 0 else part.scroll_page_up)(animate=False)


# A scrolling page of text in place of the fields.

PageText = tuple[Content, Content | None]
"""What it says, and the beginning of it that has to be seen before it is decided about; None: all
of it."""


class Page(SeenText, Guarded, can_focus=True):
    """Text that takes the focus, so that arrows scroll it and keys find the question."""

    BINDINGS: ClassVar[list[BindingType]] = [
        # As in every other text; the key that closes it is the question's.
        Binding("j", "scroll_down", "Down", show=False),
        Binding("k", "scroll_up", "Up", show=False),
        Binding("space,ctrl+d,ctrl+f", "page_down", "A page down", show=False),
        Binding("ctrl+u,ctrl+b", "page_up", "A page up", show=False),
        Binding("g", "scroll_home", "Top", show=False),
        Binding("G", "scroll_end", "End", show=False),
        REVEAL,
    ]

    DEFAULT_CSS = """
    Page {
        height: 1fr; width: 100%; padding: 0 0 0 2; scrollbar-size-vertical: 1;
        overflow-x: hidden;
        & > Static { height: auto; width: 100%; padding: 0 1 0 0; }
    }
    """

    class Seen(Message):
        """Whether some of it is still to be seen is another matter now."""

    decides: Content | None = None
    """As in `PageText`."""

    def __init__(self, text: Content, *, id: str) -> None:
        super().__init__(id=id)
        self._text = Static(text, markup=False, id=f"{id}-text")
        self.goes_on = False
        """Whether, as it was drawn last, there was an end of it that nobody saw."""
        self._is_another = False
        """Whether it was told anew since it was drawn last."""
        self._told = text
        self._clear: PageText | None = None
        """The same with its secrets shown, or, while they are, without."""

    def on_screen(self, part: Region) -> None:
        """Whoever offers to decide about it is told what was seen of it."""
        super().on_screen(part)
        if self._is_another or self.unseen != self.goes_on:
            self._is_another, self.goes_on = False, self.unseen
            self.post_message(self.Seen())

    @property
    def lines_to_see(self) -> int:
        """As many as say what is decided about."""
        if self.decides is None:
            return super().lines_to_see
        width = self._text.content_size.width
        return len(self.decides.wrap(max(width, 1))) if self.decides else 0

    def compose(self) -> list[Static]:
        """The text."""
        return [self._text]

    @property
    def keys(self) -> tuple[tuple[str, str], ...]:
        """Scrolling, while there is something to scroll."""
        return (("↑↓", "scroll"),) if self.max_scroll_y else ()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Secrets are shown where there are some."""
        if action == "reveal":
            return self._clear is not None
        return super().check_action(action, parameters)

    def action_reveal(self) -> None:
        """Show the secrets in it, or no more; nothing else of it is to be seen anew."""
        if self._clear is not None:
            shown, (self._told, self.decides) = (self._told, self.decides), self._clear
            self._clear = shown
            self._text.update(self._told)

    def tell(self, text: PageText, clear: PageText | None = None) -> None:
        """Show another text, from its beginning; `clear`: the same with its secrets shown."""
        (self._told, self.decides), self._clear = text, clear
        self._text.update(self._told)
        self.forget_seen()
        self._is_another, self.goes_on = True, False
        self.scroll_home(animate=False)
