"""The demo's prompt and resources."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from elicit_tui.demo.json_rpc import INVALID_PARAMS, JsonRpcError

GUIDE = """\
Welcome. This server asks every kind of question that MCP has.

1. Call book_table: a form with every kind of field. Touch only what you want to say.
2. Call clear_cache: yes or no.
3. Call sign_in: a page to open. Nothing opens before you say so.
4. Call deploy with a branch: the call is confirmed first; for production there is a warning.
5. Call choose_colours: a long list of choices: type to search it.
6. Call plan_trip: two questions at once; one waits in the queue.
7. Call verify_account: a fraud. See what stops it, and look at the history afterwards.
"""

MENU = "Soup of the day, bread, and an honest question.\n"


class Text(NamedTuple):
    """A resource that can be read."""

    name: str
    title: str
    description: str
    text: str


RESOURCES: Mapping[str, Text] = {
    "demo://guide": Text(
        "guide",
        "What to try first",
        "Seven tools, in the order to try them, and what to see.",
        GUIDE,
    ),
    "demo://menu": Text("menu", "The menu of Chez Demo", "What there is to eat.", MENU),
}


def list_resources() -> list[dict[str, Any]]:
    """The resources as `resources/list` gives them."""
    return [
        {
            "uri": uri,
            "name": resource.name,
            "title": resource.title,
            "description": resource.description,
            "mimeType": "text/plain",
        }
        for uri, resource in RESOURCES.items()
    ]


def read_resource(uri: Any) -> dict[str, Any]:
    """One resource as `resources/read` gives it."""
    language = str(uri).removeprefix(TEMPLATE.partition("{")[0])
    if language in GREETINGS:
        text = GREETINGS[language]
        return {"contents": [{"uri": uri, "mimeType": "text/plain", "text": text}]}
    if uri not in RESOURCES:
        raise JsonRpcError(INVALID_PARAMS, "There is no such resource.", {"uri": uri})
    return {"contents": [{"uri": uri, "mimeType": "text/plain", "text": RESOURCES[uri].text}]}


GREETINGS: Mapping[str, str] = {
    "dansk": "Goddag!",
    "deutsch": "Guten Tag!",
    "english": "Good day!",
    "espanol": "¡Buenos días!",
    "francais": "Bonjour !",
    "italiano": "Buongiorno!",
    "nederlands": "Goedendag!",
    "svenska": "God dag!",
}
TEMPLATE = "demo://greeting/{language}"
NAMES = ("Ada", "Alan", "Barbara", "Grace", "Katherine", "Margaret")


def list_templates() -> list[dict[str, Any]]:
    """The template as `resources/templates/list` gives it."""
    return [
        {
            "uriTemplate": TEMPLATE,
            "name": "greeting",
            "title": "A greeting",
            "description": "A greeting in the language that is filled in.",
            "mimeType": "text/plain",
        }
    ]


def complete(reference: Any, argument: Any) -> dict[str, Any]:
    """What may follow of an argument, as `completion/complete` gives it."""
    wanted = reference if isinstance(reference, Mapping) else {}
    known = {"welcome": NAMES, TEMPLATE: tuple(GREETINGS)}.get(
        str(wanted.get("name") or wanted.get("uri")), ()
    )
    typed = argument.get("value") if isinstance(argument, Mapping) else ""
    found = [name for name in known if name.casefold().startswith(str(typed).casefold())]
    return {"completion": {"values": found, "total": len(found), "hasMore": False}}


def list_prompts() -> list[dict[str, Any]]:
    """The prompt as `prompts/list` gives it."""
    argument = {"name": "name", "description": "Who is greeted.", "required": True}
    return [
        {
            "name": "welcome",
            "title": "Welcome",
            "description": "A greeting, to see what a prompt looks like.",
            "arguments": [argument],
        }
    ]


def get_prompt(name: Any, arguments: Any) -> dict[str, Any]:
    """The prompt as `prompts/get` gives it."""
    if name != "welcome":
        raise JsonRpcError(INVALID_PARAMS, "There is no such prompt.")
    who = arguments.get("name") if isinstance(arguments, Mapping) else None
    if not isinstance(who, str):
        raise JsonRpcError(INVALID_PARAMS, "The argument 'name' is missing.")
    text = f"Greet {who} warmly, and explain in two sentences what an elicitation is."
    message = {"role": "user", "content": {"type": "text", "text": text}}
    return {"description": "A greeting.", "messages": [message]}
