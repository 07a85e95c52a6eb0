"""A question that waits, and somebody who answers it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from elicit_tui.elicitation import Answerer, Finding, Outcome, Question, Review, Severity, accept
from elicit_tui.elicitation.question import Draft
from elicit_tui.form.field import Typed
from elicit_tui.store.store import Answer, Asker, Grant, Store, Waiting
from tests.ledger.world import request

ASKER = Asker("session-one", "claude-code", "2.1.319", "/home/me/code/secret-project")
ME = Answerer("me", "pts/3", "laptop", ("41 elicit-tui", "40 bash"))
ELSEWHERE = Answerer("me", "pts/7", "laptop")
WARNING = Finding("destructive.production", Severity.WARN, "message", "production", "Make sure.")


def question(message: str = "Which environment?", **more: Any) -> Question:
    draft = more.pop("draft", Draft())
    return Question(request(message, **more), Review((WARNING,), frozenset({"token"})), draft=draft)


def typed(text: str) -> Draft:
    return Draft({"environment": Typed(text)}, frozenset({"environment"}))


def answer(
    waiting: Waiting, environment: str = "staging", by: Answerer = ME, **more: Any
) -> Answer:
    outcome = more.pop("outcome", None) or sent(environment)
    return Answer(outcome, by, waiting.attempt, waiting.digest, **more)


def sent(environment: str = "staging") -> Outcome:
    acknowledged = frozenset({WARNING.id})
    return accept(
        "user", "Sent.", {"environment": environment}, acknowledged=acknowledged, via="inbox"
    )


async def put(store: Store, asked: Question | None = None, asker: Asker = ASKER) -> Waiting:
    await store.begin(asker)
    return await store.put(asked or question(), asker)


@contextmanager
def the_file(path: Path) -> Iterator[sqlite3.Connection]:
    """The file in the attacker's hands: the same user, with a copy of SQLite."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        yield connection


def grant(tool: str = "deploy", session: str = ASKER.session, server: str = "prod") -> Grant:
    return Grant(session, server, tool, "process-1", "definition-1")
