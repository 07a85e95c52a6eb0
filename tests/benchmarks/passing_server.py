"""The smallest gateway that can be built of the SDK: its server half over its client half."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from mcp.client.session import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server


async def main() -> None:
    below = StdioServerParameters(command=sys.argv[1], args=sys.argv[2:])
    async with stdio_client(below) as streams, ClientSession(*streams) as session:
        await session.initialize()

        async def list_tools(context: Any, params: Any) -> Any:
            return await session.list_tools()

        async def call_tool(context: Any, params: Any) -> Any:
            return await session.call_tool(params.name, params.arguments)

        server: Server[Any] = Server("bare", on_list_tools=list_tools, on_call_tool=call_tool)
        async with stdio_server() as own:
            await server.run(*own, server.create_initialization_options())


asyncio.run(main())
