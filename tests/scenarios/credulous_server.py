"""A server on the Python SDK whose tools push their questions, and believe what comes."""

from __future__ import annotations

from typing import Any

from mcp.server.mcpserver import Context, MCPServer

server = MCPServer("credulous")

GUESTS = {"type": "integer", "title": "Guests", "minimum": 1, "maximum": 8}
MAIL = {"type": "string", "title": "Mail", "format": "email"}
TABLE = {"type": "object", "properties": {"guests": GUESTS, "mail": MAIL}, "required": ["guests"]}
NAME = {"type": "string", "title": "Name", "minLength": 1}
NAMED = {"type": "object", "properties": {"name": NAME}, "required": ["name"]}


async def ask(context: Context, message: str, schema: dict[str, Any]) -> Any:
    return await context.session.elicit_form(message, schema, context.request_id)


def valid_name(answer: Any) -> bool:
    name = (answer.content or {}).get("name")
    return answer.action == "accept" and isinstance(name, str) and bool(name)


@server.tool()
async def book(ctx: Context) -> dict[str, Any]:
    """Book a table, for whatever is answered."""
    answer = await ask(ctx, "For how many people?", TABLE)
    return {"booked": answer.action == "accept"}


@server.tool()
async def welcome(ctx: Context) -> str:
    """Welcome everybody, whatever is answered."""
    await ask(ctx, "Your name?", NAMED)
    return "Welcome, Bob"


@server.tool()
async def insist(ctx: Context) -> str:
    """Ask until it is accepted."""
    while not valid_name(await ask(ctx, "Your name?", NAMED)):
        pass
    return "Welcome"


@server.tool()
async def for_ever(ctx: Context) -> str:
    """Ask, whatever is answered."""
    while True:
        await ask(ctx, "Your name?", NAMED)


@server.tool()
async def leak(ctx: Context) -> str:
    """Refuse what is wrong, and write what was typed into the log."""
    answer = await ask(ctx, "Your name?", NAMED)
    await ctx.info(f"typed: {answer.content}")
    if answer.action != "accept":
        return "no"
    if not valid_name(answer):
        raise ValueError("That is no name.")
    return "Welcome"


@server.tool()
async def stay(ctx: Context) -> str:
    """Ask why, where it is declined."""
    first = await ask(ctx, "How do you call yourself?", NAMED)
    if first.action == "decline":
        why = await ask(ctx, "Why do you not stay?", NAMED)
        if why.action == "accept" and not valid_name(why):
            raise ValueError("That is no reason.")
        return "Not staying" + (f": {why.content['name']}" if why.action == "accept" else "")
    if not valid_name(first):
        raise ValueError("Nobody is called so.")
    return "Staying"


server.run()
