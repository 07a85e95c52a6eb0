"""One login: whose it is, until when, and what a cold start has to give back to the SDK."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import field, fields
from datetime import datetime, timezone
from typing import Any, Final

from elicit_tui.dataclass import dataclass

AHEAD_SECONDS: Final = 60.0
"""A token is renewed so long before it ends: a request may be under way for a while."""

SECRETS: Final = ("access_token", "refresh_token", "client_secret")
"""What of a login is secret; everything else may be shown."""

LoginKey = str
"""Names one login on this machine: made of server, issuer, resource and client, of no version."""


@dataclass(frozen=True)
class Login:
    """What one authorization server gave for one resource and one client.

    Metadata and registration are kept whole: with the access token alone a new process would not
    know where to renew it, nor as whom.
    """

    server_url: str
    """The address of the MCP server."""
    issuer: str
    resource: str
    """What the token is for (RFC 8707)."""
    client_id: str
    access_token: str = field(default="", repr=False)
    """Empty: there is none any more, and only the registration is of use."""
    refresh_token: str | None = field(default=None, repr=False)
    client_secret: str | None = field(default=None, repr=False)
    """Of a registration; one that the owner configured is never kept."""
    expires_at: float | None = None
    """Seconds since the epoch; None: nobody said."""
    scope: str | None = None
    client: Mapping[str, Any] = field(default_factory=dict)
    """The registration as it was issued (RFC 7591), without its secret."""
    authorization_server: Mapping[str, Any] | None = None
    """Its metadata (RFC 8414); None where it has none."""
    protected_resource: Mapping[str, Any] | None = None
    """The server's metadata (RFC 9728); None where it has none."""
    saved_at: float = 0.0
    kept_in: str = "file"
    """`file`, or `keyring`: where its secrets are."""
    has_token: bool = True
    """Whether a token was kept with it, which is known without asking the keyring."""

    @property
    def is_of_use(self) -> bool:
        """Whether it has a token; without one the server wants a login again."""
        return bool(self.access_token) or (self.kept_in == "keyring" and self.has_token)

    @property
    def key(self) -> LoginKey:
        """Names it.

        A resource may be all of a host. The servers under it, which may be of several tenants, have
        a login each, also with the same client.
        """
        of = json.dumps([self.server_url, self.issuer, self.resource, self.client_id])
        return hashlib.sha256(of.encode()).hexdigest()[:32]

    def ends_within(self, seconds: float, now: float) -> bool:
        """Whether the token is of no use in so many seconds, as far as anybody said."""
        return self.expires_at is not None and self.expires_at - now <= seconds

    @property
    def until(self) -> datetime | None:
        """When the access token ends; None: nobody said, or no calendar has that day."""
        if self.expires_at is not None:
            with suppress(OverflowError, OSError, ValueError):
                return datetime.fromtimestamp(self.expires_at, timezone.utc)
        return None

    @property
    def scopes(self) -> tuple[str, ...]:
        """What it allows, in the authorization server's words."""
        return tuple((self.scope or "").split())

    def open_part(self) -> dict[str, Any]:
        """Everything of it that is no secret, as JSON has it."""
        return {
            part.name: getattr(self, part.name) for part in fields(self) if part.name not in SECRETS
        }

    def secret_part(self) -> dict[str, str]:
        """Its secrets, as far as there are any."""
        return {name: value for name in SECRETS if (value := getattr(self, name))}


def login_from(held: Any) -> Login:
    """Reads what `open_part` and `secret_part` wrote. Raises TypeError for anything else."""
    if not isinstance(held, dict):
        raise TypeError("a login is an object")
    known = {part.name for part in fields(Login)}
    # What is not known is left out: a newer version may have written more.
    login = Login(**{name: value for name, value in held.items() if name in known})
    of_kinds: tuple[tuple[Any, tuple[Any, ...]], ...] = (
        (str, (login.server_url, login.issuer, login.resource, login.client_id)),
        (str, (login.access_token, login.kept_in)),
        ((str, type(None)), (login.refresh_token, login.client_secret, login.scope)),
        (Mapping, (login.client,)),
        ((Mapping, type(None)), (login.authorization_server, login.protected_resource)),
        ((int, float), (login.saved_at,)),
        ((int, float, type(None)), (login.expires_at,)),
    )
    if not all(isinstance(value, kind) for kind, values in of_kinds for value in values):
        raise TypeError("a part of a login is of another type")
    return login
