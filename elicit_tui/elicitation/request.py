"""One elicitation as it arrived, in either protocol era, and the server that asks."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import field, replace
from datetime import datetime, timezone
from fnmatch import fnmatchcase
from typing import Any, Final, Literal

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation.eras import ERAS, Era, EraTraits
from elicit_tui.elicitation.kind import HANDED_KINDS, KINDS, Kind, KindTraits
from elicit_tui.kept import kept
from elicit_tui.text.hostile_json import digest

Method = Literal["tools/call", "prompts/get", "resources/read"]

Transport = Literal["stdio", "http", "sse"]

AGENT: Final = "agent"
"""The name under which an agent's own questions come; no configured server may have it."""

URL_ELICITATION_REQUIRED: Final = -32042
"""The error with which a call asks for pages (2025-11-25)."""

ID_CHARACTERS: Final = 8
"""As much of an id as a person reads, and as finds it in the history."""

SHORT: Final = 500
"""Characters of each text that one of many is kept with."""


def new_id() -> str:
    """An id of ours for a question or a call, of 128 random bits; never a server's."""
    return os.urandom(16).hex()


def now() -> datetime:
    """The time of day, with its zone, as everything here records it."""
    return datetime.now(timezone.utc)


def rfc3339(moment: datetime) -> str:
    """A moment as records and data spell it: UTC, milliseconds, `Z`; sorts as text."""
    return moment.astimezone(timezone.utc).isoformat(timespec="milliseconds")[:-6] + "Z"


def page_of_error(entry: Any) -> Mapping[str, Any] | None:
    """The params of the page that an entry of error -32042 names; None for any other entry.

    Only pages come with that error (spec: 2025-11-25, "URL elicitation required"): the answer of a
    form would go nowhere.
    """
    if isinstance(entry, Mapping) and entry.get("mode", "url") == "url":
        return {**entry, "mode": "url"}
    return None


@dataclass(frozen=True)
class ServerIdentity:
    """A connected server as a person should see it.

    Only `name` and `address` come from the owner's configuration and can be relied on;
    `calls_itself` and `version` are the server's own claim (spec: lifecycle, `serverInfo`)
    and are hostile text.
    """

    name: str
    transport: Transport
    address: str
    calls_itself: str | None = None
    version: str | None = None
    protocol_version: str | None = None


@dataclass(frozen=True)
class Call:
    """What the host asked of the server when the question came: one tools/call or its like."""

    method: Method
    name: str
    """The tool's or prompt's name, or the resource's URI."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    id: str = field(default_factory=new_id)
    """Ours; groups the questions, rounds and events of one call."""
    own: bool = False
    """Whether the person who makes it wrote its arguments just now, or had them before their eyes:
    nobody shows them once more before it is made."""
    secrets: frozenset[str] = field(default=frozenset(), compare=False)
    """Names that its tool's schema gives to secrets among the arguments."""

    @property
    def tool(self) -> str | None:
        """The tool's name; None for a prompt and a resource."""
        return self.name if self.method == "tools/call" else None


@dataclass(frozen=True)
class ElicitationRequest:
    """A server's question, with nothing judged yet (spec: client/elicitation).

    `params` is what the server wrote, untouched and hostile; the other fields are read from it
    as far as they have the right type, so a malformed request is an ElicitationRequest too.
    """

    server: ServerIdentity
    params: Any
    era: Era = "handshake"
    calls: tuple[Call, ...] = ()
    """The calls that it may belong to, oldest first: several where the stream does not tell which
    of the open ones asks, none where it came by itself."""
    round: int = 1
    """Which round of its call, from 1; era A counts questions' retries the same way."""
    group_size: int = 1
    """How many questions came with this one in the same round."""
    wire_id: str | int | None = None
    """The JSON-RPC id, in the modern era the inputRequests key, and for a page that came with
    error -32042 its elicitationId; None: sent as a notification."""
    kind: Kind = "elicitation"
    """An approval is made by `approval_request`; its params are ours."""
    handed_to: str | None = None
    """The agent whose own prompt this is: an answer is handed to it, which may come to another end
    of its own. None for what we ask and answer ourselves."""
    defect: str | None = None
    """What the host saw wrong around the params (a duplicate id, no id at all), in a sentence."""
    id: str = field(default_factory=new_id)
    arrived_at: datetime = field(default_factory=now)

    @property
    def protocol(self) -> EraTraits:
        """What the era that it came in is like."""
        return ERAS[self.era]

    @kept
    def traits(self) -> KindTraits:
        """What its kind is and may."""
        return (KINDS if self.handed_to is None else HANDED_KINDS)[self.kind]

    @property
    def call(self) -> Call | None:
        """The call that it belongs to, where that is certain."""
        return self.calls[0] if len(self.calls) == 1 else None

    def in_short(self) -> ElicitationRequest:
        """The same request as one of many is kept: only its texts, each no longer than a line."""
        texts = {key: self.param(key) for key in ("mode", "message", "url", "elicitationId")}
        short = {key: text[:SHORT] for key, text in texts.items() if isinstance(text, str) and text}
        return replace(self, params=short)

    def may_belong_to(self, call_id: str) -> bool:
        """Whether it is one of the calls that this question may belong to."""
        return any(call.id == call_id for call in self.calls)

    def of_calls_left(self, over: Callable[[str], bool]) -> ElicitationRequest:
        """The same without the calls that are over, by their ids; unless all of them are."""
        left = tuple(call for call in self.calls if not over(call.id))
        return replace(self, calls=left) if left else self

    def param(self, key: str) -> Any:
        """One of the params as the server wrote it: hostile; None where there is none."""
        return self._given.get(key)

    @kept
    def _given(self) -> Mapping[str, Any]:
        return self.params if isinstance(self.params, Mapping) else {}

    def _text(self, key: str) -> str | None:
        value = self.param(key)
        return value if isinstance(value, str) else None

    @kept
    def mode(self) -> str:
        """`form`, `url`, or whatever the server wrote; absent means form (spec: "Form mode").

        A kind of our own has a mode of its own.
        """
        if self.traits.mode is not None:
            return self.traits.mode
        mode = self._given.get("mode", "form")
        return mode if isinstance(mode, str) else "?"

    @property
    def message(self) -> str:
        """The server's sentence to the person; empty when it sent none."""
        return self._text("message") or ""

    @property
    def requested_schema(self) -> Mapping[str, Any] | None:
        """The form's schema as the server wrote it, or None when it is not an object."""
        schema = self.param("requestedSchema")
        return schema if isinstance(schema, Mapping) else None

    @kept
    def digest(self) -> str:
        """Of the params as they came, in hex."""
        return digest(self.params)

    @kept
    def digest_of_what_is_asked(self) -> str:
        """The same for a question that is asked again, whatever else came with it."""
        asked = {"message": self.message, "schema": self.requested_schema, "url": self.url}
        return digest({"mode": self.mode, **asked})

    @property
    def url(self) -> str | None:
        """The page to open, in url mode."""
        return self._text("url")

    @property
    def elicitation_id(self) -> str | None:
        """The server's name for a url question, which its completion notice repeats."""
        return self._text("elicitationId")

    @property
    def definition(self) -> Mapping[str, Any]:
        """Of an approval: what the tool says of itself (name, title, description, annotations)."""
        held = self.param("tool")
        return held if self.traits.about_call and isinstance(held, Mapping) else {}

    @property
    def definition_before(self) -> Mapping[str, Any] | None:
        """Of an approval: what the tool said of itself before it changed under the reader's eyes.

        None where it did not.
        """
        held = self.param("before")
        return held if self.traits.about_call and isinstance(held, Mapping) else None

    @property
    def answered_by_retry(self) -> bool:
        """Whether an accept of this url question only takes effect when the call is tried again.

        A pushed elicitation is answered at consent (spec 2025-11-25: accept says that the person
        agreed to open it). One that came with an error or a round is answered by trying the call
        again, so its accept should wait until the person has finished on the page.
        """
        if self.traits.takes_redirect:
            return True
        came_with_error = self.wire_id is not None and self.wire_id == self.elicitation_id
        return self.mode == "url" and (self.protocol.rounds or came_with_error)


def fits(glob: str | None, text: str | None) -> bool:
    """Whether a glob fits a text; `[*]` is a literal star. What is not there fits no glob."""
    return glob is None or (text is not None and fnmatchcase(text, glob))


def fits_any_tool(glob: str | None, request: ElicitationRequest) -> bool:
    """Whether a glob fits the tool of a call that the question may belong to: what refuses."""
    return glob is None or any(fits(glob, call.tool) for call in request.calls)


def fits_each_tool(glob: str | None, request: ElicitationRequest) -> bool:
    """Whether a glob fits the tool of each call that the question may belong to: what accepts."""
    if glob is None:
        return True
    return bool(request.calls) and all(fits(glob, call.tool) for call in request.calls)
