"""The SDK's server towards the agent: both eras, either transport, one middleware.

The SDK sieves what handlers return (it drops `$defs`, a schema's `title`, `x-*`, unknown keys).
What a middleware returns without calling the next one is sent as it is, so everything that comes
from a server is answered here. The SDK keeps the transports, the handshake and the envelope.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import suppress
from typing import Any, Final

import mcp_types as types
from mcp.server.context import CallNext
from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import MCP_NAME_HEADER, decode_header_value
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from elicit_tui import __version__
from elicit_tui.elicitation.eras import EXTENSION
from elicit_tui.errors import ElicitTuiError, ProtocolCallError
from elicit_tui.gateway.agent import (
    AgentRequest,
    Context,
    agent_info,
    is_modern,
    knows_tasks,
)
from elicit_tui.gateway.agent_session import AgentSession
from elicit_tui.gateway.fit_to_pass import readable
from elicit_tui.gateway.offers import LISTS
from elicit_tui.gateway.passing import Unknown
from elicit_tui.gateway.requester import LEVELS
from elicit_tui.gateway.tasks import UnknownTask, with_task_notifications
from elicit_tui.gateway.telling import NOT_VISITED, Result, failed

RESOURCE_NOT_FOUND: Final = -32002
"""Of the handshake era; the modern one has invalid params (spec: server/resources)."""
HANDSHAKE_ONLY: Final = ("logging/setLevel", "resources/subscribe", "resources/unsubscribe")
"""Methods that the modern era does not have."""

SessionOf = Callable[[Context], Awaitable[AgentSession]]
"""The session that a request belongs to."""
Handler = Callable[[AgentSession, Context, Any], Awaitable[Result]]
"""Makes one method's answer of the request's params."""


class RequestMiddleware:
    """Answers the agent's requests; one for all sessions of a gateway."""

    def __init__(self, session_of: SessionOf, *, tasks: bool) -> None:
        """`tasks`: whether calls may be answered with tasks."""
        self._session_of = session_of
        self._on_tasks: Mapping[str, Callable[[AgentSession, Any], Awaitable[Result]]] = (
            {"tasks/get": _task, "tasks/update": _update_task, "tasks/cancel": _cancel_task}
            if tasks
            else {}
        )
        self._answers: Mapping[str, Handler] = {
            **{method: self._list(*named) for method, named in LISTS.items()},
            "tools/call": self._call_tool,
            "prompts/get": self._get_prompt,
            "resources/read": self._read_resource,
            "logging/setLevel": self._set_level,
            "completion/complete": self._complete,
            "resources/subscribe": self._subscribe,
            "resources/unsubscribe": self._unsubscribe,
            **dict.fromkeys(self._on_tasks, self._about_task),
        }

    async def __call__(self, ctx: Context, call_next: CallNext) -> Any:
        """The middleware: answers what we serve, leaves the rest to the SDK."""
        context = ctx  # The SDK may give it by that name.
        await self._meet(context)
        answer = self._answer_of(context)
        if answer is None:
            return await call_next(context)
        _refuse_odd_params(context)
        session = await _opened(self._session_of, context)
        try:
            result = await answer(session, context, context.params or {})
        # From the particular to the general: each kind of failure has its own code on the wire.
        except ProtocolCallError as error:
            raise _passed_error(context, error) from None
        except UnknownTask as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from None
        except Unknown as error:
            raise _not_found(context, str(error)) from None
        except ElicitTuiError as error:
            raise MCPError(types.INTERNAL_ERROR, failed(error)) from None
        enveloped = _enveloped(context, result)
        # Entries of lists were made readable when they were read, once for all requests.
        return enveloped if context.method in LISTS else _writable(context, enveloped)

    def _answer_of(self, context: Context) -> Handler | None:
        """What answers a request; None: the SDK does, or refuses it."""
        not_of_its_era = HANDSHAKE_ONLY if is_modern(context) else self._on_tasks
        if context.method in not_of_its_era or not _may_ask(context):
            return None
        return self._answers.get(context.method)

    async def _meet(self, context: Context) -> None:
        """Learn who the agent is, from the message with which it begins in its era."""
        if context.method == "notifications/initialized":
            with suppress(MCPError):  # why there is no session is told with the first answer
                session = await _opened(self._session_of, context)
                session.audience.connected(context.session, http=context.request is not None)
                agent = agent_info(context)
                session.own(agent)  # so that a doctor that comes later is seen
                session.note.known_as(agent, http=context.request is not None)
        elif context.method == "server/discover" and context.request is None:
            # The front has given this agent its lists perhaps, so that it asks for nothing more.
            session = await _opened(self._session_of, context)
            session.note.known_as(agent_info(context), http=False)

    # Lists

    def _list(self, kind: str, key: str) -> Handler:
        async def listed(session: AgentSession, context: Context, params: Any) -> Result:
            if params.get("cursor") is not None:
                raise MCPError(types.INVALID_PARAMS, "Unknown cursor: the list has one page.")
            offers = await session.offers(AgentRequest(context, session.clock.time()))
            return {key: getattr(offers, kind), **_uncached(context)}

        return listed

    # Calls

    async def _call_tool(self, session: AgentSession, context: Context, params: Any) -> Result:
        name, arguments = _named(params)
        request = AgentRequest(context, session.clock.time())
        return await _attended(request, session.call_tool(name, arguments, request))

    async def _get_prompt(self, session: AgentSession, context: Context, params: Any) -> Result:
        name, arguments = _named(params)
        request = AgentRequest(context, session.clock.time())
        return await _attended(request, session.get_prompt(name, arguments, request))

    async def _read_resource(self, session: AgentSession, context: Context, params: Any) -> Result:
        uri = _uri(params)
        request = AgentRequest(context, session.clock.time())
        return {
            **_uncached(context),
            **await _attended(request, session.read_resource(uri, request)),
        }

    async def _about_task(self, session: AgentSession, context: Context, params: Any) -> Result:
        must_know_tasks(context)
        if context.request is not None:
            _check_name(context.request.headers.get(MCP_NAME_HEADER), params.get("taskId"))
        return await self._on_tasks[context.method](session, params)

    async def _set_level(self, session: AgentSession, context: Context, params: Any) -> Result:
        if params.get("level") not in LEVELS:
            raise MCPError(types.INVALID_PARAMS, "level is none of the protocol's.")
        session.audience.set_level(params["level"])
        await session.passing.set_log_level(params["level"])
        return {}

    async def _complete(self, session: AgentSession, context: Context, params: Any) -> Result:
        return await session.passing.complete(params)

    async def _subscribe(self, session: AgentSession, context: Context, params: Any) -> Result:
        await session.passing.subscribe(_uri(params))
        return {}

    async def _unsubscribe(self, session: AgentSession, context: Context, params: Any) -> Result:
        await session.passing.unsubscribe(_uri(params))
        return {}


async def _task(session: AgentSession, params: Any) -> Result:
    return await session.tasks.get(params.get("taskId"))


async def _update_task(session: AgentSession, params: Any) -> Result:
    if "inputResponses" not in params:
        raise MCPError(types.INVALID_PARAMS, "inputResponses is missing.")
    await session.tasks.update(params.get("taskId"), params["inputResponses"])
    return {}


async def _cancel_task(session: AgentSession, params: Any) -> Result:
    await session.tasks.cancel(params.get("taskId"))
    return {}


def must_know_tasks(context: Context) -> None:
    """Raise what a client is told that asks for tasks and does not declare them."""
    if not knows_tasks(context):
        needed: dict[str, Any] = {"requiredCapabilities": {"extensions": {EXTENSION: {}}}}
        raise MCPError(
            types.MISSING_REQUIRED_CLIENT_CAPABILITY, "Missing required client capability", needed
        )


def _check_name(header: str | None, task_id: Any) -> None:
    """Over HTTP the id stands in a header too (spec: SEP-2663, "Routing Headers")."""
    if isinstance(task_id, str) and (header is None or decode_header_value(header) != task_id):
        raise MCPError(
            types.HEADER_MISMATCH, "Mcp-Name header does not match the request body's 'taskId'"
        )


async def _opened(session_of: SessionOf, context: Context) -> AgentSession:
    """The session that a request belongs to; raises MCPError that says why there is none."""
    try:
        return await session_of(context)
    except ElicitTuiError as error:
        raise MCPError(types.INTERNAL_ERROR, failed(error)) from None


async def _attended(request: AgentRequest, work: Coroutine[Any, Any, Result]) -> Result:
    """A call's result, after its notifications; given up when its client has hung up.

    In the handshake era over HTTP nothing else tells that nobody is there to read the answer.
    """
    try:
        # On stdio the end of the agent's pipe ends the session as a whole.
        result = await (work if request.gone is None else _unless(request.gone, work))
        # Progress that comes after the answer would belong to nothing any more.
        await request.flushed()
        return result
    finally:
        request.over()


async def _unless(gone: asyncio.Event, work: Coroutine[Any, Any, Result]) -> Result:
    working, leaving = asyncio.ensure_future(work), asyncio.ensure_future(gone.wait())
    try:
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise MCPError(types.CONNECTION_CLOSED, "The client hung up.")
        return working.result()
    finally:
        for waiter in (working, leaving):
            waiter.cancel()
        await asyncio.gather(working, leaving, return_exceptions=True)


def _may_ask(context: Context) -> bool:
    """Whether it is a request, after the handshake; the SDK refuses what comes earlier."""
    greeted = is_modern(context) or context.session.client_params is not None
    return greeted and context.request_id is not None


def _refuse_odd_params(context: Context) -> None:
    """Raise MCPError for params that no method takes."""
    if context.params is not None and not isinstance(context.params, Mapping):
        raise MCPError(types.INVALID_PARAMS, "Invalid request parameters")
    if not _readable_answers(context.params or {}):
        raise MCPError(types.INVALID_PARAMS, "inputResponses is no object of objects.")
    if context.request is not None and not _is_json(context.params):
        raise MCPError(types.INVALID_PARAMS, "params is no JSON that others can read.")


def _is_json(params: Any) -> bool:
    """Whether the SDK, which reads more over HTTP, has read what is JSON to every server."""
    try:
        json.dumps(params, allow_nan=False, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return False
    return True


def _writable(context: Context, value: Any) -> Any:
    """What goes to the agent, as it can be written; over HTTP the SDK fails at odd values."""
    if context.request is None:
        return value
    try:
        return readable(value)
    except RecursionError:
        raise MCPError(types.INTERNAL_ERROR, "The server's answer is nested too deep.") from None


def _passed_error(context: Context, error: ProtocolCallError) -> MCPError:
    """A server's error as the agent reads it.

    Which pages are to be visited first is no matter for the agent's client: it would open them past
    the owner's policy and the person.
    """
    if error.code == types.URL_ELICITATION_REQUIRED:
        return MCPError(types.INTERNAL_ERROR, NOT_VISITED)
    message, data = _writable(context, [error.message, error.data])
    return MCPError(error.code, message, data)


def _not_found(context: Context, sentence: str) -> MCPError:
    if context.method != "resources/read":
        return MCPError(types.INVALID_PARAMS, sentence)
    code = types.INVALID_PARAMS if is_modern(context) else RESOURCE_NOT_FOUND
    return MCPError(code, sentence, {"uri": (context.params or {}).get("uri")})


def _readable_answers(params: Mapping[str, Any]) -> bool:
    """Whether what a client answers in a round has the form of an answer; none is well."""
    if "inputResponses" not in params:
        return True
    responses = params["inputResponses"]
    if not isinstance(responses, Mapping):
        return False
    return all(isinstance(response, Mapping) for response in responses.values())


def _named(params: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    name, arguments = params.get("name"), params.get("arguments")
    if not isinstance(name, str):
        raise MCPError(types.INVALID_PARAMS, "name is missing.")
    if arguments is not None and not isinstance(arguments, Mapping):
        raise MCPError(types.INVALID_PARAMS, "arguments is no object.")
    return name, arguments or {}


def _uri(params: Mapping[str, Any]) -> str:
    uri = params.get("uri")
    if not isinstance(uri, str):
        raise MCPError(types.INVALID_PARAMS, "uri is missing.")
    return uri


def _uncached(context: Context) -> Result:
    """What says that a result is not to be kept (modern era): list_changed tells of changes."""
    if not is_modern(context):
        return {}
    return {"ttlMs": 0, "cacheScope": "private"}


def _enveloped(context: Context, result: Result) -> Result:
    """The result in this agent's era; `resultType` is the one key that eras do not share."""
    if is_modern(context):
        return {"resultType": "complete", **result}
    return {key: value for key, value in result.items() if key != "resultType"}


# The SDK's server


async def _never(context: Any, params: Any) -> Any:
    """The middleware answers this method; the handler only declares the capability."""
    raise MCPError(types.INTERNAL_ERROR, "not served here")


NOTIFICATIONS: Final = NotificationOptions(
    prompts_changed=True, resources_changed=True, tools_changed=True
)


class _AgentFacingServer(Server[Any]):
    """Tells in every handshake that lists change; else clients ignore list_changed."""

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = NOTIFICATIONS,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        """What initialize answers; over HTTP the SDK asks for no more than the defaults."""
        return super().create_initialization_options(
            notification_options, experimental_capabilities, extensions
        )

    def get_capabilities(self, *given: Any, **named: Any) -> types.ServerCapabilities:
        """What can be done in an era; extensions are of the modern one alone."""
        capabilities = super().get_capabilities(*given, **named)
        if named.get("protocol_version") not in MODERN_PROTOCOL_VERSIONS:
            capabilities.extensions = None
        return capabilities


async def _listen(session: AgentSession, context: Any, params: Any, *, tasks: bool) -> Any:
    """Tell an agent what it listens for, until it hangs up."""
    # The SDK's model of what is listened for does not know this key.
    task_ids = (params.notifications.model_extra or {}).get("taskIds") if tasks else None
    stream = None
    if task_ids:
        must_know_tasks(context)
        context, stream = with_task_notifications(context, session.tasks, task_ids)
    subscribed = []
    try:
        for uri in params.notifications.resource_subscriptions or ():
            # A resource that nobody has, or tells of, is honoured and never told of.
            with suppress(ElicitTuiError):
                await session.passing.subscribe(str(uri))
                subscribed.append(str(uri))
        return await session.audience.listen(context, params)
    finally:
        if stream is not None:
            stream.end()
        for uri in subscribed:
            session.passing.unsubscribe_later(uri)


def build_server(
    session_of: SessionOf, instructions: str | None, *, tasks: bool = True
) -> Server[Any]:
    """The SDK's server with all capabilities declared, before any server of ours is up.

    `tasks`: whether calls may be answered with tasks.
    """

    async def listen(context: Any, params: Any) -> Any:
        session = await _opened(session_of, context)
        return await _listen(session, context, params, tasks=tasks)

    server: Server[Any] = _AgentFacingServer(
        "elicit-tui",
        version=__version__,
        title="elicit-tui gateway",
        instructions=instructions,
        on_list_tools=_never,
        on_call_tool=_never,
        on_list_prompts=_never,
        on_get_prompt=_never,
        on_list_resources=_never,
        on_list_resource_templates=_never,
        on_read_resource=_never,
        on_completion=_never,
        on_subscribe_resource=_never,
        on_unsubscribe_resource=_never,
        on_subscriptions_listen=listen,
    )
    server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, _never)
    server.extensions = {EXTENSION: {}} if tasks else {}
    server.middleware = [RequestMiddleware(session_of, tasks=tasks)]
    return server
