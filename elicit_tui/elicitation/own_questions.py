"""The questions that we ask ourselves: may this tool be called, may this login's page be opened?"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final
from urllib.parse import urlsplit

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation.finding import Finding, Review, Severity
from elicit_tui.elicitation.request import AGENT, Call, ElicitationRequest, ServerIdentity, new_id
from elicit_tui.text import neutral_line, quoted, quoted_name
from elicit_tui.text.deceptive import mixed_words, scripts_of, with_marked_letters
from elicit_tui.text.hosts import registrable_domain

SHOWN_OF_DEFINITION: Final = ("name", "title", "description", "annotations")
"""What a person reads of a tool before it is called; hostile text, as the server wrote it."""

_DEEPEST: Final = 16
_MOST_READ: Final = 20_000
"""Characters of one argument that are looked at."""
_MOST_FINDINGS: Final = 8


_IN_WORDS: Final = {
    "title": "its title",
    "description": "its description",
    "annotations": "its hints",
    "inputSchema": "what it takes",
    "outputSchema": "what it returns",
}
_NAMED_CHANGES: Final = 5
"""So many of the parts that changed are named; a server may have sent any number."""


def hints_of(definition: Mapping[str, Any]) -> tuple[str, ...]:
    """A tool's hints about itself, in words of ours (spec: Tool annotations)."""
    annotations = definition.get("annotations")
    if not isinstance(annotations, Mapping):
        return ()
    hints = []
    if annotations.get("readOnlyHint") is True:
        hints.append("read-only")
    elif annotations.get("destructiveHint") not in (None, False):
        hints.append("destructive")
    if annotations.get("idempotentHint") is True:
        hints.append("idempotent")
    if annotations.get("openWorldHint") is True:
        hints.append("open world")
    return tuple(hints)


def approval_request(
    server: ServerIdentity,
    call: Call,
    definition: Mapping[str, Any] | None,
    why: str,
    earlier: Mapping[str, Any] | None = None,
) -> ElicitationRequest:
    """An approval of one tool call: a question of kind `approval`, in the queue like any other.

    `definition` is the tool's entry of tools/list, None when its server does not list it. `why` is
    our sentence that says why it is asked; it is kept beside the message, which only asks.
    `earlier` is the definition about which the person was asked for this call just before, where
    it changed while they read.
    """
    listed = definition or {}
    params = {
        "message": f"Call {quoted_name(call.name)} of {quoted(server.name)}?",
        "why": why,
        "tool": _shown_of(listed),
    }
    if earlier is not None:
        changed = [
            key for key in {**listed, **earlier} if listed.get(key, ...) != earlier.get(key, ...)
        ]
        params |= {"before": _shown_of(earlier), "changed": changed[: _NAMED_CHANGES + 1]}
    return ElicitationRequest(server, params, calls=(call,), kind="approval")


def prompt_request(agent: str, call: Call, asks: str) -> ElicitationRequest:
    """An approval of what an agent itself wants to do, in place of its own prompt.

    `agent`: by whom it is asked, as the owner set it up. `asks`: our sentence that asks it.
    """
    server = ServerIdentity(AGENT, "stdio", f"{agent}, by its hook")
    params = {"message": asks, "tool": {}}
    return ElicitationRequest(server, params, calls=(call,), kind="approval", handed_to=agent)


def texts_of_call(call: Call) -> str:
    """All texts in a call's arguments, one a line, for the guardian to look at."""
    return "\n".join(text for _, text in _texts("arguments", dict(call.arguments), _DEEPEST))


def review_of_call(call: Call) -> Review:
    """What a person should look at twice in a call's arguments: words of mixed scripts.

    The `a` of another script in “admin” is drawn as ours is, and names somebody else. A note: it
    is shown wherever the call is approved, and takes no step of its own.
    """
    found = (
        _mixed(place, text)
        for place, text in _texts("arguments", dict(call.arguments), _DEEPEST)
        if not text.isascii()
    )
    return Review(tuple(islice((finding for finding in found if finding), _MOST_FINDINGS)))


def _mixed(place: str, text: str) -> Finding | None:
    """The first mixed word of a text, with its foreign letters spelt out."""
    word = next(mixed_words(text[:_MOST_READ]), None)
    if word is None:
        return None
    marked = with_marked_letters(word[0])
    scripts = " and ".join(sorted(script.capitalize() for script in scripts_of(word[0])))
    where = neutral_line(place, 120)
    advice = f"Look twice: “{marked}” in {where} is written with letters of {scripts}."
    return Finding("hidden.mixed_letters", Severity.NOTE, where, marked, advice)


def _texts(place: str, value: Any, depth: int) -> Iterator[tuple[str, str]]:
    """Every text in a JSON value, keys too, with where it stands."""
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, Mapping) and depth:
        for key, item in value.items():
            yield place, str(key)
            yield from _texts(f"{place}.{key}", item, depth - 1)
    elif isinstance(value, list | tuple) and depth:
        for number, item in enumerate(value):
            yield from _texts(f"{place}[{number}]", item, depth - 1)


def _shown_of(definition: Mapping[str, Any]) -> dict[str, Any]:
    return {key: definition[key] for key in SHOWN_OF_DEFINITION if key in definition}


def what_changed(request: ElicitationRequest) -> str | None:
    """That the tool changed while the person read about it, and what of it, in a sentence.

    None for every other request.
    """
    changed = request.param("changed") if request.traits.about_call else None
    if not isinstance(changed, list):
        return None
    named = [
        _IN_WORDS.get(key, f"“{neutral_line(str(key), 40)}”") for key in changed[:_NAMED_CHANGES]
    ]
    more = " and more" if len(changed) > _NAMED_CHANGES else ""
    parts = f"{', '.join(named)}{more}" if named else "something"
    return (
        f"The server changed what it says of this tool while you read: {parts}. "
        "Your yes was not used: nothing was called."
    )


# Logins

MOST_SCOPES: Final = 30
"""Scopes that are named to a person; a server that wants more says how many more."""

_SCOPE: Final = re.compile(r"[\x21\x23-\x5b\x5d-\x7e]+")


def shown_address(address: str) -> str:
    """An address from a server's side as a person may see it; a host, of 253, is never cut."""
    return neutral_line(address, 300)


def is_scope(word: str) -> bool:
    """Whether a word can be a scope (RFC 6749, 3.3); what cannot is not shown to a person."""
    return _SCOPE.fullmatch(word) is not None


@dataclass(frozen=True)
class LoginPage:
    """What a person has to know before they log in; all of it comes from the server's side."""

    url: str
    """The authorization page, with everything that goes to it."""
    issuer: str
    """Who logs the person in."""
    scopes: tuple[str, ...] = ()
    """What is asked for, in the authorization server's words."""
    added: tuple[str, ...] = ()
    """Of these, what was not allowed yet; empty at the first login."""


def authorization_request(
    server: ServerIdentity, page: LoginPage, calls: Sequence[Call] = ()
) -> ElicitationRequest:
    """The consent to one login: a question of kind `authorization`, shown as a page is.

    `calls` wait for it. The message is ours; what it names of the server's side is neutral.
    """
    identifier = new_id()
    params = {
        "mode": "url",
        "message": _message(server, page),
        "url": page.url,
        "elicitationId": identifier,
        "issuer": page.issuer,
        "scopes": list(page.scopes),
        "addedScopes": list(page.added),
    }
    return ElicitationRequest(
        server, params, calls=tuple(calls), wire_id=identifier, kind="authorization"
    )


def _message(server: ServerIdentity, page: LoginPage) -> str:
    issuer = shown_address(page.issuer)
    if page.added:
        head = f"{quoted(server.name)} wants to be allowed more: {_named(page.added)}."
        rest = [scope for scope in page.scopes if scope not in page.added]
        kept = f" Allowed already: {_named(rest)}." if rest else ""
        return f"{head}{kept} You are asked to agree at {issuer}.{_elsewhere(page)}"
    asked = f" It asks for: {_named(page.scopes)}." if page.scopes else " It names no scopes."
    place = shown_address(_host(server.address))
    head = f"{quoted(server.name)} ({place}) wants a login."
    return f"{head} You log in at {issuer}.{_elsewhere(page)}{asked}"


def _elsewhere(page: LoginPage) -> str:
    """Where the page is, if that is no place of who logs the person in."""
    host = _hostname(page.url)
    if registrable_domain(host) == registrable_domain(_hostname(page.issuer)):
        return ""
    return f" Its page is at another place, {shown_address(host)}."


def _named(scopes: Sequence[str]) -> str:
    shown = ", ".join(neutral_line(scope, 80) for scope in scopes[:MOST_SCOPES])
    more = len(scopes) - MOST_SCOPES
    return f"{shown} and {more} more" if more > 0 else shown


def _hostname(address: str) -> str:
    try:
        return urlsplit(address).hostname or address
    except ValueError:
        return address


def _host(address: str) -> str:
    try:
        return urlsplit(address).netloc.rpartition("@")[2] or address
    except ValueError:
        return address


TakeRedirect = Callable[[str], str | None]
"""Takes the address that a login's page led back to; "": has it come by itself? Why not, if not."""
