"""Run the demo server on standard input and output: `python -m elicit_tui.demo`."""

import asyncio

from elicit_tui.demo.server import serve

if __name__ == "__main__":
    asyncio.run(serve())
