"""The notice that a question waits, in the shape that each service expects.

It names agent, server and the command that answers; never an answer, and the question's own words
only where `include` says so, then as neutral text. What an agent or a server says of itself is
shown to the letter: none of it becomes a link, a heading or a mention.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import ElicitationRequest
from elicit_tui.elicitation.settings import Hook
from elicit_tui.text import as_name, ascii_json, neutral

LONGEST_MESSAGE: Final[Mapping[str | None, int]] = {"discord": 750}
"""How much of a message each service is sent, where not the usual; its signs count twice there.

Discord takes 2,000 characters in all, a block of Slack's 3,000.
"""
USUAL_MESSAGE: Final = 1_000
LONGEST_NAME: Final = 60
_Body = dict[str, Any]
# All of ASCII's punctuation: some of it is Markdown, some a mention or a link.
_PUNCTUATION: Final = re.compile(r"([!-/:-@\[-`{-~])")


@dataclass(frozen=True)
class _Notice:
    """What every service is told, as neutral text."""

    asker: str
    """The agent's name with a colon, or nothing."""
    server: str
    message: str | None
    """The question's own words, where they go out."""
    command: str
    """What answers it."""

    @property
    def title(self) -> str:
        return f"{self.asker}a question of {self.server} waits"

    @property
    def lines(self) -> list[str]:
        message = [] if self.message is None else [self.message]
        return [self.title, *message, f"Answer it: {self.command}"]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def notice(hook: Hook, request: ElicitationRequest, agent: str | None) -> tuple[bytes, str]:
    """The body of one POST (or a command's input) and its content type."""
    longest = LONGEST_MESSAGE.get(hook.format, USUAL_MESSAGE)
    facts = _Notice(
        # What an agent calls itself stands in quotation marks unless it is one word.
        asker=f"{as_name(agent, LONGEST_NAME)}: " if agent else "",
        server=as_name(request.server.name, LONGEST_NAME),
        message=neutral(request.message, longest) if "message" in hook.include else None,
        command=f"elicit-tui inbox answer {request.id}",
    )
    if hook.format == "ntfy":
        # https://docs.ntfy.sh/publish/: the body is the message.
        return facts.text.encode("utf-8"), "text/plain; charset=utf-8"
    if hook.format is None:
        body = _for_a_program(facts, request, agent)
    else:
        body = _BODIES[hook.format](facts)
    return ascii_json(body).encode("ascii"), "application/json"


def _for_a_program(facts: _Notice, request: ElicitationRequest, agent: str | None) -> _Body:
    fields = {
        "hook_event_name": "Waiting",
        "id": request.id,
        "kind": request.kind,
        "mcp_server_name": request.server.name,
        "agent": agent,
        "text": facts.title,
        "command": facts.command,
        "message": facts.message,
    }
    return {name: value for name, value in fields.items() if value is not None}


def _slack(facts: _Notice) -> _Body:
    # https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
    # Slack's own signs; the block beside it is plain text and shows them as they are.
    escaped = facts.text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    block = {"type": "section", "text": {"type": "plain_text", "text": facts.text}}
    return {"text": escaped, "mrkdwn": False, "blocks": [block]}


def _discord(facts: _Notice) -> _Body:
    # https://discord.com/developers/docs/resources/webhook#execute-webhook; nobody is pinged.
    title, *message, how = replace(
        facts, asker=_for_discord(facts.asker), server=_for_discord(facts.server)
    ).lines
    content = "\n".join([title, *map(_for_discord, message), how])
    return {"content": content, "allowed_mentions": {"parse": []}}


def _teams(facts: _Notice) -> _Body:
    # https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors: one card.
    # A TextRun knows no Markdown; a TextBlock does.
    card = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": [
            {"type": "RichTextBlock", "inlines": [{"type": "TextRun", "text": line}]}
            for line in facts.text.split("\n")
            if line
        ],
    }
    content_type = "application/vnd.microsoft.card.adaptive"
    attachment = {"contentType": content_type, "contentUrl": None, "content": card}
    return {"type": "message", "attachments": [attachment]}


_BODIES: Final = {"slack": _slack, "discord": _discord, "teams": _teams}


def _for_discord(text: str) -> str:
    """The text with a backslash before each sign that could mean something to Discord."""
    return _PUNCTUATION.sub(r"\\\1", text)
