"""One configured server: its life from start to end, what it offers, and calls to it."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from elicit_tui.broker import Broker
from elicit_tui.elicitation import Call, Outcome, ServerIdentity, cancel, new_id
from elicit_tui.elicitation.settings import ServerSettings, Settings
from elicit_tui.errors import Interrupted, LimitReached, ServerError
from elicit_tui.host.call_clock import wait_within
from elicit_tui.host.events import (
    HostEvent,
    RoundStarted,
    ServerLog,
    ServerStateChanged,
    State,
)
from elicit_tui.host.launch import ServerProcess
from elicit_tui.host.offers import CallResult, Prompt, Resource, Tool
from elicit_tui.text import in_seconds, neutral_line

if TYPE_CHECKING:
    from elicit_tui.host.listing import Listed
    from elicit_tui.host.session import Session

ANSWERS_OUT_SECONDS: Final = 1.0
END_KNOWN_SECONDS: Final = 3.0


class Connection:
    """A server that the host talks to; one object for one connection, never reused."""

    def __init__(
        self,
        settings: ServerSettings,
        owner: Settings,
        broker: Broker,
        emit: Callable[[HostEvent], None],
    ) -> None:
        self.settings = settings
        self.id = new_id()[:12]
        """Of this connection alone: what is allowed for the session ends with it."""
        self.identity = _identity(settings)
        self.state: State = "starting"
        self.failure: str | None = None
        self.process: ServerProcess | None = None
        self.http_refusal: int | None = None
        """The status of the last HTTP answer, when it was not a success."""
        self._owner = owner
        self._broker = broker
        self.emit = emit
        self._session: Session | None = None
        self._turn: asyncio.Lock | None = None
        self._has_turn: Call | None = None
        self._tools_listed = False
        self.lost: Callable[[str], None] = lambda sentence: None
        """Tells the task that lives this connection that it is of no more use, and why."""
        self._calls: dict[str, tuple[Call, asyncio.Task[Any]]] = {}
        self._given_up: set[str] = set()
        self._settled = asyncio.Event()
        """Set once the connection is ready, or will never be."""
        self._ended = asyncio.Event()

    @property
    def name(self) -> str:
        """The configured name."""
        return self.settings.name

    @property
    def process_id(self) -> int | None:
        """The process of a stdio server; None for a remote one or before it started."""
        return self.process.pid if self.process is not None else None

    # Its life, told by the task that lives it

    def became_ready(self, session: Session) -> None:
        """The handshake is done."""
        self._session = session
        calls_itself, version = session.server_info
        self.identity = replace(
            self.identity,
            calls_itself=calls_itself,
            version=version,
            protocol_version=session.protocol_version,
        )
        if self.identity.transport != "http" and session.wire.era == "handshake":
            # Nothing on such a stream tells which call a question belongs to: one at a time.
            self._turn = asyncio.Lock()
        self._become("ready")

    def ended(self, failure: str | None) -> None:
        """The connection is over; `failure` says why when nobody asked for its end."""
        if self.state in ("failed", "closed"):
            return
        self._session = None
        self.failure = failure
        self._broker.server_gone(self.name, failure or f"The connection to {self.name} was closed.")
        self._become("closed" if failure is None else "failed")
        self._ended.set()

    def _become(self, state: State) -> None:
        self.state = state
        self._settled.set()
        self.emit(ServerStateChanged(self.name, state, self.failure))

    def log(self, line: str) -> None:
        """A line of the server's standard error, already neutral."""
        self.emit(ServerLog(self.name, line))

    async def settled(self) -> None:
        """Wait until it is ready. Raises ServerError when it failed."""
        await self._settled.wait()
        if self.state != "ready":
            raise self._gone()

    def _gone(self) -> ServerError:
        return ServerError(self.failure or f"The connection to {self.name} was closed.")

    @property
    def active_call(self) -> Call | None:
        """The call that a question belongs to when nothing else tells: the only one."""
        if self._turn is not None:
            return self._has_turn
        calls = [call for call, _ in self._calls.values()]
        return calls[0] if len(calls) == 1 else None

    # What it offers

    async def tools(self) -> tuple[Tool, ...]:
        """The tools that the owner's lists let be seen. Raises ServerError, LimitReached."""
        listed = [tool for entry in await self._listed("tools") if (tool := Tool.read(entry))]
        self._tools_listed = True
        return tuple(tool for tool in listed if self.settings.offers_tool(tool.name))

    async def prompts(self) -> tuple[Prompt, ...]:
        """The prompts. Raises ServerError, LimitReached."""
        read = (Prompt.read(entry) for entry in await self._listed("prompts"))
        return tuple(prompt for prompt in read if prompt is not None)

    async def resources(self) -> tuple[Resource, ...]:
        """The resources. Raises ServerError, LimitReached."""
        read = (Resource.read(entry) for entry in await self._listed("resources"))
        return tuple(resource for resource in read if resource is not None)

    async def _listed(self, kind: str) -> list[dict[str, Any]]:
        from elicit_tui.host.listing import all_pages

        session = await self._ready_session()
        if not session.offers(kind):
            return []
        work = asyncio.ensure_future(self._reachable(all_pages(session, kind)))
        listed: Listed
        try:
            listed = await self._limited(work, lambda: False, f"list its {kind}")
        finally:
            work.cancel()
        if listed.left_out is not None:
            self._broker.notice(self.name, listed.left_out)
        return listed.entries

    # Calls

    async def call(self, call: Call) -> CallResult:
        """Make one call and see it to its end, questions included.

        Raises ProtocolCallError when the server answers with an error, ServerError when it goes
        away, LimitReached, and Interrupted when `cancel` was called. Cancelling this coroutine
        ends its open questions by `shutdown`.
        """
        session = await self._ready_session()
        work = asyncio.ensure_future(self._in_turn(session, call))
        self._calls[call.id] = (call, work)
        try:
            result, rounds = await self._limited(
                work, lambda: self._stands_still(call), f'answer "{neutral_line(call.name, 100)}"'
            )
            if call.id in self._given_up:
                raise Interrupted("The call was cancelled.")
        except asyncio.CancelledError:
            if call.id in self._given_up:
                raise Interrupted("The call was cancelled.") from None
            self._end_questions(call, cancel("shutdown", "elicit-tui ended first."))
            await self._answers_out(call)
            raise
        finally:
            self._given_up.discard(call.id)
            self._calls.pop(call.id, None)
            work.cancel()
            session.wire.call_ended(call.id)
            await asyncio.wait((work,), timeout=END_KNOWN_SECONDS)
            # Looked at, so that an end nobody waited for is no warning of its own.
            if work.done() and not work.cancelled():
                work.exception()
        return CallResult(result, rounds, session.protocol_version)

    def _stands_still(self, call: Call) -> bool:
        """A call's time does not pass while it waits for its turn or for a person."""
        waits = self._turn is not None and self._has_turn is not call
        return waits or self._broker.waiting(call.id)

    async def _in_turn(self, session: Session, call: Call) -> tuple[dict[str, Any], int]:
        if self._turn is None:
            return await self._driven(session, call)
        async with self._turn:
            self._has_turn = call
            try:
                return await self._driven(session, call)
            finally:
                self._has_turn = None

    async def cancel(self, call_id: str) -> None:
        """The person gives a call up: its questions are cancelled by `user`, then the call."""
        call, work = self._calls.get(call_id, (None, None))
        if call is None or work is None:
            return
        self._given_up.add(call_id)
        self._end_questions(call, cancel("user", "The person cancelled the call."))
        await self._answers_out(call)
        work.cancel()

    async def _driven(self, session: Session, call: Call) -> tuple[dict[str, Any], int]:
        from elicit_tui.host.rounds import drive
        from elicit_tui.host.session_link import SessionLink

        if call.method == "tools/call" and self._wants_headers(session):
            # Its tools may want arguments repeated in headers; the SDK learns which by listing.
            await self.tools()
        link = SessionLink(self.identity, session, self._broker, self._round)
        rounds = self._owner.elicitation.rounds
        ended: tuple[dict[str, Any], int]
        ended = await self._reachable(drive(link, self._broker, call, rounds))
        return ended

    def _wants_headers(self, session: Session) -> bool:
        modern = session.wire.era == "modern" and self.identity.transport == "http"
        return modern and not self._tools_listed

    async def _reachable(self, work: Any) -> Any:
        """Say in a sentence what an HTTP refusal or a lost connection came to."""
        from elicit_tui.host.session import Gone, TransportRefused

        session = self._session
        try:
            return await work
        except TransportRefused as error:
            if not str(error).startswith("Session terminated"):
                raise ServerError(self._refusal(error)) from None
            sentence = (
                f"The server {self.name} no longer knows our session, as after a restart of its "
                "own (HTTP 404); connect to it anew."
            )
            self.lost(sentence)
            raise ServerError(sentence) from None
        except Gone:
            await self._find_out(session)
            raise self._lost() from None

    async def _find_out(self, session: Session | None) -> None:
        """Whether only an answer was lost or the server: the connection's life says which."""
        from elicit_tui.host.session import Gone

        ended = asyncio.ensure_future(self._ended.wait())
        alive = asyncio.ensure_future(session.alive() if session is not None else asyncio.sleep(0))
        try:
            await asyncio.wait(
                (ended, alive), timeout=END_KNOWN_SECONDS, return_when=asyncio.FIRST_COMPLETED
            )
            if alive.done() and isinstance(alive.exception(), Gone):
                await asyncio.wait((ended,), timeout=END_KNOWN_SECONDS)
        finally:
            for task in (ended, alive):
                task.cancel()
            await asyncio.gather(ended, alive, return_exceptions=True)

    def _refusal(self, error: Exception) -> str:
        from elicit_tui.host.faults import status_reason, transport_reason

        status = self.http_refusal
        reason = status_reason(status) if status else transport_reason(str(error))
        what = "could not answer" if status and status >= 500 else "refused the request"
        return f"The server {self.name} {what}: {reason}."

    def _lost(self) -> ServerError:
        if self.failure is not None:
            return self._gone()
        return ServerError(
            f"The server {self.name} broke off its answer; whether it did the work is not known."
        )

    async def _limited(
        self, work: asyncio.Task[Any], standing_still: Callable[[], bool], what: str
    ) -> Any:
        seconds = self.settings.tool_timeout_sec
        if await wait_within(work, seconds, standing_still):
            return await work
        raise LimitReached(
            f"The server {self.name} did not {what} within {in_seconds(seconds)} "
            f"(mcp_servers.{self.name}.tool_timeout_sec allows more)."
        )

    def _end_questions(self, call: Call, outcome: Outcome) -> None:
        for pending in self._broker.pending:
            asked_for = pending.question.request.call
            if asked_for is not None and asked_for.id == call.id:
                pending.settle(outcome)

    async def end_all_questions(self) -> None:
        """Answer everything that is open with a cancel by `shutdown`, before the end."""
        for pending in self._broker.pending:
            if pending.question.request.server.name == self.name:
                pending.settle(cancel("shutdown", f"The connection to {self.name} was closed."))
        await self._answers_out(None)

    async def _answers_out(self, call: Call | None) -> None:
        """Give the answers of a call, or of all, a moment to leave."""
        call_id = call.id if call is not None else None
        for _ in range(int(ANSWERS_OUT_SECONDS / 0.01)):
            if self._session is None or not self._session.wire.unanswered(call_id):
                return
            await asyncio.sleep(0.01)

    async def _ready_session(self) -> Session:
        await self.settled()
        if self._session is None:
            raise self._gone()
        return self._session

    def _round(self, call: Call, number: int, group_size: int) -> None:
        self.emit(RoundStarted(self.name, call.id, number, group_size))


def _identity(settings: ServerSettings) -> ServerIdentity:
    if settings.url is not None:
        from elicit_tui.host.address import shown_address

        return ServerIdentity(settings.name, settings.transport, shown_address(settings.url))
    command = shlex.join([settings.command or "", *settings.args])
    return ServerIdentity(settings.name, "stdio", command)
