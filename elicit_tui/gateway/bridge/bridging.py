"""Has one prompt of an agent decided by its person, and hands on what was decided.

Where nobody is there, nobody answers in time, or the store cannot be reached, the agent is given
nothing and asks by itself, as it would without us; the record says so. Nothing is allowed here but
by a person, and however this ends, its question is taken back.
"""

from __future__ import annotations

import asyncio
import select
import signal
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack, suppress
from typing import Any, Final

from elicit_tui.broker import Broker, BrokerEvent, Resolved
from elicit_tui.broker.contracts import notice_listener
from elicit_tui.broker.store_responder import StoreResponder, StoreWatch
from elicit_tui.elicitation import Deadline, ElicitationRequest, Outcome, Question, cancel, new_id
from elicit_tui.elicitation.settings import Settings
from elicit_tui.errors import StoreError
from elicit_tui.gateway.bridge.agent_prompt import reply_of
from elicit_tui.gateway.bridge.hook_input import HookPrompt
from elicit_tui.gateway.bridge.silence import NOBODY_THERE, STORE_SECONDS
from elicit_tui.hooks import Hooks
from elicit_tui.runtime import load_store, open_runtime, open_store
from elicit_tui.store.living import machine_id, machine_name
from elicit_tui.store.store import Asker, Store

STDOUT: Final = 1
LOOK_SECONDS: Final = 0.5
"""How often it is looked whether the agent still waits."""
MORE_SECONDS: Final = 5.0
"""What may pass beyond `bridge.hold_sec`: for the guardian, the owner's hooks and the record."""
STORE_AWAY: Final = f"The store could not be reached within {STORE_SECONDS:g} second."

HandOver = Callable[[Mapping[str, Any]], bool]
"""Gives the agent what was decided; whether it was still there to take it."""


async def bridge(
    agent: str,
    hook: HookPrompt,
    request: ElicitationRequest,
    settings: Settings,
    hand_over: HandOver,
    notify: Callable[[str], None],
) -> bool:
    """Put one prompt to whoever answers, and hand on what was decided.

    `agent`: the name under which the owner installed it. `notify` tells a person at stderr. False:
    the process is to end at once, as something in it waits for a store that does not answer.
    """
    hold = settings.bridge.hold_sec
    timed = settings.with_question_time(hold, "bridge.hold_sec")
    waiting = InStore(
        timed, Asker(new_id(), agent, None, hook.directory, machine_name(), machine_id())
    )
    try:
        async with open_runtime(timed, responder=lambda queue: waiting) as runtime:
            broker = runtime.broker
            waiting.hooks = runtime.hooks
            broker.subscribe(notice_listener(notify))
            broker.subscribe(waiting.on_broker_event)
            reply = reply_of(hook, await _decided(broker, request, hold + MORE_SECONDS))
            if reply is None:
                waiting.tell_end()
            elif hand_over(reply):
                broker.sent(request)
                waiting.tell_end()
    finally:
        await waiting.close()
    return not waiting.is_stuck


async def _decided(broker: Broker, request: ElicitationRequest, seconds: float) -> Outcome:
    """What was decided; withdrawn once the agent has gone, or waits no longer."""
    # A question of its server, or its own prompt: each has steps of its own at the broker.
    asks = broker.resolve if request.traits.from_server else broker.permit
    deciding = asyncio.ensure_future(asks(request))
    ending = asyncio.ensure_future(_agent_has_gone(seconds))
    await asyncio.wait((deciding, ending), return_when=asyncio.FIRST_COMPLETED)
    if not deciding.done():
        # Withdrawn rather than cancelled: the record has an end, and what waits in the store is
        # taken back.
        broker.withdraw(request.id, ending.result(), "not needed")
    ending.cancel()
    return await deciding


class InStore:
    """The responder of one prompt: the store, where somebody is there or is told of it.

    How the question ended is told there only when the agent has been handed its answer: until then
    nobody reads that it went out.
    """

    def __init__(self, settings: Settings, asker: Asker) -> None:
        self._settings = settings
        self._asker = asker
        # What is opened with the first question, if at all; most prompts end before that.
        self._opened = AsyncExitStack()
        self._responder: StoreResponder | None = None
        self._store: Store | None = None
        self._ended: BrokerEvent | None = None
        self.hooks: Hooks | None = None
        """The owner's, of which a `Waiting` one may tell somebody."""
        self.is_stuck = False
        """Whether something still waits for the store, and cannot be ended but with the process."""

    async def respond(self, question: Question, deadline: Deadline) -> Outcome:
        """Let it wait; cancelled by `store` or `nobody` where that cannot be, or is in vain."""
        if self._responder is None:
            try:
                load_store(self._settings)
                # In a task, as a store that is locked may hold this up for longer than an agent
                # waits.
                beginning = asyncio.ensure_future(self._begin(question.request))
                await asyncio.wait((beginning,), timeout=STORE_SECONDS)
                if not beginning.done():
                    # It is not cancelled: a thread that waits for a lock cannot be.
                    self.is_stuck = True
                    return cancel("store", STORE_AWAY)
                beginning.result()
            except StoreError as error:
                return cancel("store", str(error))
        if self._responder is None:
            return cancel("nobody", NOBODY_THERE)
        return await self._responder.respond(question, deadline)

    async def _begin(self, request: ElicitationRequest) -> None:
        """Open the store, and begin to ask in it, where that is not in vain."""
        store = await self._opened.enter_async_context(open_store(self._settings, "asker"))
        # Somebody is told by a hook, or sits there; else the question would wait in vain.
        somebody_is_told = self.hooks is not None and self.hooks.chosen("Waiting", request)
        if not somebody_is_told and not await store.somebody_is_there():
            return
        await store.begin(self._asker)
        self._store = store
        self._responder = StoreResponder(store, self._asker, StoreWatch(store))
        self._responder.tell_waiting = self.hooks.waiting if self.hooks is not None else None

    def on_broker_event(self, event: BrokerEvent) -> None:
        """Keep how it ended, to be told."""
        if isinstance(event, Resolved):
            self._ended = event

    def tell_end(self) -> None:
        """Tell the store how it ended."""
        if self._responder is not None and self._ended is not None:
            self._responder.on_broker_event(self._ended)

    async def close(self) -> None:
        """End the session: what it did not tell ends as not known."""
        # A store that hangs would hang the end too; the process ends instead.
        if self.is_stuck:
            return
        if self._responder is not None and self._store is not None:
            await self._responder.close()
            with suppress(StoreError):
                await self._store.end(self._asker.session)
        await self._opened.aclose()


async def _agent_has_gone(seconds: float) -> str:
    """Return, with the reason, when the agent waits for its hook no longer."""
    gone = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in ("SIGTERM", "SIGINT", "SIGHUP"):
        # The loop of Windows takes no handlers.
        with suppress(AttributeError, NotImplementedError):
            loop.add_signal_handler(getattr(signal, number), gone.set)
    end = loop.time() + seconds
    while not gone.is_set() and not _nobody_reads(STDOUT):
        if loop.time() >= end:
            return "It took longer than the agent waits."
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(gone.wait(), LOOK_SECONDS)
    return "The agent waits no longer: it was answered there, or the agent ended."


def _nobody_reads(descriptor: int) -> bool:
    """Whether what is written there would reach nobody."""
    # On Windows nothing tells; the time ends it there.
    if not hasattr(select, "poll"):
        return False
    poll = select.poll()
    # Without any event of interest: errors and the end of the reader are told all the same.
    poll.register(descriptor, 0)
    return any(events & (select.POLLERR | select.POLLHUP) for _, events in poll.poll(0))
