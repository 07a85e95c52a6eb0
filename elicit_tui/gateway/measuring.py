"""The tool `elicit_doctor`: it holds a call until its agent gives up, and tells the doctor when.

It is there only while `elicit-tui gateway doctor` runs for this very agent. Whoever takes a call
back is seen to do so; a client that gives up without a word is seen when its agent calls again.
"""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final

from elicit_tui.gateway.agents import agent_called
from elicit_tui.gateway.catalogue import Entry
from elicit_tui.gateway.clock import Clock
from elicit_tui.gateway.doctor_files import (
    CallEnd,
    DoctorFiles,
    DoctorRequest,
    Observation,
    files_of,
    proof_of,
)
from elicit_tui.gateway.own_tools import DOCTOR
from elicit_tui.gateway.requester import AgentInfo, Requester
from elicit_tui.gateway.telling import Result, text_result
from elicit_tui.text import as_name

LOOK_SECONDS: Final = 2.0
"""How often a gateway looks whether a doctor came or went."""
SIDE_BY_SIDE_SECONDS: Final = 3.0
"""A second call that comes sooner was made beside the first, not after it."""

TOOL: Final[Entry] = {
    "name": DOCTOR,
    "title": "Measure how long this client waits",
    "description": (
        "Ends when the client gives up waiting. Call it only when the user says so, once at a "
        "time, and never again by yourself. `progress`: whether signs of progress are sent."
    ),
    "inputSchema": {
        "type": "object",
        "properties": {"progress": {"type": "boolean"}},
        "required": ["progress"],
    },
    "annotations": {"readOnlyHint": True, "openWorldHint": False},
}


class Measuring:
    """What one session knows of a doctor."""

    def __init__(self, clock: Clock, changed: Callable[[], None], secret_env: str) -> None:
        """`changed`: the list of tools is another; `secret_env`: as `store.secret_env`."""
        self._clock = clock
        self._changed = changed
        self._secret_env = secret_env
        self._known: tuple[str | None, DoctorFiles | None] | None = None
        """The agent's name, and the files by which a doctor asks for it."""
        self._offered = False
        self._superseded: asyncio.Future[None] | None = None
        self._began = 0.0

    def offered(self, agent: AgentInfo, *, look: bool = True) -> bool:
        """Whether a doctor wants to know something of this agent; `look`: at this very moment."""
        # The agent's name is known with its first request, and says which files are its doctor's.
        if self._known is None or self._known[0] != agent.name:
            self._known = (agent.name, files_of(agent_called(agent.name).key))
            look = True
        if not look:
            return self._offered
        self._offered = self._request() is not None
        return self._offered

    def _request(self) -> DoctorRequest | None:
        files = self._files
        return files.request() if files is not None else None

    @property
    def _files(self) -> DoctorFiles | None:
        return self._known[1] if self._known is not None else None

    async def watch(self) -> None:
        """Tell when the tool comes or goes; for ever."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            there = self._request() is not None
            if there != self._offered:
                self._offered = there
                self._changed()

    async def call(self, arguments: Mapping[str, Any], requester: Requester) -> Result:
        """Hold this call for as long as its client waits."""
        request, files = self._request(), self._files
        if request is None or files is None:
            return text_result("No doctor is there. Do not call this again.", is_error=True)
        if self._superseded is not None and not self._superseded.done():
            # Sooner than an agent can notice that its first call has failed: made beside it.
            if self._clock.time() - self._began < SIDE_BY_SIDE_SECONDS:
                return text_result("One at a time: wait for the first call.", is_error=True)
            # The client of the first call has given up without a word.
            self._superseded.set_result(None)
        # From its arrival, as the time that its client counts begins about then.
        self._began = requester.arrived
        self._superseded = asyncio.get_running_loop().create_future()
        # Signs of progress need the client's token (spec: basic/utilities/progress).
        progress = arguments.get("progress") is True and requester.has_token
        measured = _MeasuredCall(
            files, request, requester, self._clock, progress, os.environ.get(self._secret_env)
        )
        how = await self._held(measured, self._superseded)
        waited = measured.ended(how)
        return text_result(f"Held for {waited:.0f} s. Go on as the user said.")

    async def _held(self, measured: _MeasuredCall, superseded: asyncio.Future[None]) -> CallEnd:
        """How it ended; raises CancelledError when its client took it back or hung up."""
        ticking_task = asyncio.ensure_future(measured.tick())
        clock = asyncio.ensure_future(measured.to_the_longest())
        try:
            # Its client goes on without a word, or the time that was wished is over. What its
            # client takes back cancels this task.
            await asyncio.wait((superseded, clock), return_when=asyncio.FIRST_COMPLETED)
            return "silent" if superseded.done() else "longest"
        except asyncio.CancelledError:
            measured.ended("gave up")
            raise
        finally:
            superseded.cancel()
            for task in (ticking_task, clock):
                task.cancel()
            with suppress(asyncio.CancelledError):
                await asyncio.gather(ticking_task, clock, return_exceptions=True)


class _MeasuredCall:
    """One measured call, as the doctor is told of it."""

    def __init__(
        self,
        files: DoctorFiles,
        request: DoctorRequest,
        requester: Requester,
        clock: Clock,
        progress: bool,
        secret: str | None,
    ) -> None:
        self._files = files
        self._wanted = request
        self._requester = requester
        self._clock = clock
        self._progress = progress
        self._proof = proof_of(secret, request.nonce)
        self._started_by = () if requester.http else _started_by()
        self._id = secrets.token_hex(8)
        self._tell("began")

    def _tell(self, event: Any, how: CallEnd | None = None) -> float:
        agent = self._requester.agent
        seconds = self._clock.time() - self._requester.arrived
        self._files.add(
            Observation(
                call=self._id,
                event=event,
                progress=self._progress,
                token=self._requester.has_token,
                http=self._requester.http,
                seconds=round(seconds, 3),
                client=as_name(f"{agent.name or '?'} {agent.version or ''}".strip(), 80),
                how=how,
                proof=self._proof,
                started_by=self._started_by,
            )
        )
        return seconds

    def ended(self, how: CallEnd) -> float:
        """Tell how it ended; after how many seconds that was."""
        return self._tell("ended", how)

    async def tick(self) -> None:
        """Say that the call still waits: to its client, where wished, and to the doctor."""
        while True:
            await self._clock.sleep(self._wanted.every)
            waited = self._tell("waits")
            if self._progress:
                self._requester.tick(None, f"Measuring ({int(waited)} s).")

    async def to_the_longest(self) -> None:
        """Return when the call was held as long as was wished."""
        end = self._requester.arrived + self._wanted.longest
        await self._clock.sleep(end - self._clock.time())


def _started_by() -> tuple[str, ...]:
    # Looks at processes, which a gateway that nobody measures never does.
    from elicit_tui.broker.answerer import started_by

    return started_by()
