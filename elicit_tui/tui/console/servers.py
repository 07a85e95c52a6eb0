"""What the console knows of each server: how it stands, what it offers, how much it asks."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Final, Literal

from elicit_tui.elicitation.hiding import shown_address, shown_command
from elicit_tui.elicitation.settings import ServerSettings
from elicit_tui.tui.console.spans import Role

if TYPE_CHECKING:
    from elicit_tui.host import Connection
    from elicit_tui.tui.console.offers import Offer

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

LOOP_SECONDS: Final = 60.0
LOOP_QUESTIONS: Final = 12
"""So many questions within a minute, or one over its limit: a person is told of a loop."""


@dataclass(eq=False)
class ServerRecord:
    """One configured server in this run."""

    settings: ServerSettings
    state: ServerState = "waiting"
    failure: str | None = None
    connection: Connection | None = None
    offers: tuple[Offer, ...] = ()
    offers_read: bool = False
    questions: int = 0
    flooded: int = 0
    asked_at: datetime | None = None
    """When it last asked something, by the clock on the wall."""
    recent: deque[float] = field(default_factory=lambda: deque(maxlen=LOOP_QUESTIONS))

    @property
    def name(self) -> str:
        """The configured name."""
        return self.settings.name

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
            record.state, record.failure = "off", f"mcp_servers.{name}.enabled is false."
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
