"""A page that a server wants opened, at the prompt: nothing opens before the person agrees."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final
from urllib.parse import urlsplit

from elicit_tui.elicitation import Outcome, accept
from elicit_tui.responders.browser import may_open
from elicit_tui.responders.commands import PAGE_HELP, WAITING_HELP, PromptCommand
from elicit_tui.responders.dialogue import Dialogue
from elicit_tui.text import neutral_line
from elicit_tui.text.hosts import is_web_address, spellings

Opener = Callable[[str], bool]
"""Hands a URL to the system's browser, after consent; whether one started. May take seconds."""

AGREED: Final = "You agreed to the page."


async def ask_page(dialogue: Dialogue, opener: Opener) -> Outcome:
    """Ask for consent; raises Decided for every refusal (spec: client/elicitation, "URL mode")."""
    url = dialogue.question.request.url or ""
    dialogue.say("It wants you to open this page:")
    dialogue.say(f"  {neutral_line(url, None)}")
    host = _host(url)
    if host is not None:
        dialogue.say(f"  Host: {host}")
    if not is_web_address(url):
        dialogue.say("Only http and https pages may be opened: this one may not.")
        await dialogue.only_refuse()
    dialogue.say("Nothing is opened or fetched unless you agree. /help lists the commands.")
    while True:
        line = await dialogue.ask("/open, /agree, /decline or /cancel: ", PAGE_HELP, deciding=True)
        if not isinstance(line, PromptCommand):
            dialogue.say("Nothing was opened. Type one of the commands.")
            continue
        seen = await dialogue.agree_to_risks(dialogue.question.to_acknowledge)
        if seen is None:
            continue
        if line.word == "open" and not await _opened(dialogue, opener, url):
            continue
        if dialogue.question.request.answered_by_retry:
            await _finished(dialogue, opener, url)
        return accept("user", AGREED, None, acknowledged=seen)


async def _opened(dialogue: Dialogue, opener: Opener, url: str) -> bool:
    """Whether a browser took the page; if not, the question stays open."""
    if not may_open(url):
        dialogue.say("This URL is not handed to a browser, because of the characters in it.")
    elif await asyncio.to_thread(opener, url):
        return True
    else:
        dialogue.say("No browser could be started here.")
    dialogue.say("Open the page yourself, then type /agree.")
    return False


async def _finished(dialogue: Dialogue, opener: Opener, url: str) -> None:
    """Wait until the person is done there: only then can the call succeed."""
    dialogue.say("When you are done on that page, come back and type /finished.")
    while True:
        line = await dialogue.ask(
            "/finished, /open, /decline or /cancel: ", WAITING_HELP, deciding=True
        )
        if isinstance(line, PromptCommand) and line.word == "finished":
            return
        if isinstance(line, PromptCommand) and line.word == "open":
            await _opened(dialogue, opener, url)
        else:
            dialogue.say("Type one of the commands.")


def _host(url: str) -> str | None:
    """The host in both spellings where they differ; None when there is none to show."""
    try:
        host = urlsplit(url).hostname
    except ValueError:
        return None
    if not host:
        return None
    both = spellings(host)
    if not both:
        return neutral_line(host, None)
    return f"{both[0]} in letters, {both[-1]} in ASCII"
