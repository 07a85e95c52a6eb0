"""What a person allowed for the session: it ends with the server's process or the definition."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from typing import NamedTuple


class Allowance(NamedTuple):
    """A tool that may be called without asking, of one process and one definition of it."""

    server: str
    tool: str
    process: str
    """Which process of the server, or which connection to a remote one."""
    definition_digest: str


class Allowances:
    """Kept in memory only, never written to the configuration; at most one for a tool."""

    def __init__(self) -> None:
        self._held: list[Allowance] = []

    def __iter__(self) -> Iterator[Allowance]:
        return iter(tuple(self._held))

    def add(self, allowance: Allowance) -> None:
        """Remember one, in place of an older one for the same tool."""
        self.drop(allowance.server, allowance.tool)
        self._held.append(allowance)

    def holds(self, wanted: Allowance) -> bool:
        """Whether exactly this is allowed; one whose process or definition changed ends here."""
        if wanted in self._held:
            return True
        self.drop(wanted.server, wanted.tool)
        return False

    def drop(self, server: str, tool: str | None = None) -> None:
        """Take back what was allowed for a tool, or for all tools of a server."""
        self._held = [
            held
            for held in self._held
            if held.server != server or (tool is not None and held.tool != tool)
        ]


AgreeOn = Callable[[Allowances], Awaitable[None]]
"""Takes back what another process revoked, such as an inbox; awaited before an allowance counts."""
