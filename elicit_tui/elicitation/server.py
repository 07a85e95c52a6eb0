"""Who asks: a server's configured name, what it calls itself, and how it is reached."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Transport = Literal["stdio", "http", "sse"]

AGENT: Final = "agent"
"""The name under which an agent's own questions come; no configured server may have it."""


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
