"""elicit-tui: the terminal where a person answers the questions that MCP servers ask."""

__version__ = "0.1.0"
