"""Plain line prompts: one field at a time, for screen readers and terminals without screens."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from elicit_tui.elicitation import Deadline, Outcome, Question, Scope, accept, hints_of
from elicit_tui.elicitation.question import KEY_GRACE_SECONDS, REDIRECT
from elicit_tui.responders.browser import may_open
from elicit_tui.responders.dialogue import Decided, Dialogue, heading, indented
from elicit_tui.responders.typed_lines import (
    APPROVAL_HELP,
    PAGE_HELP,
    WAITING_HELP,
    Lines,
    PromptCommand,
)
from elicit_tui.text import in_seconds, neutral, neutral_line, readable_json
from elicit_tui.text.hosts import host_of, is_web_address, spellings

YES: Final = ("y", "yes")
NO: Final = ("n", "no")
ALLOWED: Final[Mapping[Scope, str]] = {
    "once": "You allowed the call.",
    "session": "You allowed the tool for this session.",
}


async def ask_approval(dialogue: Dialogue) -> Outcome:
    """Ask whether the tool may be called; raises Decided for every refusal."""
    request = dialogue.question.request
    definition = request.definition
    described = definition.get("description")
    if isinstance(described, str) and described.strip():
        dialogue.say("The tool says of itself:")
        dialogue.say(indented(neutral(described, 4_000).strip()))
    dialogue.say(f"Its hints: {neutral_line(', '.join(hints_of(definition))) or 'none'}")
    dialogue.say("It would be called with:")
    dialogue.say(readable_json(dict(request.call.arguments) if request.call else {}))
    # Not each question allows a whole session, such as an agent's own prompt.
    for_session = "session" in request.traits.scopes
    help_lines = {name: text for name, text in APPROVAL_HELP.items() if name != "session"}
    while True:
        line = await dialogue.ask(
            f"y (once), n (not), {'/session, ' if for_session else ''}/decline or /cancel: ",
            APPROVAL_HELP if for_session else help_lines,
            deciding=True,
        )
        scope = _scope(line)
        if scope is not None:
            acknowledged = await dialogue.agree_to_risks(dialogue.question.to_acknowledge)
            if acknowledged is None:
                continue
            return accept("user", ALLOWED[scope], None, scope=scope, acknowledged=acknowledged)
        if isinstance(line, str) and line.strip().casefold() in NO:
            await dialogue.decline()
        dialogue.say("Nothing was called. Type y, n or one of the commands.")


def _scope(line: PromptCommand | str) -> Scope | None:
    """What a line allows: the call, or the tool for this session; None: nothing."""
    if isinstance(line, str):
        return "once" if line.strip().casefold() in YES else None
    if line.word == "once":
        return "once"
    return "session" if line.word == "session" else None


Opener = Callable[[str], bool]
"""Hands a URL to the system's browser, after consent; whether one started. May take seconds."""

_PASTE: Final = (
    "Is your browser on another machine? Open the page there; it will end at an address of this "
    "machine, which it cannot show. Paste that address here."
)
_NO_PAGE: Final = "Only http and https pages may be opened: this one may not."
_NOT_OPENED: Final = (
    "This page may not be opened: its URL holds characters that a browser may read as another page."
)
AGREED: Final = "You agreed to the page."


async def ask_page(dialogue: Dialogue, opener: Opener) -> Outcome:
    """Ask for consent; raises Decided for every refusal (spec: client/elicitation, "URL mode")."""
    url = dialogue.question.request.url or ""
    # A page of ours leads back to this machine; a server's does not.
    ours = dialogue.question.request.traits.takes_redirect
    _show_page(dialogue, url, ours)
    if not may_open(url):
        dialogue.say(_NOT_OPENED if is_web_address(url) else _NO_PAGE)
        await dialogue.only_refuse()
    dialogue.say("Nothing is opened or fetched unless you agree. /help lists the commands.")
    if ours:
        dialogue.say(_PASTE)
    while True:
        line = await dialogue.ask("/open, /agree, /decline or /cancel: ", PAGE_HELP, deciding=True)
        # A word that is no command opens nothing; a login's address may be pasted instead.
        if isinstance(line, str) and not (ours and _is_address(line)):
            dialogue.say("Nothing was opened. Type one of the commands.")
            continue
        if (outcome := await _agreed(dialogue, opener, url, line)) is not None:
            return outcome


async def _agreed(
    dialogue: Dialogue, opener: Opener, url: str, line: PromptCommand | str
) -> Outcome | None:
    """The consent, once its risks are agreed to and its page is open; None: it is asked again.

    `line`: the command that agrees, or the address at which a login's page ended.
    """
    acknowledged = await dialogue.agree_to_risks(dialogue.question.to_acknowledge)
    if acknowledged is None:
        return None
    if isinstance(line, str):
        return accept("user", AGREED, {REDIRECT: line}, acknowledged=acknowledged)
    draft = dialogue.question.draft
    draft.acknowledged = acknowledged
    # Without a browser the page is not agreed to yet: the person may open it and say so.
    if line.word == "open" and not await _opened(dialogue, opener, url, "/agree"):
        return None
    draft.opened = True
    content = None
    # Answered by making the call again: that is of use only once the person is done there.
    if dialogue.question.request.answered_by_retry:
        content = await _finished(dialogue, opener, url)
    return accept("user", AGREED, content, acknowledged=acknowledged)


def _show_page(dialogue: Dialogue, url: str, ours: bool) -> None:
    dialogue.say("This page is to be opened:" if ours else "It wants you to open this page:")
    dialogue.say(f"  {neutral_line(url, None)}")
    host = _host(url)
    if host is not None:
        dialogue.say(f"  Host: {host}")


async def _opened(dialogue: Dialogue, opener: Opener, url: str, then: str) -> bool:
    """Whether a browser took the page; if not, the question stays open.

    `then`: the command that goes on once the person has opened it.
    """
    # In a thread, as the system may take seconds to start a browser.
    if await asyncio.to_thread(opener, url):
        return True
    dialogue.say(f"No browser could be started here. Open the page yourself, then type {then}.")
    return False


async def _finished(dialogue: Dialogue, opener: Opener, url: str) -> dict[str, str] | None:
    """Wait until the person is done there: only then can the call succeed.

    Returns what was pasted, where a login's page led to an address that no browser could open.
    """
    dialogue.say("When you are done on that page, come back and type /finished.")
    while True:
        line = await dialogue.ask(
            "/finished, /open, /decline or /cancel: ", WAITING_HELP, deciding=True
        )
        if isinstance(line, PromptCommand) and line.word == "finished":
            return None
        ours = dialogue.question.request.traits.takes_redirect
        if ours and isinstance(line, str) and _is_address(line):
            return {REDIRECT: line}
        if isinstance(line, PromptCommand) and line.word == "open":
            await _opened(dialogue, opener, url, "/finished")
        else:
            dialogue.say("Type one of the commands.")


def _is_address(line: str) -> bool:
    """Whether a line is an address, and no word."""
    return is_web_address(line.strip())


def _host(url: str) -> str | None:
    """The host in both spellings where they differ; None when there is none to show."""
    if not (host := host_of(url)):
        return None
    both = spellings(host)
    if not both:
        return neutral_line(host, None)
    return f"{both[0]} in letters, {both[-1]} in ASCII"


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
            # What was typed at the last question is not the answer to this one.
            self._lines.discard()
            dialogue = Dialogue(question, deadline, self._lines, self._write)
            dialogue.say()
            dialogue.say(heading(question))
            if deadline.seconds > 0:
                dialogue.say(_time_told(deadline.seconds))
            # The time begins when the question is before the person, and not while it waited for
            # others.
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
        if dialogue.question.request.traits.about_call:
            return await ask_approval(dialogue)
        if dialogue.question.request.mode == "url":
            return await ask_page(dialogue, self._opener)
        form = dialogue.question.form
        assert form is not None, "a question that is neither a page nor an approval has a form"
        from elicit_tui.responders.plain_form import FormDialogue

        return await FormDialogue(dialogue, form).run()


def _time_told(seconds: float) -> str:
    least = in_seconds(KEY_GRACE_SECONDS)
    return f"You have {in_seconds(seconds)}; each line that you type gives you {least} at least."
