"""What of a server is under way, and asking before that is ended."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from elicit_tui.tui.console.calls import CallRecord
    from elicit_tui.tui.console.controller import Controller
    from elicit_tui.tui.console.state import ConsoleState


def calls_of(state: ConsoleState, server: str) -> list[CallRecord]:
    """The calls of a server that run."""
    return [entry for entry in state.calls.running if entry.server == server]


def once_sure(app: Controller, server: str, then: Callable[[], object]) -> None:
    """Start a server anew by `then`; ask first where that ends a question or a call of it."""
    waiting = [pending for pending in app.state.questions if pending.server == server]
    running = calls_of(app.state, server)
    if not (waiting or running):
        then()
        return
    from elicit_tui.tui.console.screens.confirmations import RestartScreen

    def restart(sure: bool | None) -> None:
        if sure:
            then()

    typed = sum(pending.question.draft.typed for pending in waiting)
    app.push_screen(RestartScreen(server, len(waiting), typed, len(running)), restart)
