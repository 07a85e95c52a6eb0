"""A person in another terminal, as a process: answers what waits, or dies with it open.

    answerer.py all             answers everything, until it is killed: each field that has to be
                                filled in with the `tag` of its call, each tool allowed once
    answerer.py session         the same, each tool allowed for the session
    answerer.py claim           opens the first question, says so, and does nothing more

It is the leader of its own session, as a shell in another terminal is.
"""

from __future__ import annotations

import asyncio
import random
import sys

from elicit_tui.broker.inbox import Inbox
from elicit_tui.config import CommandLine, load
from elicit_tui.elicitation import accept
from elicit_tui.runtime import open_inbox
from elicit_tui.store import Waiting


async def answer(inbox: Inbox, waiting: Waiting) -> None:
    assert waiting.question is not None
    arguments = [call.arguments.get("tag", "") for call in waiting.question.request.calls]
    is_form = waiting.kind == "elicitation"
    schema = waiting.question.request.requested_schema or {}
    content = {name: str(arguments[0]) for name in schema.get("required", ())} if is_form else None
    scope = {} if is_form else {"scope": "session" if sys.argv[1] == "session" else "once"}
    acknowledged = frozenset(each.id for each in waiting.question.to_acknowledge)
    outcome = accept("user", "Sent.", content, acknowledged=acknowledged, **scope)
    reply = await inbox.answer(waiting.id, outcome)
    print(reply.kind, waiting.id, flush=True)


async def main() -> None:
    async with open_inbox(load(CommandLine()), via="inbox") as inbox:
        print("ready", flush=True)
        while True:
            waiting = [each for each in inbox.waiting if each.state in ("open", "claimed")]
            if waiting and sys.argv[1] == "claim":
                await inbox.claim(waiting[0].id)
                print("claimed", waiting[0].id, flush=True)
                await asyncio.sleep(600)
            if waiting:
                await answer(inbox, random.choice(waiting))
            else:
                await asyncio.sleep(0.02)


asyncio.run(main())
