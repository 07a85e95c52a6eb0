"""Answers when no person is there: at once, and without claiming that anyone decided."""

from __future__ import annotations

from elicit_tui.elicitation import Deadline, Outcome, Question, cancel


class NobodyResponder:
    """Cancels every question by `nobody`."""

    async def respond(self, question: Question, deadline: Deadline) -> Outcome:
        """A cancel, at once."""
        return cancel("nobody", "Nobody is there to ask.")
