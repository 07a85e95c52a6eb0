"""A process that asks through the store, or one in which somebody answers whatever waits.

    python -m tests.broker.crowd DIRECTORY ask COUNT | answer

It says each step on a line of its own, so that a test can end it with kill -9 at any of them.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from elicit_tui.broker import Broker
from elicit_tui.broker.inbox import Inbox, InboxRules
from elicit_tui.broker.inbox_questions import InboxQuestions
from elicit_tui.broker.store_responder import StoreResponder, StoreWatch
from elicit_tui.elicitation import Answerer, Deadline, Outcome, Question, Queue, accept, new_id
from elicit_tui.guardian import Guardian
from elicit_tui.ledger import Ledger
from elicit_tui.policy import Policy
from elicit_tui.store.sqlite import SqliteStore
from elicit_tui.store.store import Asker
from tests.broker.conftest import form_request, limited


def say(*words: object) -> None:
    print(*words, flush=True)


class Whoever:
    """Answers each question with its own message."""

    async def respond(self, question: Question, deadline: Deadline) -> Outcome:
        say("asked", question.id)
        deadline.touch()
        await asyncio.sleep(0)
        return accept("user", "Sent.", {"colour": question.request.message})


async def ask(directory: Path, count: int) -> None:
    """Ask that many questions at once; the outcome of each is told when it is there."""
    settings = limited(per_minute=100_000, pending=100_000)
    store = await SqliteStore.open(directory / "store.sqlite3", "asker")
    asker = Asker(new_id(), "agent")
    await store.begin(asker)
    responder = StoreResponder(store, asker, StoreWatch(store))
    ledger = Ledger.open(directory / "ledger.sqlite3", content="full")
    broker = Broker(Policy(settings), Guardian(settings.guardian), ledger, responder)
    broker.subscribe(responder.on_broker_event)
    say("ready")

    async def one(number: int) -> None:
        request = form_request(f"Colour {number}?")
        say("put", request.id)
        outcome = await broker.resolve(request)
        right = outcome.content == {"colour": request.message}
        say("outcome", request.id, outcome.action, outcome.decided_by, right)

    await asyncio.gather(*(one(number) for number in range(count)))
    await broker.close()
    await responder.close()
    ledger.close()
    await store.close()


async def answer(directory: Path) -> None:
    """Answer whatever waits, until this is killed."""
    store = await SqliteStore.open(directory / "store.sqlite3", "answerer")
    me = Answerer("me", new_id(), "laptop")
    inbox = Inbox(
        store,
        "inbox",
        me=me,
        rules=InboxRules(
            refusal=lambda asking: None,
            examine=lambda content, form: (),
            abandoned=lambda question_id: None,
        ),
    )
    async with inbox.watched():
        say("ready")
        questions = InboxQuestions(
            inbox,
            Whoever(),
            Queue(),
            notify=lambda question, reply: say(reply.kind, question.id),
        )
        await questions.ask_all()


if __name__ == "__main__":
    if sys.argv[2] == "ask":
        asyncio.run(ask(Path(sys.argv[1]), int(sys.argv[3])))
    else:
        asyncio.run(answer(Path(sys.argv[1])))
