"""One question at the prompt: what every plain dialogue can say, ask and come to."""

from __future__ import annotations

from collections.abc import Callable

from elicit_tui.elicitation import Deadline, Finding, Outcome, Question, cancel, decline
from elicit_tui.responders.commands import COMMON_HELP, Command, help_text, read_line
from elicit_tui.responders.heading import findings
from elicit_tui.responders.lines import InputGone, Lines
from elicit_tui.text import ascii_json

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

    async def ask(
        self, prompt: str, *groups: dict[str, str], deciding: bool = False
    ) -> Command | str:
        """One line of the person; `/decline` and its like are dealt with here.

        `groups` are the commands that mean something at this prompt. `deciding`: an answer lets
        something happen, so that nothing typed before the prompt stood there counts. Raises
        Decided.
        """
        while True:
            line = await self._line(prompt, deciding)
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

    async def _line(self, prompt: str, deciding: bool) -> str:
        try:
            if deciding:
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
        return line

    async def agree_to_risks(self, risks: tuple[Finding, ...]) -> frozenset[str] | None:
        """The second, deliberate step: what was acknowledged, or None when nothing is to be sent.

        Nothing is asked, and nothing acknowledged, where there are no risks.
        """
        if not risks:
            return frozenset()
        self.say("\n".join(findings(risks)))
        answer = await self.ask("Type the word yes to go on all the same: ", deciding=True)
        if answer == "yes":
            return frozenset(finding.id for finding in risks)
        self.say("Nothing was sent.")
        return None
