"""A server on the Python SDK with one flaw, or without it.

python planted_sdk.py TOOL STATE [later]
python planted_sdk.py --nursery SOCKET
"""

import sys
from pathlib import Path
from typing import Annotated, Any

from mcp.server.mcpserver import AcceptedElicitation, Context, Elicit, MCPServer, Resolve
from mcp.server.mcpserver import ElicitationResult as Answer

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests import nursery
from tests.scenarios.planted_booking import Booked, Confirm, Planted


def server_with(planted: Planted) -> MCPServer:
    server, form = MCPServer("planted"), planted.form

    def ask(ctx: Context) -> Elicit[form]:  # type: ignore[valid-type]
        modern = (ctx.protocol_version or "") >= "2026-07-28"
        return Elicit(planted.message(modern=modern), form)

    def ask_again(
        first: Annotated[Answer[form], Resolve(ask)],  # type: ignore[valid-type]
    ) -> Elicit[Confirm] | Confirm:
        again = planted.asks_again(first.action)
        return Elicit("Shall it be booked?", Confirm) if again else Confirm()

    def end(ctx: Context, answer: Any) -> Any:
        content = answer.data if isinstance(answer, AcceptedElicitation) else None
        return planted.ended(answer.action, content, ctx.request_id)

    def book(
        ctx: Context,
        answer: Annotated[Answer[form], Resolve(ask)],  # type: ignore[valid-type]
    ) -> Booked:
        return end(ctx, answer)  # type: ignore[no-any-return]

    def book_asking_again(
        ctx: Context,
        answer: Annotated[Answer[form], Resolve(ask)],  # type: ignore[valid-type]
        again: Annotated[Answer[Confirm], Resolve(ask_again)],
    ) -> Booked:
        return end(ctx, again if answer.action == "decline" else answer)  # type: ignore[no-any-return]

    asks_again = planted.asks_again("decline")
    server.add_tool(book_asking_again if asks_again else book, planted.tool, description="Books.")
    return server


def main(arguments: list[str]) -> int:
    planted = Planted(*arguments)
    server_with(planted).run("stdio")
    return planted.code


if __name__ == "__main__":
    if sys.argv[1] == "--nursery":
        nursery.serve_forks(sys.argv[2], main)
    sys.exit(main(sys.argv[1:]))
