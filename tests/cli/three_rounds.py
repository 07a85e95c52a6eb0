"""A server whose one tool asks three times, twice with the same words."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from elicit_tui.demo import forms
from elicit_tui.demo.conversation import Conversation
from elicit_tui.demo.server import DemoServer
from elicit_tui.demo.tool import Reply, Tool
from elicit_tui.demo.wire import Wire


async def three_rounds(talk: Conversation, arguments: Mapping[str, Any]) -> Reply:
    """The same question twice, then another."""
    said: list[Any] = []
    for message, form in [
        ("Which city?", forms.CITY),
        ("Which city?", forms.CITY),
        ("How long?", forms.NIGHTS),
    ]:
        answer = await talk.ask_form(message, form)
        if answer is None or not answer.accepted:
            return Reply("stopped", {"said": said})
        said += answer.content.values()
    return Reply("done", {"said": said})


async def serve() -> None:
    """Serve until the client goes away."""
    tool = Tool("three_rounds", "Three rounds", "Asks three times.", three_rounds)
    await DemoServer(Wire(), {tool.name: tool}).run()


if __name__ == "__main__":
    asyncio.run(serve())
