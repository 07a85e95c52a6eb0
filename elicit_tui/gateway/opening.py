"""Composes one session of the gateway from the owner's settings, and takes it down in order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from elicit_tui.broker import BrokerEvent, Notice
from elicit_tui.broker.contracts import CallingAgent
from elicit_tui.elicitation.settings import Settings
from elicit_tui.errors import ElicitTuiError
from elicit_tui.gateway.agent import SessionAudience
from elicit_tui.gateway.asking import Asking
from elicit_tui.gateway.catalogue import CatalogueFiles
from elicit_tui.gateway.clock import Clock
from elicit_tui.gateway.connected import NoteOfSession
from elicit_tui.gateway.held_calls import HeldCalls
from elicit_tui.gateway.measuring import Measuring
from elicit_tui.gateway.offers import SessionOffers
from elicit_tui.gateway.other_terminal import OtherTerminal
from elicit_tui.gateway.session import Session
from elicit_tui.gateway.session_catalogues import SessionCatalogues, read_catalogue
from elicit_tui.gateway.shared_calls import SharedCalls
from elicit_tui.runtime import open_runtime

if TYPE_CHECKING:
    from elicit_tui.host.launch import Launched


@asynccontextmanager
async def open_session(
    settings: Settings,
    names: Sequence[str],
    other_terminal: OtherTerminal,
    *,
    clock: Clock | None = None,
    files: CatalogueFiles | None = None,
    offered: SessionOffers | None = None,
    listed: bool = False,
    notify: Callable[[str], None] = lambda sentence: None,
    launched: Launched | None = None,
    log_file: Path | None = None,
    shared: SharedCalls | None = None,
) -> AsyncIterator[Session]:
    """Compose a session and start its servers; on the way out its questions are withdrawn.

    `other_terminal` answers what no client does. `notify` tells a person at stderr. `offered`: what
    the front tells the agent, else what `files` remember; `listed`: whether it gave it a list.
    `shared`: what other processes know of this agent's calls.
    """
    clock = clock or Clock()
    files = files or CatalogueFiles()
    if offered is None:
        offered = SessionOffers.remembered(settings, names, files, notify)
    gateway = settings.gateway
    # A person elsewhere has their own time.
    timed = replace(settings.elicitation, timeout_sec=gateway.wait_sec)
    settings = replace(settings, elicitation=timed)
    audience = SessionAudience(listed=listed)
    held_calls = HeldCalls(clock)
    note = NoteOfSession(other_terminal.session, Path.cwd(), names)
    asking = Asking(
        held_calls,
        other_terminal,
        clock,
        ask_via=gateway.ask_via,
        hold_sec=gateway.hold_sec,
        client_asked=note.asks_client,
    )
    opened = open_runtime(
        settings,
        responder=lambda queue: asking,
        launched=launched,
        log_file=log_file,
        agent=CallingAgent(held_calls.left, other_terminal.agree_on),
    )
    try:
        async with opened as runtime:
            if runtime.hooks is not None:
                other_terminal.tell_waiting_to(runtime.hooks.waiting)
            runtime.broker.subscribe(partial(_notify_of, notify))
            catalogues = SessionCatalogues(
                offered,
                runtime.host,
                files,
                clock,
                changed=audience.list_changed,
                notify=notify,
            )
            measuring = Measuring(
                clock, partial(audience.list_changed, "tools"), settings.store.secret_env
            )
            session = Session(
                runtime,
                asking=asking,
                other_terminal=other_terminal,
                held_calls=held_calls,
                catalogues=catalogues,
                audience=audience,
                clock=clock,
                measuring=measuring,
                note=note,
                shared=shared,
            )
            runtime.host.subscribe(note.heard)
            watching = [
                asyncio.ensure_future(work) for work in (measuring.watch(), session.sharing.hear())
            ]
            for name in names:
                runtime.host.start(name)
            try:
                yield session
            finally:
                for task in watching:
                    task.cancel()
                note.end()
                await session.sharing.end()
                await catalogues.close()
                audience.close()
    finally:
        # The broker has ended every question by now.
        await other_terminal.close()


async def remember_catalogues(
    settings: Settings,
    names: Sequence[str],
    notify: Callable[[str], None],
    files: CatalogueFiles | None = None,
) -> list[str]:
    """Start these servers once, so that an agent's first list need not wait for them.

    Returns the names of those whose catalogue is known now; `notify` tells what kept the others.
    """
    from elicit_tui.responders import NobodyResponder

    files = files or CatalogueFiles()
    remembered: list[str] = []
    opened = open_runtime(
        settings, responder=lambda queue: NobodyResponder(), person_present=False, launch=names
    )

    async def remember(name: str) -> None:
        try:
            connection = await runtime.host.connect(name)
            files.write(settings.servers[name], await read_catalogue(connection, notify))
        except ElicitTuiError as error:
            notify(f"{name}: {error}")
        else:
            remembered.append(name)

    async with opened as runtime:
        await asyncio.gather(*map(remember, names))
    return remembered


def _notify_of(notify: Callable[[str], None], event: BrokerEvent) -> None:
    if isinstance(event, Notice):
        notify(f"{event.server}: {event.sentence}")
