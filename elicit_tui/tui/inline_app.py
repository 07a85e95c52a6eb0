"""The small app under the prompt: one question at a time, nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType

from elicit_tui.elicitation import Outcome, Question
from elicit_tui.form import Draft
from elicit_tui.tui.ordered_app import OrderedApp
from elicit_tui.tui.question.frame import QuestionFrame
from elicit_tui.tui.question.quiet import Quiet
from elicit_tui.tui.question.view import QuestionView
from elicit_tui.tui.theme import use_theme

_ROWS = 26
_LEAST_ROWS = 14


class InlineApp(OrderedApp[None]):
    """Shows the head of a queue that somebody else keeps, until the queue is empty."""

    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "interrupt", "Interrupt", priority=True, show=False),
        Binding("ctrl+q", "interrupt", "Interrupt", priority=True, show=False),
    ]
    CSS = """
    Screen { background: $surface; }
    Screen:inline { border: none; height: 26; max-height: 100vh; }
    """

    def __init__(
        self,
        *,
        head: Callable[[], tuple[Question | None, int]],
        view: Callable[[int], QuestionView | None],
        answered: Callable[[Question, Outcome], None],
        later: Callable[[Question, Draft], bool],
        theme: str,
    ) -> None:
        super().__init__()
        self.interrupted = False
        self._head = head
        self._new_view = view
        self._tell_answered = answered
        self._put_later = later
        self._count = 0
        self._shown: QuestionView | None = None
        use_theme(self, theme)

    @property
    def shown(self) -> QuestionView | None:
        """The question on the screen."""
        return self._shown

    async def on_mount(self) -> None:
        """The first question."""
        await self._show_head()

    def refresh_question(self) -> None:
        """The queue changed: show its head, or leave when it is empty."""
        self.call_later(self._show_head)

    async def _show_head(self) -> None:
        question, waiting = self._head()
        if self._shown is not None and self._shown.question is not question:
            self._shown.keep_draft()
        if question is None:
            self.exit()
        elif self._shown is not None and self._shown.question is question:
            self._shown.place_in_queue(1, waiting)
        else:
            self.typed_ahead.discard()
            shown, self._shown = self._shown, None
            if shown is not None:
                await shown.remove()
            self._count += 1
            view = self._new_view(self._count)
            if view is not None:
                self._shown = view
                await self.screen.mount(view)
                self.typed_ahead.discard()

    async def on_question_view_answered(self, event: QuestionView.Answered) -> None:
        """Hand the outcome over and go on."""
        self._tell_answered(event.question, event.outcome)
        await self._show_head()

    async def on_question_view_later(self, event: QuestionView.Later) -> None:
        """The next question, if there is one."""
        if self._put_later(event.question, event.draft):
            await self._show_head()
        else:
            event.view.stay("No other question waits.")

    def on_key(self, event: events.Key) -> None:
        """A key between two questions belongs to a burst of typing."""
        Quiet.heard(event.time)

    def on_question_frame_painted(self, event: QuestionFrame.Painted) -> None:
        """Take no more rows than the question needs."""
        if self.is_inline:
            wanted = max(event.view.wanted_height, _LEAST_ROWS)
            self.screen.styles.height = min(wanted, _ROWS, self.size.height)

    def on_resize(self, event: events.Resize) -> None:
        """As many rows as a form likes, and no more than the terminal has."""
        if self.is_inline:
            self.screen.styles.height = min(_ROWS, max(event.size.height, 1))

    def give_up(self, question: Question, outcome: Outcome) -> bool:
        """End the question that broke and show the next one."""
        self._tell_answered(question, outcome)
        self.refresh_question()
        return True

    def action_interrupt(self) -> None:
        """Ctrl+C ends the whole call."""
        self.interrupted = True
        self.exit()
