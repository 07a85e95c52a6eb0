"""What the owner set for the console, taken at its start; what means nothing there is told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from elicit_tui.tui.theme import theme_trouble

if TYPE_CHECKING:
    from elicit_tui.tui.console.controller import Controller

TOLD_SECONDS: Final = 10.0


def take_settings(app: Controller) -> None:
    """Give the owner's keys; tell of each action and of a theme that nobody knows."""
    console = app.state.settings.console
    told = []
    if console.keys:
        from elicit_tui.tui.console.action_keys import give_keys

        told += give_keys(app, console.keys, app.known_keys)
    trouble = theme_trouble(console.theme)
    if trouble is not None:
        told.append(f"console.theme: {trouble}.")
    for sentence in told:
        app.notify(sentence, severity="warning", markup=False, timeout=TOLD_SECONDS)
