"""The server that every client of the benchmark talks to: one tool, one question."""

from mcp.server.mcpserver import Context, MCPServer
from pydantic import BaseModel

server = MCPServer("asking")


class Colour(BaseModel):
    colour: str


@server.tool()
async def paint(context: Context) -> str:
    """Ask for a colour, and say how the question ended."""
    result = await context.elicit("Which colour?", Colour)
    return result.action


if __name__ == "__main__":
    server.run("stdio")
