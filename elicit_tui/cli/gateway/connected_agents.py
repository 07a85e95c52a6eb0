"""`elicit-tui gateway status`: which agents are connected or were, and what waits of them."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from elicit_tui.cli.exit_codes import OK
from elicit_tui.cli.inbox.waiting_text import in_client, since
from elicit_tui.cli.narration import Narration
from elicit_tui.cli.output import Output
from elicit_tui.cli.run_settings import load_settings
from elicit_tui.errors import StoreError, StoreMissing
from elicit_tui.gateway.connected import session_notes
from elicit_tui.runtime.opening import open_store
from elicit_tui.text import as_name, neutral_line

if TYPE_CHECKING:
    from elicit_tui.elicitation.settings import Settings
    from elicit_tui.gateway.connected import SessionNote
    from elicit_tui.store.store import Waiting


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """None: it tells of all."""


def run(namespace: argparse.Namespace) -> int:
    """Tell of every session, the newest first."""
    settings = load_settings(namespace, Narration())
    notes = session_notes()
    waiting = asyncio.run(_waiting(settings))
    output = Output()
    if not notes:
        output.prose("No agent has been connected to a gateway yet, or not within a week.")
        output.prose("`elicit-tui gateway doctor AGENT` looks at what stands in its configuration.")
        return OK
    for note in notes:
        for line in _lines(note, waiting):
            output.prose(neutral_line(line, 2000))
    return OK


async def _waiting(settings: Settings) -> Sequence[Waiting]:
    try:
        async with open_store(settings, "answerer", create=False) as store:
            return [question for question in await store.waiting() if question.state != "answered"]
    except StoreMissing:  # Nobody has ever waited.
        return ()
    except StoreError as error:
        Narration().tell(f"What waits for you is not known: {error}")
        return ()


def _lines(note: SessionNote, waiting: Sequence[Waiting]) -> Iterator[str]:
    name = as_name(note.agent, 60) if note.agent else "(an agent without a name)"
    version = f" {neutral_line(note.version, 40)}" if note.version else ""
    alive = note.alive
    sign = "●" if alive else "○"
    yield f"{sign} {name}{version}, {_transport_line(note)}, {_since(note, alive=alive)}"
    for server, standing in note.servers.items():
        why = f": {standing.failure}" if standing.failure else ""
        yield f"    {neutral_line(server, 60)} {standing.state if alive else 'ended'}{why}"
    if not alive:
        return
    forms = f"forms of its own: {', '.join(note.forms)}" if note.forms else "no forms of its own"
    yield f"    {forms}"
    number = sum(
        question.asker is not None and question.asker.session == note.session
        for question in waiting
    )
    if number:
        yield f"    {number} waiting: `elicit-tui inbox` answers"
    for asked in note.in_client:
        yield f"    {in_client(asked)}"


def _transport_line(note: SessionNote) -> str:
    place = f" in {neutral_line(note.directory, 300)}" if note.transport == "stdio" else ""
    return f"over {'HTTP' if note.transport == 'http' else note.transport}{place}"


def _since(note: SessionNote, *, alive: bool) -> str:
    if alive:
        return f"connected for {since(note.since)}"
    if note.ended is not None:
        return f"ended {since(note.ended)} ago"
    return "its process is gone"
