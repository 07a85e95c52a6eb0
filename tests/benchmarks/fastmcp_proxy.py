"""FastMCP's proxy before one server, over one connection that stays open."""

from __future__ import annotations

import asyncio
import sys

from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from fastmcp.server import create_proxy


async def main() -> None:
    transport = StdioTransport(sys.argv[1], sys.argv[2:])
    async with Client(transport, mode="legacy") as client:
        await create_proxy(client).run_async(transport="stdio", show_banner=False)


asyncio.run(main())
