"""Plain line prompts: one field at a time, for screen readers and terminals without screens."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, TextIO

from elicit_tui.elicitation import Deadline, Finding, Outcome, Question, cancel, decline
from elicit_tui.elicitation.question import KEY_GRACE_SECONDS
from elicit_tui.responders.commands import COMMON_HELP, Command, help_text, read_line
from elicit_tui.responders.drafts import Drafts
from elicit_tui.responders.heading import findings, heading, indented
from elicit_tui.responders.lines import InputGone, Lines
from elicit_tui.text import ascii_json

Examine = Callable[[Mapping[str, Any], Mapping[str, Any] | None], tuple[Finding, ...]]
"""Looks at content before it is sent: content and requestedSchema to findings."""

DECLINED = "You declined."
CANCELLED = "You cancelled."


class Decided(Exception):
    """The dialogue came to its end."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome
        super().__init__(outcome.action)


class Dialogue:
    """One question at the prompt: writing, reading, and the commands that every prompt has."""

    def __init__(
        self, question: Question, deadline: Deadline, lines: Lines, write: Callable[[str], None]
    ) -> None:
        self.question = question
        self.deadline = deadline
        self._lines = lines
        self._write = write

    def say(self, text: str = "") -> None:
        """Write lines of neutral text."""
        self._write(text + "\n")

    async def ask(self, prompt: str, *groups: dict[str, str]) -> Command | str:
        """One line of the person; `/decline` and its like are dealt with here.

        `groups` are the commands that mean something at this prompt. Raises Decided.
        """
        while True:
            line = await self._line(prompt)
            read = read_line(line)
            if not isinstance(read, Command):
                return read
            if read.word == "decline":
                raise Decided(decline("user", DECLINED))
            if read.word == "cancel":
                raise Decided(cancel("user", CANCELLED))
            if read.word == "help":
                self.say(help_text(*groups, COMMON_HELP))
            elif read.word == "raw":
                self.say(ascii_json(self.question.request.params, indent=2))
            elif any(read.word in group for group in groups) or (
                read.number is not None and any("NUMBER" in group for group in groups)
            ):
                return read
            else:
                self.say("This is not a command here. /help lists them; // begins a text with /.")

    async def _line(self, prompt: str) -> str:
        self._write(prompt)
        try:
            line = await self._lines.next()
        except InputGone as gone:
            self.say()
            reason = "The terminal went away before an answer was given."
            raise Decided(cancel("nobody", reason)) from gone
        self.deadline.touch()
        if line is None:
            self.say()
            raise Decided(cancel("user", "You ended the input (Ctrl+D)."))
        return line

    async def agree_to_risks(self, risks: tuple[Finding, ...]) -> bool:
        """The second, deliberate step; True at once when nothing calls for it."""
        if not risks:
            return True
        self.say("\n".join(findings(risks)))
        answer = await self.ask("Type the word yes to go on all the same: ")
        if answer == "yes":
            return True
        self.say("Nothing was sent.")
        return False


class PlainResponder:
    """Asks a person by line prompts, one question after the other.

    Prompts go to `write` (standard error), answers are read from `stream`. Nothing a server sent
    reaches the terminal unless it is neutral text.
    """

    def __init__(
        self,
        stream: TextIO | Lines,
        write: Callable[[str], None],
        examine: Examine,
        opener: Callable[[str], bool] = lambda url: False,
    ) -> None:
        """`opener` hands a URL to the system's browser and says whether one started."""
        self._opener = opener
        self._lines = stream if isinstance(stream, Lines) else Lines(stream)
        self._write = write
        self._examine = examine
        self._drafts = Drafts()
        self._one_at_a_time = asyncio.Lock()

    async def respond(self, question: Question, deadline: Deadline) -> Outcome:
        """The person's outcome; the question's turn comes when those before it are done."""
        async with self._one_at_a_time:
            self._lines.discard()
            dialogue = Dialogue(question, deadline, self._lines, self._write)
            dialogue.say()
            dialogue.say(heading(question))
            if deadline.seconds > 0:
                dialogue.say(_time_told(deadline.seconds))
            deadline.start()
            try:
                return await self._converse(dialogue)
            except Decided as decided:
                return decided.outcome
            except asyncio.CancelledError:
                dialogue.say()
                dialogue.say("This question is over; nothing that you typed was sent.")
                raise

    async def _converse(self, dialogue: Dialogue) -> Outcome:
        if dialogue.question.request.mode == "url":
            from elicit_tui.responders.plain_page import ask_page

            return await ask_page(dialogue, self._opener)
        from elicit_tui.responders.plain_form import FormDialogue

        return await FormDialogue(dialogue, self._drafts, self._examine).run()


def _time_told(seconds: float) -> str:
    least = f"{KEY_GRACE_SECONDS:g} seconds"
    return f"You have {seconds:g} seconds; each line that you type gives you {least} at least."


__all__ = ["Decided", "Dialogue", "Examine", "PlainResponder", "indented"]
