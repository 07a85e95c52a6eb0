"""One agent's calls, as all gateway processes that it reaches with one token share them.

Behind a balancer an agent's next request may come to another process than the one that makes its
call, and that one may have died. What was called, whether it was called, and what it came to stand
in the store; what only the process that makes a call can do is left there as a note for it.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import Call, new_id
from elicit_tui.errors import ElicitTuiError, ProtocolCallError, StoreError, TaskCancelled
from elicit_tui.gateway import telling
from elicit_tui.gateway.clock import Clock
from elicit_tui.gateway.held_call import HeldCall, OutcomesUnread, TooManyCalls
from elicit_tui.gateway.held_calls import ATTENDED_SECONDS, TICK_SECONDS
from elicit_tui.gateway.requester import Requester
from elicit_tui.gateway.telling import Result, text_result
from elicit_tui.host.number_text import json_line, read_float
from elicit_tui.store.sealed_calls import CallSeen, SealedCalls

LOOK_SECONDS: Final = 0.2
"""How often it is looked whether a call of another process has ended."""
NOTES_SECONDS: Final = 0.5
"""How often it is looked whether another process left a note for a call of this one."""
ATTENDS_SECONDS: Final = ATTENDED_SECONDS / 3
"""How often a request that waits for a call of another process says so."""
UNSURE_SECONDS: Final = 1.0
"""How often it is looked whether another process lives after all."""


Heard = Callable[[str, Mapping[str, Any]], None]
"""Told of the id of a call, and of what another process left for it."""


class NotKnown(ElicitTuiError):
    """An equal call was under way in a process that died: nobody knows whether its tool ran."""


def owner_of(token_sha256: str) -> str:
    """The name under which the calls of a token stand in the store, which tells nothing of it."""
    return hashlib.sha256(b"elicit-tui calls " + token_sha256.encode()).hexdigest()[:32]


@dataclass(frozen=True)
class Elsewhere:
    """A call that another process makes, or made."""

    id: str


class SharedCalls:
    """What the store knows of one owner's calls, for one session."""

    def __init__(
        self, calls: SealedCalls, owner: str, *, private: bool, clock: Clock | None = None
    ) -> None:
        """`private`: the session is bound to this process, and nobody comes for it elsewhere."""
        self._calls = calls
        self._owner = owner
        self._clock = clock or Clock()
        self.private = private

    # Calls of this process

    async def begin(self, call: Call, key: str, requester: Requester, hold: float) -> str | None:
        """Begin a call; else the id of the earlier one that it joins.

        Raises NotKnown, OutcomesUnread, TooManyCalls, and StoreError where the store cannot be
        asked.
        """
        since = None
        while True:
            found = await self._calls.begin(
                self._owner, call.id, key.encode(), private=self.private, since=since
            )
            if found.what == "full":
                raise OutcomesUnread
            if found.what == "too many":
                raise TooManyCalls
            over = self._clock.time() >= requester.arrived + hold
            if found.what == "not known" or (found.what == "unsure" and over):
                raise NotKnown(telling.RUN_NOT_KNOWN)
            if found.what != "unsure":
                return found.id
            # Unsure is who has not been heard of since the first look: a process beats every few
            # seconds, so with time it shows that it lives, or counts as dead. The agent waits that
            # long, and no longer than its hold.
            since = found.at
            await self._clock.sleep(UNSURE_SECONDS)

    async def about_to_call(self, call: Call) -> None:
        """The tool is called as soon as this has returned; raises StoreError: then it is not."""
        if call.method == "tools/call":
            await self._calls.called(self._owner, call.id)

    async def paused(self, held: HeldCall, answered: Result) -> bool:
        """Keep what its agent is told, which is to come back.

        False: it would be given a task that no other process could be asked for.
        """
        is_task = answered.get("resultType") == "task"
        if self.private:
            return True
        try:
            text = json_line(answered)
            await self._calls.paused(self._owner, held.id, text, is_task=is_task)
        except StoreError:
            # Without a task, or by one that was kept before, it can come back here.
            if not is_task or held.task_kept:
                return True
            held.task_kept = False
            return False
        if is_task:
            held.task_kept = True
        return True

    async def agent_side(self, held: HeldCall) -> None:
        """Its agent has left, is back, or waits for it once more. Raises StoreError."""
        if not self.private:
            await self._calls.left(
                self._owner,
                held.id,
                is_left=held.left,
                attended=held.attended or held.withdrawn,
            )

    async def ended(self, held: HeldCall) -> None:
        """Keep what a call came to, once. Raises StoreError."""
        if self.private or held.is_kept or held.task is None:
            return
        await self._calls.ended(self._owner, held.id, _written(held, held.task))
        held.is_kept = True

    async def delivered(self, call_id: str, *, named: bool) -> None:
        """Its agent has its outcome; one whose id it has may be read again."""
        with suppress(StoreError):
            if named and not self.private:
                await self._calls.read(self._owner, call_id)
            else:
                await self._calls.drop(self._owner, call_id)

    async def abandoned(self, call_id: str) -> None:
        """The session ends, and this call with it: nobody knows whether its tool ran."""
        with suppress(StoreError):
            await self._calls.abandon(self._owner, call_id)

    async def hear_notes(self, ids: Callable[[], Sequence[str]], heard: Heard) -> None:
        """For ever: hand over what other processes leave for these calls of this one."""
        while not self.private:
            await self._clock.sleep(NOTES_SECONDS)
            if wanted := ids():
                with suppress(StoreError):
                    for call_id, note in await self._calls.notes(self._owner, wanted):
                        heard(call_id, read_kept(note))

    # Calls of another one

    async def seen(self, call_id: Any) -> CallSeen | None:
        """A call of this owner that another process makes, or made; raises StoreError."""
        if self.private or not isinstance(call_id, str):
            return None
        return await self._calls.look(self._owner, call_id)

    async def note(self, call_id: str, note: Mapping[str, Any]) -> None:
        """Leave something for the process that makes a call. Raises StoreError."""
        await self._calls.leave_note(self._owner, call_id, json_line(note))

    async def attend(self, call_id: str, requester: Requester, hold: float, still: str) -> Result:
        """Wait for a call of another process as long as a request is held; what the agent is told.

        `still`: the words where it goes on. Raises what the call raised, and StoreError.
        """
        name = new_id()
        beside = [asyncio.ensure_future(self._tick(requester))]
        try:
            # As a request of the maker's own would: the agent has not left.
            await self.note(call_id, {"attended": name})
            beside.append(asyncio.ensure_future(self._attends(call_id, name)))
            return await self._awaited(call_id, requester.arrived + hold, still)
        finally:
            for task in beside:
                task.cancel()
            with suppress(StoreError):
                # Also when this request is cancelled, or the maker would think for a while that
                # somebody waits.
                await asyncio.shield(self.note(call_id, {"left": name}))

    async def _attends(self, call_id: str, name: str) -> None:
        """Say it again and again: a process that was killed says nothing more."""
        while True:
            await self._clock.sleep(ATTENDS_SECONDS)
            with suppress(StoreError):
                await self.note(call_id, {"attended": name})

    async def _awaited(self, call_id: str, end: float, still: str) -> Result:
        while True:
            seen = await self.seen(call_id)
            if seen is None:
                return text_result(telling.NOT_KNOWN, is_error=True)
            if seen.outcome is not None or seen.maker == "dead":
                await self._calls.read(self._owner, call_id)
                # The process that makes the call learns so that its outcome was told, and forgets
                # it in time.
                await self.note(call_id, {"read": True})
                return _result(seen)
            if self._clock.time() >= end:
                return _still(seen, still)
            await self._clock.sleep(LOOK_SECONDS)

    async def _tick(self, requester: Requester) -> None:
        began = self._clock.time()
        while requester.has_token:
            await self._clock.sleep(TICK_SECONDS)
            requester.tick(None, telling.ticking(self._clock.time() - began))


def _written(held: HeldCall, outcome: asyncio.Task[Result]) -> bytes:
    """What a call came to: its result, or what it raised."""
    if outcome.cancelled():
        message = telling.TASK_MESSAGES["cancelled"] if held.is_task else telling.CANCELLED
        return json_line({"cancelled": message})
    error = outcome.exception()
    if isinstance(error, TaskCancelled):
        return json_line({"cancelled": telling.TASK_CANCELLED_BELOW})
    if error is None:
        return json_line({"result": outcome.result()})
    if isinstance(error, ProtocolCallError):
        return json_line({"code": error.code, "message": error.message, "data": error.data})
    return json_line({"failed": telling.failed(error)})


def _result(seen: CallSeen) -> Result:
    """What a call came to. Raises what it raised."""
    if seen.outcome is None:
        # That the tool is called is written down before it is, so that this errs to the safe side.
        ran = seen.call.state == "called"
        return text_result(telling.RUN_NOT_KNOWN if ran else telling.NOT_RUN, is_error=True)
    outcome = read_kept(seen.outcome)
    if "cancelled" in outcome:
        return text_result(outcome["cancelled"], is_error=True)
    if "result" in outcome:
        result: Result = outcome["result"]
        return result
    if "failed" in outcome:
        raise ElicitTuiError(outcome["failed"])
    raise ProtocolCallError(outcome["code"], outcome["message"], outcome["data"])


def _still(seen: CallSeen, still: str) -> Result:
    kept = {} if seen.paused is None else read_kept(seen.paused)
    meta = (kept.get("_meta") or {}).get(telling.PAUSED_META_KEY)
    result = text_result(still)
    return {**result, "_meta": {telling.PAUSED_META_KEY: meta}} if meta else result


def read_kept(text: bytes) -> dict[str, Any]:
    """What stands in a blob of a kept call."""
    read: dict[str, Any] = json.loads(text, parse_float=read_float)
    return read
