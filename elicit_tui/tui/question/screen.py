"""The screen around one question, for a console that shows it above everything else."""

from __future__ import annotations

from typing import TypeVar

from textual import events
from textual.app import ComposeResult
from textual.geometry import Region
from textual.reactive import Reactive
from textual.screen import ModalScreen
from textual.widget import Widget

from elicit_tui.elicitation import Draft, Outcome
from elicit_tui.tui.ordered_app import ShowsQuestion
from elicit_tui.tui.question.view import QuestionView
from elicit_tui.tui.question_gate import Debounce

_Screen = TypeVar("_Screen", bound="QuestionScreen")


class QuestionScreen(ModalScreen[Outcome | Draft], ShowsQuestion):
    """One `QuestionView` filling the screen.

    It never dismisses itself: the view's `Answered` and `Later` bubble to the app, whose queue
    takes the screen down in the `finally` of the future it waits for.
    """

    AUTO_FOCUS = ""
    # The frame has its own sizes; those of the application would style everything once more.
    HORIZONTAL_BREAKPOINTS = []  # noqa: RUF012 - Textual declares it so

    focused: Reactive[Widget | None] = Reactive(None, repaint=False)
    """What has the focus. The library paints all of the screen when that changes; here what loses
    it and what gets it are painted, which a slow terminal shows five times as fast."""

    # Nothing shines through: the screen below is not drawn under each repaint.
    DEFAULT_CSS = "QuestionScreen { background: $surface; align: center middle; }"

    def __init__(self, view: QuestionView) -> None:
        super().__init__()
        self.view = view
        self.question = view.question
        self._seen = False
        self._told_its_size = False

    def compose(self) -> ComposeResult:
        """The view alone."""
        yield self.view

    def on_screen_resume(self, event: events.ScreenResume) -> None:
        """The first time all styles are fresh."""
        event.refresh_styles = self._seen
        if self._seen:
            self.view.uncovered()
        self._seen = True

    def refresh(
        self: _Screen,
        *regions: Region,
        repaint: bool = True,
        layout: bool = False,
        recompose: bool = False,
    ) -> _Screen:
        """Draw it again: but for its parts, not while what was just painted settles.

        The library asks for all of a new screen twice more, right behind its first painting.
        """
        settles = self._seen and self.view.never_painted and not regions
        return super().refresh(
            *regions, repaint=repaint and not settles, layout=layout, recompose=recompose
        )

    def on_resize(self, event: events.Resize) -> None:
        """The library tells a new screen of the size at which it was painted only just: enough."""
        was_told, self._told_its_size = self._told_its_size, True
        if not was_told and event.size == self.size:
            event.stop()
            event.prevent_default()

    def on_key(self, event: events.Key) -> None:
        """A key that nothing in the question took still belongs to a burst of typing."""
        Debounce.heard(event.time)
