"""The calls of one connection that are under way: whose turn it is, and whether time passes.

Nothing on a stdio stream of the handshake era tells which call a question belongs to. Its tools
take turns, so that there is one answer to that as often as can be. While a person is asked for a
call its turn passes on, and the server's other tools go on working. What is only read, a resource
or a prompt, waits for no turn. A question that comes while several are open may belong to each.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import Call, ElicitationRequest

TICK_SECONDS: Final = 0.1
END_KNOWN_SECONDS: Final = 3.0


Driven = tuple[dict[str, Any], int]
"""A call's result, and how many rounds it took."""


@dataclass(eq=False)
class CallUnderWay:
    """A call from when it is made until it has come to something."""

    call: Call
    given_up: bool = False
    """Whether it is cancelled: no result of it is told."""
    work: asyncio.Task[Driven] | None = None
    """None: it has not gone out yet."""
    cancel_task: Callable[[], Awaitable[None]] | None = None
    """Where it was answered with a task: asks for its end."""

    async def end_work(self) -> None:
        """Cancel what is left of it."""
        assert self.work is not None
        if not self.work.done():
            self.work.cancel()
            await asyncio.wait((self.work,), timeout=END_KNOWN_SECONDS)
        # Looked at, so that an end nobody waited for is no warning of its own.
        if self.work.done() and not self.work.cancelled():
            self.work.exception()


def _takes_turns(call: Call) -> bool:
    return call.method == "tools/call"


class OpenCalls:
    """The calls that a server has and has not answered, oldest first."""

    def __init__(self, asked: Callable[[str], bool]) -> None:
        self._asked = asked
        """Whether a person is being asked for the call of this id."""
        self.take_turns = False
        """Set where the stream does not tell whose question it is."""
        self.logging_in = False
        """Whether a person is asked to log in: all that is asked meanwhile waits for them."""
        self._open: dict[str, Call] = {}
        self._next = asyncio.Lock()
        self._ended = asyncio.Event()

    @property
    def calls(self) -> tuple[Call, ...]:
        """The calls that a question may belong to when nothing on the wire tells."""
        return tuple(self._open.values())

    @asynccontextmanager
    async def turn(self, call: Call) -> AsyncIterator[None]:
        """Within this the call is open. Waits for the turn; calls come in the order they asked."""
        if _takes_turns(call):
            await self._open_in_turn(call)
        else:
            self._open[call.id] = call
        try:
            yield
        finally:
            del self._open[call.id]
            self._ended.set()

    async def _open_in_turn(self, call: Call) -> None:
        # Whoever waits for a turn holds this; all others stand behind in the order they came.
        async with self._next:
            while self.take_turns and not all(map(self._asked, self._in_turn)):
                self._ended.clear()
                # Nobody tells when a person begins to be asked: it is looked at now and then.
                with contextlib.suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(self._ended.wait(), TICK_SECONDS)
            self._open[call.id] = call

    @property
    def _in_turn(self) -> list[str]:
        """Those that are open and take turns, by their ids."""
        return [call.id for call in self._open.values() if _takes_turns(call)]

    def waits(self, call_id: str) -> bool:
        """Whether a call that was made has not gone out yet: others have their turn before it."""
        return self.take_turns and call_id not in self._open

    def time_stands_still(self, call: Call) -> bool:
        """A call's time does not pass while it waits for its turn or for a person."""
        return self.waits(call.id) or self._asked(call.id) or self.may_be_held_up()

    def may_be_held_up(self) -> bool:
        """Whether the server may answer nothing before a person did.

        One that does one thing at a time does so, whatever else is asked of it meanwhile.
        """
        return self.logging_in or (self.take_turns and any(map(self._asked, self._open)))

    def only_for(self, request: ElicitationRequest, call_id: str) -> bool:
        """Whether a question belongs to this call and to no other one that is open."""
        others = (other for other in self._open if other != call_id)
        return request.may_belong_to(call_id) and not any(map(request.may_belong_to, others))


async def wait_within(
    work: asyncio.Future[Any], seconds: float, standing_still: Callable[[], bool]
) -> bool:
    """Wait for `work`; False when its time passed first. 0 seconds: no limit.

    Time counts only between two looks at which it did not stand still.
    """
    spent = 0.0
    while not work.done():
        started = time.monotonic()
        still = standing_still()
        timeout = None if seconds <= 0 else min(TICK_SECONDS, max(0.0, seconds - spent))
        await asyncio.wait((work,), timeout=timeout)
        if work.done() or seconds <= 0:
            continue
        # A person may be asked at any moment between the two looks. In doubt the time is the
        # person's, so that the server is charged too little and never too much.
        if not still and not standing_still():
            spent += time.monotonic() - started
            if spent >= seconds:
                return False
        # Its time is over and stands still: without a pause this would be a loop that only looks.
        elif timeout == 0:
            await asyncio.sleep(TICK_SECONDS)
    return True
