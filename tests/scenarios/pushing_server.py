"""A server on the Python SDK that pushes its question: up to 2025-11-25 only."""

from mcp.server.mcpserver import Context, MCPServer
from pydantic import BaseModel

server = MCPServer("pushing")


class Place(BaseModel):
    """Where to."""

    city: str


@server.tool()
async def book(context: Context) -> str:
    """Book a journey."""
    answer = await context.elicit("Where to?", Place)
    return f"booked {answer.data.city}" if answer.action == "accept" else "nothing"


server.run()
