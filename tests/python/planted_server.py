"""A server on FastMCP with one flaw, or without it.

python planted_server.py TOOL STATE [later]
python planted_server.py --nursery SOCKET
"""

import asyncio
import sys
from pathlib import Path
from typing import Any

from fastmcp import Context, FastMCP
from mcp.types import ElicitRequest, ElicitRequestFormParams, ElicitResult, InputRequiredResult
from pydantic import BaseModel, ValidationError

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests import nursery
from tests.scenarios.planted_booking import Confirm, Planted

ENDED = {
    "type": "object",
    "properties": {"booked": {"type": "boolean"}, "note": {"type": "string"}},
    "required": ["booked"],
}


def server_with(planted: Planted) -> FastMCP:
    server = FastMCP("planted")

    @server.tool(name=planted.tool, output_schema=ENDED)
    async def book(ctx: Context) -> Any:
        """Books a table."""
        if ctx.request_context.protocol_version >= "2026-07-28":
            return in_a_round(ctx, planted, ctx.input_responses or {})
        try:
            answer = await ctx.elicit(planted.message(modern=False), planted.form)
        except asyncio.CancelledError:
            if planted.flaw == "acts_when_its_call_is_cancelled":
                planted.booked()
            raise
        if planted.asks_again(answer.action):
            answer = await ctx.elicit("Shall it be booked?", Confirm)
        content = answer.data if answer.action == "accept" else None
        return planted.ended(answer.action, content, ctx.request_context.request_id)

    return server


def in_a_round(ctx: Context, planted: Planted, answers: Any) -> Any:
    """2026-07-28: the tool runs again once there is an answer."""
    again = answers.get("again")
    answer, form = (answers.get("sure"), planted.form) if again is None else (again, Confirm)
    if answer is None:
        return asking("sure", planted.message(modern=True), form)
    if not isinstance(answer, ElicitResult):
        raise TypeError("that is no answer")
    if again is None and planted.asks_again(answer.action):
        return asking("again", "Shall it be booked?", Confirm)
    content = None
    try:
        if answer.action == "accept":
            content = form.model_validate(answer.content or {})
    except ValidationError:
        raise ValueError("that is no answer") from None
    return planted.ended(answer.action, content, ctx.request_context.request_id)


def asking(key: str, message: str, form: type[BaseModel]) -> InputRequiredResult:
    asked = ElicitRequestFormParams(message=message, requested_schema=form.model_json_schema())
    return InputRequiredResult(input_requests={key: ElicitRequest(params=asked)})


def main(arguments: list[str]) -> int:
    planted = Planted(*arguments)
    server_with(planted).run(show_banner=False)
    return planted.code


if __name__ == "__main__":
    if sys.argv[1] == "--nursery":
        nursery.serve_forks(sys.argv[2], main)
    sys.exit(main(sys.argv[1:]))
