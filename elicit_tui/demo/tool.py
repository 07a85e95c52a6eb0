"""What a tool of the demo server is, and what it replies."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import field
from typing import Any

from elicit_tui.dataclass import dataclass
from elicit_tui.demo.conversation import Conversation

Run = Callable[[Conversation, Mapping[str, Any]], Awaitable["ToolResult"]]


@dataclass(frozen=True)
class ToolResult:
    """A tool's result: text for the person, data for a program."""

    text: str
    data: Mapping[str, Any] | None = None
    is_error: bool = False

    def as_json(self) -> dict[str, Any]:
        """The result as the wire spells it (spec: server/tools, "Tool Result")."""
        result: dict[str, Any] = {
            "content": [{"type": "text", "text": self.text}],
            "isError": self.is_error,
        }
        if self.data is not None:
            result["structuredContent"] = dict(self.data)
        return result


@dataclass(frozen=True)
class DemoTool:
    """One tool of the demo server."""

    name: str
    title: str
    description: str
    run: Run
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """The properties of its inputSchema."""
    required: tuple[str, ...] = ()
    read_only: bool = False
    destructive: bool = False

    def as_json(self) -> dict[str, Any]:
        """The definition as `tools/list` gives it."""
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": {
                "type": "object",
                "properties": dict(self.arguments),
                "required": list(self.required),
            },
            "annotations": {
                "title": self.title,
                "readOnlyHint": self.read_only,
                "destructiveHint": self.destructive,
                "openWorldHint": False,
            },
        }
