"""A person in another terminal, as a process: answers what waits, or dies with it open.

    answerer.py all             answers everything, until it is killed: each field that has to be
                                filled in with the `tag` of its call, each tool allowed once
    answerer.py session         the same, each tool allowed for the session
    answerer.py claim           opens the first question, says so, and does nothing more
    answerer.py note            declines everything, with a note
    answerer.py watch           says what comes and how it leaves, and does nothing more

With `there` behind it somebody has just pressed a key in it, and the store knows when it is ready.
It is the leader of its own session, as a shell in another terminal is.
"""

from __future__ import annotations

import asyncio
import random
import sys

from elicit_tui.broker.inbox import Inbox
from elicit_tui.broker.inbox_events import InboxEvent, QuestionCame, QuestionLeft
from elicit_tui.config import CommandLine, load
from elicit_tui.elicitation import accept, decline, now
from elicit_tui.runtime import open_inbox, open_store
from elicit_tui.store.store import Waiting

NOTE = "use staging instead"


async def answer(inbox: Inbox, waiting: Waiting) -> None:
    assert waiting.question is not None
    if sys.argv[1] == "note":
        reply = await inbox.answer(waiting.id, decline("user", "You declined.", note=NOTE))
        print(reply.kind, waiting.id, reply.sentence, flush=True)
        return
    arguments = [call.arguments.get("tag", "") for call in waiting.question.request.calls]
    is_form = waiting.kind == "elicitation"
    schema = waiting.question.request.requested_schema or {}
    tag = str(arguments[0]) if arguments else "given"
    content = dict.fromkeys(schema.get("required", ()), tag) if is_form else None
    scope = {} if is_form else {"scope": "session" if sys.argv[1] == "session" else "once"}
    acknowledged = frozenset(each.id for each in waiting.question.to_acknowledge)
    outcome = accept("user", "Sent.", content, acknowledged=acknowledged, **scope)
    reply = await inbox.answer(waiting.id, outcome)
    print(reply.kind, waiting.id, reply.sentence, flush=True)


def say(event: InboxEvent) -> None:
    if isinstance(event, QuestionCame):
        print("came", event.waiting.id, event.waiting.agent, flush=True)
    elif isinstance(event, QuestionLeft):
        print("left", event.waiting.id, event.sentence, flush=True)


async def main() -> None:
    settings = load(CommandLine())
    async with (
        open_inbox(settings, via="inbox") as inbox,
        open_store(settings, "answerer") as store,
    ):
        if "there" in sys.argv:
            await store.heartbeat(now())
        if sys.argv[1] == "watch":
            inbox.subscribe(say)
        print("ready", flush=True)
        while True:
            waiting = [each for each in inbox.waiting if each.state in ("open", "claimed")]
            if waiting and sys.argv[1] == "claim":
                await inbox.claim(waiting[0].id)
                print("claimed", waiting[0].id, flush=True)
                await asyncio.sleep(600)
            if waiting and sys.argv[1] != "watch":
                await answer(inbox, random.choice(waiting))
            else:
                await asyncio.sleep(0.02)


if __name__ == "__main__":
    asyncio.run(main())
