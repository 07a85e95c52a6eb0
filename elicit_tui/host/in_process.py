"""A server that is an object of this process, of the Python SDK or FastMCP, over two streams.

For the tests of an author; what such a server prints is not ours, and no process ends with it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from typing import Any, Final

import anyio
from mcp.shared.memory import create_client_server_memory_streams

from elicit_tui.errors import ServerError

END_SECONDS: Final = 2.0
"""How long it may take to end once nothing is read any more."""


@asynccontextmanager
async def in_process_streams(server: Any) -> AsyncIterator[tuple[Any, Any]]:
    """The client's two streams while the server runs. Raises ServerError where it is none."""
    low_level = _low_level(server)
    async with create_client_server_memory_streams() as (client_streams, server_streams):
        ended = anyio.Event()

        async def serve() -> None:
            try:
                async with _lifespan(server):
                    await low_level.run(*server_streams, low_level.create_initialization_options())
            finally:
                ended.set()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(serve)
            try:
                yield client_streams
            finally:
                await client_streams[1].aclose()
                with anyio.move_on_after(END_SECONDS, shield=True):
                    await ended.wait()
                tasks.cancel_scope.cancel()


def _low_level(server: Any) -> Any:
    """The SDK's own server inside of whatever its author holds."""
    # FastMCP's server holds one of the SDK, and the SDK's own high-level server a low-level one.
    for name in ("_mcp_server", "_lowlevel_server"):
        server = getattr(server, name, server)
    if not callable(getattr(server, "create_initialization_options", None)):
        raise ServerError(
            f"{type(server).__name__} is no server of the Python SDK or FastMCP.",
            code="not_started",
        )
    return server


def _lifespan(server: Any) -> Any:
    """The lifespan that has to be entered around a server: FastMCP's; the SDK's enters its own."""
    manager = getattr(server, "_lifespan_manager", None)
    return manager() if callable(manager) else nullcontext()
