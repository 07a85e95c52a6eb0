"""Plain line prompts: one field at a time, for screen readers and terminals without screens."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from elicit_tui.elicitation import Deadline, Outcome, Question
from elicit_tui.elicitation.question import KEY_GRACE_SECONDS
from elicit_tui.responders.dialogue import Decided, Dialogue
from elicit_tui.responders.heading import heading
from elicit_tui.responders.typed_lines import Lines


class PlainResponder:
    """Asks a person by line prompts, one question after the other.

    Prompts go to `write` (standard error), answers are read from `lines`. Nothing a server sent
    reaches the terminal unless it is neutral text.
    """

    def __init__(
        self,
        lines: Lines,
        write: Callable[[str], None],
        opener: Callable[[str], bool] = lambda url: False,
    ) -> None:
        """`opener` hands a URL to the system's browser and says whether one started."""
        self._opener = opener
        self._lines = lines
        self._write = write
        self._one_at_a_time = asyncio.Lock()

    async def respond(self, question: Question, deadline: Deadline) -> Outcome:
        """Ask the person, when those before it are done, and return what they decided."""
        async with self._one_at_a_time:
            self._lines.discard()
            dialogue = Dialogue(question, deadline, self._lines, self._write)
            dialogue.say()
            dialogue.say(heading(question))
            if deadline.seconds > 0:
                dialogue.say(_time_told(deadline.seconds))
            deadline.start()
            try:
                outcome = await self._converse(dialogue)
            except Decided as decided:
                outcome = decided.outcome
            except asyncio.CancelledError:
                dialogue.say()
                dialogue.say("This question is over; nothing that you typed was sent.")
                raise
            return replace(outcome, via="plain")

    async def _converse(self, dialogue: Dialogue) -> Outcome:
        if dialogue.question.request.kind == "approval":
            from elicit_tui.responders.plain_approval import ask_approval

            return await ask_approval(dialogue)
        if dialogue.question.request.mode == "url":
            from elicit_tui.responders.plain_page import ask_page

            return await ask_page(dialogue, self._opener)
        form = dialogue.question.form
        assert form is not None, "a question that is neither a page nor an approval has a form"
        from elicit_tui.responders.plain_form import FormDialogue

        return await FormDialogue(dialogue, form).run()


def _time_told(seconds: float) -> str:
    least = f"{KEY_GRACE_SECONDS:g} seconds"
    return f"You have {seconds:g} seconds; each line that you type gives you {least} at least."
