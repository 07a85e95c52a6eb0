"""What a session tells the other gateway processes of its agent, and hears from them.

Where there are none (an agent on stdio) nothing is told, and every call is one of this process.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from elicit_tui.elicitation import Call
from elicit_tui.errors import StoreError
from elicit_tui.gateway import telling
from elicit_tui.gateway.held_call import HeldCall
from elicit_tui.gateway.held_calls import HeldCalls
from elicit_tui.gateway.passing import Background
from elicit_tui.gateway.requester import Requester
from elicit_tui.gateway.shared_calls import Elsewhere, SharedCalls
from elicit_tui.gateway.telling import Result, text_result


class Sharing:
    """The calls of one session beside those of the other processes."""

    def __init__(
        self,
        shared: SharedCalls | None,
        held_calls: HeldCalls,
        background: Background,
        *,
        answer: Callable[[HeldCall, Mapping[str, Any]], object],
        hold: Callable[[Requester], float],
    ) -> None:
        """`answer`: takes the arguments of an answer that the agent gave in another process.

        `hold`: how many seconds a request is held.
        """
        self._shared = shared
        self._held_calls = held_calls
        self._background = background
        self._answer = answer
        self._hold = hold

    # Calls of this process

    async def joined(
        self, call: Call, key: str, requester: Requester
    ) -> HeldCall | Elsewhere | None:
        """The earlier call that a new one joins; None: it begins.

        Raises NotKnown, OutcomesUnread, TooManyCalls, and StoreError where the store cannot be
        asked.
        """
        here = self._held_calls.to_join(key)
        if self._shared is None:
            return here
        # What was read in another process, the store knows.
        if here is not None and self._shared.private:
            return here
        # The store decides it for all processes, also where two are asked at once.
        earlier = await self._shared.begin(call, key, requester, self._hold(requester))
        if earlier is None:
            return None
        # It may be one of this process after all.
        return self._held_calls.by_id(earlier) or Elsewhere(earlier)

    async def about_to_call(self, call: Call) -> None:
        """The tool is called as soon as this has returned; raises StoreError: then it is not."""
        if self._shared is not None:
            await self._shared.about_to_call(call)

    async def paused(self, held: HeldCall, answered: Result) -> bool:
        """The agent is told to come back, perhaps to another process.

        False: it is not, as no other process would know of its task.
        """
        return self._shared is None or await self._shared.paused(held, answered)

    async def delivered(self, held: HeldCall, requester: Requester) -> None:
        """The agent gets an outcome: noted before it leaves where that can be read again."""
        if self._shared is None:
            return
        # Only a call whose id its agent has can be read again.
        named = held.paused or held.left
        note = partial(self._shared.delivered, held.id, named=named)
        if named or not requester.when_answered(note):
            await note()

    async def forget(self, call_id: str) -> None:
        """A call did not begin after all, or its agent wants nothing of it any more."""
        if self._shared is not None:
            await self._shared.delivered(call_id, named=False)

    def outcome_kept(self, held: HeldCall) -> None:
        """Keep an outcome for whichever process the agent comes back to."""
        if self._shared is not None:
            self._background.start(self._shared.ended(held))

    def given_up(self, held: HeldCall) -> None:
        """Forget a call that its agent took back; a task can be seen to be cancelled."""
        if self._shared is not None:
            work = self._cancelled(self._shared, held) if held.is_task else self.forget(held.id)
            self._background.start(work)

    async def _cancelled(self, shared: SharedCalls, held: HeldCall) -> None:
        await shared.ended(held)
        await shared.delivered(held.id, named=True)

    def agent_side_changed(self, held: HeldCall) -> None:
        """Tell whether the agent has left, and whether it waits for this call."""
        if self._shared is not None:
            self._background.start(self._shared.agent_side(held))

    async def end(self) -> None:
        """End every call: what others may read of them stays true."""
        under_way, unread = self._held_calls.under_way, self._held_calls.unread
        await self._held_calls.end()
        if self._shared is not None:
            for held in under_way:
                await self._shared.abandoned(held.id)
            # Nobody can come to another process for them.
            for held in unread if self._shared.private else ():
                await self.forget(held.id)

    async def hear(self) -> None:
        """For as long as the session lasts: do what other processes ask for."""
        if self._shared is not None:
            await self._shared.hear_notes(self._heard_of, self._on_note)

    def _heard_of(self) -> Sequence[str]:
        self._held_calls.let_go_elsewhere()
        return self._held_calls.open_to_others

    def _on_note(self, call_id: str, note: Mapping[str, Any]) -> None:
        held = self._held_calls.by_id(call_id)
        if held is None:
            return
        if isinstance(name := note.get("attended"), str):
            self._held_calls.attended_elsewhere(held, name)
        if isinstance(name := note.get("left"), str):
            self._held_calls.left_elsewhere(held, name)
        if note.get("read"):
            self._held_calls.outcome_told(held)
        if isinstance(state := note.get("state"), str) and self._held_calls.of_state(state) is held:
            held.rounds.answered(state, note.get("responses"))
        if isinstance(arguments := note.get("answer"), Mapping):
            self._answer(held, arguments)
        if note.get("cancel") and not held.done:
            # Of a task its server has the last word; a call is given up at once.
            give_up = self._held_calls.cancel if held.is_task else self._held_calls.give_up
            give_up(held)
        if isinstance(responses := note.get("update"), Mapping):
            held.rounds.take(responses)

    # Calls of another one

    async def pass_on(self, call_id: Any, note: Mapping[str, Any]) -> bool:
        """Tell the process that makes a call; False: there is none. Raises StoreError."""
        if self._shared is None or await self._shared.seen(call_id) is None:
            return False
        if note:
            await self._shared.note(call_id, note)
        return True

    async def attended(self, call_id: str, requester: Requester, still: str) -> Result:
        """Wait for a call of another process; what the agent is told. Raises what it raised."""
        assert self._shared is not None
        try:
            return await self._shared.attend(call_id, requester, self._hold(requester), still)
        except StoreError as error:
            return text_result(f"{telling.failed(error)} {telling.NOT_KNOWN}", is_error=True)
