"""The floor: the smallest SDK client that connects, calls one tool and declines its question."""

import asyncio
import sys

from mcp import Client, StdioServerParameters
from mcp.types import ElicitResult


async def decline(context, parameters):
    return ElicitResult(action="decline")


async def main() -> None:
    parameters = StdioServerParameters(command=sys.executable, args=[sys.argv[1]])
    async with Client(parameters, mode="legacy", elicitation_callback=decline) as client:
        print((await client.call_tool("paint", {})).content[0].text)


asyncio.run(main())
