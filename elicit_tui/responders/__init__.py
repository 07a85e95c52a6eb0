"""Whoever answers without a screen, nobody too; and the one way to the browser."""

from __future__ import annotations

from elicit_tui.elicitation import Deadline, Outcome, Question, cancel

__all__ = ["NobodyResponder"]


class NobodyResponder:
    """Answers when no person is there: at once, and without claiming that anyone decided."""

    async def respond(self, question: Question, deadline: Deadline) -> Outcome:
        """A cancel by `nobody`."""
        return cancel("nobody", "Nobody is there to ask.")
