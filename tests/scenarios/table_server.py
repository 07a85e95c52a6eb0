"""A server on the Python SDK that asks before it books, in both eras.

python table_server.py          stdio
python table_server.py PORT     streamable HTTP on 127.0.0.1, at /mcp
"""

from __future__ import annotations

import sys
from typing import Annotated, Any

from mcp.server.mcpserver import (
    AcceptedElicitation,
    Elicit,
    ElicitationResult,
    MCPServer,
    Resolve,
)
from pydantic import BaseModel, Field

server = MCPServer("table")


class Guests(BaseModel):
    guests: int = Field(ge=1, le=12)


def ask_guests() -> Elicit[Guests]:
    return Elicit("For how many guests?", Guests)


@server.tool()
def book(answer: Annotated[ElicitationResult[Guests], Resolve(ask_guests)]) -> dict[str, Any]:
    """Book a table."""
    if not isinstance(answer, AcceptedElicitation):
        return {"booked": False}
    return {"booked": True, "guests": answer.data.guests}


if __name__ == "__main__":
    if len(sys.argv) > 1:
        server.run("streamable-http", port=int(sys.argv[1]))
    else:
        server.run("stdio")
