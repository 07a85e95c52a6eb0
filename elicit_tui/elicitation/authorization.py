"""The question that we ask ourselves: may the page be opened on which a person logs in?"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final
from urllib.parse import urlsplit

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation.request import Call, ElicitationRequest, ServerIdentity, new_id
from elicit_tui.text import neutral_line
from elicit_tui.text.hosts import registrable_domain

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
        head = f"{server.name} wants to be allowed more: {_named(page.added)}."
        rest = [scope for scope in page.scopes if scope not in page.added]
        kept = f" Allowed already: {_named(rest)}." if rest else ""
        return f"{head}{kept} You are asked to agree at {issuer}.{_elsewhere(page)}"
    asked = f" It asks for: {_named(page.scopes)}." if page.scopes else " It names no scopes."
    place = shown_address(_host(server.address))
    return (
        f"{server.name} ({place}) wants a login. You log in at {issuer}.{_elsewhere(page)}{asked}"
    )


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
