"""Step 7, ask: wait for a responder, a deadline, or an end from outside, whichever is first."""

from __future__ import annotations

import asyncio

from elicit_tui.broker.pending import Pending
from elicit_tui.elicitation import Outcome, Responder, cancel
from elicit_tui.text import in_seconds


async def ask(responder: Responder, pending: Pending) -> Outcome:
    """Ask one question; always an outcome, unless this call itself is cancelled.

    The responder's task is ended, and waited for, before this returns: no screen outlives its
    question.
    """
    deadline = pending.deadline
    started = asyncio.Event()
    deadline.on_start = started.set
    answering = asyncio.ensure_future(responder.respond(pending.question, deadline))
    clock = asyncio.ensure_future(started.wait())
    try:
        while True:
            watched: set[asyncio.Future[object]] = {answering, pending.settled}  # type: ignore[arg-type]
            if not deadline.started:
                watched.add(clock)  # type: ignore[arg-type]
            await asyncio.wait(
                watched, timeout=deadline.remaining, return_when=asyncio.FIRST_COMPLETED
            )
            if pending.settled.done():
                return pending.settled.result()
            if answering.done():
                return answering.result()
            if deadline.remaining == 0:
                return cancel(
                    "deadline",
                    f"No answer was given within {in_seconds(deadline.seconds)}.",
                    key="elicitation.timeout_sec",
                )
    finally:
        clock.cancel()
        answering.cancel()
        await asyncio.gather(answering, clock, return_exceptions=True)
