"""One question at the prompt: what stands above it, what is written and read, how it ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final, NoReturn

from elicit_tui.elicitation import (
    Deadline,
    ElicitationRequest,
    Finding,
    Outcome,
    Question,
    ServerIdentity,
    cancel,
    decline,
)
from elicit_tui.responders.typed_lines import (
    COMMON_HELP,
    InputGone,
    Lines,
    PromptCommand,
    help_text,
    read_line,
)
from elicit_tui.text import (
    as_name,
    controls_left_out,
    neutral,
    neutral_line,
    quoted,
    quoted_name,
    readable_json,
)
from elicit_tui.text.hostile_json import bounded_json

DECLINED: Final = "You declined."
CANCELLED: Final = "You cancelled."
NOTE_PROMPT: Final = "One line to the agent that asked, or only Enter: "
ARGUMENTS_LIMIT: Final = 300
MARKS: Final = '""'
"""Quotation marks that every screen reader and terminal has."""


def heading(question: Question) -> str:
    """The lines above the prompts; everything in them is neutral text."""
    return "\n".join(_lines(question))


def _lines(question: Question) -> Iterator[str]:
    request = question.request
    yield f"=== {_title(request)} ==="
    yield _server_line(request.server)
    # A question of ours stands for no call of a server's.
    for number, call in enumerate(request.calls if request.traits.from_server else ()):
        arguments = neutral_line(readable_json(dict(call.arguments), indent=None), ARGUMENTS_LIMIT)
        yield f"{'Or for' if number else 'For'}: {as_name(call.name, marks=MARKS)} {arguments}"
    if request.round > 1 or request.group_size > 1:
        together = f", with {request.group_size} questions" if request.group_size > 1 else ""
        yield f"Round {request.round}{together}."
    if question.note:
        yield f"Note: {neutral_line(question.note, None)}"
    yield from findings(question.review.findings)
    yield ""
    # Of a question about a call the title says all.
    if not request.traits.about_call:
        yield from _message_lines(request)


def _server_line(server: ServerIdentity) -> str:
    calls_itself = ""
    if server.calls_itself:
        version = f", version {quoted(server.version, 40, MARKS)}" if server.version else ""
        calls_itself = f", calls itself {quoted(server.calls_itself, 80, MARKS)}{version}"
    reached = f"{server.transport}: {neutral_line(server.address)}"
    return f"Server: {neutral_line(server.name)}{calls_itself}; {reached}"


def _message_lines(request: ElicitationRequest) -> Iterator[str]:
    if request.traits.from_server:
        yield "The server says:"
        yield indented(neutral(request.message))
    else:
        yield neutral(request.message)
    yield ""


def _title(request: ElicitationRequest) -> str:
    if request.traits.about_call and request.handed_to is not None:
        return neutral_line(request.message)
    server = quoted(request.server.name, marks=MARKS)
    if request.traits.about_call and request.call is not None:
        called = quoted_name(request.call.name, marks=MARKS)
        return f"Call {called} of {server}?"
    return f"{server} asks" if request.traits.from_server else f"Log in to {server}?"


def findings(found: tuple[Finding, ...]) -> Iterator[str]:
    """One line for each finding: how bad, which rule, where, and what to do."""
    for finding in found:
        word = finding.severity.word.upper()
        yield (
            f"{word} {finding.rule} in {neutral_line(finding.where, 100)}: "
            f"{neutral_line(finding.advice, None)} [{neutral_line(finding.evidence, 160)}]"
        )


def indented(text: str) -> str:
    """A server's text set off, so that no line of it can pass for one of ours."""
    return "\n".join(f"  | {line}" for line in text.split("\n"))


class Decided(Exception):
    """The dialogue came to its end."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome
        super().__init__(outcome.action)


class InputEnded(Decided):
    """The dialogue came to its end because nothing more can be typed."""


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
        note = ""
        # Nobody reads a note but an agent: a server is told nothing of it.
        if self.question.takes_note:
            # The no was said: an input that ends here ends only its note.
            with suppress(InputEnded):
                note = str(await self.ask(NOTE_PROMPT))
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
            raise InputEnded(cancel("nobody", reason)) from gone
        self.deadline.touch()
        if line is None:
            self.say()
            raise InputEnded(cancel("user", "You ended the input (Ctrl+D)."))
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
