"""One question at the prompt: what every plain dialogue writes and reads, and how it ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NoReturn

from elicit_tui.elicitation import Deadline, Finding, Outcome, Question, cancel, decline
from elicit_tui.responders.heading import findings
from elicit_tui.responders.typed_lines import (
    COMMON_HELP,
    InputGone,
    Lines,
    PromptCommand,
    help_text,
    read_line,
)
from elicit_tui.text import controls_left_out
from elicit_tui.text.hostile_json import bounded_json

DECLINED: Final = "You declined."
CANCELLED: Final = "You cancelled."
NOTE_PROMPT: Final = "One line to the agent that asked, or only Enter: "


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

    async def ask(
        self, prompt: str, *groups: dict[str, str], deciding: bool = False
    ) -> PromptCommand | str:
        """One line of the person; `/decline` and its like are dealt with here.

        `groups` are the commands that mean something at this prompt. `deciding`: an answer lets
        something happen, so that nothing typed before the prompt stood there counts. Raises
        Decided.
        """
        while True:
            line = await self._line(prompt, deciding)
            read = read_line(line)
            if not isinstance(read, PromptCommand):
                return read
            if read.word == "decline":
                await self.decline()
            if read.word == "cancel":
                raise Decided(cancel("user", CANCELLED))
            if read.word == "help":
                self.say(help_text(*groups, COMMON_HELP))
            elif read.word == "raw":
                self.say(bounded_json(self.question.request.params))
            elif any(read.word in group for group in groups) or (
                read.number is not None and any("NUMBER" in group for group in groups)
            ):
                return read
            else:
                self.say("This is not a command here. /help lists them; // begins a text with /.")

    async def decline(self) -> NoReturn:
        """Say no, with a line to the agent where one waits for it. Raises Decided."""
        # Nobody reads a note but an agent: a server is told nothing of it.
        note = await self._line(NOTE_PROMPT, False) if self.question.takes_note else ""
        raise Decided(decline("user", DECLINED, note=note.strip() or None))

    async def only_refuse(self) -> NoReturn:
        """Let the person say no, where nothing else can be said. Raises Decided."""
        while True:
            await self.ask("/decline or /cancel: ")
            self.say("Only /decline and /cancel can be answered here.")

    async def _line(self, prompt: str, deciding: bool) -> str:
        try:
            if deciding:
                # Before the prompt is written, so that it stands below what was thrown away.
                await self._lines.quiet()
            self._write(prompt)
            line = await self._lines.next()
        except InputGone as gone:
            self.say()
            reason = "The terminal went away before an answer was given."
            raise Decided(cancel("nobody", reason)) from gone
        self.deadline.touch()
        if line is None:
            self.say()
            raise Decided(cancel("user", "You ended the input (Ctrl+D)."))
        if self._lines.left_out:
            self.say(controls_left_out(self._lines.left_out))
        return line

    async def agree_to_risks(self, risks: tuple[Finding, ...]) -> frozenset[str] | None:
        """The second, deliberate step: what was acknowledged, or None when nothing is to be sent.

        Nothing is asked, and nothing acknowledged, where there are no risks.
        """
        if not risks:
            return frozenset()
        self.say("\n".join(findings(risks)))
        # The word itself: one key, or an Enter too many, goes on to nothing.
        answer = await self.ask("Type the word yes to go on all the same: ", deciding=True)
        if answer == "yes":
            return frozenset(finding.id for finding in risks)
        self.say("Nothing was sent.")
        return None
