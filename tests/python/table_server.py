"""A server on FastMCP that asks before it books, in both eras as its authors write them.

python table_server.py          stdio
python table_server.py PORT     streamable HTTP on 127.0.0.1, at /mcp
"""

from __future__ import annotations

import sys
from typing import Any

from fastmcp import Context, FastMCP
from mcp.types import ElicitRequest, ElicitRequestFormParams, ElicitResult, InputRequiredResult
from pydantic import BaseModel, Field, ValidationError

MESSAGE = "For how many guests?"
server = FastMCP("table")


class Guests(BaseModel):
    guests: int = Field(ge=1, le=12, strict=True)


@server.tool(output_schema=None)
async def book(ctx: Context) -> Any:
    """Book a table."""
    if ctx.request_context.protocol_version >= "2026-07-28":
        return in_a_round(ctx.input_responses or {})
    answer = await ctx.elicit(MESSAGE, Guests)
    return booked(answer.data if answer.action == "accept" else None)


def in_a_round(answers: Any) -> Any:
    """2026-07-28: the tool runs again once there is an answer."""
    answer = answers.get("guests")
    if answer is None:
        asked = ElicitRequestFormParams(
            message=MESSAGE, requested_schema=Guests.model_json_schema()
        )
        return InputRequiredResult(input_requests={"guests": ElicitRequest(params=asked)})
    if not isinstance(answer, ElicitResult) or answer.action != "accept":
        return booked(None)
    try:
        return booked(Guests.model_validate(answer.content))
    except ValidationError:
        return booked(None)


def booked(guests: Guests | None) -> dict[str, Any]:
    return {"booked": guests is not None, "guests": 0 if guests is None else guests.guests}


if __name__ == "__main__":
    if len(sys.argv) > 1:
        server.run(transport="http", host="127.0.0.1", port=int(sys.argv[1]), show_banner=False)
    else:
        server.run(show_banner=False)
