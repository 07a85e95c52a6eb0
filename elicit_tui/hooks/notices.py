"""The notice that a question waits, in the shape that each service expects.

It names agent, server and the command that answers; never an answer, and the question's own words
only where `include` says so, then as neutral text.
"""

from __future__ import annotations

from elicit_tui.elicitation import ElicitationRequest
from elicit_tui.elicitation.settings import Hook
from elicit_tui.text import as_name, ascii_json, neutral

LONGEST_MESSAGE = 1_000
LONGEST_NAME = 60


def notice(hook: Hook, request: ElicitationRequest, agent: str | None) -> tuple[bytes, str]:
    """The body of one POST (or a command's input) and its content type."""
    # What an agent calls itself stands in quotation marks unless it is one word.
    who = f"{as_name(agent, LONGEST_NAME)}: " if agent else ""
    title = f"{who}a question of {as_name(request.server.name, LONGEST_NAME)} waits"
    lines = [title, f"Answer it: elicit-tui inbox answer {request.id}"]
    if "message" in hook.include:
        lines.insert(1, neutral(request.message, LONGEST_MESSAGE))
    text = "\n".join(lines)
    if hook.format == "slack":
        # https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
        escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        blocks = [{"type": "section", "text": {"type": "plain_text", "text": text[:3000]}}]
        return _json({"text": escaped, "mrkdwn": False, "blocks": blocks})
    if hook.format == "discord":
        # https://discord.com/developers/docs/resources/webhook#execute-webhook; nobody is pinged.
        return _json({"content": text[:2000], "allowed_mentions": {"parse": []}})
    if hook.format == "teams":
        # https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors: one card.
        body = [{"type": "TextBlock", "text": line, "wrap": True} for line in lines]
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
        "message": lines[1] if "message" in hook.include else None,
    }
    return _json({name: value for name, value in fields.items() if value is not None})


def _json(value: object) -> tuple[bytes, str]:
    return ascii_json(value).encode("ascii"), "application/json"
