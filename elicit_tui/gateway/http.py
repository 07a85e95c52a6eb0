"""The gateway over streamable HTTP: tokens and bounds around the SDK's transport.

Loopback only. Every request shows a named token; Host and Origin are checked, so that no web page
reaches it by a name of its own; bodies and connections are bounded. Nothing of a request's headers
goes to a server.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Container, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import field
from functools import partial
from pathlib import Path
from typing import Any, Final

import uvicorn
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from elicit_tui.broker.store_reader import BEAT_SECONDS
from elicit_tui.broker.store_responder import StoreWatch
from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation.settings import Settings
from elicit_tui.errors import StoreError, UsageError
from elicit_tui.gateway.agent import ANSWERED, GONE, Context
from elicit_tui.gateway.agent_session import AgentSession
from elicit_tui.gateway.catalogue import CatalogueFiles
from elicit_tui.gateway.clock import Clock
from elicit_tui.gateway.connections import (
    MOST_REQUESTS_OF_ONE,
    TOKEN,
    BoundedConnection,
    ambiguity,
)
from elicit_tui.gateway.mcp_server import build_server
from elicit_tui.gateway.offers import SessionOffers
from elicit_tui.gateway.opening import SessionOptions, open_session
from elicit_tui.gateway.other_terminal import OtherTerminal
from elicit_tui.gateway.sessions import OpenSession, Sessions
from elicit_tui.gateway.shared_calls import SharedCalls, owner_of
from elicit_tui.gateway.tokens import SharedTokens, Tokens
from elicit_tui.host.sdk import quieten
from elicit_tui.runtime import open_store
from elicit_tui.store.store import Store, Token

PATH: Final = "/mcp"
SESSION_ID: Final = "mcp-session-id"
MODERN_KEY: Final = ""
"""The key of a token's one session in the modern era, which has no session ids."""

LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
PUBLIC_HOST: Final = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(:[0-9]{1,5})?")
BODY_SECONDS: Final = 30.0
"""A body that is not here by then is not coming."""

KEY: Final = "elicit_tui.key"
"""The key of a request's scope under which the middleware leaves which session it is of."""


def listening_address(text: str) -> tuple[str, int]:
    """Host and port of `--listen`. Raises UsageError for any but a loopback address."""
    host, separator, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not separator or not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise UsageError(f"--listen takes HOST:PORT, such as 127.0.0.1:8765, not {text!r}.")
    if host not in LOOPBACK:
        raise UsageError(
            f"The gateway listens on loopback only (127.0.0.1, localhost, [::1]), not on {host!r}."
        )
    return host, int(port)


def public_host(text: str) -> str:
    """A name of `--public-host` as it stands in the Host of a request. Raises UsageError."""
    if not PUBLIC_HOST.fullmatch(text):
        raise UsageError(
            f"--public-host takes a name such as gateway.example, or NAME:PORT, not {text!r}."
        )
    return text.lower()


class _Answer:
    """Sends one answer on; tells of the session that it begins."""

    def __init__(self, send: Send, begun: Callable[[str], None] | None) -> None:
        """`begun`: told the id of a new session; None: the request cannot begin one."""
        self._send = send
        self._begun = begun
        self.is_success = True
        """False once it has begun with a status that says otherwise."""

    async def __call__(self, message: Message) -> None:
        """Send a part of it."""
        if message["type"] == "http.response.start":
            self.is_success = message["status"] < 400
            session = Headers(raw=message.get("headers", ())).get(SESSION_ID)
            # Its id is chosen by the SDK and stands in its answer alone. It is tied to the token
            # here, before the client has it.
            if session is not None and self._begun is not None and self.is_success:
                self._begun(session)
        await self._send(message)


class TokenMiddleware:
    """Lets in who shows a token, and keeps each session with the token that opened it."""

    def __init__(
        self, app: ASGIApp, tokens: Tokens, sessions: Sessions, over: Container[tuple[Token, str]]
    ) -> None:
        """`over`: sessions that have ended, while the SDK's transport still knows them."""
        self._app = app
        self._tokens = tokens
        self._sessions = sessions
        self._over = over

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request, or the lifespan of the whole."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        headers = Headers(scope=scope)
        token = self._shown(headers)
        if (ambiguous := ambiguity(headers)) is not None:
            refusal = PlainTextResponse(ambiguous, 400, {"connection": "close"})
            await refusal(scope, receive, send)
        elif token is None:
            # Without `WWW-Authenticate`: a client would begin an OAuth login that there is not.
            await PlainTextResponse("A token is needed.", 401)(scope, receive, send)
        elif self._sessions.under_way(token) >= MOST_REQUESTS_OF_ONE:
            await PlainTextResponse("Too many requests at once.", 503)(scope, receive, send)
        elif (token, _session_key(headers)) in self._over:
            await PlainTextResponse("The session has ended.", 404)(scope, receive, send)
        else:
            await self._let_in(scope, receive, send, token)

    async def _let_in(self, scope: Scope, receive: Receive, send: Send, token: Token) -> None:
        headers = Headers(scope=scope)
        scope[TOKEN] = token
        scope["user"] = _user(token)
        # The token has done its work; nothing behind this needs it.
        scope["headers"] = [header for header in scope["headers"] if header[0] != b"authorization"]
        gone = scope[GONE] = asyncio.Event()
        answered: list[Callable[[], Awaitable[None]]] = []
        scope[ANSWERED] = answered
        key = scope[KEY] = _session_key(headers)
        self._sessions.arrived(token, key)
        # A request that names its session already begins none.
        names_session = SESSION_ID in headers
        answer = _Answer(send, None if names_session else partial(self._sessions.begun, token))
        try:
            await self._app(scope, self._bounded(receive, gone), answer)
        finally:
            # Only the end of its stream of events tells that an agent has gone; a request that is
            # over tells nothing, for the next one may be a minute away.
            listened = scope["method"] == "GET" and answer.is_success
            self._sessions.left(token, key, hung_up=listened and gone.is_set())
            ended = key if scope["method"] == "DELETE" and answer.is_success else None
            # To its end also when we are cancelled: the store has to learn what the agent has.
            await asyncio.shield(self._after(answered, token, ended))

    async def _after(
        self, answered: Sequence[Callable[[], Awaitable[None]]], token: Token, ended: str | None
    ) -> None:
        for work in answered:
            await work()
        if ended:
            self._sessions.end(token, ended)

    def _shown(self, headers: Headers) -> Token | None:
        scheme, _, token = headers.get("authorization", "").partition(" ")
        return self._tokens.token_of(token.strip()) if scheme.lower() == "bearer" else None

    def _bounded(self, receive: Receive, gone: asyncio.Event) -> Receive:
        """A body comes in bounded time; a client that hangs up is noticed."""
        complete = False
        end = asyncio.get_running_loop().time() + BODY_SECONDS

        async def bounded() -> Message:
            nonlocal complete
            # Behind the body there is only the client's end, which may come as late as it likes.
            if complete:
                message = await receive()
            else:
                seconds = end - asyncio.get_running_loop().time()
                try:
                    message = await asyncio.wait_for(receive(), max(0.0, seconds))
                except asyncio.TimeoutError:
                    # To the SDK a body that does not come is a client that hung up: it ends the
                    # request and needs no way of its own for that.
                    message = {"type": "http.disconnect"}
            if message["type"] == "http.disconnect":
                gone.set()
            elif not message.get("more_body", False):
                complete = True
            return message

        return bounded


def _user(token: Token) -> AuthenticatedUser:
    """As the SDK keeps a session with who opened it: a token made anew is another one."""
    return AuthenticatedUser(AccessToken(token="", client_id=token.sha256, scopes=[]))


def _session_key(headers: Headers) -> str:
    """The key of the session that a request belongs to.

    The modern era has no session ids: what stands in such a header names no session there.
    """
    version = headers.get(MCP_PROTOCOL_VERSION_HEADER)
    if version is not None and version not in HANDSHAKE_PROTOCOL_VERSIONS:
        return MODERN_KEY
    return headers.get(SESSION_ID, MODERN_KEY)


class _QuietServer(uvicorn.Server):
    """Leaves the signals to the run that it is a part of."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@dataclass(frozen=True)
class HttpOptions:
    """How agents are served over HTTP."""

    idle_seconds: float
    """A session without a request for so long is ended."""
    instructions: str | None
    tasks: bool = True
    """Whether calls may be answered with tasks."""
    public_hosts: Sequence[str] = ()
    """The names under which a proxy on this machine is reached."""
    clock: Clock = field(default_factory=Clock)
    bound: Callable[[int], None] = lambda port: None
    """Told the port, as the system chose it for 0."""


async def serve_http(
    open_one: OpenSession, address: tuple[str, int], tokens: Tokens, options: HttpOptions
) -> None:
    """Serve agents over HTTP until cancelled. Raises UsageError when the address is taken."""
    quieten()
    listener = _listener(address)
    port = listener.getsockname()[1]
    app, sessions = build_app(open_one, tokens, port, options)
    server = _QuietServer(_server_config(app))
    sweeping = asyncio.ensure_future(sessions.sweep(lambda: frozenset(tokens.listed())))
    serving = asyncio.ensure_future(server.serve(sockets=[listener]))
    options.bound(port)
    try:
        # Only the waiting is cancelled; the server ends in order, below.
        await asyncio.shield(serving)
    finally:
        sweeping.cancel()
        # Before the server ends, so that requests that are held still get an answer.
        await sessions.close()
        server.should_exit = True
        await asyncio.gather(serving, sweeping, return_exceptions=True)
        listener.close()


def _listener(address: tuple[str, int]) -> socket.socket:
    host, port = address
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server(address, family=family)
    except OSError as error:
        raise UsageError(f"{host}:{port} cannot be listened on: {error}.") from None


def _server_config(app: ASGIApp) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        lifespan="on",
        http=BoundedConnection,
        ws="none",
        timeout_graceful_shutdown=2,
        server_header=False,
    )


async def _delete(app: ASGIApp, token: Token, key: str, host: str) -> None:
    """End a session of the SDK's transport, as its client would."""
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "DELETE",
        "scheme": "http",
        "path": PATH,
        "raw_path": PATH.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(b"host", host.encode()), (SESSION_ID.encode(), key.encode())],
        # Only who opened a session may end it.
        "user": _user(token),
    }

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        """Nobody waits for this answer."""

    with contextlib.suppress(RuntimeError):  # the transport has ended before its session
        await app(scope, receive, send)


def build_app(
    open_one: OpenSession, tokens: Tokens, port: int, options: HttpOptions
) -> tuple[ASGIApp, Sessions]:
    """The application and its sessions; the SDK's transport behind our tokens."""
    over: dict[tuple[Token, str], asyncio.Task[None]] = {}

    def ended(token: Token, key: str) -> None:
        if key == MODERN_KEY:
            return
        # The SDK's half of the session: its id is unknown from here on.
        task = asyncio.ensure_future(_delete(inner, token, key, hosts[0]))
        over[token, key] = task
        task.add_done_callback(lambda _: over.pop((token, key), None))

    sessions = Sessions(open_one, options.clock, options.idle_seconds, ended)

    async def session_of(context: Context) -> AgentSession:
        request: Any = context.request
        return await sessions.get(request.scope[TOKEN], request.scope[KEY])

    server = build_server(session_of, options.instructions, tasks=options.tasks)
    hosts = [f"{host}:{port}" for host in ("127.0.0.1", "localhost", "[::1]")]
    inner = server.streamable_http_app(
        streamable_http_path=PATH,
        # Sessions end by our own rule, after a longer silence than the SDK's.
        session_idle_timeout=None,
        transport_security=_allowed_hosts(hosts, options.public_hosts),
    )
    _serve_with_slash(inner)
    return TokenMiddleware(inner, tokens, sessions, over), sessions


def _allowed_hosts(hosts: list[str], public_hosts: Sequence[str]) -> TransportSecuritySettings:
    return TransportSecuritySettings(
        allowed_hosts=[*hosts, *public_hosts],
        allowed_origins=[
            *(f"http://{host}" for host in hosts),
            *(f"https://{host}" for host in public_hosts),
        ],
    )


def _serve_with_slash(app: Starlette) -> None:
    """Serve the endpoint at its path with a slash behind it too.

    So it stands in agents' configurations as well, and not each of them follows a redirect.
    """
    routes = [route for route in app.routes if isinstance(route, Route) and route.path == PATH]
    app.routes.extend(Route(f"{PATH}/", route.endpoint) for route in routes)


async def listen(
    settings: Settings,
    names: Sequence[str],
    address: tuple[str, int],
    *,
    public_hosts: Sequence[str] = (),
    log_file: Path | None,
    notify: Callable[[str], None],
) -> None:
    """The whole of `elicit-tui gateway --listen`: until it is cancelled.

    `public_hosts`: the names under which a proxy on this machine is reached.
    """
    files = CatalogueFiles()
    host = f"[{address[0]}]" if ":" in address[0] else address[0]
    http_options = HttpOptions(
        idle_seconds=settings.gateway.wait_sec,
        instructions=SessionOffers.remembered(settings, names, files, notify).instructions(),
        tasks=settings.gateway.tasks == "auto",
        public_hosts=public_hosts,
        bound=lambda port: notify(f"listening on http://{host}:{port}{PATH}"),
    )
    async with open_store(settings, "listener", notify=notify) as store:
        watch = StoreWatch(store)
        tokens = await _tokens_of(store)
        if not tokens.listed():
            notify("nobody has a token yet: elicit-tui gateway token add NAME")

        def open_one(token: Token, key: str) -> AbstractAsyncContextManager[AgentSession]:
            other_terminal = OtherTerminal(store, watch, None, token.name)
            owner = owner_of(token.sha256)
            # A session with an id of its own ends with this process.
            shared = SharedCalls(store.calls, owner, private=key != MODERN_KEY)
            options = SessionOptions(files=files, notify=notify, log_file=log_file, shared=shared)
            return open_session(settings, names, other_terminal, options)

        async with known_elsewhere(store, tokens):
            await serve_http(open_one, address, tokens, http_options)


async def _tokens_of(store: Store) -> Tokens:
    """Those of this machine, or of all that share the store."""
    if store.tokens is None:
        return Tokens()
    tokens = SharedTokens(store.tokens)
    await tokens.refresh()
    return tokens


@contextlib.asynccontextmanager
async def known_elsewhere(store: Store, tokens: Tokens) -> AsyncIterator[None]:
    """Within this, other machines know that this process lives, and it knows their tokens."""

    async def beat() -> None:
        while store.calls.needs_beats:
            with contextlib.suppress(StoreError):  # It is tried again, and told where it matters.
                await store.heartbeat()
            await asyncio.sleep(BEAT_SECONDS)

    going_on = [asyncio.ensure_future(beat())]
    if isinstance(tokens, SharedTokens):
        going_on.append(asyncio.ensure_future(tokens.keep_fresh()))
    try:
        yield
    finally:
        for task in going_on:
            task.cancel()
