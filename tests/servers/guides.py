"""The servers that the guides speak of: one that books a table or, if so named, one that deploys.

    guides.py [deploy]

`deploy` asks for the environment and the number of replicas, `book` for the number of guests; both
act on an accept only. What was booked is appended to `bookings.db` where the server stands.
"""

from __future__ import annotations

import sys
from pathlib import Path

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from pydantic import BaseModel, Field

NAME = sys.argv[1] if len(sys.argv) > 1 else "table"
server = MCPServer(NAME)


class Environment(BaseModel):
    environment: str = Field(json_schema_extra={"enum": ["staging", "production"]})


class Replicas(BaseModel):
    replicas: int = Field(default=3, ge=1, le=10)


class Guests(BaseModel):
    guests: int = Field(ge=1, le=8)


def note(booking: str) -> None:
    with Path("bookings.db").open("a", encoding="utf-8") as bookings:
        bookings.write(booking)


async def deploy(branch: str, ctx: Context, replicas: int = 0) -> str:
    where = await ctx.elicit(f"Select the environment for {branch}", Environment)
    if where.action != "accept":
        return "Not deployed"
    if not replicas:
        number = await ctx.elicit("How many replicas?", Replicas)
        if number.action != "accept":
            return "Not deployed"
        replicas = number.data.replicas
    return f"Deployed {branch} to {where.data.environment}, {replicas} times"


async def book(restaurant: str, ctx: Context) -> dict[str, bool]:
    answer = await ctx.elicit(f"For how many, at {restaurant}?", Guests)
    if answer.action != "accept":
        return {"booked": False}
    note(f"{restaurant} {answer.data.guests}\n")
    return {"booked": True}


server.tool()({"deploy": deploy, "table": book}[NAME])
server.run()
