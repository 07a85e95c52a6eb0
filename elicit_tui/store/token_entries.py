"""Who may use the gateways of all machines that share a store: the entries of their tokens."""

from __future__ import annotations

from typing import Protocol

from elicit_tui.dataclass import dataclass


@dataclass(frozen=True)
class Token:
    """A token as it is kept: enough to know it again, not to use it."""

    name: str
    sha256: str
    added: str
    """RFC 3339."""


class SharedTokenEntries(Protocol):
    """The tokens that every machine knows; everything raises StoreError."""

    async def add(self, token: Token) -> bool:
        """Let a token in; False: there is one with this name already."""
        ...

    async def revoke(self, sha256: str, name: str = "") -> None:
        """Take a token back, for ever; `name`: its entry goes."""
        ...

    async def read(self) -> tuple[tuple[Token, ...], frozenset[str]]:
        """The tokens that are let in, by name, and the digests of those that were revoked."""
        ...
