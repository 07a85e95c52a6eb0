"""All tools of the demo server, in the order a newcomer should try them."""

from __future__ import annotations

from elicit_tui.demo import form_tools, page_tools, rude_tools, steady_tools
from elicit_tui.demo.tool import Tool

TOOLS: dict[str, Tool] = {
    tool.name: tool
    for tool in (
        *form_tools.TOOLS,
        *page_tools.TOOLS,
        *steady_tools.TOOLS,
        *rude_tools.TOOLS,
    )
}
