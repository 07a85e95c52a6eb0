"""What came of an error that nobody foresaw on the screen: one question ends, or all of it."""

from __future__ import annotations

import traceback
from pathlib import Path

from textual.dom import DOMNode

from elicit_tui.elicitation import Outcome, Question, cancel
from elicit_tui.text import neutral_line


class ShowsQuestion:
    """A part of the screen that shows one question: when it breaks, that question ends alone."""

    question: Question


def broken_question(error: Exception, app: DOMNode) -> Question | None:
    """The question out of whose widgets an error came; None when it is not a question's.

    What broke in the application's own turn is the application's, whatever it had in its hands:
    it hears nothing after that.
    """
    # A worker's failure holds the error that it failed with.
    error = getattr(error, "error", error)
    owners = [frame.f_locals.get("self") for frame, _ in traceback.walk_tb(error.__traceback__)]
    if not owners or owners[0] is app:
        return None
    for owner in owners:
        for node in owner.ancestors_with_self if isinstance(owner, DOMNode) else ():
            if isinstance(node, ShowsQuestion):
                return node.question
    return None


def what_broke(error: Exception) -> str:
    """An unforeseen error in a few words, with its place; nothing in it can act on a terminal."""
    error = getattr(error, "error", error)
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {neutral_line(str(error), 200)}{place}"


def not_shown(error: Exception) -> Outcome:
    """How a question ends that could not be shown: nobody answered it."""
    return cancel("nobody", f"It could not be shown here: {what_broke(error)}.")
