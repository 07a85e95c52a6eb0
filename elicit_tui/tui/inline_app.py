"""The small app under the prompt: one question at a time, nothing else."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.driver import Driver
from textual.geometry import Offset, Size
from textual.screen import Screen
from textual.widget import Widget

from elicit_tui.elicitation import Outcome, Pending, Question, Queue
from elicit_tui.tui.changed_lines import ChangedLines, DrawnLines
from elicit_tui.tui.key_gate import PASTE_SECONDS, TextAhead
from elicit_tui.tui.ordered_app import OrderedApp
from elicit_tui.tui.question.actions import Answered, Later, PageTurned, Painted
from elicit_tui.tui.question.view import QuestionView
from elicit_tui.tui.question_gate import Debounce
from elicit_tui.tui.textual_terminal import (
    InlineUpdate,
    outliving_terminal,
    tell_what_is_seen,
)
from elicit_tui.tui.theme import begin_with_theme

if TYPE_CHECKING:
    from elicit_tui.tui.inline_driver import InlineDriver, PlaceTold

_FIRST_ROWS = 8
"""Until the form was painted once: taking more rows scrolls the terminal, giving some back does not
bring them down again."""
_MOST_ROWS = 26
_PROMPT_ROWS = 3
_ROOMY = 16
"""Rows of a terminal in which the prompt stays in view above the form."""

_GLANCE_SECONDS = 0.02
"""Between two looks whether the terminal has said where the form begins."""
_SETTLED_SECONDS = 1.0
"""A question is drawn after so long, whatever of it still moves."""


class InlineApp(OrderedApp[None]):
    """Shows the head of a queue that somebody else keeps, until the queue is empty."""

    ENABLE_COMMAND_PALETTE = False
    INLINE_PADDING = 0
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "interrupt", "Interrupt", priority=True, show=False),
        Binding("ctrl+q", "interrupt", "Interrupt", priority=True, show=False),
    ]
    CSS = """
    Screen { background: $surface; }
    Screen:inline { border: none; height: 8; & #middle.-empty { height: 0; } }
    """

    def __init__(
        self,
        queue: Queue,
        view: Callable[[Pending, int, bool], QuestionView],
        *,
        theme: str,
        first: bool = False,
    ) -> None:
        """`view` makes a new view of a question: its number, and whether the last one vanished.

        `first`: no question was asked here before.
        """
        begin_with_theme(self, theme)
        super().__init__()
        self.interrupted = False
        self.drawn = DrawnLines()
        self._queue = queue
        self._new_view = view
        self._count = 0
        self._ended = 0
        self._ahead = TextAhead(keeps=first)
        self._rows = _FIRST_ROWS
        self._terminal: InlineDriver | None = None
        """What it is drawn on under a prompt; None: nothing is."""
        self._has_place = False
        """Whether the question stands where its rows leave nothing (see `InlineDriver`)."""
        self._awaits_resize = False
        self._pending: Pending | None = None
        self._shown: QuestionView | None = None
        self._fields: dict[str, str | None] = {}
        """Where in a question the person was when it left the screen, by its id."""
        self._mounted_at = 0.0

    @property
    def shown(self) -> QuestionView | None:
        """The question on the screen."""
        return self._shown

    async def on_mount(self) -> None:
        """The first question."""
        await self._show_right_one()

    def refresh_question(self) -> None:
        """The queue changed: show what is to be shown, or leave when it is empty."""
        self.call_later(self._show_right_one)

    async def _show_right_one(self) -> None:
        # The queue says which question is the right one; here only the screen follows it. One that
        # leaves keeps its draft and its field. What was typed for it is discarded twice, before the
        # next one stands there and after, so that no key pressed at the old one reaches it.
        queue, last, shown = self._queue, self._pending, self._shown
        right = queue.open or queue.next_to_open() or queue.after(None)
        if shown is not None and right is last and right is not None:
            shown.place_in_queue(*queue.place(right))
            return
        if shown is not None and last is not None:
            shown.keep_draft()
            self._fields[last.question.id] = shown.body.last_field
        if right is None:
            self.exit()
            return
        self.typed_ahead.discard()
        gone = last is not None and queue.get(last.question.id) is not last
        self._ended += gone
        startled = (
            gone
            and last is not None
            and not last.was_answered
            and last.question.draft.typed
            and last.question.draft is not right.question.draft
        )
        self._pending, self._shown = right, None
        queue.show(right)
        if shown is not None:
            await shown.remove()
        self._count += 1
        self._shown = self._new_view(right, self._count, startled)
        self._shown.ended_before = self._ended
        self._shown.body.last_field = self._fields.get(right.question.id)
        # Its first frame has its buttons, and its fields where they stay: how many rows that takes
        # is known once it is laid out, in all there are, for in a few it is laid out otherwise.
        self._shown.is_measured = self.is_inline
        self._stand()
        self._has_place = False
        if self.is_inline:
            self._take_rows(_MOST_ROWS)
        await self.screen.mount(self._shown)
        self._mounted_at = time.monotonic()
        self.call_after_refresh(self._fit_unseen)
        self.typed_ahead.discard()

    def _answered(self, question: Question, outcome: Outcome) -> None:
        pending = self._pending
        if pending is not None and pending.question is question:
            pending.answer(outcome)

    async def on_question_view_answered(self, event: Answered) -> None:
        """Hand the outcome over and go on."""
        self._answered(event.question, event.outcome)
        await self._show_right_one()

    async def on_question_view_later(self, event: Later) -> None:
        """The next question, if there is one; not for one that has left the screen meanwhile."""
        shown, pending = self._shown, self._pending
        if shown is None or pending is None or shown.question is not event.question:
            return
        if self._queue.put_off(pending) is not None:
            await self._show_right_one()
        else:
            shown.say("No other question waits.")

    def tell_of_input(self, sentence: str) -> None:
        """Above the buttons: a message over the form would hide it."""
        if self._shown is not None:
            # What was taken is written into the form first, which hushes what is said.
            self.set_timer(PASTE_SECONDS, partial(self._shown.say, sentence))

    def _drops(self, event: events.Event) -> bool:
        """Text typed for the first question waits for its line; other input is not heard."""
        if self._shown is not None and not self._shown.never_painted:
            self._ahead.write_into(self._shown)
        return self._ahead.takes(event) or super()._drops(event)

    def on_key(self, event: events.Key) -> None:
        """A key between two questions belongs to a burst of typing."""
        Debounce.heard(event.time)

    def on_question_view_painted(self, event: Painted) -> None:
        """Take no more rows than the question needs; what was typed for it goes into it."""
        if self._shown is not None:
            self._ahead.write_into(self._shown)
        if self.is_inline:
            self._fit()

    def on_question_view_page_turned(self, event: PageTurned) -> None:
        """A page may need more rows than the question, or fewer."""
        if self.is_inline:
            self._fit()
            self._stand()

    def on_lines_pasted(self) -> None:
        """A field that has just become a block takes more rows."""
        if self.is_inline:
            self.call_after_refresh(self._fit)

    def _stand(self) -> None:
        """Where its rows leave nothing; a QR code has all of the terminal, for it needs more."""
        if self._terminal is not None and self._has_place:
            moves = self._terminal.stand(self._rows, whole=self._has_code)
            self._awaits_resize = self._awaits_resize or moves

    def on_place_told(self, event: PlaceTold) -> None:
        """After a resize fewer rows may stand above the form than it has."""
        self._stand()

    @property
    def whole_size(self) -> Size:
        """Of the terminal, as its driver finds it."""
        return super().whole_size if self._terminal is None else Size(*self._terminal.window())

    @property
    def _has_code(self) -> bool:
        return self._shown is not None and self._shown.has_class("-code")

    def _fit_unseen(self, was_laid_out: bool = False) -> None:
        """It was laid out, and nobody has seen it: draw it with as many rows as it needs.

        What comes last, as the name of a button, may take another row: it is looked at once more.
        """
        self._fit()
        if self._shown is None or not self._shown.is_measured or self._awaits_resize:
            return
        is_as_wide = self.screen.outer_size.width == self.size.width
        is_laid_out = self._shown.body.is_laid_out and is_as_wide
        may_move = time.monotonic() - self._mounted_at < _SETTLED_SECONDS
        if may_move and not (is_laid_out and was_laid_out):
            self.call_after_refresh(self._fit_unseen, is_laid_out)
        elif self._takes_place():
            self._shown.is_measured = False
            self.screen.refresh(layout=True)
            self._shown.await_painting()

    def _takes_place(self) -> bool:
        """Whether it stands where it can be drawn; else that is looked at again."""
        if self._has_place or self._terminal is None:
            return True
        if self._terminal.may_answer:
            self.set_timer(_GLANCE_SECONDS, self._fit_unseen)
            return False
        self._has_place = True
        self._stand()
        return not self._awaits_resize

    def _display(self, screen: Screen[Any], renderable: Any) -> None:
        """What changed; nothing of a question that is laid out only to be measured."""
        if self._shown is None or not self._shown.is_measured:
            if isinstance(renderable, InlineUpdate):
                renderable = ChangedLines(renderable, self.drawn)
            super()._display(screen, renderable)
        elif renderable is not None:
            # Until it is painted, and seen afresh, its buttons go by what will be in view.
            tell_what_is_seen(screen)

    def on_resize(self, event: events.Resize) -> None:
        """As many rows as the question needs at this width."""
        if self.is_inline:
            was_awaited, self._awaits_resize = self._awaits_resize, False
            is_measured = self._shown is not None and self._shown.is_measured
            again = was_awaited and is_measured
            self.call_after_refresh(self._fit_unseen if again else self._fit)
            self._take_rows(_MOST_ROWS if again else self._rows)
            if self.drawn.lines is None:
                self.screen.refresh()

    def _fit(self, tries: int = 3) -> None:
        """What is hidden is known once it is laid out; with more rows there may be more of it."""
        if self._shown is None or not self._shown.is_attached:
            return
        if self.screen.outer_size.width != self.size.width:
            # A new height takes the place of a new width that comes at the same time.
            self.screen.post_message(events.Resize(self.size, self.size))
        before = self._rows
        self._take_rows(rows_of(self._shown))
        if tries and self._rows != before:
            self.call_after_refresh(self._fit, tries - 1)

    def _take_rows(self, wanted: int) -> None:
        """As many as there are below the prompt, which stays in view unless there is no room."""
        self._rows = wanted
        above = _PROMPT_ROWS if self.size.height >= _ROOMY else 1
        rows = min(wanted, _MOST_ROWS, self.size.height - above)
        if self._terminal is not None and self._has_place:
            most = self._terminal.most_rows
            rows = rows if most is None else min(wanted, most)
        if self._has_code:
            rows = self.size.height
        self.screen.styles.height = max(rows, 1)

    @property
    def cursor_position(self) -> Offset:
        """Always where the form begins.

        A window that is made narrower breaks the form's lines in ways that differ from terminal to
        terminal; all of them keep the cursor on its character. From there everything below is the
        form's, to be cleared and drawn anew.
        """
        return Offset(0, 0) if self.is_inline else self._cursor_position

    @cursor_position.setter
    def cursor_position(self, position: Offset) -> None:
        self._cursor_position = position

    def _build_driver(
        self, headless: bool, inline: bool, mouse: bool, size: tuple[int, int] | None
    ) -> Driver:
        if headless or not inline or sys.platform == "win32":
            return super()._build_driver(headless, inline, mouse, size)
        from elicit_tui.tui.inline_driver import InlineDriver

        driver = outliving_terminal(InlineDriver)(self, mouse=mouse, size=size)
        driver.cleared = self.drawn.forget
        self._driver = self._terminal = driver
        self._size = Size(*driver._get_terminal_size())
        return driver

    def give_up(self, question: Question, outcome: Outcome) -> bool:
        """End the question that broke and show the next one."""
        self._answered(question, outcome)
        self.refresh_question()
        return True

    def action_interrupt(self) -> None:
        """Ctrl+C ends the whole call."""
        self.interrupted = True
        self.exit()


def rows_of(view: Widget) -> int:
    """Rows that a question takes when nothing in it has to scroll, once it was laid out."""
    return view.gutter.height + _stacked(view.displayed_children)


def _stacked(parts: Sequence[Widget]) -> int:
    """Rows of parts one below the other, with the blank ones between them."""
    rows = below = 0
    for part in parts:
        margin = part.styles.margin
        rows += max(below, margin.top) + _whole_height(part)
        below = margin.bottom
    return rows + below


def _whole_height(part: Widget) -> int:
    """Rows of a part, what is scrolled out of its view included."""
    if isinstance(part, VerticalScroll):
        return max((child.virtual_region.bottom for child in part.children), default=0)
    if isinstance(part, Horizontal):
        return max((_whole_height(beside) for beside in part.displayed_children), default=0)
    if isinstance(part, Vertical):
        return _stacked(part.displayed_children)
    return part.outer_size.height
