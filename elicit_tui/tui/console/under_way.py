"""What of a server is under way, and asking before that is ended."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from elicit_tui.tui.console.calls import CallRecord
    from elicit_tui.tui.console.controller import Controller
    from elicit_tui.tui.console.screens.confirmations import UnderWay
    from elicit_tui.tui.console.state import ConsoleState


def calls_of(state: ConsoleState, server: str) -> list[CallRecord]:
    """The calls of a server that run."""
    return [entry for entry in state.calls.running if entry.server == server]


def under_way(state: ConsoleState, server: str) -> UnderWay:
    """What of a server is under way now."""
    from elicit_tui.tui.console.screens.confirmations import UnderWay

    waiting = [pending for pending in state.questions if pending.server == server]
    typed = sum(pending.question.draft.typed for pending in waiting)
    return UnderWay(server, len(waiting), typed, len(calls_of(state, server)))


def once_sure(
    app: Controller, server: str, then: Callable[[], object], *, stops: bool = False
) -> None:
    """Start a server anew by `then`; ask first where that ends a question or a call of it.

    `stops`: it is not started again.
    """
    ending = under_way(app.state, server)
    if not ending.words:
        then()
        return
    from elicit_tui.tui.console.screens.confirmations import RestartScreen, StopScreen

    def restart(sure: bool | None) -> None:
        if sure:
            then()

    app.push_screen((StopScreen if stops else RestartScreen)(ending), restart)
