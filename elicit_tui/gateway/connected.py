"""Which agents are connected to gateways or were: a private note for each session, for `status`.

The first thing to look at when an agent has no tools. A note is kept for a week, fifty at most;
it holds no question and no value.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Final

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import now, rfc3339
from elicit_tui.gateway.asking import AskedInClient
from elicit_tui.gateway.requester import AgentInfo
from elicit_tui.host.events import HostEvent, ServerStateChanged
from elicit_tui.store.note_folder import NoteFolder
from elicit_tui.text.duration import moment_of

MOST_NOTES: Final = 50
KEPT_SECONDS: Final = 7 * 24 * 3600.0


@dataclass(frozen=True)
class InClient:
    """A question that stands in an agent's own client."""

    server: str
    tool: str | None
    since: str

    def __post_init__(self) -> None:
        moment_of(self.since)  # A note that says no time is none.


@dataclass(frozen=True)
class ServerNote:
    """How a server of a session stands."""

    state: str
    failure: str | None = None


@dataclass(frozen=True)
class SessionNote:
    """One session of an agent; times as RFC 3339 spells them."""

    session: str
    """Its id in the store."""
    process: int
    since: str
    agent: str | None = None
    version: str | None = None
    forms: tuple[str, ...] = ()
    """The modes of elicitation that its client advertises."""
    transport: str = "stdio"
    directory: str = ""
    ended: str | None = None
    servers: Mapping[str, ServerNote] = field(default_factory=dict)
    in_client: tuple[InClient, ...] = ()
    written: float = 0.0
    """Seconds since the epoch; the process that wrote it was there by then."""

    def __post_init__(self) -> None:
        for moment in (self.since, self.ended or self.since):
            moment_of(moment)
        if self.process < 1:
            raise ValueError("it is no process")

    @property
    def alive(self) -> bool:
        """Whether its process still is the one that wrote it."""
        import psutil

        if self.ended is not None:
            return False
        try:
            # The number alone may be another process's by now; one that began later is another.
            return psutil.Process(self.process).create_time() <= self.written + 1
        except psutil.Error:
            return False


NOTES: Final = NoteFolder(SessionNote, "gateway", "sessions")
"""Each by the id of its session."""


class NoteOfSession:
    """Keeps the note of one session as it is."""

    def __init__(self, session: str, directory: Path, servers: Sequence[str]) -> None:
        self._note = SessionNote(
            session,
            os.getpid(),
            rfc3339(now()),
            directory=str(directory),
            servers={name: ServerNote("starting") for name in servers},
        )
        self._known = False

    def known_as(self, agent: AgentInfo, *, http: bool) -> None:
        """Learn who it is, with its first request; until then nothing is written."""
        # A client may tell another name in a later request, and then it counts.
        if self._known and agent.name == self._note.agent:
            return
        self._known = True
        self._write(
            agent=agent.name,
            version=agent.version,
            forms=tuple(sorted(agent.modes)),
            transport="http" if http else "stdio",
        )

    def on_host_event(self, event: HostEvent) -> None:
        """Note how a server stands."""
        if isinstance(event, ServerStateChanged):
            note = ServerNote(event.state, event.failure)
            self._write(servers={**self._note.servers, event.server: note})

    def asks_client(self, asked: Sequence[AskedInClient]) -> None:
        """Note what is asked in its own client now."""
        found = tuple(
            InClient(question.server, question.tool, rfc3339(question.since)) for question in asked
        )
        self._write(in_client=found)

    def end(self) -> None:
        """Note that it has ended."""
        self._write(ended=rfc3339(now()), in_client=())

    def _write(self, **changes: object) -> None:
        self._note = replace(self._note, **changes, written=time.time())  # type: ignore[arg-type]
        if self._known:
            NOTES.write(self._note.session, self._note)


def session_notes(*, clock: Callable[[], float] = time.time) -> list[SessionNote]:
    """Every note, the newest first; those that are too old are removed."""
    found = sorted(NOTES.notes(), key=lambda named: named[1].written, reverse=True)
    # Looked up once for each, as the system is asked for every process.
    alive = [note.alive for _, note in found]
    notes: list[SessionNote] = []
    for number, (name, note) in enumerate(found):
        old = number >= MOST_NOTES or clock() - note.written > KEPT_SECONDS
        # A session that lives is shown however old its note is.
        if old and not alive[number]:
            NOTES.remove(name)
        else:
            notes.append(note)
    return notes
