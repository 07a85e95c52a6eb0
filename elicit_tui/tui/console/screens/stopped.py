"""A question that was refused before a person saw it: what it was, and why it was stopped."""

from __future__ import annotations

from elicit_tui.text import neutral, quoted, readable_json
from elicit_tui.tui.console.findings import finding_groups
from elicit_tui.tui.console.outcome_words import WHO, tool_of
from elicit_tui.tui.console.spans import Line, joined, labelled, text_lines
from elicit_tui.tui.console.state import Stopped
from elicit_tui.tui.console.text_dialog import TextDialog


class StoppedScreen(TextDialog):
    """To be read only: it was answered already, and cannot be answered again."""

    def __init__(self, stopped: Stopped) -> None:
        super().__init__("Stopped before you saw it", stopped.request.server.name)
        self._stopped = stopped

    def words(self, width: int) -> list[Line]:
        """Who asked what, what was found, and which key would let it through."""
        request, outcome = self._stopped.request, self._stopped.outcome
        calls_itself = quoted(request.server.calls_itself or "", 80)
        server = request.server.name
        named = request.server.calls_itself
        who = f"{server}, which calls itself {calls_itself}," if named else server
        action = {"decline": "declined", "cancel": "cancelled"}.get(
            outcome.action or "", "refused with an error"
        )
        head = (
            f"{who} asked something that was {action} for you by {WHO[outcome.decided_by]}. "
            "The server was told only that much."
        )
        tools = tool_of(request)
        schema = request.params if isinstance(request.params, dict) else {"params": request.params}
        raw = readable_json(schema)
        return joined(
            [
                text_lines(head, width),
                labelled("decided", neutral(outcome.reason, 2_000), width),
                self._way_out(width),
                [
                    *labelled("it wrote", neutral(request.message, 20_000) or "(nothing)", width),
                    *(labelled("url", neutral(request.url, 4_000), width) if request.url else []),
                    *(labelled("for", tools, width) if tools else []),
                ],
                *finding_groups(
                    (finding.as_json() for finding in self._stopped.review.findings), width
                ),
                [
                    (("the request as it came", "accent"),),
                    *text_lines(neutral(raw, 100_000), width, "dim"),
                ],
            ]
        )

    def _way_out(self, width: int) -> list[Line]:
        """Which key would let such a question through."""
        outcome = self._stopped.outcome
        if outcome.layer == "managed":
            words = f"{outcome.key} is set by your organisation; nothing of yours changes it."
        else:
            server = self._stopped.request.server.name
            words = way_through(outcome.decided_by, outcome.key or "", server)
        return text_lines(words, width, "dim") if words else []


def way_through(decided_by: str, key: str, server: str) -> str:
    """The sentence with the key that would let a question like this one through; may be empty."""
    last = key.rpartition(".")[2]
    setting = {
        "approval_policy": 'approval_policy = "on-request"',
        "elicitations": f'mcp_servers.{server}.elicitations = "ask"',
        "mcp_elicitations": "approval_policy.granular.mcp_elicitations = true",
        "rules": "approval_policy.granular.rules = true",
        "tool_calls": "approval_policy.granular.tool_calls = true",
        "elicitation_modes": f'mcp_servers.{server}.elicitation_modes = ["form", "url"]',
        "disabled_tools": f"{key} without this tool",
        "enabled_tools": f"{key} with this tool",
    }.get(last, key)
    if decided_by == "guardian":
        return (
            "To decide such questions of every server yourself, set "
            'guardian.on_block = "ask" in your configuration (elicit-tui config path tells where).'
        )
    return f"It would come to you with {setting} in your configuration." if setting else ""
