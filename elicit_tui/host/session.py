"""One connected session of the SDK with our wire around it: handshake and single requests."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Final

import anyio
import anyio.lowlevel
from mcp.client.session import ClientRequestContext, ClientSession
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CONNECTION_CLOSED,
    REQUEST_TIMEOUT,
    CallToolRequest,
    CallToolRequestParams,
    ElicitRequestParams,
    ElicitResult,
    EmptyResult,
    ErrorData,
    GetPromptRequest,
    GetPromptRequestParams,
    Implementation,
    PaginatedRequestParams,
    ReadResourceRequest,
    ReadResourceRequestParams,
    Request,
    RequestParams,
)

from elicit_tui import __version__
from elicit_tui.elicitation import Call, ElicitationRequest
from elicit_tui.elicitation.eras import HANDSHAKE, MODERN
from elicit_tui.errors import INVALID_ANSWER, ProtocolCallError, ServerError
from elicit_tui.host.exchange import CURRENT, Exchange, is_task
from elicit_tui.host.streams import JudgedRead, JudgedWrite
from elicit_tui.host.wire import Wire
from elicit_tui.text import quoted

# By these words alone a refusal of HTTP is told from an error of the server. Should an SDK word
# them anew, `_kind_of` takes such a refusal for the server's own "no".
_TRANSPORT_WORDS: Final = (
    "Not Found",
    "Session terminated",
    "Server returned an error response",
    "server answered a request with 202 Accepted",
    "Unexpected content type",
    "Failed to parse",
    "SSE stream",
    "Redirect to",
)
"""How the SDK's HTTP transport begins the errors that it makes up itself, with no data."""


class _TaskParams(RequestParams):
    task_id: str


class _TaskRequest(Request[_TaskParams, str]):
    """A request about a task, whose id stands in a header too."""

    name_param = "taskId"


class Gone(Exception):
    """The connection ended before the answer came; its lifecycle knows why."""


class TransportRefused(Exception):
    """The HTTP layer refused a request; the connection itself goes on."""


class Unanswered(TransportRefused):
    """The SDK waits no longer for an answer."""


class Session:
    """What a connection does with its server once the streams are open."""

    def __init__(self, sdk: ClientSession, wire: Wire, *, remote: bool) -> None:
        self._sdk = sdk
        self._remote = remote
        self.wire = wire
        self.greeting: dict[str, Any] = {}
        """What the server answered to the handshake or the discovery, as it came."""

    @property
    def protocol_version(self) -> str | None:
        """The negotiated revision."""
        return self._sdk.protocol_version

    @property
    def server_info(self) -> tuple[str | None, str | None]:
        """What the server calls itself, and its version: its own words."""
        info = self._sdk.server_info
        return (info.name, info.version) if info is not None else (None, None)

    @property
    def capabilities(self) -> Mapping[str, Any]:
        """What the server says that it can do, as it wrote it."""
        given = self.greeting.get("capabilities")
        return given if isinstance(given, Mapping) else {}

    @property
    def instructions(self) -> str | None:
        """How the server wants to be used: its own words."""
        given = self.greeting.get("instructions")
        return given if isinstance(given, str) else None

    async def connect(self, protocol: str) -> None:
        """Agree on a revision: the handshake first unless the owner pinned the modern one."""
        if protocol != MODERN:
            try:
                await self._greeted(self._sdk.initialize())
                return
            # RuntimeError: what the SDK raises for a revision that it does not know.
            except (ProtocolCallError, TransportRefused, RuntimeError) as error:
                if protocol == HANDSHAKE:
                    raise
                # The first refusal is what is told if both fail: most servers know the handshake,
                # and their words for it say more than those for a method they never heard of.
                refusal = error
            try:
                await self._greeted(self._sdk.discover())
            except (ProtocolCallError, TransportRefused, RuntimeError):
                raise refusal from None
        else:
            await self._discovered()
        # From here on the wire expects rounds. Until now it took the server for one of the
        # handshake era, which is right for the greeting in either era: no question may come before
        # its end.
        self.wire.era = "modern"

    async def _discovered(self) -> None:
        """Ask until it answers: how long a server may take to start is the owner's to say.

        The SDK waits ten seconds each time.
        """
        while True:
            with contextlib.suppress(Unanswered):
                await self._greeted(self._sdk.discover())
                return

    async def _greeted(self, request: Any) -> None:
        exchange = Exchange()
        await self._checked(exchange, request)
        # The SDK keeps a model of the answer; what came is what the wire has kept.
        self.greeting = exchange.result or {}

    async def probe(self) -> None:
        """Ask for a sign of life; in the modern era nothing else shows that a server is gone."""
        await self._checked(Exchange(), self._sdk.send_discover(MODERN))

    async def alive(self) -> None:
        """Returns once anything at all came back. Raises Gone when the connection is lost."""
        asking = self.probe() if self.wire.protocol.stateless else self._sdk.send_ping()
        # A refusal is a sign of life as well.
        with contextlib.suppress(ProtocolCallError, TransportRefused, ServerError):
            await self._checked(Exchange(), asking)

    async def send(self, exchange: Exchange) -> dict[str, Any]:
        """Send one request of a call; its answer exactly as it came, a round's included."""
        call = exchange.call
        assert call is not None
        # A resource is read without arguments.
        if call.method != "resources/read":
            # As they are: the library's own way there would drop or change some values.
            exchange.extra = {"arguments": dict(call.arguments), **exchange.extra}
        await self._checked(
            exchange,
            self._sdk.send_request(_request_of(call), EmptyResult, progress_callback=_on_progress),
        )
        assert exchange.result is not None
        return exchange.result

    async def request(
        self,
        method: str,
        params: Mapping[str, Any],
        acknowledged: Callable[[], None] | None = None,
    ) -> dict[str, Any]:
        """Send any other request; params and answer stay exactly as they are.

        Raises ProtocolCallError, ServerError, Gone, TransportRefused.
        """
        exchange = Exchange(extra=params, acknowledged=acknowledged)
        request = Request[RequestParams, str](method=method, params=RequestParams())
        # `EmptyResult` has the SDK check next to nothing: the answer is taken from the wire.
        await self._checked(exchange, self._sdk.send_request(request, EmptyResult))
        return exchange.result or {}

    async def about_task(
        self,
        method: str,
        task_id: str,
        params: Mapping[str, Any] | None = None,
        answering: tuple[ElicitationRequest, ...] = (),
    ) -> dict[str, Any]:
        """Send tasks/get, tasks/update or tasks/cancel (spec: SEP-2663); raises as `request`.

        `answering`: the questions whose answers it carries.
        """
        exchange = Exchange(extra=params or {}, answering=answering, of_task=True)
        request = _TaskRequest(method=method, params=_TaskParams(task_id=task_id))
        await self._checked(exchange, self._sdk.send_request(request, EmptyResult))
        return exchange.result or {}

    async def listen(self, wanted: Mapping[str, Any], opened: Callable[[], None]) -> None:
        """Hold a stream of notifications open (modern era); returns when the server ends it."""
        try:
            await self.request("subscriptions/listen", {"notifications": wanted}, opened)
        except (Gone, TransportRefused) as error:
            raise ServerError(f"The stream of notifications ended: {error}") from None

    async def page(self, kind: str, cursor: str | None) -> tuple[dict[str, Any], set[str] | None]:
        """One page of a list as it came, and the names the SDK kept of it (tools only)."""
        exchange = Exchange()
        params = PaginatedRequestParams(cursor=cursor) if cursor is not None else None
        valid_names: set[str] | None = None
        try:
            listed = await self._checked(exchange, self._list(kind, params))
            if kind == "tools":
                valid_names = {tool.name for tool in listed.tools}
        except ServerError:
            # One malformed entry must not hide the others; they are read one by one.
            if exchange.result is None:
                raise
        return exchange.result or {}, valid_names

    def _list(self, kind: str, params: PaginatedRequestParams | None) -> Awaitable[Any]:
        """The SDK's request for one page of a list."""
        if kind == "tools":
            return self._sdk.list_tools(params=params)
        if kind == "prompts":
            return self._sdk.list_prompts(params=params)
        if kind == "resources":
            return self._sdk.list_resources(params=params)
        return self._sdk.list_resource_templates(params=params)

    async def _checked(self, exchange: Exchange, request: Any) -> Any:
        # The SDK writes in the task that awaits the request, so that the wire reads this at that
        # moment.
        token = CURRENT.set(exchange)
        try:
            answer = await request
            self._judge_result(exchange)
            return answer
        except MCPError as error:
            raise self._kind_of(exchange, error) from None
        except (ValueError, RecursionError):
            # Against the protocol, or nested deeper than the SDK can go.
            raise ServerError(
                "The server's answer is not what the protocol allows.", code=INVALID_ANSWER
            ) from None
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            raise Gone from None
        finally:
            CURRENT.reset(token)
            # Whatever the end: a late answer to this request must find nothing that it could still
            # belong to.
            self.wire.forget(exchange)

    def _judge_result(self, exchange: Exchange) -> None:
        # A round is looked at by whoever drives the call.
        if exchange.result is None or exchange.new_round is not None:
            return
        # A task is judged where it is followed, and what it comes to is judged as the call's
        # result.
        is_call = exchange.call is not None and exchange.call.method == "tools/call"
        if is_call and self.wire.protocol.tasks and is_task(exchange.result):
            return
        self.judge(exchange.result, is_call=is_call, may_ask=exchange.of_task)

    def judge(self, result: Mapping[str, Any], *, is_call: bool, may_ask: bool = False) -> None:
        """What the SDK would take though the protocol does not allow it. Raises ServerError.

        An answer of a kind nobody knows is invalid (spec: 2026-07-28, `resultType`; absent means
        complete); the handshake era knows no other, and one that asks would pass there for the end
        of its call. `isError` is true or false: a tool that says "true" would count as one that
        did not fail.
        """
        kind = result.get("resultType", "complete")
        if kind != "complete":
            named = quoted(kind, 60) if isinstance(kind, str) else "no text"
            spoken = self.protocol_version
            revision = f"revision {spoken}" if spoken is not None else "the protocol"
            raise ServerError(
                f"The server's answer is of a kind that {revision} does not know "
                f"(resultType: {named}).",
                code=INVALID_ANSWER,
            )
        # It would be the end of the call for one reader and a question for another.
        wants = [result.get(key) for key in ("inputRequests", "requestState")]
        if not may_ask and any(value is not None for value in wants):
            raise ServerError(
                "The server's answer says that it is complete, and asks for input.",
                code=INVALID_ANSWER,
            )
        if is_call and not isinstance(result.get("isError", False), bool):
            raise ServerError(
                "The server's answer has an isError that is neither true nor false.",
                code=INVALID_ANSWER,
            )

    def _kind_of(self, exchange: Exchange, error: MCPError) -> Exception:
        """Whether the server said no, the HTTP layer did, or the connection is gone."""
        made_up = error.data is None and error.message.startswith(_TRANSPORT_WORDS)
        # The SDK raises the same error for a server's "no", for a status of HTTP and for a lost
        # connection. The wire has seen whether an error came; where HTTP makes one up in its place,
        # only its words tell.
        if exchange.answered_by_error and not (self._remote and made_up):
            return ProtocolCallError(error.code, error.message, error.data)
        if error.code == CONNECTION_CLOSED:
            return Gone()
        # Only our own side is left now: a closed stream, the SDK's clock, or what HTTP makes up.
        timed_out = error.code == REQUEST_TIMEOUT and not exchange.answered_by_error
        return (Unanswered if timed_out else TransportRefused)(error.message)


async def _on_progress(progress: float, total: float | None, message: str | None) -> None:
    """Given so that the SDK asks for progress; the wire is what tells it."""


def _request_of(call: Call) -> Any:
    if call.method == "tools/call":
        return CallToolRequest(
            params=CallToolRequestParams(name=call.name, arguments=dict(call.arguments))
        )
    if call.method == "prompts/get":
        return GetPromptRequest(params=GetPromptRequestParams(name=call.name))
    return ReadResourceRequest(params=ReadResourceRequestParams(uri=call.name))


async def _decided(
    wire: Wire, context: ClientRequestContext, params: ElicitRequestParams
) -> ElicitResult | ErrorData:
    """What the SDK is told of a question that the wire let through; each has a task of its own."""
    try:
        outcome = await wire.decide(context.request_id)
    except asyncio.CancelledError:
        # A cancellation that passed through other tasks has lost whose it is; taken for one from
        # outside it would end the whole session, and not this request.
        await anyio.lowlevel.checkpoint_if_cancelled()
        raise
    # The wire writes the true result in this one's place, or nothing when there is none.
    action = outcome.action if outcome is not None and outcome.action else "cancel"
    return ElicitResult(action=action)


@asynccontextmanager
async def open_session(
    read: Any,
    write: Any,
    wire: Wire,
    *,
    remote: bool,
    broken: Callable[[Exception], None],
    gone: Callable[[], None],
) -> AsyncIterator[Session]:
    """The SDK's session over a transport's two streams, with the wire between them."""
    outgoing = JudgedWrite(write, wire)
    sdk = ClientSession(
        JudgedRead(read, wire, broken, gone),
        outgoing,
        elicitation_callback=partial(_decided, wire),
        client_info=Implementation(name="elicit-tui", version=__version__),
        log_level="info",
    )
    # The writer begins before the SDK's session and ends after it, so that what the wire itself
    # answers meanwhile still leaves.
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_write_answers, wire, outgoing)
        async with sdk:
            yield Session(sdk, wire, remote=remote)
        tasks.cancel_scope.cancel()


async def _write_answers(wire: Wire, outgoing: JudgedWrite) -> None:
    try:
        await wire.outbox.run(outgoing.send_directly)
    except (anyio.ClosedResourceError, anyio.BrokenResourceError):
        # The server went away; the reading side notices and says so.
        return
