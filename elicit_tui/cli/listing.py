"""`elicit-tui tools`, `prompts` and `resources`: what the servers offer."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from elicit_tui.cli import exit_codes
from elicit_tui.cli.asking import PersonForLogins
from elicit_tui.cli.interrupts import Interrupts
from elicit_tui.cli.logins import described, login_of
from elicit_tui.cli.narration import Narration
from elicit_tui.cli.output import TEXT_OR_JSON, Output
from elicit_tui.cli.run_settings import load_settings, named_server, servers_to_start
from elicit_tui.elicitation import hints_of
from elicit_tui.errors import LimitReached, ProtocolCallError, ServerError
from elicit_tui.host import uri_templates
from elicit_tui.host.offers import Prompt, ResourceTemplate, Tool, objects
from elicit_tui.runtime import RunOptions, open_runtime
from elicit_tui.text import name_line, neutral, neutral_line

if TYPE_CHECKING:
    from elicit_tui.elicitation.settings import Settings
    from elicit_tui.host.connection import Connection
    from elicit_tui.host.offers import Prompt, Resource, ResourceTemplate, Tool
    from elicit_tui.runtime import Runtime

    Listed = Tool | Prompt | Resource | ResourceTemplate

Offer = dict[str, Any]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the three listing commands."""
    parser.add_argument(
        "server", metavar="SERVER", nargs="?", help="this one only; else all enabled ones"
    )
    parser.add_argument("--output", choices=TEXT_OR_JSON, default="text", help="as shown")


def run(namespace: argparse.Namespace) -> int:
    """List; 4 when a server could not be listed, with what the others offer on stdout."""
    narration, output = Narration(), Output()
    named = [namespace.server] if namespace.server is not None else []
    settings = load_settings(namespace, narration, named)
    if namespace.server is not None:
        names = [named_server(settings, namespace.server).name]
    else:
        names = servers_to_start(settings, narration)
    output.claim()
    try:
        with Interrupts() as interrupts:
            # A server may want a login before it lists; its own questions are asked of nobody here.
            person = PersonForLogins(narration, output)
            work = _all_offers(settings, names, namespace, narration, person)
            offers, complete = asyncio.run(interrupts.run(work))

        def write_text() -> None:
            if offers:
                output.prose("\n".join(_lines(namespace.command, offers, settings)))

        output.text_or_json(namespace.output, write_text, lambda: offers)
        return exit_codes.OK if complete else exit_codes.SERVER
    finally:
        output.release()


async def _all_offers(
    settings: Settings,
    names: Sequence[str],
    namespace: argparse.Namespace,
    narration: Narration,
    person: PersonForLogins,
) -> tuple[list[Offer], bool]:
    """What all these servers offer, in their order, and whether each of them could be asked."""
    opened = open_runtime(
        settings,
        responder=lambda queue: person.responder(settings, queue),
        launch=names,
        options=RunOptions(person_present=person.present, log_file=namespace.log_file),
    )
    async with opened as runtime:
        person.follow(runtime)
        servers = [settings.servers[name] for name in names]
        with narration.starting(servers, namespace.output):
            # All at once, and told in the order in which they were named.
            found = await asyncio.gather(
                *(_offers(runtime, name, namespace.command, narration) for name in names)
            )
    return [offer for offers in found for offer in offers or ()], None not in found


async def _offers(
    runtime: Runtime, name: str, kind: str, narration: Narration
) -> list[Offer] | None:
    """What one server offers; None, and a line on stderr, when it cannot be asked."""
    try:
        connection = await runtime.host.connect(name)
        return _described(name, await _listed(connection, kind))
    except (ServerError, LimitReached, ProtocolCallError) as error:
        narration.of_server(name, error)
        return None


async def _listed(connection: Connection, kind: str) -> Sequence[Listed]:
    if kind == "tools":
        return await connection.tools()
    if kind == "prompts":
        return await connection.prompts()
    return [*await connection.resources(), *await connection.templates()]


def _described(server: str, offers: Sequence[Listed]) -> list[Offer]:
    """The entries of `--output json`: the server's own words, exactly."""
    described: list[Offer] = []
    for offer in offers:
        # What the server left out is null: a script finds each key.
        entry: Offer = {"server": server, "name": offer.name, "title": offer.title}
        entry["description"] = offer.description
        if isinstance(offer, Tool):
            entry["annotations"] = offer.annotations
            entry["inputSchema"] = offer.input_schema
            entry["outputSchema"] = offer.raw.get("outputSchema")
            entry["execution"] = offer.raw.get("execution")
        elif isinstance(offer, Prompt):
            entry["arguments"] = offer.raw.get("arguments") or []
        elif isinstance(offer, ResourceTemplate):
            entry["uriTemplate"] = offer.uri_template
            entry["mimeType"] = offer.raw.get("mimeType")
        else:
            entry["uri"] = offer.uri
            entry["mimeType"] = offer.mime_type
        described.append(entry)
    return described


def _lines(kind: str, offers: Sequence[Offer], settings: Settings) -> Iterator[str]:
    server = None
    for offer in offers:
        if offer["server"] != server:
            if server is not None:
                yield ""
            server = offer["server"]
            yield f"{neutral_line(server)} offers these {kind}:"
            if (login := _login(settings, server)) is not None:
                yield f"  (logged in {login})"
        yield f"  {_signature(offer)}{_hints(offer)}"
        if offer["description"]:
            yield from (f"      {line}" for line in neutral(offer["description"], 600).split("\n"))


def _login(settings: Settings, name: str) -> str | None:
    """Where and as what we are logged in to a server; None where no login is of use there."""
    server = settings.servers.get(name)
    if server is None or not server.may_log_in:
        return None
    login = login_of(settings, server)
    return None if login is None else described(login)


def _signature(offer: Offer) -> str:
    """The name with its arguments; optional ones in brackets."""
    template = offer.get("uriTemplate") or ""
    parts = [name_line(template or offer.get("uri") or offer["name"])]
    no_query = uri_templates.required(template)
    # What stands in the path of a template has to be given; its query may be left out.
    parts += [_argument(key, key in no_query) for key in uri_templates.variables(template)]
    schema = offer.get("inputSchema")
    if isinstance(schema, Mapping) and isinstance(schema.get("properties"), Mapping):
        needed = schema.get("required")
        listed = needed if isinstance(needed, list) else ()
        required = {name for name in listed if isinstance(name, str)}
        parts += [_argument(key, key in required) for key in schema["properties"]]
    for argument in objects(offer.get("arguments")):
        parts.append(_argument(str(argument.get("name", "?")), argument.get("required") is True))
    return " ".join(parts)


def _argument(name: str, required: bool) -> str:
    shown = neutral_line(str(name), 60)
    return f"{shown}=" if required else f"[{shown}=]"


def _hints(offer: Offer) -> str:
    hints = hints_of(offer)
    return f"  (says: {', '.join(hints)})" if hints else ""
