"""Tools that ask with forms: each kind of field, several rounds, two questions at once."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from elicit_tui.demo import forms
from elicit_tui.demo.conversation import Conversation, ElicitResult
from elicit_tui.demo.tool import DemoTool, ToolResult

Arguments = Mapping[str, Any]
CANCELLED = ElicitResult("cancel")


async def book_table(talk: Conversation, arguments: Arguments) -> ToolResult:
    """A form with every kind of field."""
    place = str(arguments.get("restaurant", "Chez Demo"))
    answer = await talk.ask_form(f"A table at {place}: when, and for whom?", forms.BOOKING)
    answer = answer or CANCELLED
    if not answer.accepted:
        return ToolResult(answer.refusal("no table was booked"), {"booked": False})
    content = answer.content
    text = f"Booked at {place} on {content.get('date')} for {content.get('guests')} guests."
    return ToolResult(text, {"booked": True, "answers": dict(content)})


async def choose_colours(talk: Conversation, arguments: Arguments) -> ToolResult:
    """Multi-selects, titled and plain, one with a default; and one choice out of a long list."""
    answer = await talk.ask_form("Which colours may the walls have?", forms.COLOURS) or CANCELLED
    if not answer.accepted:
        return ToolResult(answer.refusal("the walls stay white"), {"colours": []})
    chosen = answer.content.get("favourites", [])
    return ToolResult(
        f"Painting in {', '.join(map(str, chosen))}.", {"answers": dict(answer.content)}
    )


async def set_preferences(talk: Conversation, arguments: Arguments) -> ToolResult:
    """Optional fields, all with defaults, `false`, `0` and an empty text among them."""
    message = "Your preferences. Everything has a default: change, clear or keep it."
    answer = await talk.ask_form(message, forms.PREFERENCES) or CANCELLED
    if not answer.accepted:
        return ToolResult(answer.refusal("the preferences stay as they were"), {"saved": False})
    return ToolResult(
        "The preferences are saved.", {"saved": True, "answers": dict(answer.content)}
    )


async def deploy(talk: Conversation, arguments: Arguments) -> ToolResult:
    """Two rounds: where to, and for production a yes/no question without fields."""
    branch = str(arguments["branch"])
    message = f"Deploy branch '{branch}': select the target environment"
    answer = await talk.ask_form(message, forms.DEPLOYMENT) or CANCELLED
    if not answer.accepted:
        return ToolResult(answer.refusal("nothing was deployed"), {"deployed": False})
    target = answer.content.get("environment")
    if target == "production":
        message = f"'{branch}' will replace what runs in production. Go ahead?"
        sure = await talk.ask_form(message, forms.NO_FIELDS) or CANCELLED
        if not sure.accepted:
            return ToolResult(sure.refusal("production stays as it is"), {"deployed": False})
    data = {"deployed": True, "branch": branch, "answers": dict(answer.content)}
    return ToolResult(f"Deployed {branch} to {target} (not really: this is a demo).", data)


async def clear_cache(talk: Conversation, arguments: Arguments) -> ToolResult:
    """A question without fields: yes or no."""
    answer = await talk.ask_form("Clear the demo's cache?", forms.NO_FIELDS) or CANCELLED
    if not answer.accepted:
        return ToolResult(answer.refusal("the cache stays"), {"cleared": False})
    return ToolResult("The cache is empty (it always was).", {"cleared": True})


async def plan_trip(talk: Conversation, arguments: Arguments) -> ToolResult:
    """Two questions at once."""
    where, how_long = await asyncio.gather(
        talk.ask_form("Where would you like to go?", forms.CITY),
        talk.ask_form("For how many nights?", forms.NIGHTS),
    )
    where, how_long = where or CANCELLED, how_long or CANCELLED
    city, nights = where.content.get("city"), how_long.content.get("nights")
    if not (where.accepted and how_long.accepted):
        return ToolResult(
            "Not every question was answered, so no trip is planned.", {"planned": False}
        )
    data = {"planned": True, "city": city, "nights": nights}
    return ToolResult(f"{nights} nights in {city}. Have a good journey!", data)


TOOLS = (
    DemoTool(
        "book_table",
        "A form",
        "Start here: books a table with a form that has every kind of field. Optional ones can be "
        "left out.",
        book_table,
        {"restaurant": {"type": "string", "title": "Restaurant", "default": "Chez Demo"}},
    ),
    DemoTool(
        "clear_cache",
        "Yes or no",
        "A question without fields, to say yes or no to: may the cache be cleared?",
        clear_cache,
    ),
    DemoTool(
        "deploy",
        "A warning",
        "Deploys a branch. It says that it is destructive, so the call itself is confirmed first; "
        "then it asks where to, and for production once more, with a warning.",
        deploy,
        {"branch": {"type": "string", "title": "Branch"}},
        required=("branch",),
        destructive=True,
    ),
    DemoTool(
        "choose_colours",
        "A long list",
        "Its field “The door” has a long list of 141 choices: type a part of a name to search it. "
        "Above it several can be chosen at once.",
        choose_colours,
    ),
    DemoTool(
        "plan_trip",
        "Two questions",
        "Asks where to and for how long at the same time: the second waits in the queue.",
        plan_trip,
    ),
    DemoTool(
        "set_preferences",
        "Defaults",
        "A form in which every field has a default: they are sent unless you change or clear them, "
        "also when they are 0 or empty.",
        set_preferences,
    ),
)
