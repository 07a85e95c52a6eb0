"""The server of the guides that deploys: it asks where to and how often, and acts on an accept."""

from __future__ import annotations

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from pydantic import BaseModel, Field

server = MCPServer("deploy")


class Environment(BaseModel):
    environment: str = Field(json_schema_extra={"enum": ["staging", "production"]})


class Replicas(BaseModel):
    replicas: int = Field(default=3, ge=1, le=10)


@server.tool()
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


server.run()
