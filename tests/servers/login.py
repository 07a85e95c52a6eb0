"""An MCP server that wants a login, and the authorization server that gives it: one process.

    python login.py            its first line is the port; /mcp is the server

Registration, authorization and token endpoint are the SDK's own server parts. `POST /control` sets
how it behaves and forgets what was; `GET /control` tells what it was asked.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import socket
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

import mcp_types as types
import uvicorn
from mcp.server.auth.handlers.authorize import AuthorizationHandler
from mcp.server.auth.handlers.register import RegistrationHandler
from mcp.server.auth.handlers.revoke import RevocationHandler
from mcp.server.auth.handlers.token import TokenHandler
from mcp.server.auth.middleware.client_auth import ClientAuthenticator
from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    RefreshToken,
    TokenError,
    construct_redirect_uri,
)
from mcp.server.auth.settings import ClientRegistrationOptions
from mcp.server.lowlevel.server import Server
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route

SCOPES = ["read", "write", "admin", "root"]
NEEDS = {"read_it": "read", "write_it": "write", "admin_it": "admin", "root_it": "root"}
"""Which scope each tool needs."""
DEFAULTS: dict[str, Any] = {
    "lifetime": 3600,
    "rotates": True,
    "consent": "auto",  # auto | page | deny
    "token_status": None,  # the token endpoint answers a renewal with this
    "token_delay": 0.0,
    "grace": 0.0,  # seconds in which a refresh token that was used is good once more
    "metadata": {},  # put into the authorization server's metadata
    "resource": {},  # put into the server's own metadata; None: it has none
    "padding": 0,  # bytes
    "takes_token": True,
    "wants_more": False,  # each call wants one scope more than it shows
    "leads_to": None,  # its metadata is said to be there; "": where it was asked for
    "where": None,  # the server's own metadata is said to be there
    "iss": None,  # how it names itself in the redirect
    "behind_token": "",  # stands behind each access token
}


class World:
    """What was given out, and how it behaves."""

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.reset({})

    def reset(self, chosen: Mapping[str, Any]) -> None:
        self.ways = {**DEFAULTS, **chosen}
        self.clients: dict[str, OAuthClientInformationFull] = {}
        self.codes: dict[str, AuthorizationCode] = {}
        self.access: dict[str, AccessToken] = {}
        self.refresh: dict[str, RefreshToken] = {}
        self.used: dict[str, tuple[RefreshToken, float]] = {}
        self.waiting: dict[str, tuple[str, AuthorizationParams]] = {}
        self.asked: list[str] = []
        self.bearers: set[str] = set()

    # The SDK's OAuthAuthorizationServerProvider

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        return self.clients.get(client_id)

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        self.asked.append("register")
        self.clients[client_info.client_id] = client_info

    async def authorize(
        self, client: OAuthClientInformationFull, params: AuthorizationParams
    ) -> str:
        self.asked.append("authorize")
        identifier = secrets.token_hex(8)
        self.waiting[identifier] = (client.client_id, params)
        if self.ways["consent"] == "page":
            return f"{self.origin}/consent?id={identifier}"
        return self.decided(identifier, self.ways["consent"] == "auto")

    def decided(self, identifier: str, agreed: bool) -> str:
        client_id, params = self.waiting.pop(identifier)
        back: dict[str, str | None] = {"state": params.state, "iss": self.ways["iss"]}
        if not agreed:
            back["error"] = "access_denied"
            return construct_redirect_uri(str(params.redirect_uri), **back)
        code = "code-canary-" + secrets.token_hex(8)
        self.codes[code] = AuthorizationCode(
            code=code,
            scopes=params.scopes or ["read"],
            expires_at=time.time() + 300,
            client_id=client_id,
            code_challenge=params.code_challenge,
            redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly,
            resource=params.resource,
        )
        back["code"] = code
        return construct_redirect_uri(str(params.redirect_uri), **back)

    async def load_authorization_code(self, client: Any, code: str) -> AuthorizationCode | None:
        return self.codes.get(code)

    async def exchange_authorization_code(self, client: Any, code: AuthorizationCode) -> OAuthToken:
        self.asked.append("code")
        del self.codes[code.code]
        return self.tokens(client.client_id, code.scopes, code.resource)

    async def load_refresh_token(self, client: Any, token: str) -> RefreshToken | None:
        if token in self.used:
            used, at = self.used[token]
            if time.time() - at < self.ways["grace"]:
                return used
            # Theft, as RFC 9700 has it: the whole family ends.
            self.asked.append("reuse")
            self.access.clear()
            self.refresh.clear()
        return self.refresh.get(token)

    async def exchange_refresh_token(
        self, client: Any, token: RefreshToken, scopes: list[str]
    ) -> OAuthToken:
        self.asked.append(f"refresh {token.resource}")
        await asyncio.sleep(self.ways["token_delay"])
        if self.ways["token_status"] is not None:
            raise TokenError("invalid_grant", "canary-description")
        if self.ways["rotates"]:
            self.refresh.pop(token.token, None)
            self.used[token.token] = (token, time.time())
        given = self.tokens(client.client_id, scopes, token.resource)
        return given if self.ways["rotates"] else given.model_copy(update={"refresh_token": None})

    async def load_access_token(self, token: str) -> AccessToken | None:
        return self.access.get(token)

    async def revoke_token(self, token: Any) -> None:
        self.asked.append("revoke")
        self.access.pop(token.token, None)
        self.refresh.pop(token.token, None)

    def tokens(self, client_id: str, scopes: list[str], resource: str | None) -> OAuthToken:
        access = "access-canary-" + secrets.token_hex(16) + self.ways["behind_token"]
        refresh = "refresh-canary-" + secrets.token_hex(16)
        ends = int(time.time()) + self.ways["lifetime"]
        self.access[access] = AccessToken(
            token=access, client_id=client_id, scopes=scopes, expires_at=ends, resource=resource
        )
        self.refresh[refresh] = RefreshToken(
            token=refresh, client_id=client_id, scopes=scopes, resource=resource
        )
        return OAuthToken(
            access_token=access,
            refresh_token=refresh,
            expires_in=self.ways["lifetime"],
            scope=" ".join(scopes),
        )

    # What it serves

    def metadata(self) -> dict[str, Any]:
        return {
            "issuer": self.origin,
            "authorization_endpoint": f"{self.origin}/authorize",
            # Not where a client would look for it by itself.
            "token_endpoint": f"{self.origin}/as/token",
            "registration_endpoint": f"{self.origin}/register",
            "revocation_endpoint": f"{self.origin}/revoke",
            "scopes_supported": SCOPES,
            "response_types_supported": ["code"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "token_endpoint_auth_methods_supported": ["client_secret_post", "none"],
            "code_challenge_methods_supported": ["S256"],
            **self.ways["metadata"],
            "padding": "x" * self.ways["padding"],
        }

    def resource(self) -> dict[str, Any]:
        return {
            "resource": f"{self.origin}/mcp",
            "authorization_servers": [self.origin],
            "scopes_supported": ["read"],
            **self.ways["resource"],
        }


class Guarded:
    """Lets nothing reach the MCP server that does not show a token with the scope it needs."""

    def __init__(self, app: Any, world: World) -> None:
        self._app, self._world = app, world

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http" or scope["path"] != "/mcp":
            await self._app(scope, receive, send)
            return
        body = b""
        while True:
            message = await receive()
            body += message.get("body", b"")
            if not message.get("more_body"):
                break
        refused = self._refusal(scope, body)
        if refused is not None:
            await refused(scope, receive, send)
            return
        given = False

        async def again() -> Any:
            nonlocal given
            if given:
                return await receive()
            given = True
            return {"type": "http.request", "body": body, "more_body": False}

        await self._app(scope, again, send)

    def _refusal(self, scope: Any, body: bytes) -> Response | None:
        headers = dict(scope["headers"])
        shown = headers.get(b"authorization", b"").decode().removeprefix("Bearer ")
        self._world.bearers.add(shown[:14])
        token = self._world.access.get(shown)
        own = f"{self._world.origin}/.well-known/oauth-protected-resource/mcp"
        where = f'resource_metadata="{self._world.ways["where"] or own}"'
        ended = token is None or (token.expires_at or 0) < time.time()
        if token is None or ended or not self._world.ways["takes_token"]:
            return Response(status_code=401, headers={"WWW-Authenticate": f"Bearer {where}"})
        try:
            message = json.loads(body or b"{}")
        except ValueError:
            message = {}
        name = message.get("params", {}).get("name") if message.get("method") == "tools/call" else 0
        needed = NEEDS.get(name, "read")
        more = self._world.ways["wants_more"] and name in NEEDS
        if needed not in token.scopes or more:
            told = f'Bearer error="insufficient_scope", scope="{needed}", {where}'
            return Response(status_code=403, headers={"WWW-Authenticate": told})
        return None


def served() -> Server[Any]:
    async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
        tools = [types.Tool(name=name, input_schema={"type": "object"}) for name in NEEDS]
        return types.ListToolsResult(tools=tools)

    async def call_tool(context: Any, params: Any) -> types.CallToolResult:
        told = types.TextContent(type="text", text=f"{params.name} done")
        return types.CallToolResult(content=[told])

    return Server("login", on_list_tools=list_tools, on_call_tool=call_tool)


def application(world: World) -> Any:
    clients = ClientAuthenticator(world)  # type: ignore[arg-type]
    options = ClientRegistrationOptions(enabled=True, valid_scopes=SCOPES, default_scopes=SCOPES)

    async def metadata(request: Request) -> Response:
        if world.ways["leads_to"] is not None:
            return RedirectResponse(world.ways["leads_to"] or request.url.path)
        return JSONResponse(world.metadata())

    async def resource(request: Request) -> Response:
        if world.ways["resource"] is None:
            return Response(status_code=404)
        return JSONResponse(world.resource())

    async def register(request: Request) -> Response:
        # Whoever registers may ask for any scope later.
        held = await request.json()
        held["scope"] = " ".join(SCOPES)
        request._body = json.dumps(held).encode()
        del request._json
        return await RegistrationHandler(world, options).handle(request)  # type: ignore[arg-type]

    async def consent(request: Request) -> Response:
        identifier = request.query_params["id"]
        links = "".join(
            f"<a id={word} href='/decide?{urlencode({'id': identifier, 'word': word})}'>{word}</a> "
            for word in ("allow", "deny")
        )
        script = "<script>document.getElementById('allow').click()</script>"
        return HTMLResponse(f"<h1>May elicit-tui read?</h1>{links}{script}")

    async def decide(request: Request) -> Response:
        agreed = request.query_params["word"] == "allow"
        return RedirectResponse(world.decided(request.query_params["id"], agreed))

    async def control(request: Request) -> Response:
        if request.method == "POST":
            world.reset(await request.json())
        elif request.method == "PATCH":
            change = await request.json()
            if change.pop("forget_access", False):
                world.access.clear()
            if change.pop("forget_refresh", False):
                world.refresh.clear()
            for client in change.pop("clients", ()):
                known = OAuthClientInformationFull(**client)
                world.clients[known.client_id] = known
            world.ways.update(change)
        told = {"asked": world.asked, "bearers": sorted(world.bearers), "tokens": len(world.access)}
        return JSONResponse(told)

    mcp = served().streamable_http_app(stateless_http=True, json_response=True)
    authorization = AuthorizationHandler(world)  # type: ignore[arg-type]
    token = TokenHandler(world, clients)  # type: ignore[arg-type]
    revocation = RevocationHandler(world, clients)  # type: ignore[arg-type]

    async def checked_token(request: Request) -> Response:
        if isinstance(world.ways["token_status"], int) and world.ways["token_status"] >= 500:
            return Response("canary-body", status_code=world.ways["token_status"])
        return await token.handle(request)

    routes = [
        Route("/.well-known/oauth-authorization-server", metadata),
        Route("/.well-known/openid-configuration", metadata),
        Route("/.well-known/oauth-protected-resource/mcp", resource),
        Route("/authorize", authorization.handle, methods=["GET", "POST"]),
        Route("/as/token", checked_token, methods=["POST"]),
        Route("/register", register, methods=["POST"]),
        Route("/revoke", revocation.handle, methods=["POST"]),
        Route("/consent", consent),
        Route("/decide", decide),
        Route("/control", control, methods=["GET", "POST", "PATCH"]),
        Mount("/", app=mcp),
    ]
    return Guarded(Starlette(routes=routes, lifespan=mcp.router.lifespan_context), world)


if __name__ == "__main__":
    listening = socket.create_server(("127.0.0.1", 0))
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    port = listening.getsockname()[1]
    print(port, flush=True)
    app = application(World(f"http://127.0.0.1:{port}"))
    config = uvicorn.Config(app, log_level="critical")
    uvicorn.Server(config).run(sockets=[listening])
