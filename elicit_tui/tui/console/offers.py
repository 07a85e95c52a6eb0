"""What a server offers, as rows: tools, prompts and resources with their own words on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from elicit_tui.elicitation import Method, hints_of
from elicit_tui.text import name_line, neutral, neutral_line
from elicit_tui.text.digest import digest

OfferKind = Literal["tool", "prompt", "resource"]

METHODS: Mapping[OfferKind, Method] = {
    "tool": "tools/call",
    "prompt": "prompts/get",
    "resource": "resources/read",
}
VERBS: Mapping[OfferKind, str] = {"tool": "Call", "prompt": "Get", "resource": "Read"}


@dataclass(frozen=True)
class Offer:
    """One thing that a server offers; `raw` is what it wrote, the rest is neutral text."""

    kind: OfferKind
    name: str
    """Exactly the server's name (or URI): for the wire, never for a screen."""
    shown: str
    title: str
    description: str
    hints: tuple[str, ...]
    schema: Mapping[str, Any]
    """The schema of its arguments."""
    annotations: Mapping[str, Any]
    raw: Mapping[str, Any]

    @property
    def key(self) -> str:
        """Its key in a list."""
        return f"{self.kind}:{self.name}"

    @property
    def method(self) -> Method:
        """How it is called."""
        return METHODS[self.kind]

    @property
    def destructive(self) -> bool:
        """Whether it says of itself that it destroys."""
        return "destructive" in self.hints

    @property
    def digest(self) -> str:
        """The digest of its definition; an allowance ends when it changes."""
        return digest(self.raw)

    def matches(self, words: str) -> bool:
        """Whether every word stands in its name, title or description."""
        text = f"{self.shown} {self.title} {self.description}".casefold()
        return all(word in text for word in words.casefold().split())


def found_by(words: str, offers: Iterable[Offer]) -> list[Offer]:
    """Those that match: by name or title before those that only speak of it."""
    said = words.casefold()
    found = [offer for offer in offers if offer.matches(words)]
    return sorted(found, key=lambda offer: said not in f"{offer.shown} {offer.title}".casefold())


def prompt_schema(raw: Mapping[str, Any]) -> dict[str, Any]:
    """A prompt's arguments as a schema: they are all strings (spec: prompts)."""
    properties: dict[str, Any] = {}
    required = []
    arguments = raw.get("arguments")
    for argument in arguments if isinstance(arguments, list) else ():
        if isinstance(argument, Mapping) and isinstance(argument.get("name"), str):
            properties[argument["name"]] = {
                "type": "string",
                **{
                    key: argument[key]
                    for key in ("title", "description")
                    if isinstance(argument.get(key), str)
                },
            }
            if argument.get("required") is True:
                required.append(argument["name"])
    return {"type": "object", "properties": properties, "required": required}


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def read_offer(kind: OfferKind, raw: Mapping[str, Any]) -> Offer | None:
    """An offer from what the server wrote; None when it has no name to call it by."""
    name = raw.get("uri" if kind == "resource" else "name")
    if not isinstance(name, str):
        return None
    title = raw.get("title") or (raw.get("name") if kind == "resource" else "")
    annotations = _mapping(raw.get("annotations")) if kind == "tool" else {}
    schema: Mapping[str, Any] = {"type": "object", "properties": {}}
    if kind == "tool" and isinstance(raw.get("inputSchema"), Mapping):
        schema = raw["inputSchema"]
    elif kind == "prompt":
        schema = prompt_schema(raw)
    return Offer(
        kind=kind,
        name=name,
        shown=name_line(name, 120),
        title=neutral_line(title, 120) if isinstance(title, str) else "",
        description=neutral(str(raw.get("description") or ""), 4_000).strip(),
        hints=hints_of(raw) if kind == "tool" else (),
        schema=schema,
        annotations=annotations,
        raw=raw,
    )


def read_offers(kind: OfferKind, raws: Iterable[Mapping[str, Any]]) -> tuple[Offer, ...]:
    """All offers of one kind, in the server's order."""
    offers = (read_offer(kind, raw) for raw in raws)
    return tuple(offer for offer in offers if offer is not None)
