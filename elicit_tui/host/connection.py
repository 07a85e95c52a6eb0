"""One configured server: whether it is ready, what it offers, and calls to it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from elicit_tui.broker import Broker
from elicit_tui.elicitation import Call, Outcome, ServerIdentity, cancel, new_id
from elicit_tui.elicitation.settings import ServerSettings, Settings
from elicit_tui.errors import (
    BROKE_PROTOCOL,
    UNREAD_MESSAGE,
    Interrupted,
    ProtocolCallError,
    ServerError,
)
from elicit_tui.host.awaiting import Awaiting, Lifeline
from elicit_tui.host.breaches import Breaches
from elicit_tui.host.events import (
    CallSent,
    HostEvent,
    ListChanged,
    ServerLog,
    ServerStateChanged,
    State,
)
from elicit_tui.host.gate import ToolGate
from elicit_tui.host.launch import ServerProcess
from elicit_tui.host.offers import CallResult, Prompt, Resource, ResourceTemplate, Tool, all_pages
from elicit_tui.host.open_calls import CallUnderWay, Driven, OpenCalls
from elicit_tui.host.subscriptions import Subscriptions
from elicit_tui.text import neutral_line

if TYPE_CHECKING:
    from elicit_tui.host.offers import Listed
    from elicit_tui.host.session import Session
    from elicit_tui.host.wire import Wire

ANSWERS_OUT_SECONDS: Final = 1.0
CANCELLED: Final = cancel("user", "The person cancelled the call.")


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
        self.in_process: Any = None
        """The server where it is an object of this process."""
        self.http_refusal: int | None = None
        """The status of the last HTTP answer, when it was not a success."""
        self.login_refusal: str | None = None
        """Why that answer could not be met with a login, where it wanted one."""
        self.owner = owner
        """The owner's settings, of which `settings` are the server's."""
        self._broker = broker
        self._emit = emit
        self.gate = ToolGate(self, broker)
        self._session: Session | None = None
        self.open_calls = OpenCalls(broker.asks_for_call)
        self._subscriptions = Subscriptions(settings.name, self.emit)
        self._tools_listed = False
        self.lifeline = Lifeline()
        self._under_way: dict[str, CallUnderWay] = {}
        self.breaches = Breaches(partial(broker.notice, settings.name))
        """What it did against the protocol."""
        self._settled = asyncio.Event()
        """Set once the connection is ready, or will never be."""
        self._awaiting = Awaiting(self)

    @property
    def name(self) -> str:
        """The configured name."""
        return self.settings.name

    @property
    def process_id(self) -> int | None:
        """The process of a stdio server; None for a remote one or before it started."""
        return self.process.pid if self.process is not None else None

    def emit(self, event: HostEvent) -> None:
        """Tell whoever watches the host."""
        if isinstance(event, ListChanged) and event.kind == "tools":
            self.gate.changed()
        self._emit(event)

    # Its states, told by its lifecycle

    def became_ready(self, session: Session) -> None:
        """Take the session in use: its handshake is done."""
        self._session = session
        calls_itself, version = session.server_info
        self.identity = replace(
            self.identity,
            calls_itself=calls_itself,
            version=version,
            protocol_version=session.protocol_version,
        )
        # Nothing tells there which call a question belongs to.
        if self.identity.transport != "http" and not session.wire.protocol.rounds:
            self.open_calls.take_turns = True
        self._become("ready")

    def ended(self, failure: str | None) -> None:
        """End all that waits for it; `failure` says why when nobody asked for its end."""
        if self.state in ("failed", "closed"):
            return
        self._session = None
        self._subscriptions.end()
        self.failure = failure
        self._broker.server_gone(self.name, failure or f"The connection to {self.name} was closed.")
        self._become("closed" if failure is None else "failed")
        self._awaiting.ended.set()

    def _become(self, state: State) -> None:
        self.state = state
        self._settled.set()
        self.emit(ServerStateChanged(self.name, state, self.failure))

    def lose(self, sentence: str) -> None:
        """End this connection: it is of no more use, as the sentence says."""
        self.lifeline.lose(sentence)

    def log(self, line: str) -> None:
        """Tell of a line of the server's standard error, already neutral."""
        self.emit(ServerLog(self.name, line))

    async def settled(self) -> None:
        """Wait until it is ready. Raises ServerError when it failed."""
        await self._settled.wait()
        if self.state != "ready":
            raise self._gone()

    def _gone(self) -> ServerError:
        return ServerError(self.failure or f"The connection to {self.name} was closed.")

    @property
    def wire(self) -> Wire | None:
        """The judge of its messages; None while it is not ready."""
        return self._session.wire if self._session is not None else None

    @property
    def capabilities(self) -> Mapping[str, Any]:
        """What the server says that it can do, as it wrote it; empty before it is ready."""
        return self._session.capabilities if self._session is not None else {}

    @property
    def instructions(self) -> str | None:
        """How the server wants to be used: its own words, hostile text."""
        return self._session.instructions if self._session is not None else None

    def broken_rules(self) -> list[ServerError]:
        """What it did that nobody may rely on: a sentence for each.

        To be asked after its end, by whoever wants to rely on having met every question, on the
        result that counted, and on a server that ends in order: `call --strict` and scenarios.
        """
        lost = self.breaches.lost
        found = [
            ServerError(
                f"The server {self.name} {ending}.",
                code=UNREAD_MESSAGE if ending == lost else BROKE_PROTOCOL,
            )
            for ending in self.breaches.found
        ]
        if self.state == "failed" and self.failure is not None:
            found.append(ServerError(f"After its result: {self.failure}", code=BROKE_PROTOCOL))
        return found

    async def alive(self) -> None:
        """Return once anything at all came back. Raises Gone when the connection is lost."""
        if self._session is not None:
            await self._session.alive()

    # What it offers

    async def tools(self) -> tuple[Tool, ...]:
        """List the tools that the owner's lists let be seen. Raises ServerError, LimitReached."""
        listed = tuple(filter(None, map(Tool.read, await self._listed("tools"))))
        self._tools_listed = True
        self.gate.listed(listed)
        return tuple(tool for tool in listed if self.settings.offers_tool(tool.name))

    async def prompts(self) -> tuple[Prompt, ...]:
        """List the prompts. Raises ServerError, LimitReached."""
        return tuple(filter(None, map(Prompt.read, await self._listed("prompts"))))

    async def resources(self) -> tuple[Resource, ...]:
        """List the resources. Raises ServerError, LimitReached."""
        return tuple(filter(None, map(Resource.read, await self._listed("resources"))))

    async def templates(self) -> tuple[ResourceTemplate, ...]:
        """List the templates of resources. Raises ServerError, LimitReached."""
        return tuple(filter(None, map(ResourceTemplate.read, await self._listed("templates"))))

    async def complete(
        self,
        ref: Mapping[str, Any],
        argument: Mapping[str, Any],
        context: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Return the server's answer to completion/complete, exactly as it came.

        Raises ProtocolCallError, ServerError, LimitReached (spec: server/utilities/completion).
        """
        params = {"ref": ref, "argument": argument}
        if context is not None:
            params["context"] = context
        session = await self._ready_session()
        request = session.request("completion/complete", params)
        completed: dict[str, Any] = await self._awaiting.answer_to(request, "complete a value")
        return completed

    # What it is to tell by itself

    async def watch_lists(self) -> None:
        """Have it tell when what it offers changes; `ListChanged` then comes in either era.

        Raises ProtocolCallError where it does not know how, ServerError, LimitReached.
        """
        session = await self._ready_session()
        await self._awaiting.answer_to(
            self._subscriptions.watch_lists(session), "begin to tell of changes"
        )

    @property
    def tells_of_changed_tools(self) -> bool:
        """Whether a `ListChanged` comes when its tools are others than before."""
        session = self._session
        if session is None or session.wire.protocol.listening:
            return self._subscriptions.lists_are_watched
        tools = session.capabilities.get("tools")
        return isinstance(tools, Mapping) and tools.get("listChanged") is True

    async def subscribe(self, uri: str) -> None:
        """Have it tell when this resource is another than before, as `ResourceUpdated`.

        Raises ProtocolCallError, ServerError, LimitReached.
        """
        session = await self._ready_session()
        await self._awaiting.answer_to(
            self._subscriptions.subscribe(session, uri), "take a subscription"
        )

    async def unsubscribe(self, uri: str) -> None:
        """Have it tell no more of this resource. Raises as `subscribe` does."""
        session = await self._ready_session()
        await self._awaiting.answer_to(
            self._subscriptions.unsubscribe(session, uri), "end a subscription"
        )

    async def set_log_level(self, level: str) -> None:
        """Have it log from this level on (spec: server/utilities/logging).

        A server without that capability is left alone. Raises ProtocolCallError, ServerError,
        LimitReached.
        """
        session = await self._ready_session()
        session.wire.log_level = level
        if not session.wire.protocol.stateless and session.capabilities.get("logging") is not None:
            request = session.request("logging/setLevel", {"level": level})
            await self._awaiting.answer_to(request, "set its log level")

    async def _listed(self, kind: str) -> list[dict[str, Any]]:
        session = await self._ready_session()
        if session.capabilities.get("resources" if kind == "templates" else kind) is None:
            return []
        listed: Listed = await self._awaiting.answer_to(
            all_pages(session, kind), f"list its {kind}"
        )
        if listed.left_out is not None:
            self._broker.notice(self.name, listed.left_out)
        return listed.entries

    # Calls

    async def call(
        self, call: Call, made: Callable[[], Awaitable[None]] | None = None
    ) -> CallResult:
        """Make one call and see it to its end, questions included.

        A tool is called nowhere else, and only if policy, or the person it has asked, lets it;
        `made` is awaited then, and may raise. Raises ToolRefused when they do not,
        ProtocolCallError when the server answers with an error, ServerError when it goes away,
        LimitReached, and Interrupted when `cancel` was called. Cancelling this coroutine ends its
        open questions by `shutdown`.
        """
        under_way = self._under_way[call.id] = CallUnderWay(call)
        try:
            session = await self._ready_session()
            if call.method == "tools/call":
                # A person may have taken minutes over it, and the server may be gone.
                under_way.call = await self.gate.passed(call)
                session = await self._ready_session()
            if made is not None:
                await made()
            if under_way.given_up:
                raise Interrupted("The call was cancelled.")
            return await self._seen_to_its_end(session, under_way)
        finally:
            self._under_way.pop(call.id, None)

    async def _seen_to_its_end(self, session: Session, under_way: CallUnderWay) -> CallResult:
        call = under_way.call
        work = under_way.work = asyncio.ensure_future(self._in_turn(session, under_way))
        try:
            result, rounds = await self._awaiting.in_time(
                work,
                lambda: self.open_calls.time_stands_still(call),
                f'answer "{neutral_line(call.name, 100)}"',
            )
            # The result came although the call was given up meanwhile.
            if under_way.given_up:
                raise Interrupted("The call was cancelled.")
        except asyncio.CancelledError:
            # From within, by `cancel` or `break_off`; else whoever called was cancelled.
            if under_way.given_up:
                raise Interrupted("The call was cancelled.") from None
            under_way.given_up = True
            self._end_questions(call, cancel("shutdown", "elicit-tui ended first."))
            await self._answers_out(call.id)
            raise
        finally:
            # From here on nobody finds it to cancel it.
            self._under_way.pop(call.id, None)
            session.wire.call_ended(call.id)
            await under_way.end_work()
        return CallResult(result, rounds, session.protocol_version)

    async def _in_turn(self, session: Session, under_way: CallUnderWay) -> Driven:
        async with self.open_calls.turn(under_way.call):
            return await self._driven(session, under_way)

    async def cancel(self, call_id: str, outcome: Outcome = CANCELLED) -> None:
        """Give a call up: its questions end with this outcome, then the call is cancelled.

        A question that may be another open call's stays. `call` raises Interrupted; a task whose
        server says soon that it ended all the same has its end.
        """
        under_way = self._under_way.get(call_id)
        if under_way is None:
            return
        work, cancel_task = under_way.work, under_way.cancel_task
        # A task is not given up: its server may still say how it ended.
        under_way.given_up = under_way.given_up or cancel_task is None
        if work is None:
            self.gate.give_up(call_id, outcome)
            return
        self._end_questions(under_way.call, outcome)
        await self._answers_out(call_id)
        if cancel_task is None:
            work.cancel()
        else:
            await cancel_task()

    async def break_off(self, call_id: str) -> None:
        """Cancel a call while its questions have no answer; returns when the server was told.

        `call` raises Interrupted.
        """
        under_way = self._under_way.get(call_id)
        if under_way is not None and under_way.work is not None:
            under_way.given_up = True
            await under_way.end_work()

    async def _driven(self, session: Session, under_way: CallUnderWay) -> Driven:
        from elicit_tui.host.exchange import is_task
        from elicit_tui.host.rounds import CallDriver
        from elicit_tui.host.task_follower import TaskFollower

        call = under_way.call
        if call.method == "tools/call" and self._wants_headers(session):
            # Its tools may want arguments repeated in headers; the SDK learns which by listing.
            # Where that fails the call itself tells whether they were needed.
            with contextlib.suppress(ProtocolCallError):
                await self.tools()
        self.emit(CallSent(self.name, call.id))
        driver = CallDriver(
            self.identity,
            session,
            self._broker,
            call,
            self.owner.elicitation.rounds,
            self.emit,
            lambda: under_way.given_up,
        )
        result, rounds = await self._awaiting.unless_lost(driver.run())
        if not is_task(result):
            return result, rounds
        follower = TaskFollower(driver, rounds)
        under_way.cancel_task = follower.cancel
        try:
            return await self._awaiting.unless_lost(follower.run(result)), follower.rounds
        finally:
            under_way.cancel_task = None

    def _wants_headers(self, session: Session) -> bool:
        by_headers = session.wire.protocol.stateless and self.identity.transport == "http"
        return by_headers and not self._tools_listed

    def _end_questions(self, call: Call, outcome: Outcome) -> None:
        self._broker.end_where(lambda request: self.open_calls.only_for(request, call.id), outcome)

    async def end_all_questions(self) -> None:
        """Answer everything that is open with a cancel by `shutdown`, before the end."""
        closed = cancel("shutdown", f"The connection to {self.name} was closed.")
        self._broker.end_all(self.name, closed)
        await self._answers_out(None)

    async def _answers_out(self, call_id: str | None) -> None:
        """Give the answers of a call, or of all, a moment to leave."""
        for _ in range(int(ANSWERS_OUT_SECONDS / 0.01)):
            if self._session is None or not self._session.wire.unanswered(call_id):
                return
            await asyncio.sleep(0.01)

    async def _ready_session(self) -> Session:
        await self.settled()
        if self._session is None:
            raise self._gone()
        return self._session


def _identity(settings: ServerSettings) -> ServerIdentity:
    from elicit_tui.elicitation.hiding import shown_address, shown_command

    if settings.url is not None:
        return ServerIdentity(settings.name, settings.transport, shown_address(settings.url))
    command = shown_command(settings.command or "", settings.args)
    return ServerIdentity(settings.name, "stdio", command)
