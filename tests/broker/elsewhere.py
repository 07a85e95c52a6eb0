"""Processes that share one store: brokers that ask, and people with an inbox in front of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from elicit_tui.broker import Broker, BrokerOptions
from elicit_tui.broker.contracts import CallingAgent
from elicit_tui.broker.inbox import Inbox, InboxRules
from elicit_tui.broker.inbox_events import InboxEvent, QuestionLeft
from elicit_tui.broker.store_responder import StoreResponder, StoreWatch
from elicit_tui.elicitation import Answerer, Outcome, Question, accept
from elicit_tui.elicitation.settings import ElicitationSettings, Settings
from elicit_tui.guardian import Guardian
from elicit_tui.ledger import Ledger
from elicit_tui.policy import Policy
from elicit_tui.store.sqlite import SqliteStore
from elicit_tui.store.store import Asker

BOUND = 60.0
ASKER = Asker("session-one", "claude-code", "2.1.319", "/home/me/code")


def sent(**content: Any) -> Outcome:
    return accept("user", "You sent the form.", content)


async def bounded(task: Any) -> Any:
    return await asyncio.wait_for(task, BOUND)


class TellsKeys:
    """What of a store says when it has written down that a key was pressed."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.key_written = asyncio.Event()

    async def heartbeat(self, last_key: datetime | None = None) -> None:
        await super().heartbeat(last_key)
        if last_key is not None:
            self.key_written.set()


class KeysTold(TellsKeys, SqliteStore):
    """A store in a file that says so."""


class Person:
    """Somebody at a terminal, with the inbox in front of them."""

    def __init__(self, inbox: Inbox, key_written: asyncio.Event) -> None:
        self.inbox = inbox
        self._key_written = key_written
        self.told: list[InboxEvent] = []
        self._news = asyncio.Event()
        inbox.subscribe(self._hear)

    async def presses_a_key(self) -> None:
        """Returns once the others can know of it."""
        self._key_written.clear()
        self.inbox.key_pressed()
        await bounded(self._key_written.wait())

    def _hear(self, event: InboxEvent) -> None:
        self.told.append(event)
        self._news.set()

    async def until(self, holds: Callable[[], Any]) -> Any:
        async def wait() -> None:
            while not holds():
                self._news.clear()
                await self._news.wait()

        await asyncio.wait_for(wait(), BOUND)
        return holds()

    async def sees(self, message: str = "Which colour?") -> Question:
        def shown() -> Question | None:
            for waiting in self.inbox.waiting:
                if waiting.question and waiting.question.request.message == message:
                    return waiting.question
            return None

        found: Question = await self.until(shown)
        return found

    async def sees_nothing(self) -> None:
        await self.until(lambda: not self.inbox.waiting)

    async def told_why(self, question: Question) -> list[str]:
        """Why it left, once that is told."""
        told: list[str] = await self.until(lambda: self.why_it_left(question))
        return told

    def why_it_left(self, question: Question) -> list[str]:
        return [
            event.sentence
            for event in self.told
            if isinstance(event, QuestionLeft) and event.waiting.id == question.id
        ]


class World:
    """Processes that share one store: brokers that ask, and inboxes."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.path = directory / "store.sqlite3"
        self.refusal: str | None = None
        self._closing: list[Callable[[], Any]] = []
        self._leaving: dict[Person, Callable[[], Any]] = {}

    async def store(self, role: Any) -> KeysTold:
        store = await KeysTold.open(self.path, role)
        self._closing.append(store.close)
        return store

    async def asks(
        self, asker: Asker = ASKER, agent: CallingAgent | None = None, **elicitation: Any
    ) -> Broker:
        settings = Settings(elicitation=ElicitationSettings(**elicitation))
        store = await self.store("asker")
        await store.begin(asker)
        responder = StoreResponder(store, asker, StoreWatch(store))
        ledger = Ledger.open(self.directory / "ledger.sqlite3")
        broker = Broker(
            Policy(settings),
            Guardian(settings.guardian),
            ledger,
            responder,
            BrokerOptions(agent=agent),
        )
        broker.subscribe(responder.on_broker_event)

        async def close() -> None:
            await broker.close()
            await responder.close()
            ledger.close()

        self._closing.append(close)
        self.ledger = ledger
        self.responder = responder
        self.asking_store = store
        return broker

    async def person(self, terminal: str = "pts/3") -> Person:
        store = await self.store("answerer")
        inbox = Inbox(
            store,
            "inbox",
            me=Answerer("me", terminal, "laptop", ("41 elicit-tui", "40 bash")),
            rules=InboxRules(
                refusal=lambda asking: self.refusal,
                examine=Guardian().outgoing,
                abandoned=lambda question_id: None,
            ),
        )
        context = inbox.watched()
        await context.__aenter__()
        person = Person(inbox, store.key_written)

        async def leave() -> None:
            await context.__aexit__(None, None, None)
            await store.close()

        self._leaving[person] = leave
        return person

    async def leaves(self, person: Person) -> None:
        """Close this inbox, and end its process as far as the store can tell."""
        await self._leaving.pop(person)()

    async def close(self) -> None:
        for person in tuple(self._leaving):
            await self.leaves(person)
        for close in reversed(self._closing):
            await close()
