"""Leaving: asked once more where something would end with it, or a letter alone asks for it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from elicit_tui.tui.console.controller import Controller
    from elicit_tui.tui.console.shared_questions import SharedQuestions


class Leaving:
    """The way out, and what stands in it."""

    def __init__(
        self, app: Controller, shared: SharedQuestions, leave: Callable[[], Awaitable[None]]
    ) -> None:
        """`leave`: ends the run, then the application."""
        self._app = app
        self._shared = shared
        self._leave = leave

    async def quit(self) -> None:
        """Leave; asks once while questions wait that end with this, or calls run."""
        from elicit_tui.tui.console.screens.confirmations import LeaveScreen

        waiting = [pending.question for pending in self._app.state.questions]
        ending = not all(map(self._shared.is_shared, waiting))
        if isinstance(self._app.screen, LeaveScreen) or not (
            ending or self._app.state.calls.running or self._lost_results
        ):
            await self._leave()
        else:
            self.ask()

    def ask(self) -> None:
        """Ask whether to leave, and say what would end with it."""
        from elicit_tui.tui.console.screens.confirmations import Leaves, LeaveScreen

        state = self._app.state
        waiting = [pending.question for pending in state.questions]
        staying = sum(map(self._shared.is_shared, waiting))
        kept = state.settings.history.content != "none"
        ending, running = len(waiting) - staying, len(state.calls.running)
        what = Leaves(ending, staying, running, self._lost_results, drafts_kept=kept)
        self._app.push_screen(LeaveScreen(what), self._asked)

    @property
    def _lost_results(self) -> int:
        """How many results no later run has, as they are too long; where any are kept at all."""
        from elicit_tui.tui.console.kept_calls import is_lost

        state = self._app.state
        return 0 if state.settings.history.content == "none" else sum(map(is_lost, state.calls))

    async def _asked(self, sure: bool | None) -> None:
        if sure:
            await self._leave()
