"""A process that asks through the store, for those who answer from an inbox."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from elicit_tui import paths
from elicit_tui.broker import Broker
from elicit_tui.broker.store_responder import StoreResponder, StoreWatch
from elicit_tui.elicitation import Call, ElicitationRequest, Outcome, ServerIdentity
from elicit_tui.elicitation.settings import GuardianSettings, OwnerRule, Settings
from elicit_tui.guardian import Guardian
from elicit_tui.ledger import Ledger
from elicit_tui.policy import Policy
from elicit_tui.store.sqlite import SqliteStore
from elicit_tui.store.store import Answer, Asker
from tests.cli.running import Ended, run
from tests.cli.terminal import Terminal

BOUND = 30.0
ASKER = Asker("session-one", "claude-code", "2.1.319", "/home/me/\x1b[2Jwork")
SCHEMA = {
    "type": "object",
    "properties": {
        "environment": {"type": "string", "enum": ["staging", "canary"]},
        "replicas": {"type": "integer", "minimum": 1, "maximum": 9},
    },
    "required": ["environment"],
}


class Gateway:
    """A process that asks, as far as the store can tell: this one."""

    def __init__(self, store: SqliteStore, broker: Broker, ledger: Ledger) -> None:
        self.store = store
        self.broker = broker
        self.ledger = ledger

    def asks(self, message: str = "Which one?", **params: Any) -> asyncio.Future[Outcome]:
        """One question; its id is that of `waiting`."""
        request = ElicitationRequest(
            ServerIdentity("prod", "stdio", "deploy-server"),
            {"message": message, "requestedSchema": SCHEMA, **params},
            calls=(Call("tools/call", "deploy", {"branch": "fix\x1b[31m"}),),
        )
        return asyncio.ensure_future(self.broker.resolve(request))

    async def waiting(self, count: int = 1) -> list[str]:
        """The ids of what waits, once that many do."""
        return await asyncio.wait_for(self._waiting(count), BOUND)

    async def _waiting(self, count: int) -> list[str]:
        number = 0
        while True:
            found = await self.store.waiting()
            if len(found) == count:
                return [each.id for each in found]
            number = (await self.store.changes(number, BOUND)).number

    async def answer_of(self, question: str) -> Answer:
        """What somebody answered, once they have."""
        number = 0
        while (answer := await self.store.answer_of(question)) is None:
            number = (await self.store.changes(number, BOUND)).number
        return answer


@asynccontextmanager
async def asking_gateway(asker: Asker = ASKER) -> AsyncIterator[Gateway]:
    """One that asks with the store of this machine, and with an owner's rule that warns."""
    careful = OwnerRule("own.careful", "warn", "careful", advice="Be careful.")
    settings = Settings(guardian=GuardianSettings(rules=(careful,)))
    store = await SqliteStore.open(paths.store_file(), "listener")
    await store.begin(asker)
    responder = StoreResponder(store, asker, StoreWatch(store))
    ledger = Ledger.open(paths.ledger_file())
    broker = Broker(Policy(settings), Guardian(settings.guardian), ledger, responder)
    broker.subscribe(responder.on_broker_event)
    yield Gateway(store, broker, ledger)
    await broker.close()
    await responder.close()
    ledger.close()
    await store.close()


async def inbox(*arguments: str) -> Ended:
    """Run it as a script would: without a terminal."""
    return await asyncio.to_thread(run, "inbox", *arguments)


async def at_a_terminal(*arguments: str, act: Callable[[Terminal], Any] | None = None) -> Ended:
    """Run it as a person does: in a session of its own, on a terminal."""

    def work() -> Ended:
        with Terminal(["inbox", *arguments]) as terminal:
            if act is not None:
                act(terminal)
            code = terminal.end()
            return Ended(code, terminal.shown, terminal.shown)

    return await asyncio.to_thread(work)


async def answered(asked: asyncio.Future[Outcome]) -> Outcome:
    return await asyncio.wait_for(asked, BOUND)
