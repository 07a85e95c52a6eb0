"""What becomes of a call whose agent leaves, comes back, or takes it back.

An absence is over when the agent returns; after `LEFT_SECONDS` what the call asks is withdrawn.
What was taken back stays so, whoever comes for the call afterwards.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from elicit_tui.gateway.clock import Clock
from elicit_tui.gateway.held_call import AgentSide, HeldCall, HeldCallsWatcher

LEFT_SECONDS: Final = 30.0
"""How long a question stays after the agent that it was asked for has left."""
LAST_WORD_SECONDS: Final = 2.0
"""How long a server whose question was taken back may take to end its call by itself."""


class Departures:
    """Ends what a session's calls ask where their agent is gone, or wants it no more."""

    def __init__(self, clock: Clock, watcher: Callable[[], HeldCallsWatcher]) -> None:
        self._clock = clock
        self._watcher = watcher

    def leaves(self, held: HeldCall) -> None:
        """Its agent is gone, and may yet come back."""
        held.left = True
        held.departure = asyncio.ensure_future(self._depart(held))

    def returns(self, held: HeldCall) -> None:
        """It is there again: the time that it may be away begins anew when it leaves."""
        held.left = False
        if held.departure is not None:
            held.departure.cancel()

    async def _depart(self, held: HeldCall) -> None:
        await self._clock.sleep(LEFT_SECONDS)
        if held.done:
            return
        if held.waiting:
            self.withdraw(held)
        else:
            self.give_up(held)

    def withdraw(self, held: HeldCall) -> None:
        """Take back what it asks: nobody joins it any more."""
        before = held.agent_side
        held.withdrawn = True
        self.tell(held, before)
        self._watcher().withdraw(held)

    def give_up(self, held: HeldCall) -> None:
        """End the call itself, without an outcome."""
        if held.task is not None:
            held.task.cancel()

    def cancel(self, held: HeldCall) -> None:
        """Withdraw what it asks, and have its server told, which has the last word."""
        # Before they are withdrawn: a server that just had its question taken back is given a
        # moment to end by itself.
        asks = bool(held.waiting) or held.rounds.open
        self.withdraw(held)
        held.cancelling = asyncio.ensure_future(self._pass_down(held, asks))

    async def _pass_down(self, held: HeldCall, asks: bool) -> None:
        if asks:
            # Most servers come to an end by themselves when their question is taken back.
            await self._clock.sleep(LAST_WORD_SECONDS)
        if not held.done:
            await self._watcher().cancel_below(held)

    def tell(self, held: HeldCall, before: AgentSide) -> None:
        """Tell whoever watches where its agent does something else than before."""
        side = held.agent_side
        if side != before:
            self._watcher().agent_side_changed(held)
        if side[0] != before[0]:
            self._watcher().agent_state_changed(held)
