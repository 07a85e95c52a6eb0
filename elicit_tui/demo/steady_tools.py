"""Tools that ask nothing: the time, and slow work with progress and log lines."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any

from elicit_tui.demo.conversation import Conversation
from elicit_tui.demo.tool import DemoTool, ToolResult

MOST_STEPS = 60


async def tell_time(talk: Conversation, arguments: Mapping[str, Any]) -> ToolResult:
    """No question at all."""
    time = datetime.now(timezone.utc).isoformat(timespec="seconds")
    return ToolResult(f"It is {time}.", {"time": time})


async def count_slowly(talk: Conversation, arguments: Mapping[str, Any]) -> ToolResult:
    """Progress and log lines while it works."""
    steps = min(int(arguments.get("steps", 5)), MOST_STEPS)
    seconds = min(float(arguments.get("seconds", 0.5)), 10.0)
    for step in range(1, steps + 1):
        await asyncio.sleep(seconds)
        talk.progress(step, steps, f"counted to {step}")
        talk.log("info", f"step {step} of {steps}")
    return ToolResult(f"Counted to {steps}.", {"counted": steps})


TOOLS = (
    DemoTool(
        "tell_time",
        "No question",
        "Tells the time: it asks nothing and only reads.",
        tell_time,
        read_only=True,
    ),
    DemoTool(
        "count_slowly",
        "Progress and a log",
        "Works for a while, with progress and log lines.",
        count_slowly,
        {
            "steps": {"type": "integer", "title": "Steps", "minimum": 1, "default": 5},
            "seconds": {"type": "number", "title": "Seconds for each", "default": 0.5},
        },
        read_only=True,
    ),
)
