"""A broker with hooks; only the person is scripted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.broker import Broker, BrokerEvent, BrokerOptions, Notice, Resolved
from elicit_tui.elicitation import Deadline, Outcome, Question, accept, decline
from elicit_tui.elicitation.settings import Hook, Settings
from elicit_tui.guardian import Guardian
from elicit_tui.hooks import Hooks
from elicit_tui.ledger import Ledger
from elicit_tui.policy import Policy
from tests.hooks.world import Receiver, receiving


class Person:
    """Gives the prepared answers in turn; keeps what was shown."""

    def __init__(self, *answers: dict[str, Any] | None) -> None:
        self.answers = list(answers)
        self.shown: list[Question] = []

    async def respond(self, question: Question, deadline: Deadline) -> Outcome:
        self.shown.append(question)
        deadline.start()
        if not self.answers:
            await asyncio.Event().wait()
        content = self.answers.pop(0)
        if content is None:
            return decline("user", "You pressed Decline.")
        all_of_it = frozenset(finding.id for finding in question.to_acknowledge)
        seen = frozenset(finding.id for finding in question.examine(content))
        return accept(
            "user", "You sent it.", content, acknowledged=all_of_it | seen, scope="once"
            if question.request.kind == "approval"
            else None,
        )  # fmt: skip


class Run:
    """One run with hooks."""

    def __init__(
        self, ledger: Ledger, hooks: tuple[Hook, ...], person: Person, **settings_: Any
    ) -> None:
        settings = Settings(hooks=hooks, **settings_)
        self.person = person
        self.ledger = ledger
        self.hooks = Hooks(hooks, "redacted")
        self.events: list[BrokerEvent] = []
        self.broker = Broker(
            Policy(settings),
            Guardian(settings.guardian),
            ledger,
            person,
            BrokerOptions(hooks=self.hooks),
        )
        self.broker.subscribe(self.events.append)

    async def close(self) -> None:
        await self.broker.close()
        await self.hooks.close()

    @property
    def told(self) -> str:
        """Everything that the person was told beside questions."""
        return "\n".join(event.sentence for event in self.events if isinstance(event, Notice))

    @property
    def resolved(self) -> list[Resolved]:
        return [event for event in self.events if isinstance(event, Resolved)]


RunFactory = Callable[..., Run]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[RunFactory]:
    ledgers: list[Ledger] = []

    def make(*hooks: Hook, person: Person | None = None, **settings: Any) -> Run:
        ledgers.append(Ledger.open(tmp_path / f"state-{len(ledgers)}" / "ledger.sqlite3"))
        return Run(ledgers[-1], hooks, person or Person(), **settings)

    yield make
    for ledger in ledgers:
        ledger.close()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as one:
        yield one


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "told.jsonl"
