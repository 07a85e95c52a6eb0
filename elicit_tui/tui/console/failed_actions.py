"""What a person did and what failed: told with its place, and the console goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from textual.dom import DOMNode

from elicit_tui.errors import ElicitTuiError
from elicit_tui.tui.ordered_app import cause_of, parts_of, what_broke
from elicit_tui.tui.textual_terminal import HearsOn, deafened

if TYPE_CHECKING:
    from elicit_tui.tui.console.state import ConsoleState
    from elicit_tui.tui.ordered_app import OrderedApp

FORESEEN: Final = (ElicitTuiError, OSError, ValueError)
"""What files, servers and texts always may do; whatever else is raised, nobody foresaw."""


class Leavable(HearsOn):
    """A part of the console without which the rest of it goes on: a dialog."""

    has_failed = False

    def failed(self) -> None:
        """An error came out of it."""
        self.has_failed = True


def tell_failure(app: OrderedApp[Any], state: ConsoleState, error: Exception) -> None:
    """Say what failed and where, also to who looks at what happened later."""
    words = what_broke(error)
    state.say("", words, "bad")
    app.notify(words, severity="error", markup=False, timeout=30)


def outlived(app: OrderedApp[Any], state: ConsoleState, error: Exception) -> bool:
    """Tell of an error, and leave the dialogs that it came out of; False: it ends all.

    What follows from an error, in a dialog that is being left for it, is not told.
    """
    dialogs = parts_of(error, Leavable)
    follows = bool(dialogs) and all(dialog.has_failed for dialog in dialogs)
    if not follows and not isinstance(cause_of(error), FORESEEN):
        return False
    deaf = deafened(error.__traceback__.tb_frame) if error.__traceback__ is not None else None
    around = deaf.ancestors_with_self if isinstance(deaf, DOMNode) else []
    if deaf is not None and not any(dialog in around for dialog in dialogs):
        return False
    if not follows:
        tell_failure(app, state, error)
        for dialog in dialogs:
            dialog.failed()
    return True
