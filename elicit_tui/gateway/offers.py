"""Everything that the servers of a session offer, as one sorted list an agent can read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from elicit_tui.elicitation.settings import ServerSettings
from elicit_tui.gateway.catalogue import Catalogue, Entry
from elicit_tui.gateway.fit_to_pass import OURS
from elicit_tui.gateway.names import Origin, public_names
from elicit_tui.gateway.own_tools import RESERVED
from elicit_tui.text import name_line

ORIGIN_META_KEY: Final = f"{OURS}origin"


@dataclass(frozen=True)
class Offers:
    """The lists above, and whose each entry is. Entries are the servers' own but for names."""

    tools: list[Entry] = field(default_factory=list)
    prompts: list[Entry] = field(default_factory=list)
    resources: list[Entry] = field(default_factory=list)
    templates: list[Entry] = field(default_factory=list)
    tool_origins: Mapping[str, Origin] = field(default_factory=dict)
    prompt_origins: Mapping[str, Origin] = field(default_factory=dict)
    resource_servers: Mapping[str, str] = field(default_factory=dict)
    template_servers: Sequence[tuple[str, str]] = ()
    """Each template with its server, in the order of configuration."""

    def server_of(self, uri: str) -> str | None:
        """The server whose resource this is: the first that lists it, else by a template."""
        listed = self.resource_servers.get(uri)
        if listed is not None:
            return listed
        return next((name for text, name in self.template_servers if matches(text, uri)), None)


def joined_offers(
    catalogues: Mapping[str, Catalogue],
    servers: Mapping[str, ServerSettings],
    *,
    prefix: bool,
    own_tools: Sequence[Entry],
    output_schemas: bool,
) -> Offers:
    """The lists of these servers, in the order of `catalogues`, with our own tools among them.

    `output_schemas`: whether tools are offered with theirs. A call that may answer "paused" has
    no structured content then, which a client would refuse.
    """
    tools = [
        (name, tool)
        for name, catalogue in catalogues.items()
        for tool in catalogue.tools
        if isinstance(tool.get("name"), str) and servers[name].offers_tool(tool["name"])
    ]
    prompts = [
        (name, prompt)
        for name, catalogue in catalogues.items()
        for prompt in catalogue.prompts
        if isinstance(prompt.get("name"), str)
    ]
    tool_names = public_names(_origins(tools), prefix=prefix, taken=RESERVED)
    prompt_names = public_names(_origins(prompts), prefix=prefix)
    left_out = () if output_schemas else ("outputSchema",)
    return Offers(
        tools=_sorted([*own_tools, *_renamed(tools, tool_names, left_out)]),
        prompts=_sorted(_renamed(prompts, prompt_names)),
        resources=_first_of_each(catalogues, "resources", "uri"),
        templates=_first_of_each(catalogues, "templates", "uriTemplate"),
        tool_origins={public: origin for origin, public in tool_names.items()},
        prompt_origins={public: origin for origin, public in prompt_names.items()},
        resource_servers=_owners(catalogues, "resources", "uri"),
        template_servers=tuple(_owners(catalogues, "templates", "uriTemplate").items()),
    )


def _origins(entries: Sequence[tuple[str, Entry]]) -> list[Origin]:
    return [(server, entry["name"]) for server, entry in entries]


def _renamed(
    entries: Sequence[tuple[str, Entry]], names: Mapping[Origin, str], left_out: Sequence[str] = ()
) -> list[Entry]:
    return [
        _public(server, entry, names[(server, entry["name"])], left_out)
        for server, entry in entries
    ]


def _public(server: str, entry: Entry, name: str, left_out: Sequence[str]) -> Entry:
    kept = {key: value for key, value in entry.items() if key not in left_out}
    meta = entry.get("_meta")
    origin = {"server": server, "name": entry["name"]}
    kept["_meta"] = {**(meta if isinstance(meta, Mapping) else {}), ORIGIN_META_KEY: origin}
    kept["name"] = name
    if not name.endswith(entry["name"]):
        # The name had to be changed; a person should still be shown what the server calls it.
        kept.setdefault("title", name_line(entry["name"]))
    return kept


def _sorted(entries: list[Entry]) -> list[Entry]:
    return sorted(entries, key=lambda entry: str(entry["name"]))


def _owners(catalogues: Mapping[str, Catalogue], kind: str, key: str) -> dict[str, str]:
    owners: dict[str, str] = {}
    for name, catalogue in catalogues.items():
        for entry in getattr(catalogue, kind):
            if isinstance(entry.get(key), str):
                owners.setdefault(entry[key], name)
    return owners


def _first_of_each(catalogues: Mapping[str, Catalogue], kind: str, key: str) -> list[Entry]:
    found: dict[str, Entry] = {}
    for catalogue in catalogues.values():
        for entry in getattr(catalogue, kind):
            if isinstance(entry.get(key), str):
                found.setdefault(entry[key], entry)
    return [found[text] for text in sorted(found)]


@lru_cache(maxsize=1024)
def _parsed(template: str) -> Any:
    from mcp.shared.uri_template import InvalidUriTemplate, UriTemplate

    try:
        return UriTemplate.parse(template)
    except InvalidUriTemplate:
        return None


def matches(template: str, uri: str) -> bool:
    """Whether a URI is one of a template's (RFC 6570); never for a template that is none."""
    parsed = _parsed(template)
    return parsed is not None and parsed.match(uri) is not None


def joined_instructions(catalogues: Mapping[str, Catalogue]) -> str | None:
    """What the servers tell a model, under their names; None when none of them says anything."""
    parts = [
        f"# {name}\n\n{catalogue.instructions.strip()}"
        for name, catalogue in catalogues.items()
        if catalogue.instructions and catalogue.instructions.strip()
    ]
    return "\n\n".join(parts) or None
