"""A server whose one tool asks three times, twice with the same words."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from elicit_tui.demo import forms
from elicit_tui.demo.conversation import Conversation, DemoTool, ToolResult
from elicit_tui.demo.json_rpc import JsonRpcStdio
from elicit_tui.demo.server import DemoServer


async def three_rounds(talk: Conversation, arguments: Mapping[str, Any]) -> ToolResult:
    """The same question twice, then another."""
    said: list[Any] = []
    for message, form in [
        ("Which city?", forms.CITY),
        ("Which city?", forms.CITY),
        ("How long?", forms.NIGHTS),
    ]:
        answer = await talk.ask_form(message, form)
        if answer is None or not answer.accepted:
            return ToolResult("stopped", {"said": said})
        said += answer.content.values()
    return ToolResult("done", {"said": said})


async def serve() -> None:
    """Serve until the client goes away."""
    tool = DemoTool("three_rounds", "Three rounds", "Asks three times.", three_rounds)
    await DemoServer(JsonRpcStdio(), {tool.name: tool}).run()


if __name__ == "__main__":
    asyncio.run(serve())
