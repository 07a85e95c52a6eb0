"""Composes one session of the gateway from the owner's settings, and takes it down in order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from elicit_tui.broker.contracts import CallingAgent, notice_listener
from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation.settings import Settings
from elicit_tui.errors import ElicitTuiError
from elicit_tui.gateway.agent import SessionAudience
from elicit_tui.gateway.agent_answers import AgentAnswers
from elicit_tui.gateway.agent_session import AgentSession, SessionParts
from elicit_tui.gateway.asking import Asking
from elicit_tui.gateway.catalogue import CatalogueFiles
from elicit_tui.gateway.clock import Clock
from elicit_tui.gateway.connected import NoteOfSession
from elicit_tui.gateway.held_calls import HeldCalls
from elicit_tui.gateway.measuring import Measuring
from elicit_tui.gateway.offers import SessionOffers
from elicit_tui.gateway.other_terminal import OtherTerminal
from elicit_tui.gateway.session_catalogues import SessionCatalogues, read_catalogue
from elicit_tui.gateway.shared_calls import SharedCalls
from elicit_tui.runtime import RunOptions, Runtime, open_runtime

if TYPE_CHECKING:
    from elicit_tui.host.launch import Launched


@dataclass(frozen=True)
class SessionOptions:
    """What a session can do without."""

    clock: Clock = field(default_factory=Clock)
    files: CatalogueFiles = field(default_factory=CatalogueFiles)
    """What is remembered of servers' catalogues."""
    offered: SessionOffers | None = None
    """What the front told the agent; None: what `files` remember."""
    listed: bool = False
    """Whether the front gave the agent a list."""
    notify: Callable[[str], None] = lambda sentence: None
    """Tells a person at stderr."""
    launched: Launched | None = None
    log_file: Path | None = None
    shared: SharedCalls | None = None
    """What other processes know of this agent's calls."""


@asynccontextmanager
async def open_session(
    settings: Settings,
    names: Sequence[str],
    other_terminal: OtherTerminal,
    options: SessionOptions | None = None,
) -> AsyncIterator[AgentSession]:
    """Compose a session and start its servers; on the way out its questions are withdrawn.

    `other_terminal` answers what no client does.
    """
    options = options or SessionOptions()
    offered = options.offered or SessionOffers.remembered(
        settings, names, options.files, options.notify
    )
    # A person elsewhere has to notice a question first.
    settings = settings.with_question_time(settings.gateway.wait_sec, "gateway.wait_sec")
    held_calls = HeldCalls(options.clock)
    note = NoteOfSession(other_terminal.session, Path.cwd(), names)
    asking = _asking(settings, held_calls, other_terminal, options.clock, note)
    agent = CallingAgent(held_calls.left, other_terminal.drop_revoked)
    run_options = RunOptions(launched=options.launched, log_file=options.log_file, agent=agent)
    opened = open_runtime(settings, responder=lambda queue: asking, options=run_options)
    try:
        async with opened as runtime:
            _subscribe(runtime, other_terminal, note, options.notify)
            audience = SessionAudience(listed=options.listed)
            parts = SessionParts(
                asking=asking,
                other_terminal=other_terminal,
                held_calls=held_calls,
                catalogues=_catalogues(offered, runtime, options, audience),
                audience=audience,
                clock=options.clock,
                measuring=_measuring(settings, options.clock, audience),
                note=note,
                shared=options.shared,
            )
            async with _at_work(AgentSession(runtime, parts), parts.measuring) as session:
                for name in names:
                    runtime.host.start(name)
                yield session
    finally:
        # The broker has ended every question by now.
        await other_terminal.close()


def _subscribe(
    runtime: Runtime,
    other_terminal: OtherTerminal,
    note: NoteOfSession,
    notify: Callable[[str], None],
) -> None:
    """Have everybody told; before the servers start, as they tell their states from then on."""
    # Only the other terminal knows when a question waits for somebody who is not there.
    if runtime.hooks is not None:
        other_terminal.tell_waiting_to(runtime.hooks.waiting)
    runtime.broker.subscribe(notice_listener(notify))
    runtime.host.subscribe(note.on_host_event)


def _asking(
    settings: Settings,
    held_calls: HeldCalls,
    other_terminal: OtherTerminal,
    clock: Clock,
    note: NoteOfSession,
) -> Asking:
    gateway = settings.gateway
    return Asking(
        held_calls,
        other_terminal,
        clock,
        ask_via=gateway.ask_via,
        hold_sec=gateway.hold_sec,
        client_asked=note.asks_client,
        agent_answers=AgentAnswers(allowed=gateway.agent_answers == "allow"),
    )


def _measuring(settings: Settings, clock: Clock, audience: SessionAudience) -> Measuring:
    return Measuring(clock, partial(audience.list_changed, "tools"), settings.store.secret_env)


def _catalogues(
    offered: SessionOffers, runtime: Runtime, options: SessionOptions, audience: SessionAudience
) -> SessionCatalogues:
    return SessionCatalogues(
        offered,
        runtime.host,
        options.files,
        options.clock,
        changed=audience.list_changed,
        notify=options.notify,
    )


@asynccontextmanager
async def _at_work(session: AgentSession, measuring: Measuring) -> AsyncIterator[AgentSession]:
    """Have it watch for doctors and for other processes; on the way out its parts end in order."""
    watching = [asyncio.ensure_future(work) for work in (measuring.watch(), session.sharing.hear())]
    try:
        yield session
    finally:
        for task in watching:
            task.cancel()
        session.note.end()
        await session.sharing.end()
        await session.catalogues.close()
        session.audience.close()


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
    # Nobody is asked: a server that asks while it starts or lists is answered by nobody.
    opened = open_runtime(
        settings,
        responder=lambda queue: NobodyResponder(),
        launch=names,
        options=RunOptions(person_present=False),
    )
    async with opened as runtime:
        works = (_remember(runtime, name, files, notify) for name in names)
        are_known = await asyncio.gather(*works)
    return [name for name, is_known in zip(names, are_known, strict=True) if is_known]


async def _remember(
    runtime: Runtime, name: str, files: CatalogueFiles, notify: Callable[[str], None]
) -> bool:
    """Whether a server's catalogue is known now: one that fails keeps no other from it."""
    try:
        connection = await runtime.host.connect(name)
        files.write(runtime.settings.servers[name], await read_catalogue(connection, notify))
    except ElicitTuiError as error:
        notify(f"{name}: {error}")
        return False
    return True
