"""Everything that the servers of a session offer, as sorted lists that an agent can read.

Nothing here waits or loads the SDK: the front answers with it before a server is there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Final

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation.settings import ServerSettings, Settings
from elicit_tui.gateway.catalogue import Catalogue, CatalogueFiles, Entry, Lists
from elicit_tui.gateway.fit_to_pass import OURS, whole_characters
from elicit_tui.gateway.names import MOST_NAMES, Origin, PublicNames
from elicit_tui.gateway.own_tools import RESERVED
from elicit_tui.host.uri_templates import matches
from elicit_tui.text import name_line, quoted

ORIGIN_META_KEY: Final = f"{OURS}origin"
LISTS: Final[Mapping[str, tuple[str, str]]] = {
    "tools/list": ("tools", "tools"),
    "prompts/list": ("prompts", "prompts"),
    "resources/list": ("resources", "resources"),
    "resources/templates/list": ("templates", "resourceTemplates"),
}
"""Of each method that lists: the attribute of `Offers`, and its key in the result."""
MOST_TOLD: Final = 100
"""Names that a person is told about in one session."""


@dataclass(frozen=True)
class Offers(Lists):
    """The lists above, and whose each entry is. Entries are the servers' own but for names."""

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


class SessionOffers:
    """What the servers of one session offer, and what each name in it means while it lives.

    A name, or a resource's URI, belongs to the server and the entry that it was first offered for:
    whatever is remembered or listed later, it never comes to mean another one.
    """

    def __init__(
        self,
        servers: Mapping[str, ServerSettings],
        *,
        prefix: bool,
        notify: Callable[[str], None] = lambda sentence: None,
    ) -> None:
        """`prefix`: as `gateway.prefix`; `notify` tells a person which names are others."""
        self.servers = servers
        self.catalogues: dict[str, Catalogue] = {}
        self._prefix = prefix
        self._notify = notify
        self._tool_names = PublicNames(prefix=prefix, taken=RESERVED)
        self._prompt_names = PublicNames(prefix=prefix)
        self._owners: dict[tuple[str, str], str] = {}
        """Whose each URI, and each template, is."""
        self._reported: set[Origin] = set()
        # Made anew only when a catalogue changes; agents ask for their lists again and again.
        self._offers: dict[tuple[frozenset[str], bool], Offers] = {}

    @classmethod
    def remembered(
        cls,
        settings: Settings,
        names: Sequence[str],
        files: CatalogueFiles,
        notify: Callable[[str], None] = lambda sentence: None,
    ) -> SessionOffers:
        """What these servers offer as far as it is known before they are there."""
        servers = {name: settings.servers[name] for name in names}
        offered = cls(servers, prefix=settings.gateway.prefix == "always", notify=notify)
        for name, server in servers.items():
            if (catalogue := files.read(server)) is not None:
                offered.put(name, catalogue)
        return offered

    def put(self, server: str, catalogue: Catalogue) -> None:
        """Take what a server offers in place of what it offered before."""
        self.catalogues[server] = catalogue
        self._offers.clear()

    @property
    def unseen(self) -> list[str]:
        """The servers of which nothing is known yet."""
        return [name for name in self.servers if name not in self.catalogues]

    @property
    def _in_order(self) -> dict[str, Catalogue]:
        return {name: self.catalogues[name] for name in self.servers if name in self.catalogues}

    def instructions(self) -> str | None:
        """What the servers tell a model, under their names; None when none of them does."""
        parts = [
            f"# {name}\n\n{catalogue.instructions.strip()}"
            for name, catalogue in self._in_order.items()
            if catalogue.instructions and catalogue.instructions.strip()
        ]
        # One half of a character here would keep agents out from the start.
        return whole_characters("\n\n".join(parts)) or None

    def tool(self, name: str) -> Origin | None:
        """Whose tool this name means, also where it is offered no more."""
        return self._tool_names.origin(name)

    def prompt(self, name: str) -> Origin | None:
        """Whose prompt this name means, also where it is offered no more."""
        return self._prompt_names.origin(name)

    def offers(self, own_tools: Sequence[Entry], *, output_schemas: bool) -> Offers:
        """The lists of all servers, in the order of configuration; our own tools stand behind them.

        Tools and prompts stand as their server lists them, resources by their URIs.

        `output_schemas`: whether tools are offered with theirs. A call that may answer "paused"
        has no structured content then, which a client would refuse.
        """
        key = (frozenset(tool["name"] for tool in own_tools), output_schemas)
        if key not in self._offers:
            self._offers[key] = self._joined(own_tools, output_schemas)
        return self._offers[key]

    def _joined(self, own_tools: Sequence[Entry], output_schemas: bool) -> Offers:
        catalogues = self._in_order
        tools = [
            (name, tool)
            for name, catalogue in catalogues.items()
            for tool in catalogue.tools
            if isinstance(tool.get("name"), str) and self.servers[name].offers_tool(tool["name"])
        ]
        prompts = [
            (name, prompt)
            for name, catalogue in catalogues.items()
            for prompt in catalogue.prompts
            if isinstance(prompt.get("name"), str)
        ]
        tool_names = self._named("tool", tools, self._tool_names)
        prompt_names = self._named("prompt", prompts, self._prompt_names)
        resources = self._owned(catalogues, "resources", "uri")
        templates = self._owned(catalogues, "templates", "uriTemplate")
        left_out = () if output_schemas else ("outputSchema",)
        return Offers(
            tools=[*_renamed(tools, tool_names, left_out), *own_tools],
            prompts=_renamed(prompts, prompt_names),
            resources=[resources[uri][1] for uri in sorted(resources)],
            templates=[templates[text][1] for text in sorted(templates)],
            tool_origins={public: origin for origin, public in tool_names.items()},
            prompt_origins={public: origin for origin, public in prompt_names.items()},
            resource_servers={uri: server for uri, (server, _) in resources.items()},
            template_servers=tuple((text, server) for text, (server, _) in templates.items()),
        )

    def _named(
        self, kind: str, entries: Sequence[tuple[str, Entry]], names: PublicNames
    ) -> dict[Origin, str]:
        """The name of each entry; a person is told once of those that have none or another one."""
        origins = [(server, entry["name"]) for server, entry in entries]
        names_by_origin = names.of(origins)
        for origin in origins:
            public = names_by_origin.get(origin)
            as_it_is = public is not None and (self._prefix or public == origin[1])
            if not as_it_is and origin not in self._reported and len(self._reported) < MOST_TOLD:
                self._reported.add(origin)
                shown = f"{quoted(origin[1])} of {origin[0]}"
                self._notify(
                    f"The {kind} {shown} is not offered: its name means another one."
                    if public is None
                    else f"{shown} is offered as {public}."
                )
        return names_by_origin

    def _owned(
        self, catalogues: Mapping[str, Catalogue], kind: str, key: str
    ) -> dict[str, tuple[str, Entry]]:
        """Each URI, or template, with its server and entry: the first that lists it keeps it."""
        found: dict[str, tuple[str, Entry]] = {}
        for server, catalogue in catalogues.items():
            for entry in getattr(catalogue, kind):
                text = entry.get(key)
                if not isinstance(text, str):
                    continue
                # Whoever lists it first keeps it, also when that server no longer does.
                if (kind, text) not in self._owners and len(self._owners) < MOST_NAMES:
                    self._owners[(kind, text)] = server
                if self._owners.get((kind, text)) == server:
                    found.setdefault(text, (server, entry))
        return found


def _renamed(
    entries: Sequence[tuple[str, Entry]], names: Mapping[Origin, str], left_out: Sequence[str] = ()
) -> list[Entry]:
    renamed: dict[str, Entry] = {}
    for server, entry in entries:
        name = names.get((server, entry["name"]))
        if name is not None and name not in renamed:  # else its server lists it twice
            renamed[name] = _public(server, entry, name, left_out)
    return list(renamed.values())


def _public(server: str, entry: Entry, name: str, left_out: Sequence[str]) -> Entry:
    remaining = {key: value for key, value in entry.items() if key not in left_out}
    meta = entry.get("_meta")
    # For a person and their rules: the name itself may have been changed.
    origin = {"server": server, "name": entry["name"]}
    remaining["_meta"] = {**(meta if isinstance(meta, Mapping) else {}), ORIGIN_META_KEY: origin}
    remaining["name"] = name
    if not name.endswith(entry["name"]):
        # The name had to be changed; a person should still be shown what the server calls it.
        remaining.setdefault("title", name_line(entry["name"]))
    return remaining
