"""The servers of a run, and the tools, prompts and resources they offer."""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Literal

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import Call, Method, hints_of
from elicit_tui.elicitation.eras import ERAS, era_of
from elicit_tui.elicitation.hiding import shown_address, shown_command
from elicit_tui.elicitation.settings import ServerSettings, Settings
from elicit_tui.text import name_line, neutral, neutral_line, quoted
from elicit_tui.text.hostile_json import digest
from elicit_tui.tui.console.spans import Role
from elicit_tui.tui.console.wanted_words import telling_words

if TYPE_CHECKING:
    from elicit_tui.host.connection import Connection


# Where they are configured.


@dataclass(frozen=True)
class OwnFile:
    """What the console reads of the person's own file anew, and of other programs' files.

    Each raises ConfigError.
    """

    reload: Callable[[], Settings]
    """The configuration as it is now."""
    elsewhere: Callable[[], Mapping[str, tuple[str, str]]]
    """The servers that other programs have and this file has not: whose and its TOML, by name."""
    take: Callable[[Collection[str]], None]
    """Writes some of these into the file, all or none."""
    is_of_demo: bool = False
    """Whether this run is the demo, whose next run begins without the servers of the file."""


# What a server offers, as rows: tools, prompts, resources and templates with their own words.

OfferKind = Literal["tool", "prompt", "resource", "template"]

METHODS: Mapping[OfferKind, Method] = {
    "tool": "tools/call",
    "prompt": "prompts/get",
    "resource": "resources/read",
    "template": "resources/read",
}
VERBS: Mapping[OfferKind, str] = {
    "tool": "Call",
    "prompt": "Get",
    "resource": "Read",
    "template": "Read",
}


@dataclass(frozen=True)
class Offer:
    """One thing that a server offers; `raw` is what it wrote, the rest is neutral text."""

    kind: OfferKind
    name: str
    """Exactly the server's name (or URI, or its template): for the wire, never for a screen."""
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
    def own_title(self) -> str:
        """Its title; empty where that says its name once more, with other signs between."""
        title, name = (in_words(text).replace(" ", "") for text in (self.title, self.shown))
        return self.title if title != name else ""

    @property
    def method(self) -> Method:
        """How it is called."""
        return METHODS[self.kind]

    @property
    def called(self) -> tuple[str, ...]:
        """What it is called: its name, and its title where it has one."""
        return (self.shown, self.title) if self.title else (self.shown,)

    def was_called(self, call: Call) -> bool:
        """Whether a call was of this; of a template, with any values."""
        from elicit_tui.host.uri_templates import values_in

        if self.kind == "template" and call.method == self.method:
            return values_in(self.name, call.name) is not None
        return (call.method, call.name) == (self.method, self.name)

    @property
    def destructive(self) -> bool:
        """Whether it says of itself that it destroys."""
        return "destructive" in self.hints

    @property
    def only_as_task(self) -> bool:
        """Whether it says that it runs as a task alone (spec 2025-11-25: `taskSupport`)."""
        return _mapping(self.raw.get("execution")).get("taskSupport") == "required"

    @property
    def digest(self) -> str:
        """The digest of its definition; an allowance ends when it changes."""
        return digest(self.raw)

    @property
    def deprecated(self) -> bool:
        """Whether its server says that another one is to be called instead."""
        return any(map(_DEPRECATED.search, (self.title, self.description)))

    def has(self, words: Iterable[str]) -> int:
        """How many of these words stand in its name, title or description, or are its kind."""
        text = f"{self.shown} {self.title} {self.description}".casefold()
        return sum(word in text or word == self.kind for word in words)


def searched_for(term: str, offers: Sequence[Offer]) -> tuple[list[str], int]:
    """The words that are looked for among these, and how many of them what is found has at least.

    That is all; where next to nothing has all of them, any of the longer ones: whoever says in
    words of their own what a tool does has one too many.
    """
    words = telling_words(term)
    telling = [word for word in words if len(word) >= _TELLING]
    whole = sum(offer.has(words) == len(words) for offer in offers)
    if whole >= _ENOUGH or not any(offer.has(telling) for offer in offers):
        return words, len(words)
    return telling, min(1, len(telling))


def found_by(term: str, offers: Iterable[Offer], words: Sequence[str], least: int) -> list[Offer]:
    """Those with so many of the words, the nearest to the term first: called so, then at an edge.

    Behind them what has it within a word, what only speaks of it, and last what is deprecated,
    unless its name is written out.
    """
    found = [offer for offer in offers if offer.has(words) >= least]
    written = term.casefold().strip()

    def order(offer: Offer) -> tuple[bool, int]:
        gives_way = offer.deprecated and offer.shown.casefold() != written
        return gives_way, distance((offer.shown, offer.title), term)

    return sorted(found, key=order)


_DEPRECATED: Final = re.compile(
    r"^\W*deprecated\b|\(deprecated\)|\bdeprecated\s*[:.;,]|\b(?:is|been) deprecated\b", re.I
)
"""What is said of the thing itself: a tool may also list deprecated packages."""
_TELLING: Final = 3
"""Letters of a word that tells something by itself."""
_ENOUGH: Final = 3
"""Offers that have all of the words of a search: there one of them will be meant."""
_BETWEEN_WORDS: Final = re.compile(r"[\W_]+")
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NEAR: Final[tuple[Callable[[str, str], bool], ...]] = (
    lambda name, wanted: name == wanted,
    lambda name, wanted: f" {wanted} " in f" {name} ",
    lambda name, wanted: name.startswith(wanted),
    lambda name, wanted: f" {wanted}" in f" {name}",
    lambda name, wanted: wanted in name,
)
"""How a name has what is searched for: as all of it, as a word, where one begins, within one.

Where it begins itself comes before its other words.
"""


def in_words(text: str) -> str:
    """A text folded, with one blank between its words, whatever stood there."""
    return _BETWEEN_WORDS.sub(" ", text).casefold().strip()


def names_in_words(names: Iterable[str]) -> list[str]:
    """Names as words; `sendMail` is two and one."""
    return [in_words(each) for name in names for each in (name, _HUMP.sub(" ", name))]


def distance(called: Iterable[str], wanted: str) -> int:
    """How far names are from what is searched for, from 0; `sendMail` is two words and one."""
    wanted = in_words(wanted)
    names = names_in_words(called)
    fits = (any(near(name, wanted) for name in names) for near in _NEAR)
    return next((far for far, there in enumerate(fits) if there), len(_NEAR))


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


def template_schema(template: str) -> dict[str, Any]:
    """What is to be filled in of a template, as a schema: what fits it comes to a URI."""
    from elicit_tui.host.uri_templates import required, variables

    needed = required(template)
    return {
        "type": "object",
        "properties": {
            name: {"type": "string", **({"minLength": 1} if name in needed else {})}
            for name in variables(template)
        },
        "required": list(needed),
        "additionalProperties": False,
    }


_NAME_KEYS: Final[Mapping[OfferKind, str]] = {"resource": "uri", "template": "uriTemplate"}


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def read_offer(kind: OfferKind, raw: Mapping[str, Any]) -> Offer | None:
    """An offer from what the server wrote; None when it has no name to call it by."""
    name = raw.get(_NAME_KEYS.get(kind, "name"))
    if not isinstance(name, str):
        return None
    title = raw.get("title") or (raw.get("name") if kind in _NAME_KEYS else "")
    annotations = _mapping(raw.get("annotations")) if kind == "tool" else {}
    schema: Mapping[str, Any] = {"type": "object", "properties": {}}
    if kind == "tool" and isinstance(raw.get("inputSchema"), Mapping):
        schema = raw["inputSchema"]
    elif kind == "prompt":
        schema = prompt_schema(raw)
    elif kind == "template":
        schema = template_schema(name)
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


# What the console knows of each server: how it stands, what it offers, how much it asks.

ServerState = Literal["off", "refused", "waiting", "starting", "ready", "failed", "closed"]

STATE_SIGNS: Final[dict[ServerState, tuple[str, Role]]] = {
    "off": ("○", "dim"),
    "refused": ("⊘", "dim"),
    "waiting": ("◌", "dim"),
    "starting": ("◌", "accent"),
    "ready": ("●", "good"),
    "failed": ("✗", "bad"),
    "closed": ("○", "warn"),
}

STATE_WORDS: Final[dict[ServerState, str]] = {"closed": "ended", "off": "not enabled"}
"""States that are called otherwise on the screen."""

LOOP_SECONDS: Final = 60.0
LOOP_QUESTIONS: Final = 12
"""So many questions within a minute, or one over its limit: a person is told of a loop."""


@dataclass(eq=False)
class ServerRecord:
    """One configured server in this run."""

    settings: ServerSettings
    state: ServerState = "waiting"
    failure: str | None = None
    wants_login: bool = False
    """Whether it failed for want of a login that a person can give."""
    connection: Connection | None = None
    offers: tuple[Offer, ...] = ()
    offers_read: bool = False
    known_offers: tuple[Offer, ...] = ()
    """What it offered when that was read last, also once it has ended."""
    list_failed: bool = False
    """Whether one of its lists could not be had; the activity says which, and why."""
    questions: int = 0
    not_asked: int = 0
    flooded: int = 0
    asked_at: datetime | None = None
    """When it last asked something, by the clock on the wall."""
    recent: deque[float] = field(default_factory=lambda: deque(maxlen=LOOP_QUESTIONS))

    @property
    def name(self) -> str:
        """The configured name."""
        return self.settings.name

    def as_configured_in(self, record: ServerRecord) -> ServerRecord:
        """This one, with nothing begun, as `record` is; what it did in this run stays counted."""
        self.settings, self.state, self.failure = record.settings, record.state, record.failure
        self.connection, self.offers, self.offers_read = None, (), False
        return self

    @property
    def offers_soon(self) -> bool:
        """Whether it offers something, or is on its way to it."""
        return self.offers_read or self.state in ("waiting", "starting", "ready")

    def offer_of(self, call: Call) -> Offer | None:
        """What was called, as it is offered now."""
        called = (call.method, call.name)
        return next((offer for offer in self.offers if (offer.method, offer.name) == called), None)

    def not_callable(self, offer: Offer) -> str:
        """Why something that it offers cannot be called here; empty where it can."""
        identity = self.connection.identity if self.connection is not None else None
        spoken = identity.protocol_version if identity is not None else None
        if not offer.only_as_task or spoken is None or ERAS[era_of(spoken)].tasks:
            return ""
        return (
            f"{quoted(offer.shown)} runs as a task alone, of the kind that {spoken} knows. "
            "elicit-tui speaks the tasks of later revisions only, so it cannot be called here."
        )

    @property
    def standing(self) -> str:
        """How it stands, in a word or three."""
        if self.state == "failed" and self.wants_login:
            return "wants a login"
        return STATE_WORDS.get(self.state, self.state)

    @property
    def address(self) -> str:
        """How it is reached, as configured."""
        settings = self.settings
        if settings.url is not None:
            return f"{settings.transport}: {shown_address(settings.url)}"
        return "stdio: " + shown_command(settings.command or "", settings.args)

    def asked(self) -> None:
        """It asked something."""
        self.questions += 1
        self.asked_at = datetime.now()
        self.recent.append(time.monotonic())

    @property
    def last_asked(self) -> str:
        """When it last asked something, by the clock on the wall; empty when it never did."""
        return "" if self.asked_at is None else f"{self.asked_at:%H:%M}"

    @property
    def loops(self) -> bool:
        """Whether it asks so often that a person should think of muting it."""
        full = len(self.recent) == LOOP_QUESTIONS
        return self.flooded > 0 or (full and time.monotonic() - self.recent[0] < LOOP_SECONDS)


def server_records(settings: Mapping[str, ServerSettings]) -> dict[str, ServerRecord]:
    """A record for each configured server, in the order of the configuration."""
    records = {}
    for name, server in settings.items():
        record = records[name] = ServerRecord(server)
        if server.refused is not None:
            record.state, record.failure = "refused", server.refused
        elif not server.enabled:
            record.state, record.failure = "off", f"{server.key('enabled')} is false."
        elif server.missing:
            names = ", ".join(f"${{{missing}}}" for missing in server.missing)
            record.state = "failed"
            record.failure = (
                f"Its configuration names {names}, which the environment does not have."
            )
    return records


def startable(server: ServerSettings) -> bool:
    """Whether this server may run and has all that its configuration names."""
    return server.refused is None and server.enabled and not server.missing
