"""Lists of tools: endless, huge, or no lists."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from .wire import ESC, deep

TOOL = {"name": "play", "inputSchema": {"type": "object"}}
COUNT = [0]


def listed(entries: Any, **more: Any) -> Callable[[Any], dict[str, Any]]:
    return lambda params: {"tools": entries, **more}


def never_ending(params: Any) -> dict[str, Any]:
    COUNT[0] += 1
    return {"tools": [{**TOOL, "name": f"play{COUNT[0]}"}], "nextCursor": f"c{COUNT[0]}"}


def odd_tools(params: Any) -> dict[str, Any]:
    entries: list[Any] = [
        TOOL,
        1,
        None,
        [],
        ESC,
        {},
        {"name": 1},
        {"name": ESC, "inputSchema": ESC},
        {"name": "a", "inputSchema": {"type": "object"}, "annotations": ESC},
        {"name": "b", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": ESC}},
        {"name": "c", "inputSchema": {"type": "object", "properties": [ESC], "required": ESC}},
        {"name": "d", "inputSchema": {"type": "object", "properties": {ESC: ESC}}},
        {"name": "", "inputSchema": {"type": "object"}, "title": [ESC], "description": {ESC: 1}},
        {
            "name": "e",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "a": {"$ref": "#/properties/a"},
                    "b": {"pattern": "^(a+)+$"},
                    "": {"type": ESC},
                },
            },
        },
        {
            "name": "x" * 1_000_000,
            "inputSchema": {"type": "object"},
            "description": "y" * 1_000_000,
        },
        {**TOOL, "description": ESC},
    ]
    return {"tools": entries, "nextCursor": 5}


LISTS: dict[str, Callable[[Any], Any]] = {
    "tools_100000": lambda params: {
        "tools": [{**TOOL, "name": f"play{n}", "description": ESC} for n in range(100_000)]
    },
    "tools_endless": never_ending,
    "tools_same_cursor": listed([TOOL], nextCursor="again"),
    "tools_odd": odd_tools,
    "tools_not_list": listed({ESC: TOOL}),
    "tools_cursor_huge": listed([TOOL], nextCursor=ESC * 300_000),
    "tools_nested": listed([TOOL, {"name": "n", "inputSchema": json.loads(deep(500))}]),
}
