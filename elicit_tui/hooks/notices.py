"""The notice that a question waits, in the shape that each service expects.

It names agent, server and the command that answers; never an answer, and the question's own words
only where `include` says so, then as neutral text. What an agent or a server says of itself is
shown to the letter: none of it becomes a link, a heading or a mention.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from elicit_tui.elicitation import ElicitationRequest
from elicit_tui.elicitation.settings import Hook
from elicit_tui.text import as_name, ascii_json, neutral

LONGEST_MESSAGE: Final[Mapping[str | None, int]] = {"discord": 750}
"""How much of a message each service is sent, where not the usual; its signs count twice there."""
USUAL_MESSAGE: Final = 1_000
LONGEST_NAME: Final = 60
LONGEST_DISCORD: Final = 2_000
_PUNCTUATION: Final = re.compile(r"([!-/:-@\[-`{-~])")


def notice(hook: Hook, request: ElicitationRequest, agent: str | None) -> tuple[bytes, str]:
    """The body of one POST (or a command's input) and its content type."""
    # What an agent calls itself stands in quotation marks unless it is one word.
    name = f"{as_name(agent, LONGEST_NAME)}: " if agent else ""
    server = as_name(request.server.name, LONGEST_NAME)
    title = f"{name}a question of {server} waits"
    how = f"Answer it: elicit-tui inbox answer {request.id}"
    longest = LONGEST_MESSAGE.get(hook.format, USUAL_MESSAGE)
    message = [neutral(request.message, longest)] if "message" in hook.include else []
    lines = [title, *message, how]
    text = "\n".join(lines)
    if hook.format == "slack":
        # https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
        escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        blocks = [{"type": "section", "text": {"type": "plain_text", "text": text[:3000]}}]
        return _json({"text": escaped, "mrkdwn": False, "blocks": blocks})
    if hook.format == "discord":
        # https://discord.com/developers/docs/resources/webhook#execute-webhook; nobody is pinged.
        title = f"{_for_discord(name)}a question of {_for_discord(server)} waits"
        content = "\n".join([title, *map(_for_discord, message), how])
        return _json({"content": content[:LONGEST_DISCORD], "allowed_mentions": {"parse": []}})
    if hook.format == "teams":
        # https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors: one card.
        # A TextRun knows no Markdown; a TextBlock does.
        body = [
            {"type": "RichTextBlock", "inlines": [{"type": "TextRun", "text": line}]}
            for line in text.split("\n")
            if line
        ]
        card = {
            "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
            "type": "AdaptiveCard",
            "version": "1.4",
            "body": body,
        }
        content_type = "application/vnd.microsoft.card.adaptive"
        attachments = [{"contentType": content_type, "contentUrl": None, "content": card}]
        return _json({"type": "message", "attachments": attachments})
    if hook.format == "ntfy":
        # https://docs.ntfy.sh/publish/: the body is the message.
        return text.encode("utf-8"), "text/plain; charset=utf-8"
    fields = {
        "hook_event_name": "Waiting",
        "id": request.id,
        "kind": request.kind,
        "mcp_server_name": request.server.name,
        "agent": agent,
        "text": title,
        "command": f"elicit-tui inbox answer {request.id}",
        "message": message[0] if message else None,
    }
    return _json({name: value for name, value in fields.items() if value is not None})


def _for_discord(text: str) -> str:
    """The text with a backslash before each sign that could mean something to Discord."""
    return _PUNCTUATION.sub(r"\\\1", text)


def _json(value: object) -> tuple[bytes, str]:
    return ascii_json(value).encode("ascii"), "application/json"
